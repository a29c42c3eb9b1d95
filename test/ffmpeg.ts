import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const execute = promisify(execFile);
const FFMPEG = '/usr/bin/ffmpeg';

/**
 * Why tests that need ffmpeg cannot run here, or undefined when they can: `describe.skipIf(ffmpegMissing)`. With REQUIRE_ALL=1
 * nothing may be skipped, so they run and fail.
 */
export const ffmpegMissing: string | undefined =
  existsSync(FFMPEG) || process.env.REQUIRE_ALL === '1' ? undefined : `there is no ${FFMPEG}`;

/** For the name of a suite, so that a report says why it was skipped. */
export const ffmpegNote = ffmpegMissing === undefined ? '' : ` (skipped: ${ffmpegMissing})`;

/** A PATH on which the real program is. */
export const FFMPEG_PATH = '/usr/bin:/bin';

/** Runs the real program, for making clips and looking at them. */
export async function ffmpeg(...args: readonly string[]): Promise<void> {
  await execute(FFMPEG, ['-nostdin', '-v', 'error', '-y', ...args], { timeout: 60_000 });
}

/** What the real ffprobe says, as `key=value` lines. */
export async function ffprobe(path: string, entries: string): Promise<string> {
  const args = ['-v', 'error', '-show_entries', entries, '-of', 'default=noprint_wrappers=1', path];
  return (await execute('/usr/bin/ffprobe', args, { timeout: 60_000 })).stdout;
}

/** The arguments of a moving picture with a grain that does not compress away. */
export function picture(size: string, seconds: number, rate = 30): readonly string[] {
  return ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${rate}:d=${seconds},noise=alls=12:allf=t,format=yuv420p`];
}

export function tone(seconds: number): readonly string[] {
  return ['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}`];
}

/** Quick to make, for the input of what is tested. */
export const QUICK_H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '26'] as const;

/** An empty folder for one test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-clips-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty folder for a file of tests: `beforeAll` gives `remove` back, so that it is called afterwards. */
export async function makeSharedFolder(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'medley-clips-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Command lines of the living processes on whose command line `text` stands, ours left out. */
export function processesNaming(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(name => commandLine(name))
    .filter(line => line.includes(text));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It ended while we looked.
    return '';
  }
}

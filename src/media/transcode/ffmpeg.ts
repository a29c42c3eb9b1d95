import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { AppError } from '../../errors.ts';
import { findPrograms, type ProgramEnd, runProgram } from '../../infra/child-process.ts';
import { createSemaphore, inTurn } from '../../infra/concurrency/running-work.ts';
import type { Probe } from './probe.ts';

export type Ffmpeg = ReturnType<typeof createFfmpeg>;

export interface FfmpegRunOptions {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  /** Called about twice a second with the duration that has been written so far, in milliseconds. */
  readonly onTime?: ((ms: number) => void) | undefined;
}

/** The result of the search for ffmpeg on a PATH: the program, or the reason why none can be used. */
export type FfmpegFinding =
  | { readonly state: 'ready'; readonly ffmpeg: Ffmpeg }
  | { readonly state: 'unusable'; readonly program: string; readonly why: string }
  | { readonly state: 'missing' };

const NEEDED_ENCODERS = ['libx264', 'aac'] as const;
const TRIAL_MS = 10_000;
const MAX_TRIAL_CHARS = 256 * 1024;
const NICENESS = 10;
const MAX_WAITING = 64;

/** The formats that ffmpeg may read. Playlists and scripts are left out, because they refer to further files. */
const READABLE_FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mp3,aac,ogg,wav,flac,jpeg_pipe,png_pipe,webp_pipe,gif';
/** 8192 x 8192 pixels. A larger image is probably meant to use up the memory. */
const MAX_PIXELS = 67_108_864;

/** Arguments that let ffmpeg read this file and nothing that the file refers to. */
export function inputArguments(path: string): readonly string[] {
  return [
    ...['-protocol_whitelist', 'file', '-format_whitelist', READABLE_FORMATS],
    ...['-max_pixels', String(MAX_PIXELS), '-i', `file:${path}`],
  ];
}

/**
 * Filters that give an HDR video the brightness and colours of other videos. Empty for other videos, and when ffmpeg
 * lacks these filters. The white of HDR, 203 candelas per square metre, becomes nearly white, and light five times as
 * bright becomes white.
 */
export function toSdr({ mapsTones }: Pick<Ffmpeg, 'mapsTones'>, hdr: Probe['hdr']): string {
  if (hdr === null || !mapsTones) return '';
  const linear = `setparams=color_primaries=bt2020:color_trc=${hdr}:colorspace=bt2020nc,zscale=t=linear:npl=203`;
  return `${linear},format=gbrpf32le,zscale=p=bt709,tonemap=mobius:desat=0:peak=5,zscale=t=bt709:m=bt709:r=tv,format=yuv420p,`;
}

/** Arguments for an output file of this format. ffmpeg writes at most `maxBytes` of it. */
export function outputArguments(path: string, format: string, maxBytes?: number): readonly string[] {
  return [...(maxBytes === undefined ? [] : ['-fs', String(maxBytes)]), '-f', format, `file:${path}`];
}

/**
 * Runs ffmpeg with `args`, by which it writes the file at `outputPath`. After a failure the file is deleted.
 * @throws AppError as `Ffmpeg.run`
 */
export async function makeFile(
  ffmpeg: Pick<Ffmpeg, 'run'>,
  outputPath: string,
  args: readonly string[],
  options: FfmpegRunOptions,
): Promise<void> {
  try {
    await ffmpeg.run(args, options);
  } catch (error) {
    await rm(outputPath, { force: true });
    throw error;
  }
}

const PROGRESS = ['-nostats', '-progress', 'pipe:1'];

/** Makes an `onTime` that estimates how long a run still takes, from how much of `durationMs` is written. */
export function timeLeft(
  durationMs: number | null,
  onLeft: ((leftMs: number) => void) | undefined,
): FfmpegRunOptions['onTime'] {
  if (onLeft === undefined || durationMs === null) return undefined;
  // The run may have waited in a queue before, so its speed is measured from its first report on.
  let first: { readonly ms: number; readonly at: number } | undefined;
  return ms => {
    const at = performance.now();
    first ??= { ms, at };
    if (ms > first.ms) onLeft((Math.max(0, durationMs - ms) * (at - first.at)) / (ms - first.ms));
  };
}

function environment(searchPath: string): Readonly<Record<string, string>> {
  return { PATH: searchPath, LANG: 'C.UTF-8', AV_LOG_FORCE_NOCOLOR: '1' };
}

function failureOf({ exitCode, killedBy, complaints }: ProgramEnd): AppError {
  const end = killedBy === null ? `exit ${exitCode}` : `killed by ${killedBy}`;
  return new AppError('internal', `ffmpeg failed (${end})`, { cause: new Error(complaints.trim().slice(-2_000)) });
}

async function outputOf(program: string, searchPath: string, args: readonly string[]): Promise<string> {
  let text = '';
  const end = await runProgram({
    program,
    args,
    env: environment(searchPath),
    signal: new AbortController().signal,
    timeoutMs: TRIAL_MS,
    onOutput: chunk => {
      if (text.length < MAX_TRIAL_CHARS) text += chunk.toString('utf8');
    },
  });
  if (end.exitCode !== 0) throw failureOf(end);
  return text;
}

async function tryProgram(program: string, searchPath: string): Promise<FfmpegFinding> {
  try {
    const [versionText, encoderText] = await Promise.all([
      outputOf(program, searchPath, ['-hide_banner', '-version']),
      outputOf(program, searchPath, ['-hide_banner', '-encoders']),
    ]);
    const version = /^ffmpeg version (\S+)/.exec(versionText)?.[1];
    if (version === undefined) return { state: 'unusable', program, why: 'it does not say that it is ffmpeg' };
    const encoders = new Set([...encoderText.matchAll(/^ [VAS][A-Z.]{5} (\S+)/gm)].map(([, name = '']) => name));
    const missing = NEEDED_ENCODERS.filter(name => !encoders.has(name));
    if (missing.length > 0) return { state: 'unusable', program, why: `it lacks ${missing.join(' and ')}` };
    const skills = { hasMp3: encoders.has('libmp3lame'), mapsTones: versionText.includes('--enable-libzimg') };
    return { state: 'ready', ffmpeg: createFfmpeg(program, version, skills, searchPath) };
  } catch (error) {
    return { state: 'unusable', program, why: error instanceof Error ? error.message : 'it does not run' };
  }
}

interface Skills {
  /** True when the program can encode MP3. */
  readonly hasMp3: boolean;
  /** True when the program can give HDR videos the brightness of other videos. */
  readonly mapsTones: boolean;
}

/**
 * The ffmpeg program that was found and tested.
 * @param program its absolute path
 * @param version the version that it states, e.g. `5.1.9-0+deb12u1`
 * @param skills further abilities; it always encodes H.264 and AAC
 */
function createFfmpeg(program: string, version: string, skills: Skills, searchPath: string) {
  const enter = createSemaphore({ atOnce: availableParallelism(), maxWaiting: MAX_WAITING, name: 'ffmpeg' });
  return {
    program,
    version,
    ...skills,
    /**
     * Runs ffmpeg. Calls wait so that no more run at once than there are cores. `args` must contain nothing that a
     * person wrote, except a tag's text after `-metadata`. When it fails, the caller must delete an unfinished file.
     * @throws AppError `internal` when it fails, with the end of its output as the cause; `timeout` at the deadline,
     * which begins with the run; `upstream_unavailable` when too many wait; the signal's reason
     */
    async run(args: readonly string[], { signal, deadlineMs, onTime }: FfmpegRunOptions): Promise<void> {
      const report = (chunk: Buffer) => {
        for (const [, us] of chunk.toString('latin1').matchAll(/^out_time_us=(\d{1,15})$/gm))
          onTime?.(Number(us) / 1_000);
      };
      const run = {
        program,
        args: ['-nostdin', '-hide_banner', '-v', 'error', '-y', ...(onTime ? PROGRESS : []), ...args],
        env: environment(searchPath),
        signal,
        timeoutMs: deadlineMs,
        niceness: NICENESS,
        onOutput: onTime && report,
      };
      const end = await inTurn(enter, signal, () => runProgram(run));
      if (end.exitCode !== 0) throw failureOf(end);
    },
  };
}

/** Tests each program `ffmpeg` on a PATH until one works. If none does, tells why the first one does not. */
export async function inspectFfmpeg(searchPath: string): Promise<FfmpegFinding> {
  let first: FfmpegFinding | undefined;
  for (const program of await findPrograms('ffmpeg', searchPath)) {
    const finding = await tryProgram(program, searchPath);
    if (finding.state === 'ready') return finding;
    first ??= finding;
  }
  return first ?? { state: 'missing' };
}

/** The first ffmpeg on the PATH that runs and can write H.264 and AAC; undefined when there is none. */
export async function findFfmpeg({ searchPath }: { readonly searchPath: string }): Promise<Ffmpeg | undefined> {
  const finding = await inspectFfmpeg(searchPath);
  return finding.state === 'ready' ? finding.ffmpeg : undefined;
}

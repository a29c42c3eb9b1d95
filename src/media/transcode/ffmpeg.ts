import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { AppError } from '../../errors.ts';
import { findPrograms, type ProgramEnd, runProgram } from '../../infra/child-process.ts';
import { createSemaphore } from '../../infra/concurrency/semaphore.ts';

/** The ffmpeg program, found and tried. */
export interface Ffmpeg {
  /** Absolute path of the program. */
  readonly program: string;
  /** The version as it names itself, e.g. `5.1.9-0+deb12u1`. */
  readonly version: string;
  /** True when it writes MP3; H.264 and AAC it always does. */
  readonly hasMp3: boolean;
  /**
   * Runs it with `args`, which hold nothing a person wrote, after those who came before: no more run at once than there are cores.
   * A file that it has begun stays when it fails: the caller removes it.
   * @throws AppError `internal` when it fails, its last words as the cause; `timeout` at the deadline, which begins with the run;
   *   `upstream_unavailable` when too many wait; the signal's reason
   */
  run(args: readonly string[], options: FfmpegRunOptions): Promise<void>;
}

export interface FfmpegRunOptions {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** The search on a PATH, for those who want to know why there is none. */
export type FfmpegFinding =
  | { readonly state: 'ready'; readonly ffmpeg: Ffmpeg }
  | { readonly state: 'unusable'; readonly program: string; readonly why: string }
  | { readonly state: 'missing' };

const NEEDED_ENCODERS = ['libx264', 'aac'] as const;
const TRIAL_MS = 10_000;
const MAX_TRIAL_CHARS = 256 * 1024;
const NICENESS = 10;
const MAX_WAITING = 64;

/** Containers of single files: playlists and scripts, which name other files, are none of them. */
const READABLE_FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,mp3,aac,ogg,wav,flac,jpeg_pipe,png_pipe,webp_pipe,gif';
/** 8192 x 8192: a larger image is meant to exhaust us. */
const MAX_PIXELS = 67_108_864;

/** The arguments that let ffmpeg read a file of ours and nothing that the file may name. */
export function inputArguments(path: string): readonly string[] {
  return [
    ...['-protocol_whitelist', 'file', '-format_whitelist', READABLE_FORMATS],
    ...['-max_pixels', String(MAX_PIXELS), '-i', `file:${path}`],
  ];
}

/** The arguments of an output file of that format; `maxBytes` is the most it may write. */
export function outputArguments(path: string, format: string, maxBytes?: number): readonly string[] {
  return [...(maxBytes === undefined ? [] : ['-fs', String(maxBytes)]), '-f', format, `file:${path}`];
}

/** Runs it with `args`, which make the file at `outputPath`; a failure leaves no file behind. @throws as `Ffmpeg.run` does */
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

function environment(searchPath: string): Readonly<Record<string, string>> {
  return { PATH: searchPath, LANG: 'C.UTF-8', AV_LOG_FORCE_NOCOLOR: '1' };
}

function failureOf({ exitCode, killedBy, complaints }: ProgramEnd): AppError {
  const end = killedBy === null ? `exit ${exitCode}` : `killed by ${killedBy}`;
  return new AppError('internal', `ffmpeg failed (${end})`, { cause: new Error(complaints.trim().slice(-2_000)) });
}

async function ask(program: string, searchPath: string, args: readonly string[]): Promise<string> {
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

/** The words of `ffmpeg -encoders` that name an encoder. */
function encodersOf(list: string): ReadonlySet<string> {
  return new Set([...list.matchAll(/^ [VAS][A-Z.]{5} (\S+)/gm)].map(([, name = '']) => name));
}

async function tryProgram(program: string, searchPath: string): Promise<FfmpegFinding> {
  try {
    const [versionText, encoderText] = await Promise.all([
      ask(program, searchPath, ['-hide_banner', '-version']),
      ask(program, searchPath, ['-hide_banner', '-encoders']),
    ]);
    const version = /^ffmpeg version (\S+)/.exec(versionText)?.[1];
    if (version === undefined) return { state: 'unusable', program, why: 'it does not say that it is ffmpeg' };
    const encoders = encodersOf(encoderText);
    const missing = NEEDED_ENCODERS.filter(name => !encoders.has(name));
    if (missing.length > 0) return { state: 'unusable', program, why: `it lacks ${missing.join(' and ')}` };
    return { state: 'ready', ffmpeg: createFfmpeg(program, version, encoders.has('libmp3lame'), searchPath) };
  } catch (error) {
    return { state: 'unusable', program, why: error instanceof Error ? error.message : 'it does not run' };
  }
}

function createFfmpeg(program: string, version: string, hasMp3: boolean, searchPath: string): Ffmpeg {
  const enter = createSemaphore({ atOnce: availableParallelism(), maxWaiting: MAX_WAITING, name: 'ffmpeg' });
  return {
    program,
    version,
    hasMp3,
    async run(args, { signal, deadlineMs }) {
      const leave = await enter(signal);
      try {
        const end = await runProgram({
          program,
          args: ['-nostdin', '-hide_banner', '-v', 'error', '-y', ...args],
          env: environment(searchPath),
          signal,
          timeoutMs: deadlineMs,
          niceness: NICENESS,
        });
        if (end.exitCode !== 0) throw failureOf(end);
      } finally {
        leave();
      }
    },
  };
}

/** Tries the programs called ffmpeg on a PATH in order; the first that works, else why the first does not. */
export async function inspectFfmpeg(searchPath: string): Promise<FfmpegFinding> {
  let first: FfmpegFinding | undefined;
  for (const program of await findPrograms('ffmpeg', searchPath)) {
    const finding = await tryProgram(program, searchPath);
    if (finding.state === 'ready') return finding;
    first ??= finding;
  }
  return first ?? { state: 'missing' };
}

/** The first ffmpeg on the PATH that runs and writes H.264 and AAC; undefined when there is none. */
export async function findFfmpeg({ searchPath }: { readonly searchPath: string }): Promise<Ffmpeg | undefined> {
  const finding = await inspectFfmpeg(searchPath);
  return finding.state === 'ready' ? finding.ffmpeg : undefined;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError, type ErrorCode } from '../../errors.ts';
import { META_MEDIA_HOSTS } from '../media-address.ts';
import type { SourceId } from '../post.ts';
import type { Strategy } from '../strategies.ts';
import { parseYtDlpAnswer } from './yt-dlp-answer.ts';

/** The yt-dlp program: the last resort, where it is installed. */
export interface YtDlp {
  /** Absolute path of the program. */
  readonly program: string;
  /**
   * What `yt-dlp -J` prints for an address, as text.
   * @throws AppError by the program's own words; `timeout`, `too_large`, `upstream_unavailable` (too many wait, it does not start).
   */
  describe(url: string, signal: AbortSignal): Promise<string>;
}

export interface YtDlpOptions {
  /** The PATH to look on; relative entries are passed over. */
  readonly searchPath: string;
  /** Handed to the program by its environment, where no process list shows it. */
  readonly proxy?: string | undefined;
  /** Processes at once; default 2. */
  readonly concurrency?: number;
}

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_COMPLAINT_CHARS = 16 * 1024;
const MAX_WAITING = 16;
const NAME = process.platform === 'win32' ? 'yt-dlp.exe' : 'yt-dlp';
const ARGUMENTS: readonly string[] = [
  '-J',
  '--no-playlist',
  '--no-warnings',
  '--ignore-config',
  '--no-cache-dir',
  '--socket-timeout',
  '8',
  '--retries',
  '1',
  '--extractor-retries',
  '0',
  '--',
];

/** The program's words, most telling first. Its `not_found` is weak: it says so too when it was refused. */
const COMPLAINTS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/rate[- ]limit|http error 429|too many requests/, 'upstream_rate_limited'],
  [/(?:video|post|account) is private|users who follow this account/, 'private'],
  [/age[- ]restricted|confirm your age|restricted video/, 'age_restricted'],
  [/not available in your (?:country|region|location)|geo[- ]?restrict/, 'region_blocked'],
  [/log ?in|logged[- ]in|cookies|registered users|empty media response/, 'login_required'],
  [/http error (?:404|410)|does not exist|not found|no longer available|been removed/, 'not_found'],
  [/timed out|connection|unable to download|http error 5\d\d|network/, 'upstream_unavailable'],
];

/** The first complaint without addresses, which may carry signatures. */
function complaintOf(stderr: string): string {
  const line = stderr.split('\n').find(text => text.startsWith('ERROR')) ?? stderr.trim().split('\n').at(-1) ?? '';
  return line.replace(/https?:\/\/\S+/g, '<address>').slice(0, 300);
}

function failureOf(stderr: string, exit: string): AppError {
  const complaint = complaintOf(stderr);
  const words = complaint.toLowerCase();
  const code = COMPLAINTS.find(([pattern]) => pattern.test(words))?.[1] ?? 'upstream_changed';
  const params = code === 'not_found' ? { weak: 1 } : {};
  return new AppError(code, `yt-dlp ${exit}: ${complaint}`, { params });
}

function abortError(signal: AbortSignal): AppError {
  if (signal.reason instanceof AppError) return signal.reason;
  return new AppError('timeout', 'yt-dlp was given up', { cause: signal.reason });
}

/** Ends the program and what it started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // No group of that number: the child alone is left, or not even that.
    child.kill('SIGKILL');
  }
}

/** Runs at most `limit` tasks at once; the rest wait in line, and leave it when their signal aborts. */
function createLine(limit: number): (signal: AbortSignal) => Promise<() => void> {
  const waiting = new Set<() => void>();
  let running = 0;
  const leaveOnce = () => {
    let isGone = false;
    return () => {
      if (isGone) return;
      isGone = true;
      running -= 1;
      const [next] = waiting;
      next?.();
    };
  };
  return signal =>
    new Promise((resolve, reject) => {
      const enter = () => {
        waiting.delete(enter);
        signal.removeEventListener('abort', giveUp);
        running += 1;
        resolve(leaveOnce());
      };
      const giveUp = () => {
        waiting.delete(enter);
        reject(abortError(signal));
      };
      if (signal.aborted) return giveUp();
      if (running < limit) return enter();
      if (waiting.size >= MAX_WAITING) return reject(new AppError('upstream_unavailable', 'too many wait for yt-dlp'));
      waiting.add(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The yt-dlp found first on the path; undefined when there is none. */
export async function findYtDlp({ searchPath, proxy, concurrency = 2 }: YtDlpOptions): Promise<YtDlp | undefined> {
  const candidates = searchPath
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map(folder => path.join(folder, NAME));
  let program: string | undefined;
  for (const candidate of candidates) {
    if (program === undefined && (await isProgram(candidate))) program = candidate;
  }
  if (program === undefined) return undefined;
  const found = program;
  const proxies = proxy === undefined ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  const env = { PATH: searchPath, LANG: 'C.UTF-8', PYTHONIOENCODING: 'utf-8', ...proxies };
  const enterLine = createLine(concurrency);
  const alive = new Set<ChildProcess>();
  // Detached programs would outlive us.
  process.on('exit', () => alive.forEach(killGroup));

  /** Resolves with stdout; `onEnd` is called when the process is gone, which may be after the promise has settled. */
  function run(url: string, signal: AbortSignal, onEnd: () => void): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(found, [...ARGUMENTS, url], {
        env,
        cwd: tmpdir(),
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      });
      alive.add(child);
      const chunks: Buffer[] = [];
      let bytes = 0;
      let complaints = '';
      const fail = (error: AppError) => {
        reject(error);
        killGroup(child);
      };
      const onAbort = () => fail(abortError(signal));
      child.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_OUTPUT_BYTES) fail(new AppError('too_large', 'yt-dlp printed too much'));
        else chunks.push(chunk);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        if (complaints.length < MAX_COMPLAINT_CHARS) complaints += chunk.toString('utf8');
      });
      child.once('error', cause => {
        reject(new AppError('upstream_unavailable', 'yt-dlp could not be run', { cause }));
        if (child.pid !== undefined) return;
        alive.delete(child);
        onEnd();
      });
      child.once('close', (code, killedBy) => {
        signal.removeEventListener('abort', onAbort);
        alive.delete(child);
        onEnd();
        if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(failureOf(complaints, killedBy ?? `exit ${code}`));
      });
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  return {
    program,
    async describe(url, signal) {
      const leave = await enterLine(signal);
      return run(url, signal, leave);
    },
  };
}

/** yt-dlp as a strategy of `source`. It gets the canonical address only, and its media pass the same hosts as any other. */
export function createYtDlpStrategy(ytDlp: YtDlp, source: SourceId, now: () => number = Date.now): Strategy {
  return {
    name: 'yt-dlp',
    // It knows videos only, and stories need an account.
    isAvailable: ref => ref.source === source && ref.form !== 'story' && ref.form !== 'photo',
    async run(ref, signal) {
      const answer = await ytDlp.describe(ref.url, signal);
      return parseYtDlpAnswer(answer, { ref, hosts: META_MEDIA_HOSTS, now: now() });
    },
  };
}

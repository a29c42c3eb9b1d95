import { AppError, type ErrorCode } from '../../errors.ts';
import { findPrograms, runProgram } from '../../infra/child-process.ts';
import { createSemaphore, waitInQueue } from '../../infra/concurrency/running-work.ts';
import { createOutgoing, type Outgoing } from '../../infra/http/outgoing.ts';
import type { Strategy } from '../extract/source.ts';
import type { SourceDescriptor } from '../extract/source-descriptor.ts';
import { parseYtDlpAnswer } from './yt-dlp-answer.ts';

/** The yt-dlp program, used as a last resort where it is installed. */
type YtDlp = NonNullable<Awaited<ReturnType<typeof findYtDlp>>>;

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_WAITING = 16;
/** The time for yt-dlp to start and make several requests. */
const TIMEOUT_MS = 12_000;
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

/** Patterns of yt-dlp's messages; the first match counts. "Not found" may also mean that the caller is refused. */
const COMPLAINTS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/rate[- ]limit|http error 429|too many requests/, 'upstream_rate_limited'],
  [/(?:video|post|account) is private|users who follow this account/, 'private'],
  [/age[- ]restricted|confirm your age|restricted video/, 'age_restricted'],
  [/not available in your (?:country|region|location)|geo[- ]?restrict/, 'region_blocked'],
  [/log ?in|logged[- ]in|cookies|registered users|empty media response/, 'login_required'],
  [/http error (?:404|410)|does not exist|not found|no longer available|been removed/, 'not_found'],
  [/timed out|connection|unable to download|http error 5\d\d|network/, 'upstream_unavailable'],
];

/** The first error message. Its addresses are removed, because they may contain signatures. */
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

/**
 * Finds the first yt-dlp on the PATH; undefined when there is none.
 * @param searchPath the PATH; relative entries are skipped
 * @param outgoing the outgoing addresses; a proxy is passed in the environment, so that no process list shows it
 * @param concurrency how many processes run at once
 */
export async function findYtDlp(searchPath: string, outgoing: Outgoing = createOutgoing(), concurrency = 2) {
  const [program] = await findPrograms('yt-dlp', searchPath);
  if (program === undefined) return undefined;
  const env = { PATH: searchPath, LANG: 'C.UTF-8', PYTHONIOENCODING: 'utf-8' };
  const enter = createSemaphore({ atOnce: concurrency, maxWaiting: MAX_WAITING, name: 'yt-dlp' });

  const run = async (url: string, signal: AbortSignal): Promise<string> => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onOutput = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) throw new AppError('too_large', 'yt-dlp printed too much');
      chunks.push(chunk);
    };
    const { hostname } = new URL(url);
    const { proxyUrl, localAddress } = outgoing.of(hostname);
    const proxies = proxyUrl === undefined ? {} : { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl };
    const source = localAddress === undefined ? [] : ['--source-address', localAddress(hostname)];
    const args = [...source, ...ARGUMENTS, url];
    const end = await runProgram({ program, args, env: { ...env, ...proxies }, signal, onOutput });
    if (end.exitCode !== 0) throw failureOf(end.complaints, end.killedBy ?? `exit ${end.exitCode}`);
    return Buffer.concat(chunks).toString('utf8');
  };

  return {
    /** Absolute path of the program. */
    program,
    /**
     * Runs `yt-dlp -J` for an address and returns its output.
     * @throws AppError by the program's error message; `timeout`; `too_large`; `upstream_unavailable` when too many
     * callers wait or the program does not start
     */
    async describe(url: string, signal: AbortSignal): Promise<string> {
      const leave = await waitInQueue(enter(signal));
      try {
        return await run(url, signal);
      } finally {
        leave();
      }
    },
  };
}

/**
 * Makes yt-dlp a strategy of a source. It gets only canonical addresses, and its media must be on the source's hosts,
 * as those of any strategy must.
 */
export function createYtDlpStrategy(
  ytDlp: YtDlp,
  { id, cdnHosts }: Pick<SourceDescriptor, 'id' | 'cdnHosts'>,
  now: () => number = Date.now,
): Strategy {
  return {
    name: 'yt-dlp',
    isLastResort: true,
    timeoutMs: TIMEOUT_MS,
    // yt-dlp reads only videos, and stories need an account.
    isAvailable: ref => ref.source === id && ref.form !== 'story' && ref.form !== 'photo',
    async run(ref, signal) {
      const answer = await ytDlp.describe(ref.url, signal);
      return parseYtDlpAnswer(answer, ref, cdnHosts, now());
    },
  };
}

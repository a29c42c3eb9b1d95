import { AppError, type ErrorCode, toAppError } from '../errors.ts';
import type { HttpClient } from '../infra/http/http-client.ts';
import { isLimit, isOfOurs } from '../media/extract/failures.ts';
import type { PostRef, Strategy } from '../media/extract/source.ts';
import { isWhole } from '../media/extract/strategy-history.ts';
import { startStrategy } from '../media/extract/strategy-race.ts';
import { type Post, playableVariants } from '../media/post.ts';
import { fetchBeginning } from './fetch-beginning.ts';

export interface ProbeAnswer {
  /** `skipped`: nothing can be said of the strategy, as the network is away, the site wants a pause or our own limits kept it back. */
  readonly verdict: 'works' | 'fails' | 'skipped';
  readonly outcome: ErrorCode | 'ok' | 'slow' | 'incomplete' | 'no_video' | 'no_file';
  /** Of the post, since its request left. */
  readonly durationMs: number;
  /** What came back, or why nothing did: one line. */
  readonly detail: string;
}

/** Asks one strategy for one post. @throws the signal's reason */
export type ProbeStrategy = (strategy: Strategy, ref: PostRef, signal: AbortSignal) => Promise<ProbeAnswer>;

export interface ProbeOptions {
  /** For the files. */
  readonly http: Pick<HttpClient, 'stream'>;
  /** For a post. Default 12 000. */
  readonly timeoutMs?: number;
  /** A post that takes longer is `slow`. Default 6 000: people wait for three seconds more at most where the first choice hangs. */
  readonly budgetMs?: number;
}

/** Forms of links that say that a video is behind them. */
const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'reels', 'tv', 'watch', 'video']);
const MAX_DETAIL_CHARS = 160;

/** By what deliveries need: the whole post in time, a video where the link says so, and a file that can be fetched. */
export function createProbe({ http, timeoutMs = 12_000, budgetMs = 6_000 }: ProbeOptions): ProbeStrategy {
  return async (strategy, ref, signal) => {
    signal.throwIfAborted();
    const asked = startStrategy(strategy, own => strategy.run(ref, own), timeoutMs);
    const abort = () => asked.abort(new AppError('timeout', 'given up', { cause: signal.reason }));
    signal.addEventListener('abort', abort, { once: true });
    const { post, error, tookMs } = await asked.report;
    signal.removeEventListener('abort', abort);
    signal.throwIfAborted();
    const durationMs = Math.round(tookMs);
    if (error !== null || post === null) {
      const failure = toAppError(error);
      return { ...judgeFailure(failure, failure.code), durationMs };
    }
    const fails = (outcome: ProbeAnswer['outcome']): ProbeAnswer => {
      return { verdict: 'fails', outcome, durationMs, detail: describePost(post) };
    };
    if (!isWhole(post)) return fails('incomplete');
    if (VIDEO_FORMS.has(ref.form) && !post.items.some(({ kind }) => kind === 'video')) return fails('no_video');
    try {
      await fetchBeginning(http, post, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { ...judgeFailure(toAppError(error), 'no_file'), durationMs };
    }
    return durationMs > budgetMs ? fails('slow') : { ...fails('ok'), verdict: 'works' };
  };
}

/** @param outcome where it says something of the strategy */
export function judgeFailure(error: AppError, outcome: ProbeAnswer['outcome']): Omit<ProbeAnswer, 'durationMs'> {
  const isSkipped = isOfOurs(error) || isLimit(error) || error.params.what === 'offline';
  const detail = error.message.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL_CHARS);
  return { verdict: isSkipped ? 'skipped' : 'fails', outcome: isSkipped ? error.code : outcome, detail };
}

/** `2 images and 1 video up to 1080x1920`. */
function describePost({ items, missingItems }: Post): string {
  const counts = (['image', 'video', 'audio'] as const)
    .map(kind => [items.filter(item => item.kind === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}${count > 1 ? 's' : ''}`);
  const [largest] = items
    .flatMap(item => playableVariants(item))
    .flatMap(({ width, height }) => (width === null || height === null ? [] : [{ width, height }]))
    .sort((a, b) => b.width * b.height - a.width * a.height);
  const size = largest === undefined ? '' : ` up to ${largest.width}x${largest.height}`;
  return `${counts.join(' and ')}${size}${missingItems > 0 ? `, ${missingItems} missing` : ''}`;
}

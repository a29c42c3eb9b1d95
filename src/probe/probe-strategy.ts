import { AppError, type ErrorCode, toAppError } from '../errors.ts';
import { hostsBelow } from '../infra/http/host-list.ts';
import type { HttpClient } from '../infra/http/http-client.ts';
import { planDelivery } from '../media/delivery/delivery-plan.ts';
import { parseAddress } from '../media/extract/find-addresses.ts';
import { isLimit, isOfOurs } from '../media/extract/refusal.ts';
import { isVideoLink, isWhole, type MediaSource, type PostRef, type Strategy } from '../media/extract/source.ts';
import { startStrategy } from '../media/extract/strategy-race.ts';
import { createCdnHeaders, fileType, isPlaylist, looksLikeDocument } from '../media/files/cdn.ts';
import { type Post, playableVariants, type Variant } from '../media/post.ts';
import { sourceDescriptors } from '../media/sources/index.ts';

export interface ProbeAnswer {
  /** `skipped` if the result says nothing about the strategy: no network, a limit of Medley, or a rate limit. */
  readonly verdict: 'works' | 'fails' | 'skipped';
  readonly outcome: ErrorCode | 'ok' | 'slow' | 'incomplete' | 'no_video' | 'no_file';
  /** Milliseconds from the sending of the strategy's request until the post was read. */
  readonly durationMs: number;
  /** The result in one line, or why there was none. */
  readonly detail: string;
}

/** Runs one strategy for one post. @throws the signal's reason */
export type ProbeStrategy = (strategy: Strategy, ref: PostRef, signal: AbortSignal) => Promise<ProbeAnswer>;

export interface ProbeOptions {
  /** The client that fetches files. */
  readonly http: Pick<HttpClient, 'stream'>;
  /** The time limit for a post, in milliseconds. Default 12 000. */
  readonly timeoutMs?: number;
  /**
   * A post that takes longer than this many milliseconds is `slow`. Default 6 000. In a chat people may wait up to 3
   * 000 ms longer, when the strategy that was asked first hangs before this one is asked.
   */
  readonly budgetMs?: number;
}

const MAX_DETAIL_CHARS = 160;
const FILE_BUDGET_MS = 6_000;
const WISH = { form: 'original', maxBytes: Number.POSITIVE_INFINITY, refused: [] } as const;
const HOSTS = hostsBelow(sourceDescriptors.flatMap(({ cdnHosts }) => cdnHosts));
const cdnHeaders = createCdnHeaders(sourceDescriptors);
const MAX_HOPS = 2;

/** Checks what a delivery needs: the whole post in time, a video for a video's link, and a file that can be fetched. */
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
    if (isVideoLink(ref) && !post.items.some(({ kind }) => kind === 'video')) return fails('no_video');
    try {
      // A post without files is complete, so there is nothing to fetch.
      if (post.items.length > 0) await fetchBeginning(http, post, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { ...judgeFailure(toAppError(error), 'no_file'), durationMs };
    }
    return durationMs > budgetMs ? fails('slow') : { ...fails('ok'), verdict: 'works' };
  };
}

/**
 * Judges the failure of a strategy. A rate limit or a fault of Medley says nothing about the strategy, so it is
 * `skipped`.
 * @param outcome the outcome if the strategy is to blame
 */
export function judgeFailure(error: AppError, outcome: ProbeAnswer['outcome']): Omit<ProbeAnswer, 'durationMs'> {
  const isSkipped = isOfOurs(error) || isLimit(error) || error.params.what === 'offline';
  const detail = error.message.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL_CHARS);
  return { verdict: isSkipped ? 'skipped' : 'fails', outcome: isSkipped ? error.code : outcome, detail };
}

/** A text such as `2 images and 1 video up to 1080x1920`, or `words alone` for a post without files. */
function describePost({ items, missingItems }: Post): string {
  if (items.length + missingItems === 0) return 'words alone';
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

/**
 * Fetches the first kilobyte of the best file of a post's first item, or of both tracks if that file has to be muxed.
 * @throws AppError when a file cannot be fetched
 */
async function fetchBeginning(
  http: Pick<HttpClient, 'stream'>,
  { source, items: [item] }: Pick<Post, 'source' | 'items'>,
  signal: AbortSignal,
): Promise<void> {
  const [step] = item === undefined ? [] : planDelivery(item, WISH, { transcode: false });
  if (step === undefined) throw new AppError('upstream_changed', 'none of its files can be sent');
  const late = AbortSignal.timeout(FILE_BUDGET_MS);
  const either = AbortSignal.any([signal, late]);
  try {
    await Promise.all(step.parts.map(({ variant }) => fetchFile(http, variant, source, either)));
  } catch (error) {
    throw late.aborted
      ? new AppError('timeout', `the CDN needs more than ${FILE_BUDGET_MS} ms`, { cause: error })
      : error;
  }
}

async function fetchFile(
  http: Pick<HttpClient, 'stream'>,
  { url, mime, headers }: Variant,
  source: Post['source'],
  signal: AbortSignal,
): Promise<void> {
  const own = cdnHeaders(source, { mime, ...(headers && { headers }) });
  const call = { url, hosts: HOSTS, headers: { ...own, range: 'bytes=0-1023' }, signal, timeoutMs: FILE_BUDGET_MS };
  const { body, ...head } = await http.stream(call);
  try {
    const type = head.headers['content-type'];
    if (head.status === 429) throw new AppError('upstream_rate_limited', 'the CDN answers 429');
    if (head.status !== 200 && head.status !== 206) throw missing(`${head.status}`);
    if (!isPlaylist({ mime }) && fileType(type, mime) === undefined) throw missing(`${type} in place of ${mime}`);
    // A CDN that ignores the range sends the whole file, so reading stops after its beginning.
    for await (const beginning of body) {
      if (looksLikeDocument(beginning)) throw missing('a document under the name of a file');
      return;
    }
    throw missing('an empty file');
  } finally {
    body.destroy();
  }
}

function missing(what: string): AppError {
  return new AppError('upstream_unavailable', `the CDN answers ${what}`);
}

/** The post behind a link, even a short one; undefined if it is no link of this source. @throws AppError */
export async function refOfLink(source: MediaSource, link: string, signal: AbortSignal): Promise<PostRef | undefined> {
  let text = link;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const address = parseAddress(text);
    const match = address && source.match(address);
    if (match === undefined || match.kind === 'unsupported') return undefined;
    if (match.kind === 'post' || match.kind === 'story') return match.ref;
    text = match.kind === 'wrapper' ? match.target : await source.resolveShort(match.url, { signal });
  }
  return undefined;
}

import { createLru } from '../../infra/cache/create-lru.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { CdnHeaders } from '../files/cdn.ts';
import type { Choice } from '../files/variant-choice.ts';
import { muxKey } from '../files/whole-video.ts';
import type { Post, Variant } from '../post.ts';
import type { CachedDownload } from './cached-download.ts';
import { MAX_SOURCE_BYTES, type Means, planDelivery, type Step } from './delivery-plan.ts';
import type { DeliveryRequest, NoFileReason } from './delivery-request.ts';
import { createFileSize } from './file-size.ts';
import type { FileFailure, HeldFile } from './file-store.ts';
import type { FileTransforms, TransformRequest } from './file-transforms.ts';

/** What a request came to: a file, or the post as it is now and why there is none. */
export type Resolution =
  | {
      readonly kind: 'file';
      readonly file: HeldFile;
      readonly step: Step;
      readonly post: Pick<Post, 'items'>;
      /** Whether the site has a better video, which was too large. */
      readonly isReduced: boolean;
    }
  | { readonly kind: 'none'; readonly reason: NoFileReason; readonly post: Pick<Post, 'items'> };

/** Tries the steps to a file, best first, until one gives it. */
export interface FileResolver {
  /** @throws the signal's reason when it aborts */
  resolve(request: DeliveryRequest, signal: AbortSignal): Promise<Resolution>;
  /** The steps there are, best first. */
  plan(request: DeliveryRequest): readonly Step[];
  /** Whether the site has a better video than the one that this step gives. */
  isReduced(step: Step, request: DeliveryRequest): boolean;
  /** Whether an address is not worth asking any more. */
  isOver(variant: Pick<Variant, 'expiresAt'>): boolean;
}

export interface FileResolverOptions {
  readonly http: Pick<HttpClient, 'request'>;
  readonly mediaHosts: readonly string[];
  readonly cdnHeaders: CdnHeaders;
  readonly spool: CachedDownload;
  readonly transforms: FileTransforms;
  readonly means: Means;
  readonly refresh: (post: Pick<Post, 'source' | 'id'>, signal: AbortSignal) => Promise<Pick<Post, 'items'>>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly now: () => number;
}

/** An address that ends sooner is asked for again before it is used. */
const EXPIRY_MARGIN_MS = 10_000;
const MAX_REMEMBERED = 5_000;

/** How far one request has come. */
interface Attempt {
  readonly request: DeliveryRequest;
  readonly signal: AbortSignal;
  /** The request's, or the newer one it was replaced by. */
  post: Pick<Post, 'items'>;
  refreshed: boolean;
  reason: NoFileReason;
  /** Too large, for the platform or for us. */
  readonly refused: Set<string>;
  /** Not to be had, or not to be made. */
  readonly broken: Set<string>;
  /** Files that may be wanted by a later step. */
  readonly held: HeldFile[];
}

export function createFileResolver(options: FileResolverOptions): FileResolver {
  const { http, mediaHosts, cdnHeaders, spool, transforms, means, refresh, log, now } = options;
  const sizeOf = createFileSize({ http, mediaHosts, cdnHeaders });
  /** Learned from the CDN or the files themselves: a key names the same bytes after years. */
  const sizes = createLru<string, number>({ max: MAX_REMEMBERED });
  const uncommon = createLru<string, true>({ max: MAX_REMEMBERED });

  function steps({ request, post, refused, broken }: Attempt): readonly Step[] {
    const { form, maxBytes, index } = request;
    const item = post.items[index];
    return item ? planDelivery(item, { form, maxBytes, refused, broken, sizes, uncommon }, means) : [];
  }

  async function follow(attempt: Attempt): Promise<Resolution> {
    for (let [step] = steps(attempt); step !== undefined; [step] = steps(attempt)) {
      if (!attempt.refreshed && step.parts.some(part => isOver(part.variant))) {
        if (await renew(attempt)) continue;
        break;
      }
      const outcome = await take(step, attempt);
      if (outcome.status === 'done') {
        sizes.set(step.key, outcome.bytes);
        if (isWelcome(outcome, step, attempt)) {
          attempt.held.splice(attempt.held.indexOf(outcome), 1);
          return { kind: 'file', file: outcome, step, post: attempt.post, isReduced: isReduced(step, attempt) };
        }
      } else if (!(await shouldRetry(outcome, step, attempt))) break;
    }
    return { kind: 'none', reason: attempt.reason, post: attempt.post };
  }

  function isReduced(step: Step, { request, post, broken }: Pick<Attempt, 'request' | 'post' | 'broken'>): boolean {
    const { form, index, maxBytes } = request;
    const item = post.items[index];
    if (item?.kind !== 'video' || form !== 'original') return false;
    const wish = { form, maxBytes: Number.POSITIVE_INFINITY, refused: [], broken, sizes, uncommon };
    const [whole] = planDelivery(item, wish, { transcode: false });
    if (whole === undefined || whole.key === step.key) return false;
    // Others are encoded for their codec, or because they are poor.
    if (step.kind === 'compress') return (bytesOf(whole) ?? 0) > Math.min(maxBytes, step.maxBytes);
    return pixelsOf(step) < pixelsOf(whole) || (bytesOf(step) ?? Number.POSITIVE_INFINITY) < (bytesOf(whole) ?? 0);
  }

  function bytesOf({ key, parts }: Step): number | null {
    const known = sizes.get(key);
    if (known !== undefined) return known;
    return parts.reduce<number | null>((total, { bytes, estimatedBytes }) => {
      const each = bytes ?? estimatedBytes;
      return total === null || each === null ? null : total + each;
    }, 0);
  }

  async function take(step: Step, attempt: Attempt): Promise<HeldFile | FileFailure> {
    const { kind, key, parts, maxBytes } = step;
    const { signal } = attempt;
    const from = (limit: number): TransformRequest => ({
      key: keyIn(attempt, key),
      maxBytes,
      inputs: parts.map(part => own => fetchPart(part, limit, attempt, own)),
    });
    switch (kind) {
      case 'file':
        return keep(await wholeFile(step, attempt), attempt);
      case 'mux':
        return keep(await transforms.mux(from(maxBytes), signal), attempt);
      case 'compress':
        return keep(await transforms.compress(sourceOf(from(MAX_SOURCE_BYTES), step, attempt), signal), attempt);
      case 'convert': {
        const isPhoto = attempt.post.items[attempt.request.index]?.kind === 'image';
        const work = isPhoto ? transforms.toJpeg : transforms.toAudio;
        return keep(await work(from(MAX_SOURCE_BYTES), signal), attempt);
      }
    }
  }

  /** A video in two parts is put together before it is encoded. */
  function sourceOf(order: TransformRequest, { parts }: Step, attempt: Attempt): TransformRequest {
    const [video, audio] = parts;
    if (video === undefined || audio === undefined) return order;
    const key = keyIn(attempt, muxKey(video.key, audio.key));
    const whole = { key, maxBytes: MAX_SOURCE_BYTES, inputs: order.inputs };
    return { ...order, inputs: [own => transforms.mux(whole, own)] };
  }

  /** As the CDN has it, put in order when it would not play while it loads. */
  async function wholeFile({ key, parts, maxBytes }: Step, attempt: Attempt): Promise<HeldFile | FileFailure> {
    const [part] = parts;
    if (part === undefined) return { status: 'unavailable', cause: undefined };
    const file = await fetchPart(part, maxBytes, attempt, attempt.signal);
    if (file.status !== 'done' || file.probe === null || file.probe.kind === 'audio') return file;
    if (file.mime !== 'video/mp4' || (file.probe.fastStart && !file.probe.isFragmented)) return file;
    // Held until then, so that it is not fetched again.
    attempt.held.push(file);
    const inputs = [(own: AbortSignal) => fetchPart(part, maxBytes, attempt, own)];
    const order = { key: keyIn(attempt, `straight-${key}`), maxBytes, inputs };
    const straight = await transforms.straighten(order, attempt.signal);
    return straight.status === 'done' ? straight : fetchPart(part, maxBytes, attempt, attempt.signal);
  }

  async function fetchPart(
    { key, variant, bytes, estimatedBytes }: Choice,
    maxBytes: number,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<HeldFile | FileFailure> {
    const { source } = attempt.request.post;
    const { url, mime } = variant;
    const expectedBytes = bytes ?? estimatedBytes;
    const file = await spool({ key: keyIn(attempt, key), source, url, mime, maxBytes, expectedBytes }, signal);
    return 'cause' in file && file.status !== 'tool' ? { ...file, of: key } : file;
  }

  /** Whether it plays everywhere, or is the best there is. */
  function isWelcome({ probe }: HeldFile, { kind, key }: Step, { request }: Attempt): boolean {
    const isAsSaid = probe === null || probe.kind === 'audio' || request.form === 'audio' || kind === 'compress';
    if (isAsSaid || uncommon.has(key)) return true;
    const isCommon = probe.videoCodec === 'avc' && (!probe.hasAudio || /^(?:aac|mp3)$/.test(probe.audioCodec ?? ''));
    if (!isCommon) uncommon.set(key, true);
    return isCommon;
  }

  /** Whether another try makes sense after a failure. */
  async function shouldRetry(failure: FileFailure, { key, kind }: Step, attempt: Attempt): Promise<boolean> {
    const { request } = attempt;
    if (failure.status !== 'too_large') {
      const level = failure.status === 'disk' ? 'error' : 'info';
      const { source, id } = request.post;
      log[level](
        { err: failure.cause, source, id, index: request.index, reason: failure.status },
        'a file could not be had',
      );
    }
    switch (failure.status) {
      case 'expired':
        if (!attempt.refreshed) return renew(attempt);
        attempt.reason = 'upstream_unavailable';
        attempt.broken.add(failure.of ?? key);
        return true;
      case 'too_large':
        attempt.reason = 'too_large';
        attempt.refused.add(key);
        // What became clear only on the way is at least that large.
        sizes.set(key, failure.bytes ?? request.maxBytes + 1);
        await learnSizes(attempt);
        return true;
      // A part that cannot be had spoils every step it is in; the work itself may still be done on another.
      case 'unavailable':
        attempt.reason = 'upstream_unavailable';
        attempt.broken.add(failure.of ?? key);
        return true;
      case 'tool':
        // What could not be converted has no audio, or a codec that nothing here reads.
        attempt.reason = kind === 'convert' ? 'upstream_unavailable' : 'too_large';
        attempt.broken.add(key);
        return true;
      // A smaller file would come as slowly, and the disk is as full for it.
      case 'timeout':
      case 'disk':
        attempt.reason = failure.status === 'timeout' ? 'timeout' : 'upstream_unavailable';
        return false;
    }
  }

  /** Whether the post could be asked for again. */
  async function renew(attempt: Attempt): Promise<boolean> {
    const { request, signal } = attempt;
    const { source, id } = request.post;
    attempt.refreshed = true;
    try {
      attempt.post = await refresh({ source, id }, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.info({ err: error, source, id }, 'a post could not be asked for again');
      attempt.reason = 'upstream_unavailable';
      return false;
    }
  }

  /** Once the best is too large, all unknown sizes are asked for together. */
  async function learnSizes(attempt: Attempt): Promise<void> {
    const parts = new Map(steps(attempt).flatMap(step => step.parts.map(part => [part.key, part])));
    const unknown = [...parts.values()].filter(
      ({ bytes, estimatedBytes }) => bytes === null && estimatedBytes === null,
    );
    // A single one says its size when it is fetched.
    if (unknown.length < 2) return;
    await Promise.all(
      unknown.map(async ({ key, variant }) => {
        const bytes = await sizeOf(variant, attempt.request.post.source, attempt.signal);
        if (bytes !== undefined) sizes.set(key, bytes);
      }),
    );
  }

  function isOver({ expiresAt }: Pick<Variant, 'expiresAt'>): boolean {
    return expiresAt !== null && expiresAt <= now() + EXPIRY_MARGIN_MS;
  }

  return {
    async resolve(request, signal) {
      const attempt = attemptOf(request, signal);
      if (
        steps({ ...attempt, request: { ...request, maxBytes: Number.POSITIVE_INFINITY }, refused: new Set() }).length >
        0
      )
        attempt.reason = 'too_large';
      try {
        return await follow(attempt);
      } finally {
        await Promise.all(attempt.held.map(file => file.dispose()));
      }
    },
    plan: request => steps(attemptOf(request, new AbortController().signal)),
    isReduced: (step, request) => isReduced(step, attemptOf(request, new AbortController().signal)),
    isOver,
  };
}

function attemptOf(request: DeliveryRequest, signal: AbortSignal): Attempt {
  return {
    request,
    signal,
    post: request.post,
    refreshed: false,
    reason: 'upstream_unavailable',
    refused: new Set(request.refused),
    broken: new Set(),
    held: [],
  };
}

function pixelsOf({ parts: [video] }: Step): number {
  return (video?.variant.width ?? 0) * (video?.variant.height ?? 0);
}

/** Until the request is over: a later step may be made of it. */
function keep<T extends HeldFile | FileFailure>(outcome: T, attempt: Attempt): T {
  if (outcome.status === 'done') attempt.held.push(outcome);
  return outcome;
}

/** Keys name a file within its item. */
function keyIn({ request }: Attempt, key: string): string {
  return [request.post.source, request.post.id, request.index, key].join(' ');
}

import { LRUCache } from 'lru-cache';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { Choice } from '../files/variant-choice.ts';
import type { Post, Variant } from '../post.ts';
import type { CachedDownload } from './cached-download.ts';
import type { DeliveredLink, DeliveryRequest } from './delivery.ts';
import { MAX_SOURCE_BYTES, type Means, planDelivery, type Step } from './delivery-plan.ts';
import { createFileSize } from './file-size.ts';
import type { FileFailure, HeldFile } from './file-store.ts';
import type { FileTransforms, TransformRequest } from './file-transforms.ts';

/** How far one got: a file, or where the post now is and why there is none. */
export type Resolution =
  | { readonly kind: 'file'; readonly file: HeldFile; readonly step: Step; readonly post: Pick<Post, 'items'> }
  | { readonly kind: 'none'; readonly reason: DeliveredLink['reason']; readonly post: Pick<Post, 'items'> };

/** Goes down the ways to a file until one leads to it. */
export interface FileResolver {
  /** @throws the signal's reason when it aborts */
  climb(request: DeliveryRequest, signal: AbortSignal): Promise<Resolution>;
  /** The ways there are, best first. */
  plan(request: DeliveryRequest): readonly Step[];
  /** Whether an address is not worth asking any more. */
  isOver(variant: Pick<Variant, 'expiresAt'>): boolean;
}

export interface FileResolverOptions {
  readonly http: Pick<HttpClient, 'request'>;
  readonly mediaHosts: readonly string[];
  readonly spool: CachedDownload;
  readonly workshop: FileTransforms;
  readonly means: Means;
  readonly refresh: (post: Pick<Post, 'source' | 'id'>, signal: AbortSignal) => Promise<Pick<Post, 'items'>>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly now: () => number;
}

/** An address that ends sooner is asked for again before it is used. */
const EXPIRY_MARGIN_MS = 10_000;
const MAX_REMEMBERED = 5_000;

/** One request on its way down. */
interface Descent {
  readonly request: DeliveryRequest;
  readonly signal: AbortSignal;
  /** The request's, or the newer one it was replaced by. */
  post: Pick<Post, 'items'>;
  refreshed: boolean;
  reason: DeliveredLink['reason'];
  /** Too large, for the platform or for us. */
  readonly refused: Set<string>;
  /** Not to be had, or not to be made. */
  readonly broken: Set<string>;
  /** Files that may be wanted by a later step. */
  readonly held: HeldFile[];
}

export function createFileResolver(options: FileResolverOptions): FileResolver {
  const { http, mediaHosts, spool, workshop, means, refresh, log, now } = options;
  const sizeOf = createFileSize({ http, mediaHosts });
  /** Learned from the CDN or the files themselves: a key names the same bytes after years. */
  const sizes = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const uncommon = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  function steps({ request, post, refused, broken }: Descent): readonly Step[] {
    const { form, maxBytes, index } = request;
    const item = post.items[index];
    return item ? planDelivery(item, { form, maxBytes, refused, broken, sizes, uncommon }, means) : [];
  }

  async function descend(descent: Descent): Promise<Resolution> {
    for (let [step] = steps(descent); step !== undefined; [step] = steps(descent)) {
      if (!descent.refreshed && step.parts.some(part => isOver(part.variant))) {
        if (await renew(descent)) continue;
        break;
      }
      const outcome = await take(step, descent);
      if (outcome.why === 'done') {
        sizes.set(step.key, outcome.bytes);
        if (isWelcome(outcome, step, descent)) {
          descent.held.splice(descent.held.indexOf(outcome), 1);
          return { kind: 'file', file: outcome, step, post: descent.post };
        }
      } else if (!(await goOn(outcome, step, descent))) break;
    }
    return { kind: 'none', reason: descent.reason, post: descent.post };
  }

  async function take(step: Step, descent: Descent): Promise<HeldFile | FileFailure> {
    const { rung, key, parts, maxBytes } = step;
    const { signal } = descent;
    const from = (limit: number): TransformRequest => ({
      key: keyIn(descent, key),
      maxBytes,
      inputs: parts.map(part => own => fetchPart(part, limit, descent, own)),
    });
    switch (rung) {
      case 'file':
        return keep(await wholeFile(step, descent), descent);
      case 'mux':
        return keep(await workshop.mux(from(maxBytes), signal), descent);
      case 'compress':
        return keep(await workshop.compress(sourceOf(from(MAX_SOURCE_BYTES), step, descent), signal), descent);
      case 'convert': {
        const isPhoto = descent.post.items[descent.request.index]?.kind === 'image';
        const work = isPhoto ? workshop.toJpeg : workshop.toSound;
        return keep(await work(from(MAX_SOURCE_BYTES), signal), descent);
      }
    }
  }

  /** A film in two parts is put together before it is encoded. */
  function sourceOf(order: TransformRequest, { parts }: Step, descent: Descent): TransformRequest {
    if (parts.length < 2) return order;
    const key = keyIn(descent, `mux-${parts.map(part => part.key).join('-')}`);
    const whole = { key, maxBytes: MAX_SOURCE_BYTES, inputs: order.inputs };
    return { ...order, inputs: [own => workshop.mux(whole, own)] };
  }

  /** As the CDN has it, put in order when it would not play while it loads. */
  async function wholeFile({ key, parts, maxBytes }: Step, descent: Descent): Promise<HeldFile | FileFailure> {
    const [part] = parts;
    if (part === undefined) return { why: 'unavailable', cause: undefined };
    const file = await fetchPart(part, maxBytes, descent, descent.signal);
    if (file.why !== 'done' || file.probe === null || file.probe.kind === 'audio') return file;
    if (file.mime !== 'video/mp4' || (file.probe.fastStart && !file.probe.isFragmented)) return file;
    // Held until then, so that it is not fetched again.
    descent.held.push(file);
    const inputs = [(own: AbortSignal) => fetchPart(part, maxBytes, descent, own)];
    const order = { key: keyIn(descent, `straight-${key}`), maxBytes, inputs };
    const straight = await workshop.straighten(order, descent.signal);
    return straight.why === 'done' ? straight : fetchPart(part, maxBytes, descent, descent.signal);
  }

  async function fetchPart(
    { key, variant, bytes, estimatedBytes }: Choice,
    maxBytes: number,
    descent: Descent,
    signal: AbortSignal,
  ): Promise<HeldFile | FileFailure> {
    const { source } = descent.request.post;
    const { url, mime } = variant;
    const expectedBytes = bytes ?? estimatedBytes;
    const file = await spool({ key: keyIn(descent, key), source, url, mime, maxBytes, expectedBytes }, signal);
    return 'cause' in file && file.why !== 'tool' ? { ...file, of: key } : file;
  }

  /** Whether it plays everywhere, or is the best there is. */
  function isWelcome({ probe }: HeldFile, { rung, key }: Step, { request }: Descent): boolean {
    const isAsSaid = probe === null || probe.kind === 'audio' || request.form === 'audio' || rung === 'compress';
    if (isAsSaid || uncommon.has(key)) return true;
    const isCommon = probe.videoCodec === 'avc' && (!probe.hasAudio || /^(?:aac|mp3)$/.test(probe.audioCodec ?? ''));
    if (!isCommon) uncommon.set(key, true);
    return isCommon;
  }

  /** Whether another try makes sense after a failure. */
  async function goOn(failure: FileFailure, { key, rung }: Step, descent: Descent): Promise<boolean> {
    const { request } = descent;
    if (failure.why !== 'too_large') {
      const level = failure.why === 'disk' ? 'error' : 'info';
      const { source, id } = request.post;
      log[level]({ err: failure.cause, source, id, index: request.index, why: failure.why }, 'a file could not be had');
    }
    switch (failure.why) {
      case 'expired':
        if (!descent.refreshed) return renew(descent);
        descent.reason = 'upstream_unavailable';
        descent.broken.add(failure.of ?? key);
        return true;
      case 'too_large':
        descent.reason = 'too_large';
        descent.refused.add(key);
        // What became clear only on the way is at least that large.
        sizes.set(key, failure.bytes ?? request.maxBytes + 1);
        await learnSizes(descent);
        return true;
      // A part that cannot be had spoils every step it is in; the work itself may still be done on another.
      case 'unavailable':
        descent.reason = 'upstream_unavailable';
        descent.broken.add(failure.of ?? key);
        return true;
      case 'tool':
        // What could not be converted has no sound, or one that nothing here reads.
        descent.reason = rung === 'convert' ? 'upstream_unavailable' : 'too_large';
        descent.broken.add(key);
        return true;
      // A smaller file would come as slowly, and the disk is as full for it.
      case 'timeout':
      case 'disk':
        descent.reason = failure.why === 'timeout' ? 'timeout' : 'upstream_unavailable';
        return false;
    }
  }

  /** Whether the post could be asked for again. */
  async function renew(descent: Descent): Promise<boolean> {
    const { request, signal } = descent;
    const { source, id } = request.post;
    descent.refreshed = true;
    try {
      descent.post = await refresh({ source, id }, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.info({ err: error, source, id }, 'a post could not be asked for again');
      descent.reason = 'upstream_unavailable';
      return false;
    }
  }

  /** Once the best is too large, all sizes that nobody told are asked for together. */
  async function learnSizes(descent: Descent): Promise<void> {
    const parts = new Map(steps(descent).flatMap(step => step.parts.map(part => [part.key, part])));
    const unknown = [...parts.values()].filter(
      ({ bytes, estimatedBytes }) => bytes === null && estimatedBytes === null,
    );
    // A single one says its size when it is fetched.
    if (unknown.length < 2) return;
    await Promise.all(
      unknown.map(async ({ key, variant }) => {
        const bytes = await sizeOf(variant, descent.request.post.source, descent.signal);
        if (bytes !== undefined) sizes.set(key, bytes);
      }),
    );
  }

  function isOver({ expiresAt }: Pick<Variant, 'expiresAt'>): boolean {
    return expiresAt !== null && expiresAt <= now() + EXPIRY_MARGIN_MS;
  }

  return {
    async climb(request, signal) {
      const descent = descentOf(request, signal);
      if (
        steps({ ...descent, request: { ...request, maxBytes: Number.POSITIVE_INFINITY }, refused: new Set() }).length >
        0
      )
        descent.reason = 'too_large';
      try {
        return await descend(descent);
      } finally {
        await Promise.all(descent.held.map(file => file.dispose()));
      }
    },
    plan: request => steps(descentOf(request, new AbortController().signal)),
    isOver,
  };
}

function descentOf(request: DeliveryRequest, signal: AbortSignal): Descent {
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

/** Until the climb is over: a later step may be made of it. */
function keep<T extends HeldFile | FileFailure>(outcome: T, descent: Descent): T {
  if (outcome.why === 'done') descent.held.push(outcome);
  return outcome;
}

/** Keys name a file within its item. */
function keyIn({ request }: Descent, key: string): string {
  return [request.post.source, request.post.id, request.index, key].join(' ');
}

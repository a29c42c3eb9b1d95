import { AppError } from '../errors.ts';
import type { HttpClient } from '../infra/http.ts';
import type { Logger } from '../infra/log.ts';
import { createDownload, type Patience } from './download.ts';
import { fileNameOf } from './file-name.ts';
import { createFileSize } from './file-size.ts';
import type { Post, Variant } from './post.ts';
import { createSpool, type SpooledFile, type SpoolFailure } from './spool.ts';
import type { TunnelFile } from './tunnel.ts';
import { type Choice, chooseVariants, likelyBytes, sendableVariants } from './variant-choice.ts';

export interface DeliveryRequest {
  readonly post: Post;
  /** Index into `post.items`. */
  readonly index: number;
  readonly form: 'original' | 'audio';
  /** The chat's real limit for one file. */
  readonly maxBytes: number;
  /** Variants a platform has refused already, by `variantKey`: the next smaller is tried. */
  readonly refused?: readonly string[];
}

/** A file on disk, ready to be streamed to a platform. */
export interface DeliveredFile {
  readonly kind: 'file';
  readonly path: string;
  readonly bytes: number;
  readonly mime: string;
  readonly fileName: string;
  /** Names the variant, the same after a restart: part of the key under which a platform's file id is remembered. */
  readonly variantKey: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly hasAudio: boolean | null;
  /** Lets go of the file; it is removed when nobody holds it any more. Safe to call twice. */
  dispose(): Promise<void>;
}

/** Nothing fits or can be had: the reader gets an address instead, and why. */
export interface DeliveredLink {
  readonly kind: 'link';
  readonly url: string;
  readonly reason: 'too_large' | 'upstream_unavailable' | 'timeout';
}

/** Post item + byte budget -> the file to send, or a link. */
export interface Delivery {
  /**
   * The best variant that fits, spooled to disk under its byte cap; memory does not grow with its size. Callers who ask for the same
   * file at once share one download. An expired address is asked for again once. All files together are bounded: who holds some
   * while asking for more should let go of what is sent, since waiting for room ends in a link.
   * @throws AppError only when the caller's signal aborts
   */
  deliver(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveredFile | DeliveredLink>;
  /** The best variant a platform may fetch by itself within `maxBytes` of known or estimated size; undefined when there is none. */
  remoteFile(
    request: DeliveryRequest,
  ): { readonly url: string; readonly mime: string; readonly variantKey: string } | undefined;
  /** Ends what runs and removes every file, those still held too. */
  close(): Promise<void>;
}

export interface DeliveryOptions {
  readonly http: Pick<HttpClient, 'request' | 'stream'>;
  /** Suffixes: each host and what is below it. */
  readonly mediaHosts: readonly string[];
  /** Made when missing, readable by its owner alone; what an earlier process left in it is removed at once. */
  readonly tempDir: string;
  /** Asks the upstream again for a post whose addresses expired early. */
  readonly refresh: (post: Pick<Post, 'source' | 'id'>, signal: AbortSignal) => Promise<Pick<Post, 'items'>>;
  /** The absolute address of a file in the tunnel, where people can reach it; without it links lead to the original post. */
  readonly tunnelAddress?: ((file: TunnelFile) => string) | undefined;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly now?: () => number;
  /** All files on the disk together. Default 1 GiB. */
  readonly maxSpoolBytes?: number;
  /** How slow a file may come. */
  readonly patience?: Partial<Patience>;
}

const DEFAULT_SPOOL_BYTES = 1024 * 1024 * 1024;
/** Links are handed out for this long at most. */
const LINK_LIFE_MS = 6 * 3_600_000;
/** An address that ends sooner is asked for again before it is used. */
const EXPIRY_MARGIN_MS = 10_000;

/** One request on its way down the variants. */
interface Descent {
  readonly request: DeliveryRequest;
  readonly signal: AbortSignal;
  /** The request's, or the newer one it was replaced by. */
  post: Pick<Post, 'items'>;
  refreshed: boolean;
  reason: DeliveredLink['reason'];
  readonly refused: Set<string>;
  readonly sizes: Map<string, number>;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { http, mediaHosts, tempDir, refresh, tunnelAddress, log, now = Date.now } = options;
  const sizeOf = createFileSize({ http, mediaHosts });
  const spool = createSpool({
    tempDir,
    maxBytes: options.maxSpoolBytes ?? DEFAULT_SPOOL_BYTES,
    download: createDownload({ http, mediaHosts, ...(options.patience && { patience: options.patience }) }),
  });

  function choices({ request, post, refused, sizes }: Descent): readonly Choice[] {
    const item = post.items[request.index];
    return item ? chooseVariants(item, { form: request.form, maxBytes: request.maxBytes, refused, sizes }) : [];
  }

  /** A file, or undefined when none can be had: `descent.reason` says why. */
  async function spooled(descent: Descent): Promise<DeliveredFile | undefined> {
    const { request, signal } = descent;
    for (let [choice] = choices(descent); choice !== undefined; [choice] = choices(descent)) {
      const { key, variant } = choice;
      if (!descent.refreshed && isOver(variant)) {
        if (await renew(descent)) continue;
        return undefined;
      }
      const { source, id } = request.post;
      const outcome = await spool.fetch(
        {
          key: [source, id, request.index, key].join(' '),
          source,
          url: variant.url,
          mime: variant.mime,
          maxBytes: request.maxBytes,
          expectedBytes: choice.bytes ?? choice.estimatedBytes,
        },
        signal,
      );
      if (outcome.why === 'done') return fileOf(outcome, choice, descent);
      if (!(await goOn(outcome, key, descent))) return undefined;
    }
    return undefined;
  }

  /** Whether another try makes sense after a failure. */
  async function goOn(failure: SpoolFailure, key: string, descent: Descent): Promise<boolean> {
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
        descent.refused.add(key);
        return true;
      case 'too_large':
        descent.reason = 'too_large';
        descent.refused.add(key);
        if (failure.bytes !== null) descent.sizes.set(key, failure.bytes);
        await learnSizes(descent);
        return true;
      case 'unavailable':
        descent.reason = 'upstream_unavailable';
        descent.refused.add(key);
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
    const unknown = choices(descent).filter(({ bytes, estimatedBytes }) => bytes === null && estimatedBytes === null);
    // A single one says its size when it is fetched.
    if (unknown.length < 2) return;
    await Promise.all(
      unknown.map(async ({ key, variant }) => {
        const bytes = await sizeOf(variant, descent.request.post.source, descent.signal);
        if (bytes !== undefined) descent.sizes.set(key, bytes);
      }),
    );
  }

  function fileOf(file: SpooledFile, { key, variant }: Choice, { request, post }: Descent): DeliveredFile {
    const item = post.items[request.index];
    const isSeen = !file.mime.startsWith('audio/');
    return {
      kind: 'file',
      path: file.path,
      bytes: file.bytes,
      mime: file.mime,
      fileName: fileNameOf(request.post, request.index, file.mime),
      variantKey: key,
      width: isSeen ? (variant.width ?? item?.width ?? null) : null,
      height: isSeen ? (variant.height ?? item?.height ?? null) : null,
      durationMs: item?.durationMs ?? null,
      hasAudio: variant.hasAudio,
      async dispose() {
        try {
          await file.dispose();
        } catch (error) {
          log.error({ err: error }, 'a spooled file could not be removed');
        }
      },
    };
  }

  function isOver({ expiresAt }: Variant): boolean {
    return expiresAt !== null && expiresAt <= now() + EXPIRY_MARGIN_MS;
  }

  function linkOf({ request, post, reason }: Descent): DeliveredLink {
    const { form, index } = request;
    const item = post.items[index];
    const variant = item && sendableVariants(item, form)[0];
    // The tunnel cannot carry what cannot be had.
    const isCarried = tunnelAddress !== undefined && variant !== undefined && reason !== 'upstream_unavailable';
    if (!isCarried || isOver(variant)) return { kind: 'link', url: request.post.url, reason };
    const { url, mime, width, height } = variant;
    const { source, id } = request.post;
    const expiresAt = Math.min(variant.expiresAt ?? Number.POSITIVE_INFINITY, now() + LINK_LIFE_MS);
    const file = {
      post: { source, id },
      index,
      url,
      mime,
      width,
      height,
      fileName: fileNameOf(request.post, index, mime),
      expiresAt,
    };
    return { kind: 'link', url: tunnelAddress(file), reason };
  }

  return {
    async deliver(request, signal) {
      const descent: Descent = {
        request,
        signal,
        post: request.post,
        refreshed: false,
        reason: hasVariants(request) ? 'too_large' : 'upstream_unavailable',
        refused: new Set(request.refused),
        sizes: new Map(),
      };
      try {
        return (await spooled(descent)) ?? linkOf(descent);
      } catch (error) {
        if (signal.aborted) throw new AppError('timeout', 'given up by the caller', { cause: signal.reason });
        const { source, id } = request.post;
        log.error({ err: error, source, id, index: request.index }, 'a delivery failed');
        return { kind: 'link', url: request.post.url, reason: 'upstream_unavailable' };
      }
    },

    remoteFile({ post, index, form, maxBytes, refused = [] }) {
      const item = post.items[index];
      if (item === undefined) return undefined;
      const fitting = chooseVariants(item, { form, maxBytes, refused }).find(choice => {
        const bytes = likelyBytes(choice, item);
        return bytes !== null && bytes <= maxBytes && !isOver(choice.variant);
      });
      return fitting && { url: fitting.variant.url, mime: fitting.variant.mime, variantKey: fitting.key };
    },

    close: () => spool.close(),
  };
}

function hasVariants({ post, index, form }: DeliveryRequest): boolean {
  const item = post.items[index];
  return item !== undefined && sendableVariants(item, form).length > 0;
}

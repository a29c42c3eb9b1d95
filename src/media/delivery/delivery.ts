import { AppError } from '../../errors.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { CdnHeaders } from '../files/cdn.ts';
import { fileNameOf } from '../files/file-name.ts';
import { likelyBytes } from '../files/variant-choice.ts';
import type { Post, Variant } from '../post.ts';
import { createCompressor } from '../transcode/compress.ts';
import type { Ffmpeg } from '../transcode/ffmpeg.ts';
import { playerTunnelFile } from '../tunnel/player-file.ts';
import type { TunnelFile } from '../tunnel/tunnel-file.ts';
import { createCachedDownload } from './cached-download.ts';
import { createClippedFile } from './clipped-file.ts';
import { type LinkTarget, planLink } from './delivery-plan.ts';
import type { DeliveryRequest, NoFileReason } from './delivery-request.ts';
import { createDownload, type Patience } from './download.ts';
import { createFileResolver, type Resolution } from './file-resolver.ts';
import { createFileStore, type HeldFile } from './file-store.ts';
import { createFileTransforms } from './file-transforms.ts';

/** Where a reader is led: to a page of ours, a file, or the post. */
export interface MediaAddress {
  readonly url: string;
  /** What is behind the address. A `page` is unfurled by the chat into a player. */
  readonly leadsTo: LinkTarget;
}

/** Of a video that had to be smaller than the site's: its own size, and where the whole one is. */
export interface Reduction extends MediaAddress {
  readonly bytes: number;
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
  /** Absent for what is as good as the site has it. */
  readonly reduced?: Reduction;
  /** JPEG of at most 320 pixels a side and 200 kB; null when none was asked for or none could be made. */
  readonly thumbnail: { readonly path: string; readonly bytes: number } | null;
  /** Releases the file; it is removed when nothing holds it any more. Safe to call twice. */
  dispose(): Promise<void>;
}

/** Nothing fits or can be had: the reader gets an address instead, and why. */
export interface DeliveredLink extends MediaAddress {
  readonly kind: 'link';
  readonly reason: NoFileReason;
}

export interface RemoteFile {
  readonly url: string;
  readonly mime: string;
  readonly variantKey: string;
  readonly reduced?: Reduction;
}

/** Post item + byte budget -> the file to send, or a link. */
export interface Delivery {
  /**
   * The best file that fits, on disk: a variant as it is, video and audio put together, or a video encoded again where ffmpeg is;
   * memory does not grow with its size. Callers who ask for the same at once share the work, and files are kept for those who ask
   * later. An expired address is asked for again once. All files together are bounded: who holds some while asking for more should
   * let go of what is sent, since waiting for room ends in a link.
   * @throws AppError only when the caller's signal aborts
   */
  deliver(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveredFile | DeliveredLink>;
  /** The best variant a platform may fetch by itself within `maxBytes` of known or estimated size; undefined when there is none. */
  remoteFile(request: DeliveryRequest): RemoteFile | undefined;
  /** Where all of a video is. */
  wholeAddress(request: DeliveryRequest): MediaAddress;
  /** Ends what runs and removes every file, those still held too. */
  close(): Promise<void>;
}

export interface PublicAddresses {
  /** Of a file in the tunnel. */
  file(file: TunnelFile): string;
  /** Of the page that plays a video of a post; it ends at `expiresAt`, unix milliseconds. */
  page(post: Pick<Post, 'source' | 'id' | 'url'>, index: number, expiresAt: number): string;
}

export interface DeliveryOptions {
  readonly http: Pick<HttpClient, 'request' | 'stream'>;
  /** Suffixes: each host and what is below it. */
  readonly mediaHosts: readonly string[];
  readonly cdnHeaders: CdnHeaders;
  /** Made when missing, readable by its owner alone; what an earlier process left in it is removed at once. */
  readonly tempDir: string;
  /** Asks the upstream again for a post whose addresses expired early. */
  readonly refresh: (post: Pick<Post, 'source' | 'id'>, signal: AbortSignal) => Promise<Pick<Post, 'items'>>;
  /** Absolute addresses, where people can reach Medley; without them links lead to the original post. */
  readonly addresses?: PublicAddresses | undefined;
  /** Without it nothing is encoded. */
  readonly ffmpeg?: Ffmpeg | undefined;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Told of each item: how its file was made (`file`: as the CDN has it) and its bytes, or where the link that is given leads. */
  readonly onDelivered?: (step: string, bytes: number) => void;
  readonly now?: () => number;
  /** All files that are being sent, together. Default 1 GiB. */
  readonly maxSpoolBytes?: number;
  /** All files that are kept for those who ask later, together. Default none. */
  readonly keptBytes?: number;
  /** How slow a file may come. */
  readonly patience?: Partial<Patience>;
}

const DEFAULT_SPOOL_BYTES = 1024 * 1024 * 1024;
/** Links into the tunnel are handed out for this long at most. */
const LINK_LIFE_MS = 6 * 3_600_000;
/** A page finds new addresses by itself. */
const PAGE_LIFE_MS = 7 * 24 * 3_600_000;
const MAX_COVER_BYTES = 10 * 1024 * 1024;
const MAX_THUMBNAIL_BYTES = 200_000;
/** A mux with so many more pixels is worth an upload where the platform could have fetched a file itself. */
const SHARPER = 1.5;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { http, mediaHosts, cdnHeaders, tempDir, refresh, addresses, ffmpeg, log, now = Date.now } = options;
  const { maxSpoolBytes = DEFAULT_SPOOL_BYTES, keptBytes = 0, patience } = options;
  const store = createFileStore({ tempDir, maxBytes: maxSpoolBytes, keptBytes, log });
  const download = createDownload({ http, mediaHosts, cdnHeaders, ...(patience && { patience }) });
  const spool = createCachedDownload({ store, download, totalBytes: maxSpoolBytes });
  const compressor = ffmpeg && createCompressor({ ffmpeg });
  const transforms = createFileTransforms({ store, ffmpeg, compressor });
  const means = { transcode: ffmpeg !== undefined };
  const resolver = createFileResolver({ http, mediaHosts, cdnHeaders, spool, transforms, means, refresh, log, now });

  const clippedFile = createClippedFile({ resolver, transforms });

  async function fileOf(
    { file, step, post, isReduced }: Extract<Resolution, { kind: 'file' }>,
    request: DeliveryRequest,
    signal: AbortSignal,
  ): Promise<DeliveredFile> {
    const item = post.items[request.index];
    const [part] = step.parts;
    const { probe, mime } = file;
    const isSeen = !mime.startsWith('audio/');
    const thumbnail = await thumbnailOf(file, step.key, request, signal);
    return {
      kind: 'file',
      path: file.path,
      bytes: file.bytes,
      mime,
      fileName: fileNameOf(request.post, request.index, mime),
      variantKey: step.key,
      width: isSeen ? (probe?.width ?? part?.variant.width ?? item?.width ?? null) : null,
      height: isSeen ? (probe?.height ?? part?.variant.height ?? item?.height ?? null) : null,
      durationMs: probe?.durationMs ?? item?.durationMs ?? null,
      hasAudio: probe?.hasAudio ?? part?.variant.hasAudio ?? null,
      ...(isReduced && { reduced: { bytes: file.bytes, ...addressOf(post, request) } }),
      thumbnail: thumbnail ? { path: thumbnail.path, bytes: thumbnail.bytes } : null,
      dispose: () => release([file, ...(thumbnail ? [thumbnail] : [])]),
    };
  }

  async function release(files: readonly HeldFile[]): Promise<void> {
    for (const outcome of await Promise.allSettled(files.map(file => file.dispose())))
      if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'a spooled file could not be removed');
  }

  /** The upstream's own cover of the video, else one of its first frames; a video can do without. Releases the video when it throws. */
  async function thumbnailOf(
    video: HeldFile,
    videoKey: string,
    { post, index, thumbnail, clip }: DeliveryRequest,
    signal: AbortSignal,
  ): Promise<HeldFile | undefined> {
    if (thumbnail !== true || video.probe?.kind !== 'video') return undefined;
    const place = [post.source, post.id, index].join(' ');
    // A part does not begin where its video does.
    const url = clip === undefined ? (post.items[index]?.thumbnailUrl ?? null) : null;
    const { source } = post;
    const cover = {
      key: `${place} cover`,
      source,
      mime: 'image/jpeg',
      maxBytes: MAX_COVER_BYTES,
      expectedBytes: MAX_COVER_BYTES / 8,
    };
    const ways = [
      ...(url === null
        ? []
        : [{ key: `${place} thumbnail`, input: (own: AbortSignal) => spool({ ...cover, url }, own) }]),
      { key: `${place} thumbnail-${videoKey}`, input: async () => ({ ...video, dispose: async () => undefined }) },
    ];
    try {
      for (const { key, input } of ways) {
        const made = await transforms.thumbnail({ key, maxBytes: MAX_THUMBNAIL_BYTES, inputs: [input] }, signal);
        if (made.status === 'done') return made;
      }
      return undefined;
    } catch (error) {
      await video.dispose();
      throw error;
    }
  }

  function linkOf({ reason, post }: Extract<Resolution, { kind: 'none' }>, request: DeliveryRequest): DeliveredLink {
    // What cannot be had is in no tunnel either.
    return { kind: 'link', ...addressOf(post, request, reason !== 'upstream_unavailable'), reason };
  }

  function addressOf(
    post: Pick<Post, 'items'>,
    { form, index, ...request }: DeliveryRequest,
    isHad = true,
  ): MediaAddress {
    const plan = planLink(post.items[index], form, addresses !== undefined && isHad);
    if (plan.target === 'page' && addresses !== undefined)
      return { url: addresses.page(request.post, index, now() + PAGE_LIFE_MS), leadsTo: 'page' };
    if (plan.target === 'original' || addresses === undefined || resolver.isOver(plan.file.variant))
      return { url: request.post.url, leadsTo: 'original' };
    const { file } = plan;
    const expiresAt = Math.min(file.variant.expiresAt ?? Number.POSITIVE_INFINITY, now() + LINK_LIFE_MS);
    return { url: addresses.file(playerTunnelFile(request.post, index, file, expiresAt)), leadsTo: 'tunnel' };
  }

  return {
    async deliver(request, signal) {
      try {
        const { clip } = request;
        const resolution = await (clip === undefined
          ? resolver.resolve(request, signal)
          : clippedFile(request, clip, signal));
        if (resolution.kind !== 'file') {
          const link = linkOf(resolution, request);
          options.onDelivered?.(`link-${link.leadsTo}`, 0);
          return link;
        }
        const file = await fileOf(resolution, request, signal);
        options.onDelivered?.(resolution.step.kind, file.bytes);
        return file;
      } catch (error) {
        if (signal.aborted) throw new AppError('timeout', 'given up by the caller', { cause: signal.reason });
        const { source, id, url } = request.post;
        log.error({ err: error, source, id, index: request.index }, 'a delivery failed');
        options.onDelivered?.('link-original', 0);
        return { kind: 'link', url, leadsTo: 'original', reason: 'upstream_unavailable' };
      }
    },

    remoteFile(request) {
      const { post, index, maxBytes } = request;
      const item = post.items[index];
      const steps = resolver.plan(request);
      if (item === undefined || request.clip !== undefined) return undefined;
      const plain = steps.flatMap(step => {
        const [choice] = step.parts;
        const bytes = choice === undefined || step.kind !== 'file' ? null : likelyBytes(choice, item);
        return choice === undefined || bytes === null ? [] : [{ step, ...choice, bytes }];
      });
      const fitting = plain.find(({ bytes, variant }) => bytes <= maxBytes && !resolver.isOver(variant));
      const best = steps[0]?.parts[0];
      if (fitting === undefined || best === undefined) return undefined;
      const isMadeBetter = steps[0]?.kind === 'mux' && pixels(best.variant) > pixels(fitting.variant) * SHARPER;
      // What leads was chosen because the file itself plays on few devices, or is poor.
      const isMade = isMadeBetter || steps[0]?.kind === 'compress' || steps[0]?.kind === 'convert';
      if (isMade) return undefined;
      const { variant, key, bytes, step } = fitting;
      const isReduced = resolver.isReduced(step, request);
      const reduced = isReduced && { reduced: { bytes, ...addressOf(post, request) } };
      return { url: variant.url, mime: variant.mime, variantKey: key, ...reduced };
    },

    wholeAddress: request => addressOf(request.post, request),

    close: () => store.close(),
  };
}

function pixels({ width, height }: Variant): number {
  return (width ?? 0) * (height ?? 0);
}

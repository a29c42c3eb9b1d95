import { AppError } from '../../errors.ts';
import { fileNameOf } from '../files/cdn.ts';
import type { Clip } from '../files/clip.ts';
import { likelyBytes, pixels } from '../files/variant-ranking.ts';
import type { MediaItem, Post } from '../post.ts';
import { mostMp3Bytes } from '../transcode/convert.ts';
import type { Ffmpeg } from '../transcode/ffmpeg.ts';
import { playerTunnelFile } from '../tunnel/player-file.ts';
import type { TunnelFile } from '../tunnel/tunnel-token.ts';
import {
  type DeliveryRequest,
  type LinkTarget,
  MAX_SOURCE_BYTES,
  type NoFileReason,
  noFileReason,
  planLink,
  SHARE_AFTER_REFUSAL,
} from './delivery-plan.ts';
import type { DownloadOptions } from './download.ts';
import { FileResolver, type FileResolverOptions, type Resolution } from './file-resolver.ts';
import type { HeldFile } from './file-store.ts';
import { createMediaFiles, fileKey, type MediaFiles } from './media-files.ts';

/** The address that people get beside or in place of a file: Medley's page for a video, the file, or the post. */
export interface MediaAddress {
  readonly url: string;
  /** The page or file that the address opens. Chats show a player for a `page`. */
  readonly leadsTo: LinkTarget;
}

/** For a video that was sent smaller than the site's: the size of the sent file, and the address of the full video. */
export interface Reduction extends MediaAddress {
  readonly bytes: number;
}

/** A file on disk, ready to be streamed to a platform. */
export interface DeliveredFile extends ReturnType<typeof describeFile> {
  /** Set when the site has a better file that was too large. */
  readonly reduced?: Reduction;
  /** JPEG of at most 320 pixels a side and 200 kB; null when none was requested or none could be made. */
  readonly thumbnail: { readonly path: string; readonly bytes: number } | null;
  /** Releases the file; it is deleted when no caller holds it any more. Safe to call twice. */
  dispose(): Promise<void>;
}

/** The address that people get in place of a file, and why there is no file. */
export interface DeliveredLink extends MediaAddress {
  readonly kind: 'link';
  readonly reason: NoFileReason;
}

export type Delivery = ReturnType<typeof createDelivery>;

export interface PublicAddresses {
  /** Makes the address at which the tunnel sends a file. */
  file(file: TunnelFile): string;
  /** The address of the page that plays a video of a post; it expires at `expiresAt`, unix milliseconds. */
  page(post: Pick<Post, 'source' | 'id' | 'url'>, index: number, expiresAt: number): string;
}

export interface DeliveryOptions extends DownloadOptions, Pick<FileResolverOptions, 'refresh' | 'log'> {
  /**
   * The folder for files. It is created if missing, and only its owner may read it. Files that ended processes left in
   * it are deleted at the start.
   */
  readonly tempDir: string;
  /** Makes public addresses of Medley. Without it, people get the address of the original post. */
  readonly addresses?: PublicAddresses | undefined;
  /** The ffmpeg program; without it nothing is encoded. */
  readonly ffmpeg?: Ffmpeg | undefined;
  /**
   * Called for each item. `step` says how its file was made (`file`: unchanged), or is `link-` and the target of its
   * link; `bytes` is the file's size, 0 for a link.
   */
  readonly onDelivered?: (step: string, bytes: number) => void;
  readonly now?: () => number;
  /** The most bytes of all files that wait to be sent. Default 1 GiB. */
  readonly maxSpoolBytes?: number;
  /** The most bytes of all files that are not in use but stay on disk for later callers. Default none. */
  readonly keptBytes?: number;
}

const DEFAULT_SPOOL_BYTES = 1024 * 1024 * 1024;
/** Links into the tunnel are valid for at most this long. */
const LINK_LIFE_MS = 6 * 3_600_000;
/** A page may be valid for longer than a file link, because it looks up new file addresses by itself. */
const PAGE_LIFE_MS = 7 * 24 * 3_600_000;
const COVER = { mime: 'image/jpeg', maxBytes: 10 * 1024 * 1024, expectedBytes: 1_250_000 };
const MAX_THUMBNAIL_BYTES = 200_000;
/**
 * If a platform can fetch a plain file by itself, a muxed video is uploaded instead only if it has this many times the
 * pixels of the plain file.
 */
const SHARPER = 1.5;

/**
 * Keys of clips begin with this. So the clips among the files that a chat refused as too large can be counted, and each
 * refusal makes the next clip smaller.
 */
const CLIP_PREFIX = 'clip-';
/**
 * If only the audio of a clip is wanted, the video clip from which it is taken may be at least this large, whatever the
 * chat's limit is. This is enough for a clip of the longest duration.
 */
const AUDIO_SOURCE_BYTES = 32 * 1024 * 1024;

/** Turns an item of a post and a size limit into the file to send, or into a link. */
export function createDelivery(options: DeliveryOptions) {
  const { ffmpeg, log, now = Date.now, maxSpoolBytes: maxBytes = DEFAULT_SPOOL_BYTES, keptBytes = 0 } = options;
  const files = createMediaFiles({ ...options, maxBytes, keptBytes });
  const means = { transcode: ffmpeg !== undefined, mp3: ffmpeg?.hasMp3 === true };
  const resolver = new FileResolver({ ...options, files, means, now });
  const addressOf = createAddressing(options, resolver, now);

  async function deliver(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveredFile | DeliveredLink> {
    const found = await (request.clip === undefined
      ? resolver.resolve(request, signal)
      : clipFile(request, request.clip, resolver, files, signal));
    if (found.kind === 'none') {
      // If the CDN does not serve the file, neither can the tunnel, so people get the post's address.
      const address = addressOf(found.post, request, found.reason !== 'upstream_unavailable');
      options.onDelivered?.(`link-${address.leadsTo}`, 0);
      return { kind: 'link', ...address, reason: found.reason };
    }
    const thumbnail = await thumbnailOf(found, request, files, signal);
    const reduced = found.isReduced ? { reduced: { bytes: found.file.bytes, ...addressOf(found.post, request) } } : {};
    options.onDelivered?.(found.step.kind, found.file.bytes);
    const held = thumbnail === undefined ? [found.file] : [found.file, thumbnail];
    return {
      ...describeFile(found, request),
      ...reduced,
      thumbnail: thumbnail === undefined ? null : { path: thumbnail.path, bytes: thumbnail.bytes },
      dispose: () => disposeAll(held, log),
    };
  }

  return {
    /**
     * Makes the best file that fits, on disk: the CDN's own, joined tracks, or, where ffmpeg is installed, an encoded
     * video. Callers who want the same file share the work, and files are kept for later callers. An expired address is
     * renewed once. All files share one limit of disk space: a caller that asks for several should dispose of each as
     * soon as it is sent, because a file that waits too long for space is replaced by a link.
     * @throws AppError only when the caller's signal aborts
     */
    async deliver(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveredFile | DeliveredLink> {
      try {
        return await deliver(request, signal);
      } catch (error) {
        if (signal.aborted) throw new AppError('timeout', 'given up by the caller', { cause: signal.reason });
        const { source, id, url } = request.post;
        log.error({ err: error, source, id, index: request.index }, 'a delivery failed');
        options.onDelivered?.('link-original', 0);
        return { kind: 'link', url, leadsTo: 'original', reason: 'upstream_unavailable' };
      }
    },

    /**
     * The best variant that a platform may fetch by itself and whose known or estimated size is within `maxBytes`;
     * undefined when there is none.
     */
    remoteFile(request: DeliveryRequest) {
      const { post, index, maxBytes } = request;
      const item = post.items[index];
      const steps = resolver.plan(request);
      if (item === undefined || request.clip !== undefined) return undefined;
      const fitting = plainFiles(steps, item).find(
        ({ bytes, variant }) => bytes <= maxBytes && !resolver.isOver(variant),
      );
      const best = steps[0]?.parts[0];
      // The platform would fetch the file without the headers that the file's host requires, and must not learn them.
      if (fitting === undefined || best === undefined || fitting.variant.headers !== undefined) return undefined;
      // If the best step encodes, the plain file looks poor or few devices play it: the platform must not fetch it.
      const isMuxBetter = pixels(best.variant) > pixels(fitting.variant) * SHARPER;
      if (steps[0]?.kind === 'mux' ? isMuxBetter : steps[0]?.kind !== 'file') return undefined;
      const { variant, key, bytes, step } = fitting;
      const reduced = resolver.isReduced(step, request) && { reduced: { bytes, ...addressOf(post, request) } };
      const { url, mime, width, height } = variant;
      return { url, mime, width, height, variantKey: key, ...reduced };
    },

    wholeAddress: (request: DeliveryRequest) => addressOf(request.post, request),
    /** Ends running work and removes every file, even those still held. */
    close: () => files.close(),
  };
}

async function disposeAll(held: readonly HeldFile[], log: DeliveryOptions['log']): Promise<void> {
  for (const outcome of await Promise.allSettled(held.map(file => file.dispose())))
    if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'a spooled file could not be removed');
}

/** The steps that send a file as its host serves it and whose size is known or can be estimated. */
function plainFiles(steps: ReturnType<FileResolver['plan']>, item: MediaItem) {
  return steps.flatMap(step => {
    const [choice] = step.parts;
    const bytes = choice === undefined || step.kind !== 'file' ? null : likelyBytes(choice, item);
    return choice === undefined || bytes === null ? [] : [{ step, ...choice, bytes }];
  });
}

/** Makes the address that people get in place of a file: the post's address if the CDN does not serve the file. */
function createAddressing({ addresses }: DeliveryOptions, resolver: FileResolver, now: () => number) {
  return (post: Pick<Post, 'items'>, { form, index, ...request }: DeliveryRequest, isServed = true): MediaAddress => {
    const { target: leadsTo, file } = planLink(post.items[index], form, addresses !== undefined && isServed);
    if (addresses !== undefined && leadsTo === 'page')
      return { url: addresses.page(request.post, index, now() + PAGE_LIFE_MS), leadsTo };
    if (addresses === undefined || file === undefined || resolver.isOver(file.variant))
      return { url: request.post.url, leadsTo: 'original' };
    const expiresAt = Math.min(file.variant.expiresAt ?? Number.POSITIVE_INFINITY, now() + LINK_LIFE_MS);
    return { url: addresses.file(playerTunnelFile(request.post, index, file, expiresAt)), leadsTo };
  };
}

type FoundFile = Extract<Resolution, { kind: 'file' }>;

function describeFile({ file, step, post }: FoundFile, { post: asked, index }: DeliveryRequest) {
  const item = post.items[index];
  const variant = step.parts[0]?.variant;
  const { path, bytes, probe, mime } = file;
  // A converted photo may be smaller than the size that the site states, so that size is not used.
  const hasSize = !mime.startsWith('audio/') && step.kind !== 'convert';
  return {
    kind: 'file',
    ...{ path, bytes, mime },
    /** Identifies the variant, also after a restart. It is stored together with the platform's id of the sent file. */
    variantKey: step.key,
    fileName: fileNameOf(asked, index, mime),
    width: hasSize ? (probe?.width ?? variant?.width ?? item?.width ?? null) : null,
    height: hasSize ? (probe?.height ?? variant?.height ?? item?.height ?? null) : null,
    durationMs: probe?.durationMs ?? item?.durationMs ?? null,
    hasAudio: probe?.hasAudio ?? variant?.hasAudio ?? null,
  } as const;
}

/** The site's cover image, else an early frame; undefined when there is neither. Releases the video if it throws. */
async function thumbnailOf(
  { file: video, step, post }: FoundFile,
  { post: asked, index, thumbnail, clip }: DeliveryRequest,
  files: MediaFiles,
  signal: AbortSignal,
): Promise<HeldFile | undefined> {
  if (thumbnail !== true || video.probe?.kind !== 'video') return undefined;
  // The site's cover image belongs to the whole video, so it is not used for a clip.
  const url = clip === undefined ? (post.items[index]?.thumbnailUrl ?? null) : null;
  const cover = url && { ...COVER, key: fileKey(asked, index, 'cover'), source: asked.source, url };
  const ways = [
    ...(cover ? [{ name: 'thumbnail', input: (own: AbortSignal) => files.fetch(cover, own) }] : []),
    { name: `thumbnail-${step.key}`, input: async () => ({ ...video, dispose: async () => undefined }) },
  ];
  try {
    for (const { name, input } of ways) {
      const order = { key: fileKey(asked, index, name), maxBytes: MAX_THUMBNAIL_BYTES, inputs: [input] };
      const made = await files.thumbnail(order, signal);
      if (made.status === 'done') return made;
    }
    return undefined;
  } catch (error) {
    await video.dispose();
    throw error;
  }
}

/**
 * Makes a clip of a video, or of its audio, from the best file of the whole video.
 * @throws the signal's reason when it aborts
 */
async function clipFile(
  { clip: _, ...request }: DeliveryRequest,
  range: Clip,
  resolver: FileResolver,
  files: MediaFiles,
  signal: AbortSignal,
): Promise<Resolution> {
  const { post, index, form, refused = [] } = request;
  const wish = { ...request, form: 'original' as const, maxBytes: MAX_SOURCE_BYTES, refused: [] };
  const whole = await resolver.resolve(wish, signal);
  if (whole.kind === 'none') return whole;
  const { file, step } = whole;
  try {
    const tries = refused.filter(key => key.startsWith(CLIP_PREFIX)).length;
    const maxBytes = Math.floor(request.maxBytes * SHARE_AFTER_REFUSAL ** tries);
    const clipKey = (bytes: number) => `${CLIP_PREFIX}${range.startMs}-${range.endMs}-${bytes}-${step.key}`;
    const inputs = [async () => ({ ...file, dispose: async () => undefined })];
    const cut = (bytes: number, own: AbortSignal) =>
      files.clip({ key: fileKey(post, index, clipKey(bytes)), maxBytes: bytes, inputs }, range, own);
    const key = clipKey(maxBytes);
    const part = (own: AbortSignal) => cut(Math.max(maxBytes, AUDIO_SOURCE_BYTES), own);
    const isMp3 = resolver.options.means.mp3 && mostMp3Bytes(range.endMs - range.startMs) <= maxBytes;
    const audio = { key: fileKey(post, index, `${isMp3 ? 'mp3' : 'audio'}-${key}`), maxBytes, inputs: [part] };
    const toAudio = () => (isMp3 ? files.toMp3(audio, post, signal) : files.toM4a(audio, signal));
    const made = await (form === 'original' ? cut(maxBytes, signal) : toAudio());
    if (made.status === 'done') return { ...whole, file: made, step: { ...step, key } };
    return { kind: 'none', reason: noFileReason(made, 'compress'), post: whole.post };
  } finally {
    await file.dispose();
  }
}

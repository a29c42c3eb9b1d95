import { createHash } from 'node:crypto';
import { type MediaItem, playableVariants, type Variant } from '../post.ts';
import { isPlaylist } from './cdn.ts';

/** `original`: all of an item; `audio`: only its audio. */
export type MediaForm = 'original' | 'audio';

export interface VariantChoice {
  /** Identifies the variant within its item; made by `variantKey`. */
  readonly key: string;
  readonly variant: Variant;
  /** The size stated by the site or the CDN; null when neither states it. */
  readonly bytes: number | null;
  /** The size calculated from bit rate and duration; null when one of these is unknown. */
  readonly estimatedBytes: number | null;
}

/** Bit rates are averages, so a file is still tried if its estimated size is at most this many times the limit. */
export const ESTIMATE_TOLERANCE = 1.1;

/**
 * All variants that could be sent if size did not matter, best first: videos that every player can play, then others,
 * larger ones first. For `audio`: the audio tracks, then the videos with audio in this order, but smaller ones first.
 */
export function sendableVariants(item: MediaItem, form: MediaForm): readonly Variant[] {
  if (item.kind === 'image' && form === 'audio') return [];
  if (item.kind === 'image') {
    // An image item may also have a variant with music, which is not an image.
    const images = item.variants.filter(({ mime }) => mime.startsWith('image/'));
    return ranked(images, variant => [isCommonImage(variant) ? 1 : 0, pixels(variant)]);
  }
  if (item.kind === 'audio') return ranked(playableVariants(item), audioRank);
  if (form === 'original') return ranked(plainVideos(item), videoRank);
  const withAudio = playableVariants(item).filter(({ hasAudio }) => hasAudio !== false);
  return [...audioTracks(item), ...ranked(withAudio, variant => videoRank(variant, -1))];
}

/**
 * Identifies a variant within its item, also after the post was fetched again: its address then has another signature
 * and host, but the same path and size. The key is short and safe in addresses and file names.
 */
export function variantKey({ url, width, height }: Pick<Variant, 'url' | 'width' | 'height'>): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  // On some hosts all files have the same path. The query parameter `stp` then tells the sizes of a photo apart, and
  // `cid` or `video_id` tells files apart.
  const named = ['stp', 'cid', 'video_id'].flatMap(name => address?.searchParams.get(name) ?? []).join(' ');
  const name = address ? `${address.pathname} ${named}` : url;
  const hash = createHash('sha256').update(name).digest('base64url').slice(0, 12);
  return `${width ?? 0}x${height ?? 0}-${hash}`;
}

/**
 * A size in bytes that the file hardly ever exceeds: the known size, else an estimate from the bit rate, else from
 * pixels and duration. Null when none of these is known.
 */
export function likelyBytes(
  { bytes, estimatedBytes, variant }: VariantChoice,
  { durationMs }: MediaItem,
): number | null {
  const { width, height, hasVideo, mime } = variant;
  if (bytes !== null) return bytes;
  if (estimatedBytes !== null) return Math.ceil(estimatedBytes * ESTIMATE_TOLERANCE);
  if (width === null || height === null) return null;
  if (mime.startsWith('image/')) return Math.ceil(width * height * IMAGE_BYTES_PER_PIXEL);
  if (!hasVideo || durationMs === null) return null;
  return Math.ceil((width * height * VIDEO_BITS_PER_PIXEL * VIDEO_FRAMES_PER_SECOND * durationMs) / 8_000);
}

const IMAGE_BYTES_PER_PIXEL = 0.6;
const VIDEO_BITS_PER_PIXEL = 0.14;
const VIDEO_FRAMES_PER_SECOND = 30;

export function toChoice(
  variant: Variant,
  { durationMs }: MediaItem,
  sizes?: Pick<ReadonlyMap<string, number>, 'get'>,
): VariantChoice {
  const key = variantKey(variant);
  // A stream's video has a bit rate that includes the audio, so an audio track without a bit rate adds nothing.
  const bitrate = !variant.hasVideo && isPlaylist(variant) ? (variant.bitrate ?? 0) : variant.bitrate;
  return {
    key,
    variant,
    bytes: sizes?.get(key) ?? variant.bytes,
    estimatedBytes: bitrate === null || durationMs === null ? null : Math.ceil((bitrate * durationMs) / 8_000),
  };
}

/** Variants with audio but no video, best first. */
export function audioTracks(item: MediaItem): readonly Variant[] {
  return ranked(
    item.variants.filter(
      ({ hasVideo, hasAudio, mime }) => !hasVideo && hasAudio !== false && !mime.startsWith('image/'),
    ),
    audioRank,
  );
}

/** Videos that play without joining tracks. Video tracks without audio count only if no variant has audio. */
export function plainVideos(item: MediaItem): readonly Variant[] {
  const isSilent = item.variants.every(({ hasAudio }) => hasAudio === false);
  return isSilent ? item.variants.filter(({ hasVideo }) => hasVideo) : playableVariants(item);
}

/** Sorts by rank, the highest first. Ranks are compared number by number; equal ones keep their order. */
export function ranked<T>(all: readonly T[], rankOf: (one: T) => readonly number[]): readonly T[] {
  return all
    .map(one => ({ one, rank: rankOf(one) }))
    .sort((a, b) => {
      const place = a.rank.findIndex((value, index) => value !== b.rank[index]);
      return place < 0 ? 0 : (b.rank[place] ?? 0) - (a.rank[place] ?? 0);
    })
    .map(({ one }) => one);
}

/** @param sign 1: larger videos come first; -1: smaller ones do */
function videoRank(variant: Variant, sign: 1 | -1 = 1): readonly number[] {
  const sizes = [pixels(variant), variant.bitrate ?? 0, variant.bytes ?? 0];
  return [isCommonVideo(variant) ? 1 : 0, ...sizes.map(size => size * sign)];
}

function audioRank(variant: Variant): readonly number[] {
  return [isCommonAudio(variant) ? 1 : 0, variant.bitrate ?? 0];
}

/** Says whether the audio is AAC or MP3, which every chat plays. An MP4 that states no codec counts as AAC. */
export function isCommonAudio({ mime, codecs }: Variant): boolean {
  const isCommonMime = /^(?:audio\/(mp4|mpeg|aac)|video\/mp4)$/.test(mime) || isPlaylist({ mime });
  return isCommonMime && (codecs === null || /mp4a|mp3/i.test(codecs));
}

/** Says whether every chat shows this type of image. */
export function isCommonImage({ mime }: Variant): boolean {
  return /^image\/(jpe?g|png|webp|gif)$/.test(mime);
}

/**
 * Says whether the video is H.264 in MP4, which every chat plays, or a stream that can be rewritten as such a file. A
 * video that states no codec counts as H.264.
 */
export function isCommonVideo({ mime, codecs }: Variant): boolean {
  return (mime === 'video/mp4' || isPlaylist({ mime })) && (codecs === null || /(^|[,\s])avc[13]/i.test(codecs));
}

/** The number of pixels of a variant; 0 when unknown. */
export function pixels({ width, height }: Pick<Variant, 'width' | 'height'>): number {
  return (width ?? 0) * (height ?? 0);
}

/**
 * One way to get a whole video: a file that plays as it is, a stream in pieces, or a video track with an audio track.
 */
export interface WholeVideo {
  /** The only file, or the video track when `audio` is set. */
  readonly variant: Variant;
  /** The audio track; undefined when `variant` is the whole video. */
  readonly audio?: Variant | undefined;
}

/** Says whether the video is a single file that plays as it is. */
export function isOneFile({ variant, audio }: WholeVideo): boolean {
  return audio === undefined && !isPlaylist(variant);
}

/** Says whether every browser plays the file. */
export function isCommonFile({ variant, audio }: WholeVideo): boolean {
  return isCommonVideo(variant) && (audio === undefined || isCommonAudio(audio));
}

/** The file, or the video track and the audio track. */
export function tracksOf({ variant, audio }: WholeVideo): readonly Variant[] {
  return audio === undefined ? [variant] : [variant, audio];
}

/** All ways to get the whole video, single files first. Each video track is combined with the best audio track. */
export function wholeVideos(item: MediaItem): readonly WholeVideo[] {
  const plain = plainVideos(item);
  const [audio] = audioTracks(item);
  const isTrack = ({ hasVideo, hasAudio, adaptive }: Variant) => hasVideo && adaptive && hasAudio === false;
  const tracks = item.variants.filter(one => audio !== undefined && isTrack(one) && !plain.includes(one));
  return [...plain.map(variant => ({ variant, audio: undefined })), ...tracks.map(variant => ({ variant, audio }))];
}

/** The key of a file muxed from tracks or from a stream. @param keys the tracks' own keys, by `variantKey` */
export function muxKey(keys: readonly string[]): string {
  return ['mux', ...keys].join('-');
}

/** With fewer bits per pixel (at 30 frames a second) than this, a smaller variant has the better picture. */
const STARVED_BITS = 0.008;

/** One way to get the whole item without encoding: a file as it is, or a file muxed from two tracks or a stream. */
export interface VideoCandidate extends VariantChoice {
  readonly kind: 'file' | 'mux';
  readonly parts: readonly VariantChoice[];
  readonly isCommon: boolean;
}

/** Facts about an item's files that were learned from the CDN or from finished files. */
export interface Learned {
  /** Sizes in bytes, by the key of the variant or file. */
  readonly sizes?: Pick<ReadonlyMap<string, number>, 'get'>;
  /** Keys of files that turned out to be in a format that few devices play, whatever the site says about them. */
  readonly uncommon?: { has(key: string): boolean };
}

/** The ways to get the whole video, best first: files that every player can play first, larger files first. */
export function videoCandidates(item: MediaItem, { sizes, uncommon }: Learned): readonly VideoCandidate[] {
  const all = wholeVideos(item).map((whole): VideoCandidate => {
    const { variant } = whole;
    const parts = tracksOf(whole).map(part => toChoice(part, item, sizes));
    const keys = parts.map(part => part.key);
    const isFile = isOneFile(whole);
    const [key = ''] = isFile ? keys : [muxKey(keys)];
    return {
      kind: isFile ? 'file' : 'mux',
      key,
      parts,
      variant,
      bytes: sum(parts.map(part => part.bytes)),
      estimatedBytes: roughBytes(parts),
      isCommon: isCommonFile(whole) && uncommon?.has(key) !== true,
    };
  });
  return ranked(all, ({ variant, isCommon, kind, bytes }) => {
    const size = pixels(variant);
    const isStarved = variant.bitrate !== null && size > 0 && variant.bitrate / (size * 30) < STARVED_BITS;
    return [isCommon ? 1 : 0, isStarved ? 0 : 1, size, kind === 'file' ? 1 : 0, variant.bitrate ?? 0, bytes ?? 0];
  });
}

/** The size of all parts together. Unknown sizes are estimated; null if one cannot be estimated. */
export function roughBytes(parts: readonly VariantChoice[]): number | null {
  return sum(parts.map(({ bytes, estimatedBytes }) => bytes ?? estimatedBytes));
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

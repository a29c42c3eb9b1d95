import { createHash } from 'node:crypto';
import { type MediaItem, playableVariants, type Variant } from '../post.ts';

export interface VariantWish {
  readonly form: 'original' | 'audio';
  readonly maxBytes: number;
  /** Keys of variants that are out of the question. */
  readonly refused: Iterable<string>;
  /** Sizes learned meanwhile, by key. */
  readonly sizes?: Pick<ReadonlyMap<string, number>, 'get'>;
}

export interface Choice {
  readonly key: string;
  readonly variant: Variant;
  /** What the upstream or the CDN says; null when neither did. */
  readonly bytes: number | null;
  /** From the bit rate; null when that or the duration is unknown. */
  readonly estimatedBytes: number | null;
}

/** Rates are averages, so an estimate just over the limit is worth a look. */
const ESTIMATE_TOLERANCE = 1.1;

/**
 * The variants that may be sent, best first: films that every player knows before others, then the larger. For `audio` the
 * sound tracks, then the smallest films that have sound. Those known or estimated to be over the limit are left out, and so is all
 * that is known to be no smaller than a refused one.
 */
export function chooseVariants(item: MediaItem, { form, maxBytes, refused, sizes }: VariantWish): readonly Choice[] {
  const out = new Set(refused);
  const all = ranked(item, form).map(variant => toChoice(variant, item, sizes));
  const refusedBytes = all.flatMap(({ key, bytes }) => (bytes !== null && out.has(key) ? [bytes] : []));
  const below = Math.min(...refusedBytes);
  return all.filter(({ key, bytes, estimatedBytes }) => {
    if (out.has(key)) return false;
    if (bytes !== null) return bytes <= maxBytes && bytes < below;
    return (estimatedBytes ?? 0) <= maxBytes * ESTIMATE_TOLERANCE;
  });
}

/** All that could be sent if nothing were too large, best first. */
export function sendableVariants(item: MediaItem, form: VariantWish['form']): readonly Variant[] {
  return ranked(item, form);
}

/**
 * Names a variant within its item, the same when the post is asked for again: signatures and hosts change then, the path and the
 * size stay. Short, and safe anywhere.
 */
export function variantKey({ url, width, height }: Variant): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  // Sizes of one photo differ in `stp` alone.
  const name = address ? `${address.pathname} ${address.searchParams.get('stp') ?? ''}` : url;
  const hash = createHash('sha256').update(name).digest('base64url').slice(0, 12);
  return `${width ?? 0}x${height ?? 0}-${hash}`;
}

/** Bytes that the file hardly exceeds: its size, else by its rate, else by what such pictures and films weigh. Null when nothing tells. */
export function likelyBytes({ bytes, estimatedBytes, variant }: Choice, { durationMs }: MediaItem): number | null {
  const { width, height, hasVideo, mime } = variant;
  if (bytes !== null) return bytes;
  if (estimatedBytes !== null) return Math.ceil(estimatedBytes * ESTIMATE_TOLERANCE);
  if (width === null || height === null) return null;
  if (mime.startsWith('image/')) return Math.ceil(width * height * IMAGE_BYTES_PER_PIXEL);
  if (!hasVideo || durationMs === null) return null;
  return Math.ceil((width * height * FILM_BITS_PER_PIXEL * FILM_FRAMES_PER_SECOND * durationMs) / 8_000);
}

const IMAGE_BYTES_PER_PIXEL = 0.6;
const FILM_BITS_PER_PIXEL = 0.14;
const FILM_FRAMES_PER_SECOND = 30;

export function toChoice(
  variant: Variant,
  { durationMs }: MediaItem,
  sizes?: Pick<ReadonlyMap<string, number>, 'get'>,
): Choice {
  const key = variantKey(variant);
  const { bitrate } = variant;
  return {
    key,
    variant,
    bytes: sizes?.get(key) ?? variant.bytes,
    estimatedBytes: bitrate === null || durationMs === null ? null : Math.ceil((bitrate * durationMs) / 8_000),
  };
}

function ranked(item: MediaItem, form: VariantWish['form']): readonly Variant[] {
  if (item.kind === 'image') return form === 'audio' ? [] : sorted(item.variants.filter(isPicture), pictureRank);
  if (item.kind === 'audio') return sorted(playableVariants(item), soundRank);
  if (form === 'original') return sorted(films(item), filmRank);
  const sounding = playableVariants(item).filter(({ hasAudio }) => hasAudio !== false);
  return [...soundTracks(item), ...[...sorted(sounding, filmRank)].reverse()];
}

/** Tracks of sound alone, best first. */
export function soundTracks(item: MediaItem): readonly Variant[] {
  return sorted(
    item.variants.filter(
      ({ hasVideo, hasAudio, mime }) => !hasVideo && hasAudio !== false && !mime.startsWith('image/'),
    ),
    soundRank,
  );
}

/** Pictures that move, without their sound: one half of what can be put together. */
export function pictureTracks(item: MediaItem): readonly Variant[] {
  return item.variants.filter(({ hasVideo, hasAudio, adaptive }) => hasVideo && adaptive && hasAudio === false);
}

/** Films that play as they are. The picture track of a film without any sound is one of them. */
export function films(item: MediaItem): readonly Variant[] {
  const isSilent = item.variants.every(({ hasAudio }) => hasAudio === false);
  return isSilent ? item.variants.filter(({ hasVideo }) => hasVideo) : playableVariants(item);
}

type Rank = (variant: Variant) => readonly number[];

/** Stable: what ranks alike stays in the order of its source, best first. */
function sorted(variants: readonly Variant[], rank: Rank): readonly Variant[] {
  return variants
    .map(variant => ({ variant, rank: rank(variant) }))
    .sort((a, b) => compareRanks(b.rank, a.rank))
    .map(({ variant }) => variant);
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  const place = left.findIndex((value, index) => value !== right[index]);
  return place < 0 ? 0 : (left[place] ?? 0) - (right[place] ?? 0);
}

function filmRank(variant: Variant): readonly number[] {
  return [isCommonFilm(variant) ? 1 : 0, pixels(variant), variant.bitrate ?? 0, variant.bytes ?? 0];
}

function soundRank(variant: Variant): readonly number[] {
  return [isCommonSound(variant) ? 1 : 0, variant.bitrate ?? 0];
}

/** AAC or MP3, which plays in every chat; the codec of an MP4 is that unless it is named. */
export function isCommonSound({ mime, codecs }: Variant): boolean {
  return /^(?:audio\/(mp4|mpeg|aac)|video\/mp4)$/.test(mime) && (codecs === null || /mp4a|mp3/i.test(codecs));
}

/** A photo with music stays a photo. */
function isPicture({ mime }: Variant): boolean {
  return mime.startsWith('image/');
}

function pictureRank(variant: Variant): readonly number[] {
  return [isCommonPicture(variant) ? 1 : 0, pixels(variant)];
}

/** What every chat shows. */
export function isCommonPicture({ mime }: Variant): boolean {
  return /^image\/(jpe?g|png|webp|gif)$/.test(mime);
}

/** H.264 in MP4, which plays in every chat; sources seldom name the codec of a plain MP4, and then it is that. */
export function isCommonFilm({ mime, codecs }: Variant): boolean {
  return mime === 'video/mp4' && (codecs === null || /(^|[,\s])avc[13]/i.test(codecs));
}

function pixels({ width, height }: Variant): number {
  return (width ?? 0) * (height ?? 0);
}

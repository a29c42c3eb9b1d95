/** Turns the addresses that Meta's answers list into the variants and items of a post. */

import { firstOf } from '../../parse/fields.ts';
import { compareTracks, parseDashManifest } from '../../parse/markup.ts';
import type { UnplacedItem, Variant } from '../../post.ts';
import {
  addressExpiry,
  addressTag,
  imageSize,
  type PixelSize,
  readAddress,
  scaledDown,
  UNKNOWN_SIZE,
} from './cdn-address.ts';

export interface ListedFile extends PixelSize {
  /** The address as the answer has it; one that is not on the CDN is passed over. */
  readonly url: unknown;
  readonly bitrate?: number | null;
  /** It is a smaller encoding of the video, whose size is then not the original's. */
  readonly isReduced?: boolean;
}

export interface ImageFacts {
  readonly files: readonly ListedFile[];
  readonly original?: PixelSize;
  readonly alt?: string | null;
}

export interface VideoFacts extends ImageFacts {
  readonly covers: readonly ListedFile[];
  readonly dashManifest?: string | null;
  readonly durationMs?: number | null;
  readonly hasAudio?: boolean | null;
}

function area(file: PixelSize): number {
  return (file.width ?? 0) * (file.height ?? 0);
}

type Addressed = ListedFile & { readonly url: string };

/** A few dozen at most: comparing them costs less than a set, which reads every address to its end. */
function distinctByUrl(files: readonly ListedFile[]): readonly Addressed[] {
  const distinct: Addressed[] = [];
  for (const file of files) {
    const url = readAddress(file.url);
    if (url !== null && distinct.every(one => one.url !== url)) distinct.push({ ...file, url });
  }
  return distinct;
}

function sizeOf({ width, height }: PixelSize): PixelSize {
  return { width, height };
}

/** A number of pixels that an encoder can use. */
function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2);
}

function isKnown(size: PixelSize): size is { width: number; height: number } {
  return size.width !== null && size.height !== null;
}

/** A video file's size is, where it is not said, the original's, scaled down to the short side that its address names. */
function videoSize(file: ListedFile, original: PixelSize, shortSide: number | null): PixelSize {
  if (isKnown(file)) return sizeOf(file);
  if (!isKnown(original) || (shortSide === null && file.isReduced === true)) return UNKNOWN_SIZE;
  const scale = shortSide === null ? 1 : shortSide / Math.min(original.width, original.height);
  return scaledDown(original, scale, even);
}

function wholeVariant(
  url: string,
  rest: Pick<Variant, 'mime' | 'bitrate' | 'hasAudio' | 'hasVideo'> & PixelSize,
): Variant {
  return { url, ...rest, bytes: null, codecs: null, adaptive: false, expiresAt: addressExpiry(url) };
}

function progressiveVariant(file: Addressed, original: PixelSize, hasAudio: boolean | null): Variant {
  const tag = addressTag(file.url);
  const size = videoSize(file, original, tag.shortSide);
  const bitrate = file.bitrate ?? tag.bitrate;
  return wholeVariant(file.url, { mime: 'video/mp4', ...size, bitrate, hasAudio, hasVideo: true });
}

function adaptiveVariants(manifest: string | null): { durationMs: number | null; variants: readonly Variant[] } {
  if (manifest === null) return { durationMs: null, variants: [] };
  const { durationMs, variants } = parseDashManifest(manifest);
  const accepted = variants.flatMap(variant => {
    const url = readAddress(variant.url);
    return url === null ? [] : [{ ...variant, url, expiresAt: addressExpiry(url) }];
  });
  return { durationMs, variants: accepted };
}

/** Larger frames first; of two alike the one that plays as it is. */
function compareVariants(a: Variant, b: Variant): number {
  const alike = a.hasVideo && b.hasVideo && area(a) === area(b);
  return alike && a.adaptive !== b.adaptive ? Number(a.adaptive) - Number(b.adaptive) : compareTracks(a, b);
}

/** `image/jpeg` and the like: `stp=dst-jpg` says what is served even where the path ends in `.webp`. */
function imageMime(url: string): string {
  const served = /[?&]stp=[^&]{0,200}?dst-(jpg|jpeg|webp|png|heic)/.exec(url)?.[1];
  const type = served ?? /\.(jpg|jpeg|webp|png|heic|gif)$/.exec(url.split('?', 1)[0] ?? '')?.[1] ?? 'jpeg';
  return `image/${type === 'jpg' ? 'jpeg' : type}`;
}

/** `stp=c0.248.640.640a_…` cuts a square out of the image. */
function isCrop(url: string): boolean {
  return /[?&]stp=c\d+\.\d+\.\d+\.\d+/.test(url);
}

/** The largest that can be fetched, and that is not cut out of another if there is one. */
function largestCover(covers: readonly ListedFile[]): string | null {
  const sorted = covers.toSorted((a, b) => area(b) - area(a));
  const urls = sorted.map(cover => readAddress(cover.url)).filter(url => url !== null);
  return urls.find(url => !isCrop(url)) ?? urls[0] ?? null;
}

/** A photo whose size is not said is not taken for the original where other files have theirs: it may be any. */
function photoSize(file: Addressed, isAnyStated: boolean, original: PixelSize): PixelSize {
  if (isKnown(file)) return sizeOf(file);
  const { width, height } = imageSize(file.url, isAnyStated ? UNKNOWN_SIZE : original);
  return { width: file.width ?? width, height: file.height ?? height };
}

/** Largest first; an image that is cut out of another counts only where there is nothing else. */
function imageVariants(files: readonly ListedFile[], original: PixelSize): readonly Variant[] {
  const distinct = distinctByUrl(files);
  const uncut = distinct.filter(file => !isCrop(file.url));
  const isAnyStated = files.some(({ width, height }) => width !== null || height !== null);
  const still = { bitrate: null, hasAudio: false, hasVideo: false };
  const variants = (uncut.length > 0 ? uncut : distinct).map(file =>
    wholeVariant(file.url, { mime: imageMime(file.url), ...photoSize(file, isAnyStated, original), ...still }),
  );
  return variants.sort((a, b) => area(b) - area(a));
}

/** A video with all its files, best first; null when none of them can be fetched. */
export function videoItem(facts: VideoFacts): UnplacedItem | null {
  const { original = UNKNOWN_SIZE, alt = null } = facts;
  const dash = adaptiveVariants(facts.dashManifest ?? null);
  const hasAudio = facts.hasAudio ?? (dash.variants.some(variant => !variant.hasVideo) ? true : null);
  const progressive = distinctByUrl(facts.files).map(file => progressiveVariant(file, original, hasAudio));
  const variants = [...progressive, ...dash.variants].sort(compareVariants);
  const best = variants.find(variant => variant.hasVideo);
  if (best === undefined) return null;
  const durationMs =
    facts.durationMs ?? dash.durationMs ?? firstOf(variants, variant => addressTag(variant.url).durationMs);
  const thumbnailUrl = largestCover(facts.covers);
  return { kind: 'video', ...sizeOf(isKnown(original) ? original : best), durationMs, thumbnailUrl, alt, variants };
}

/** A photo with all its sizes, best first; null when none of them can be fetched. */
export function imageItem({ files, original = UNKNOWN_SIZE, alt = null }: ImageFacts): UnplacedItem | null {
  const variants = imageVariants(files, original);
  const best = variants[0];
  if (best === undefined) return null;
  return {
    kind: 'image',
    ...sizeOf(isKnown(original) ? original : best),
    durationMs: null,
    thumbnailUrl: best.url,
    alt,
    variants,
  };
}

/** Turns the addresses that Meta's answers list into the variants and items of a post. */

import { compareTracks, parseDashManifest } from '../../parse/dash.ts';
import type { UnplacedItem, Variant } from '../../post.ts';
import { addressExpiry, addressTag, imageSize, readAddress, type Size, scaledDown } from './cdn-address.ts';

export interface ListedFile extends Size {
  /** Already checked against the CDN's hosts; null ones are passed over. */
  readonly url: string | null;
  readonly bitrate?: number | null;
  /** Whether it is a smaller encoding of the video, whose size is then not the original's. */
  readonly isReduced?: boolean;
}

/** Its address is not checked yet: of a dozen one is shown. */
export interface CoverFile extends Size {
  readonly url: unknown;
}

export interface VideoFacts {
  readonly files: readonly ListedFile[];
  readonly covers: readonly CoverFile[];
  readonly original: Size;
  readonly dashManifest: string | null;
  readonly durationMs: number | null;
  readonly hasAudio: boolean | null;
  readonly alt: string | null;
}

export interface ImageFacts {
  readonly files: readonly ListedFile[];
  readonly original: Size;
  readonly alt: string | null;
}

function area(file: Size): number {
  return (file.width ?? 0) * (file.height ?? 0);
}

type Addressed = ListedFile & { readonly url: string };

function isAddressed(file: ListedFile): file is Addressed {
  return file.url !== null;
}

/** A few dozen at most: comparing them costs less than a set, which reads every address to its end. */
function distinctByUrl(files: readonly ListedFile[]): readonly Addressed[] {
  const distinct: Addressed[] = [];
  for (const file of files) {
    if (isAddressed(file) && distinct.every(({ url }) => url !== file.url)) distinct.push(file);
  }
  return distinct;
}

/** A number of pixels that an encoder can use. */
function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2);
}

/** What is not said of a video file's size: the original's, scaled down to the short side that its address names. */
function sizeOf(file: ListedFile, original: Size, shortSide: number | null): Size {
  if (file.width !== null && file.height !== null) return { width: file.width, height: file.height };
  const { width, height } = original;
  const isUnknown = width === null || height === null || (shortSide === null && file.isReduced === true);
  if (isUnknown) return { width: null, height: null };
  return scaledDown(original, shortSide === null ? 1 : shortSide / Math.min(width, height), even);
}

function progressiveVariant(file: Addressed, original: Size, hasAudio: boolean | null): Variant {
  const tag = addressTag(file.url);
  return {
    url: file.url,
    mime: 'video/mp4',
    ...sizeOf(file, original, tag.shortSide),
    bitrate: file.bitrate ?? tag.bitrate,
    bytes: null,
    codecs: null,
    hasAudio,
    hasVideo: true,
    adaptive: false,
    expiresAt: addressExpiry(file.url),
  };
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

function firstDuration(urls: readonly string[]): number | null {
  for (const url of urls) {
    const { durationMs } = addressTag(url);
    if (durationMs !== null) return durationMs;
  }
  return null;
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

/** What is cut out of another counts only where there is nothing else. */
function wholeImages(files: readonly ListedFile[]): readonly Addressed[] {
  const distinct = distinctByUrl(files);
  const whole = distinct.filter(file => !isCrop(file.url));
  return whole.length > 0 ? whole : distinct;
}

/** The largest that can be fetched, and that is not cut out of another if there is one. */
function largestCover(covers: readonly CoverFile[]): string | null {
  let crop: string | null = null;
  for (const cover of covers.toSorted((a, b) => area(b) - area(a))) {
    const url = readAddress(cover.url);
    if (url === null) continue;
    if (!isCrop(url)) return url;
    crop ??= url;
  }
  return crop;
}

/** What is not said of a photo's size. Where other files have theirs, one without is not taken for the original: it may be any. */
function imageSizeOf(file: Addressed, files: readonly ListedFile[], original: Size): Size {
  if (file.width !== null && file.height !== null) return { width: file.width, height: file.height };
  const isAnyStated = files.some(({ width, height }) => width !== null || height !== null);
  const { width, height } = imageSize(file.url, isAnyStated ? { width: null, height: null } : original);
  return { width: file.width ?? width, height: file.height ?? height };
}

function imageVariants(files: readonly ListedFile[], original: Size): readonly Variant[] {
  return wholeImages(files)
    .map(file => ({
      url: file.url,
      mime: imageMime(file.url),
      ...imageSizeOf(file, files, original),
      bitrate: null,
      bytes: null,
      codecs: null,
      hasAudio: false,
      hasVideo: false,
      adaptive: false,
      expiresAt: addressExpiry(file.url),
    }))
    .sort((a, b) => area(b) - area(a));
}

function itemSize(original: Size, best: Size): Size {
  return original.width !== null && original.height !== null ? original : { width: best.width, height: best.height };
}

/** A video with all its files, best first; null when none of them can be fetched. */
export function videoItem(facts: VideoFacts): UnplacedItem | null {
  const dash = adaptiveVariants(facts.dashManifest);
  const dashHasAudio = dash.variants.some(variant => !variant.hasVideo) ? true : null;
  const progressive = distinctByUrl(facts.files).map(file =>
    progressiveVariant(file, facts.original, facts.hasAudio ?? dashHasAudio),
  );
  const variants = [...progressive, ...dash.variants].sort(compareVariants);
  const best = variants.find(variant => variant.hasVideo);
  if (best === undefined) return null;
  return {
    kind: 'video',
    ...itemSize(facts.original, best),
    durationMs: facts.durationMs ?? dash.durationMs ?? firstDuration(variants.map(variant => variant.url)),
    thumbnailUrl: largestCover(facts.covers),
    alt: facts.alt,
    variants,
  };
}

/** A photo with all its sizes, best first; null when none of them can be fetched. */
export function imageItem(facts: ImageFacts): UnplacedItem | null {
  const variants = imageVariants(facts.files, facts.original);
  const best = variants[0];
  if (best === undefined) return null;
  return {
    kind: 'image',
    ...itemSize(facts.original, best),
    durationMs: null,
    thumbnailUrl: best.url,
    alt: facts.alt,
    variants,
  };
}

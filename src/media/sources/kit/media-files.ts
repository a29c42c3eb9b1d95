/** Turns the addresses in Meta's answers into the variants and items of a post. */
import { firstOf, type PixelSize, UNKNOWN_SIZE } from '../../parse/json.ts';
import { compareTracks, parseDashManifest } from '../../parse/markup.ts';
import type { UnplacedItem, Variant } from '../../post.ts';
import { addressExpiry, addressTag, atShortSide, imageSize, readAddress } from './cdn-address.ts';

/** A file as an answer lists it. Its width and height may be missing or null when the answer does not state them. */
export interface ListedFile extends Partial<PixelSize> {
  /** The file's address; a file that is not on the CDN is ignored. */
  readonly url: unknown;
  readonly bitrate?: number | null;
  /** True when the file is a smaller encoding of the video, so it does not have the original's size. */
  readonly isReduced?: boolean;
}

interface ImageFacts {
  readonly files: readonly ListedFile[];
  readonly original?: PixelSize;
  readonly alt?: string | null;
}

interface VideoFacts extends ImageFacts {
  readonly covers: readonly ListedFile[];
  readonly dashManifest?: string | null;
  readonly durationMs?: number | null;
  readonly hasAudio?: boolean | null;
}

type Addressed = ListedFile & PixelSize & { readonly url: string };

/** Removes repeated addresses. There are at most a few dozen, so comparing them is cheaper than hashing. */
function distinctByUrl(files: readonly ListedFile[]): readonly Addressed[] {
  const distinct: Addressed[] = [];
  for (const file of files) {
    const url = readAddress(file.url);
    if (url !== null && distinct.every(one => one.url !== url)) distinct.push({ ...UNKNOWN_SIZE, ...file, url });
  }
  return distinct;
}

/** Rounds to an even number of pixels, as encoders require. */
function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2);
}

function progressiveVariant(file: Addressed, original: PixelSize, hasAudio: boolean | null): Variant {
  const { url, width, height } = file;
  const tag = addressTag(url);
  const isUnknown = tag.shortSide === null && file.isReduced === true;
  // If its size is not stated, the file has the original's size, reduced to the short side that the address states.
  const reduced = isUnknown ? UNKNOWN_SIZE : atShortSide(original, tag.shortSide, even);
  const size = width !== null && height !== null ? { width, height } : reduced;
  const bitrate = file.bitrate ?? tag.bitrate;
  const expiresAt = addressExpiry(url);
  return listedFile(url, { mime: 'video/mp4', ...size, bitrate, hasAudio, hasVideo: true, expiresAt });
}

/** The type of an image. `stp=dst-jpg` tells what Meta's CDN really sends, even if the path ends in `.webp`. */
export function imageMime(url: string): string {
  const stated = /[?&]stp=[^&]{0,200}?dst-(jpg|jpeg|webp|png|heic)/.exec(url)?.[1];
  const type = stated ?? /\.(webp|png|heic|avif|gif)$/i.exec(url.split('?', 1)[0] ?? '')?.[1]?.toLowerCase() ?? 'jpeg';
  return `image/${type === 'jpg' ? 'jpeg' : type}`;
}

/** True when `stp=c0.248.640.640a_…` (until 2022 `/c0.248.640.640a/`) cuts a square out of the image. */
function isCrop(url: string): boolean {
  return /(?:[?&]stp=|\/)c\d+\.\d+\.\d+\.\d+/.test(url);
}

/** The largest cover image on the CDN, if possible one that is not cropped. */
function largestCover(covers: readonly ListedFile[]): string | null {
  const area = ({ width, height }: ListedFile) => (width ?? 0) * (height ?? 0);
  const sorted = covers.toSorted((a, b) => area(b) - area(a));
  const urls = sorted.map(cover => readAddress(cover.url)).filter(url => url !== null);
  return urls.find(url => !isCrop(url)) ?? urls[0] ?? null;
}

/**
 * The size of a photo file. If other files state a size and this one does not, it may be any smaller copy, so the
 * original's size is not assumed for it.
 */
function photoSize({ url, width, height }: Addressed, isAnyStated: boolean, original: PixelSize): PixelSize {
  if (width !== null && height !== null) return { width, height };
  const size = imageSize(url, isAnyStated ? UNKNOWN_SIZE : original);
  return { width: width ?? size.width, height: height ?? size.height };
}

/** The variants of a photo. Cropped images are used only if there are no others. */
function imageVariants(files: readonly ListedFile[], original: PixelSize): readonly Variant[] {
  const distinct = distinctByUrl(files);
  const uncut = distinct.filter(file => !isCrop(file.url));
  const isAnyStated = files.some(({ width = null, height = null }) => width !== null || height !== null);
  return (uncut.length > 0 ? uncut : distinct).map(file => {
    const { url } = file;
    const size = photoSize(file, isAnyStated, original);
    return listedFile(url, { mime: imageMime(url), ...size, hasVideo: false, expiresAt: addressExpiry(url) });
  });
}

/** A video with all its files, best first; null when none of them can be fetched. */
export function videoItem(facts: VideoFacts): UnplacedItem | null {
  const { files, covers, dashManifest, original = UNKNOWN_SIZE, alt = null } = facts;
  const dash = dashManifest ? parseDashManifest(dashManifest) : null;
  const tracks = (dash?.variants ?? []).flatMap(track => {
    const url = readAddress(track.url);
    return url === null ? [] : [{ ...track, url, expiresAt: addressExpiry(url) }];
  });
  const hasAudio = facts.hasAudio ?? (tracks.some(track => !track.hasVideo) ? true : null);
  const progressive = distinctByUrl(files).map(file => progressiveVariant(file, original, hasAudio));
  const thumbnailUrl = largestCover(covers);
  const item = listedItem('video', [...progressive, ...tracks], { alt, thumbnailUrl, ...whole(original) });
  if (item?.variants[0]?.hasVideo !== true) return null;
  const durationMs =
    facts.durationMs ?? dash?.durationMs ?? firstOf(item.variants, ({ url }) => addressTag(url).durationMs);
  return { ...item, durationMs };
}

/** The sites write this instead of a description for a photo that has none. */
const UNDESCRIBED = 'No photo description available.';

/** A photo with all its sizes, best first; null when none of them can be fetched. */
export function imageItem({ files, original = UNKNOWN_SIZE, alt = null }: ImageFacts): UnplacedItem | null {
  const known = { alt: alt === UNDESCRIBED ? null : alt, ...whole(original) };
  const item = listedItem('image', imageVariants(files, original), known);
  return item && { ...item, thumbnailUrl: item.variants[0]?.url ?? null };
}

function whole({ width, height }: PixelSize): Partial<PixelSize> {
  return width === null || height === null ? {} : { width, height };
}

// Variants and items from the files that an answer lists, for the CDN of any site.

/** Makes a variant; facts that `known` lacks are null. A file without video has no audio, unless `known` says so. */
export function listedFile(url: string, known: Partial<Variant> & Pick<Variant, 'mime' | 'hasVideo'>): Variant {
  const unknown = { width: null, height: null, bitrate: null, bytes: null, codecs: null, expiresAt: null };
  return { url, ...unknown, hasAudio: known.hasVideo ? null : false, adaptive: false, ...known };
}

export type ItemFacts = Partial<Omit<UnplacedItem, 'kind' | 'variants'>>;

/** Makes an item with its files, best first; null without files. Facts that `known` lacks are the best file's. */
export function listedItem(kind: UnplacedItem['kind'], files: readonly Variant[], known: ItemFacts = {}) {
  return orderedItem(kind, files.toSorted(compareTracks), known);
}

/** Like `listedItem`, but keeps the order of the files: the site already lists the best first. */
export function orderedItem(
  kind: UnplacedItem['kind'],
  variants: readonly Variant[],
  known: ItemFacts = {},
): UnplacedItem | null {
  const [best] = variants;
  if (best === undefined) return null;
  const { width, height } = best;
  return { kind, width, height, durationMs: null, thumbnailUrl: null, alt: null, ...known, variants };
}

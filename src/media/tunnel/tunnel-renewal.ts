import { type MediaItem, type Post, playableVariants, type Variant } from '../post.ts';

export interface ExpiredFile {
  readonly index: number;
  readonly url: string;
  readonly mime: string;
  readonly width?: number | null | undefined;
  readonly height?: number | null | undefined;
}

/**
 * Where the same file, or the one closest to it, lives in a newer answer for its post: the same path on the CDN, else the
 * same kind of file at the nearest size. Undefined when the post no longer has such an item.
 */
export function renewedAddress(post: Pick<Post, 'items'>, file: ExpiredFile): string | undefined {
  const item = post.items[file.index];
  if (item === undefined) return undefined;
  const addresses = item.variants.map(variant => variant.url);
  if (item.thumbnailUrl !== null) addresses.push(item.thumbnailUrl);
  const path = pathOf(file.url);
  const same = addresses.find(url => pathOf(url) === path);
  return same ?? nearest(item, file);
}

function nearest(item: MediaItem, file: ExpiredFile): string | undefined {
  const family = file.mime.split('/', 1)[0];
  if (family === 'image' && item.kind !== 'image') return item.thumbnailUrl ?? undefined;
  const candidates = family === 'audio' ? item.variants.filter(variant => !variant.hasVideo) : playableVariants(item);
  const alike = candidates.filter(variant => variant.mime === file.mime);
  const [first, ...rest] = alike.length > 0 ? alike : candidates;
  if (first === undefined) return undefined;
  return rest.reduce((best, variant) => (distance(variant, file) < distance(best, file) ? variant : best), first).url;
}

/** Unknown sizes are all alike: the source's order, best first, decides. */
function distance(variant: Variant, { width, height }: ExpiredFile): number {
  const across = width === null || width === undefined ? 0 : Math.abs((variant.width ?? 0) - width);
  const down = height === null || height === undefined ? 0 : Math.abs((variant.height ?? 0) - height);
  return across + down;
}

function pathOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).pathname : undefined;
}

/** Files and items as an answer lists them, on the CDN of whichever site it is. */
import { compareTracks } from '../../parse/markup.ts';
import type { UnplacedItem, Variant } from '../../post.ts';

/** One file with what is known of it: the rest is null. A file without a picture that moves is an image. */
export function listedFile(url: string, known: Partial<Variant> & Pick<Variant, 'mime' | 'hasVideo'>): Variant {
  const unknown = { width: null, height: null, bitrate: null, bytes: null, codecs: null, expiresAt: null };
  return { url, ...unknown, hasAudio: known.hasVideo ? null : false, adaptive: false, ...known };
}

/** An item with its files, the best first; null where there is none. What is not `known` of it is its best file's. */
export function listedItem(
  kind: UnplacedItem['kind'],
  files: readonly Variant[],
  known: Partial<Omit<UnplacedItem, 'kind' | 'variants'>> = {},
): UnplacedItem | null {
  const variants = files.toSorted(compareTracks);
  const [best] = variants;
  if (best === undefined) return null;
  const { width, height } = best;
  return { kind, width, height, durationMs: null, thumbnailUrl: null, alt: null, ...known, variants };
}

import type { Extractor } from '../../media/extract/extractor.ts';
import type { Tunnel } from '../../media/tunnel/tunnel.ts';
import type { Thumbnails } from '../reference/docs-routes.ts';

const LIFE_MS = 3_600_000;
const MOST = 20;

/** Thumbnails of a post's items. This server serves them, because the sites forbid other pages to load them. */
export function createPostThumbnails(
  extractor: Pick<Extractor, 'extract'>,
  tunnel: Pick<Tunnel, 'address' | 'carries'>,
): Thumbnails {
  return async (link, signal) => {
    const { post } = await extractor.extract(link, { signal, readable: true });
    const { source, id, items } = post;
    return items.slice(0, MOST).flatMap(({ kind, thumbnailUrl, variants, alt }, index) => {
      const smallest = kind === 'image' && thumbnailUrl === null ? variants.at(-1) : undefined;
      const url = thumbnailUrl ?? smallest?.url;
      if (url === undefined || !tunnel.carries(url)) return [];
      const file = { url, mime: 'image/jpeg', fileName: `${id}-${index + 1}.jpg`, expiresAt: Date.now() + LIFE_MS };
      const hasHeaders = smallest?.headers !== undefined;
      return { kind, address: tunnel.address({ ...file, post: { source, id }, index, hasHeaders }), alt };
    });
  };
}

/** Objects of a page that describe one photo -> the photo with its sizes. Pure. */
import { z } from 'zod';
import { address, listOf, objectOf, size, text } from '../../parse/fields.ts';
import type { JsonObject } from '../../parse/json-search.ts';
import { imageItem, type ListedFile } from '../../parse/media-files.ts';
import type { UnplacedItem } from '../../post.ts';
import { isVideo } from './video.ts';

const picture = objectOf({ uri: address, width: size, height: size });

const photo = z.object({
  viewer_image: picture,
  photo_image: picture,
  full_image: picture,
  image: picture,
  comet_photo_attachment_resolution_renderer: objectOf({ image: picture }),
  prefetch_uris_v2: listOf(z.object({ uri: address })),
  accessibility_caption: text,
});

const PHOTO_KEYS: readonly string[] = ['viewer_image', 'photo_image', 'full_image', 'prefetch_uris_v2'];

/** Whether an object describes a photo of somebody's, not the picture of a link or a video's cover. */
export function isPhoto(object: JsonObject): boolean {
  if (isVideo(object)) return false;
  return object.__typename === 'Photo' || object.__isNode === 'Photo' || PHOTO_KEYS.some(key => key in object);
}

/** Reads all objects that carry one photo's id as one photo; null when no size of it can be fetched. */
export function readPhoto(nodes: readonly JsonObject[]): UnplacedItem | null {
  const files: ListedFile[] = [];
  let alt: string | null = null;
  for (const node of nodes) {
    const result = photo.safeParse(node);
    if (!result.success) continue;
    const { data } = result;
    alt ??= data.accessibility_caption;
    const pictures = [
      data.viewer_image,
      data.photo_image,
      data.full_image,
      data.image,
      data.comet_photo_attachment_resolution_renderer?.image,
    ];
    files.push(...pictures.flatMap(one => (one?.uri ? [{ url: one.uri, width: one.width, height: one.height }] : [])));
    files.push(...data.prefetch_uris_v2.map(one => ({ url: one.uri, width: null, height: null })));
  }
  return imageItem({ files, original: { width: null, height: null }, alt });
}

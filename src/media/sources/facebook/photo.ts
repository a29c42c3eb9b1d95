/** Objects of a page that describe one photo -> the photo with its sizes. Pure. */

import { readList, readSize, readText } from '../../parse/fields.ts';
import { child, type JsonObject } from '../../parse/json-search.ts';
import type { UnplacedItem } from '../../post.ts';
import { readAddress } from '../meta/cdn-address.ts';
import { imageItem, type ListedFile } from '../meta/media-files.ts';
import { isVideo } from './video.ts';

const PHOTO_KEYS: readonly string[] = ['viewer_image', 'photo_image', 'full_image', 'prefetch_uris_v2'];
/** More objects than one photo is ever spread over. */
const MAX_NODES = 40;

/** Whether an object describes a photo of a person or page, not the image of a link or a video's cover. */
export function isPhoto(object: JsonObject): boolean {
  if (isVideo(object)) return false;
  return object.__typename === 'Photo' || object.__isNode === 'Photo' || PHOTO_KEYS.some(key => key in object);
}

/** Reads all objects that carry one photo's id as one photo; null when no size of it can be fetched. */
export function readPhoto(nodes: readonly JsonObject[]): UnplacedItem | null {
  const files: ListedFile[] = [];
  let alt: string | null = null;
  for (const node of nodes.slice(0, MAX_NODES)) {
    alt ??= readText(node.accessibility_caption);
    const images = [
      node.viewer_image,
      node.photo_image,
      node.full_image,
      node.image,
      child(node.comet_photo_attachment_resolution_renderer, 'image'),
    ];
    for (const image of images) {
      const url = readAddress(child(image, 'uri'));
      if (url !== null) {
        files.push({ url, width: readSize(child(image, 'width')), height: readSize(child(image, 'height')) });
      }
    }
    for (const one of readList(node.prefetch_uris_v2)) {
      files.push({ url: readAddress(child(one, 'uri')), width: null, height: null });
    }
  }
  return imageItem({ files, original: { width: null, height: null }, alt });
}

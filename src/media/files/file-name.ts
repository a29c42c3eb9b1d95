import type { Post } from '../post.ts';
import { extensionOf } from './cdn.ts';

/** What a file of a post is called: letters, digits, `-` and `_`, with the ending of its type. */
export function fileNameOf({ source, id, items }: Post, index: number, mime: string): string {
  const place = items.length > 1 ? `-${index + 1}` : '';
  const extension = extensionOf(mime);
  const name = `medley-${source}-${id.replace(/[^\w-]+/g, '').slice(0, 60)}${place}`;
  return extension === undefined ? name : `${name}.${extension}`;
}

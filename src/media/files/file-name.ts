import { itemCount, type Post } from '../post.ts';
import { extensionOf } from './cdn.ts';

/** What a file of a post is called: letters, digits, `-` and `_`, with the ending of its type. */
export function fileNameOf(post: Post, index: number, mime: string): string {
  const { source, id } = post;
  const place = itemCount(post) > 1 ? `-${(post.items[index]?.position ?? index) + 1}` : '';
  const extension = extensionOf(mime);
  const name = `medley-${source}-${id.replace(/[^\w-]+/g, '').slice(0, 60)}${place}`;
  return extension === undefined ? name : `${name}.${extension}`;
}

import * as z from 'zod';
import { postSchema } from '../../media/post.ts';
import { drawSvg } from '../cards/svg-rasterizer.ts';
import { type Block, type Reply, ReplyFrame, WordBlock } from '../contract/reply.ts';

const StoredPicture = z.object({
  kind: z.literal('picture'),
  alt: z.string(),
  beside: z.array(WordBlock).readonly().exactOptional(),
  instead: z.array(WordBlock).readonly().exactOptional(),
  repeats: z.literal(true).exactOptional(),
  /**
   * A drawn image card. Its `svg` is empty if it is unknown or was left out as too long; then `alt` is shown instead.
   */
  picture: z.object({ key: z.string(), width: z.number(), height: z.number(), svg: z.string() }),
});

const StoredPart = ReplyFrame.extend({
  blocks: z.array(z.union([WordBlock, StoredPicture])),
  /** The gallery's posts, each stored once, because several files usually belong to one post. */
  posts: z.array(postSchema),
  gallery: z.array(
    z.object({
      post: z.number(),
      index: z.number(),
      form: z.enum(['original', 'audio']),
      spoiler: z.boolean(),
      clip: z.object({ startMs: z.number(), endMs: z.number() }).exactOptional(),
    }),
  ),
});
type StoredPart = z.output<typeof StoredPart>;

/**
 * A reply as it is stored until it is sent, so that it is made only once. Its `later` part is lost; an image card is
 * stored as its SVG.
 */
export const StoredReply = StoredPart.extend({ quoted: StoredPart.exactOptional() });
export type StoredReply = z.output<typeof StoredReply>;

/** The most characters of a stored reply; a longer one is shortened. */
const MOST = 64 * 1024;

/**
 * The reply in the form in which it is stored. A reply that is too long loses its image cards and then its last blocks;
 * if it has files it is not stored (undefined), because the post can be asked for again.
 */
export function storeReply({ quoted, ...reply }: Reply): StoredReply | undefined {
  const stored = storePart(reply);
  const below = quoted && storePart(quoted);
  if (stored === undefined || quoted === undefined) return stored;
  return below && { ...stored, quoted: below };
}

function storePart(reply: Reply): StoredPart | undefined {
  const { blocks, gallery, later: _, quoted: _quoted, ...plain } = reply;
  const posts = [...new Set(gallery.map(({ post }) => post))];
  const stored: StoredPart = {
    ...plain,
    blocks: blocks.map(block => {
      if (block.kind !== 'picture') return block;
      const { picture, charts: _charts, ...texts } = block;
      const { key, width, height, svg = '' } = picture;
      return { ...texts, picture: { key, width, height, svg } };
    }),
    posts,
    gallery: gallery.map(({ kind: _kind, post, ...item }) => ({ ...item, post: posts.indexOf(post) })),
  };
  if (sizeOf(stored) <= MOST) return stored;
  if (gallery.length > 0) return undefined;
  const bare = stored.blocks.map(block =>
    block.kind === 'picture' ? { ...block, picture: { ...block.picture, svg: '' } } : block,
  );
  while (bare.length > 0 && sizeOf({ ...stored, blocks: bare }) > MOST) bare.pop();
  return { ...stored, blocks: bare };
}

export function readReply({ quoted, ...reply }: StoredReply): Reply {
  return { ...readPart(reply), ...(quoted && { quoted: readPart(quoted) }) };
}

function readPart({ blocks, posts, gallery, ...plain }: StoredPart): Reply {
  return {
    ...plain,
    blocks: blocks.map((block): Block => {
      if (block.kind !== 'picture') return block;
      const { picture } = block;
      return { ...block, picture: { ...picture, draw: () => drawSvg(picture.svg) } };
    }),
    gallery: gallery.flatMap(({ post: place, ...item }) => {
      const post = posts[place];
      return post === undefined ? [] : [{ kind: 'media' as const, post, ...item }];
    }),
  };
}

function sizeOf(stored: StoredPart): number {
  return JSON.stringify(stored).length;
}

import * as z from 'zod';
import { postSchema } from '../../media/post.ts';
import { drawSvg } from '../cards/svg-rasterizer.ts';
import type { Action, Block, Inline, PictureBlock, Reply, WordBlock } from '../contract/reply.ts';

const StoredPart = z.object({
  tone: z.enum(['neutral', 'success', 'notice', 'error']),
  blocks: z.array(z.lazy(() => StoredBlock)),
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
  actions: z.array(z.lazy(() => StoredAction)),
  isHidden: z.boolean().exactOptional(),
  onlyWhenAsked: z.boolean().exactOptional(),
  colour: z.lazy(() => Colour).exactOptional(),
  visibility: z.enum(['chat', 'caller']),
  outdatedMs: z.number().exactOptional(),
  retry: z.object({ afterMs: z.number(), link: z.string().exactOptional() }).exactOptional(),
} satisfies Readonly<Record<Exclude<keyof Reply, 'later' | 'quoted'> | 'posts', z.ZodType>>);
type StoredPart = z.output<typeof StoredPart>;

/**
 * A reply as it is stored until it is sent, so that it is made only once. Its `later` part is lost; an image card is
 * stored as its SVG.
 */
export const StoredReply = StoredPart.extend({ quoted: StoredPart.exactOptional() });
export type StoredReply = z.output<typeof StoredReply>;

const Colour = z.templateLiteral(['#', z.string().regex(/^[\da-f]{6}$/i)]);

const StoredInline: z.ZodType<Inline> = z.lazy(() =>
  z.union([
    z.string(),
    z.object({ kind: z.enum(['strong', 'emphasis', 'code']), children: z.array(StoredInline) }),
    z.object({
      kind: z.literal('link'),
      url: z.string(),
      children: z.array(StoredInline),
      token: z.string().exactOptional(),
    }),
    z.object({ kind: z.literal('time'), at: z.number(), style: z.enum(['relative', 'date']) }),
    z.object({ kind: z.literal('command'), name: z.string() }),
    z.object({ kind: z.literal('swatch'), colour: Colour, symbol: z.string() }),
  ]),
);
const Text = z.array(StoredInline);

const StoredAction: z.ZodType<Action> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('link'),
    label: z.string(),
    url: z.string(),
    style: z.literal('primary').exactOptional(),
  }),
  z.object({
    kind: z.literal('button'),
    label: z.string(),
    token: z.string(),
    style: z.enum(['primary', 'secondary', 'danger']),
  }),
  z.object({
    kind: z.literal('menu'),
    label: z.string(),
    choices: z.array(
      z.object({
        label: z.string(),
        detail: z.string().exactOptional(),
        isSet: z.boolean().exactOptional(),
        token: z.string(),
      }),
    ),
  }),
]);

const StoredImage = z.object({
  kind: z.literal('image'),
  url: z.string(),
  alt: z.string(),
  ratio: z.number().exactOptional(),
});
const Sound = z.object({ url: z.string(), label: z.string() });

const StoredWords: z.ZodType<WordBlock> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('heading'),
    text: Text,
    image: StoredImage.exactOptional(),
    site: z.object({ name: z.string(), colour: Colour }).exactOptional(),
  }),
  z.object({
    kind: z.literal('text'),
    text: Text,
    folded: z.boolean().exactOptional(),
    small: z.boolean().exactOptional(),
  }),
  z.object({
    kind: z.literal('fields'),
    fields: z.array(z.object({ label: z.string(), value: Text, command: z.string().exactOptional() })),
  }),
  StoredImage,
  Sound.extend({ kind: z.literal('sound') }),
  z.object({
    kind: z.literal('card'),
    title: Text,
    lines: z.array(Text),
    details: z.array(Text).exactOptional(),
    image: StoredImage.exactOptional(),
    colour: Colour.exactOptional(),
    sound: Sound.exactOptional(),
    worth: z
      .object({
        value: z.string(),
        detail: z.string().exactOptional(),
        lines: z.array(Text),
        play: z.object({ grade: z.string(), colour: Colour, mods: z.array(z.string()) }).exactOptional(),
      })
      .exactOptional(),
    action: StoredAction.exactOptional(),
  }),
  z.object({ kind: z.literal('divider') }),
]);

const StoredPicture = z.object({
  kind: z.literal('picture'),
  alt: z.string(),
  beside: z.array(StoredWords).readonly().exactOptional(),
  instead: z.array(StoredWords).readonly().exactOptional(),
  repeats: z.literal(true).exactOptional(),
  /** A drawn image card. Its `svg` is empty if the source is unknown; then `alt` is shown instead. */
  picture: z.object({ key: z.string(), width: z.number(), height: z.number(), svg: z.string() }),
});
type StoredPicture = z.output<typeof StoredPicture>;

const StoredBlock: z.ZodType<WordBlock | StoredPicture> = z.union([StoredWords, StoredPicture]);

/** The most characters of a stored reply; a longer one is shortened. */
const MOST = 64 * 1024;

/**
 * The reply in the form in which it is stored. Undefined if it has files, because it can be made again, or if it is too
 * long even without its image cards and its end.
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
    actions: [...plain.actions],
    blocks: blocks.map(block => (block.kind === 'picture' ? storePicture(block) : block)),
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
    blocks: blocks.map((block): Block => (block.kind === 'picture' ? readPicture(block) : block)),
    gallery: gallery.flatMap(({ post: place, ...item }) => {
      const post = posts[place];
      return post === undefined ? [] : [{ kind: 'media' as const, post, ...item }];
    }),
  };
}

function storePicture({ picture, charts: _, ...block }: PictureBlock): StoredPicture {
  const { key, width, height, svg } = picture;
  return { ...block, picture: { key, width, height, svg: svg ?? '' } };
}

function readPicture({ picture, ...block }: StoredPicture): PictureBlock {
  const { svg } = picture;
  return { ...block, picture: { ...picture, draw: () => drawSvg(svg) } };
}

function sizeOf(stored: StoredPart): number {
  return JSON.stringify(stored).length;
}

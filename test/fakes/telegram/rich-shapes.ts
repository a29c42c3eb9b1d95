import { z } from 'zod';
import { type InputMedia, inputMediaShape } from './shapes.ts';

/** A rich message as the bot sends it (Bot API 10.2), as far as the fake plays it. */

const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code'] as const;

type Text =
  | string
  | readonly Text[]
  | { readonly type: (typeof MARKS)[number]; readonly text: Text }
  | { readonly type: 'url'; readonly text: Text; readonly url: string };

const textShape: z.ZodType<Text> = z.lazy(() =>
  z.union([
    z.string(),
    z.array(textShape),
    z.strictObject({ type: z.enum(MARKS), text: textShape }),
    z.strictObject({ type: z.literal('url'), text: textShape, url: z.url() }),
  ]),
);
export type RichText = Text;

const photoShape = z.strictObject({
  type: z.literal('photo'),
  photo: inputMediaShape.extend({ type: z.literal('photo') }),
});
const videoShape = z.strictObject({
  type: z.literal('video'),
  video: inputMediaShape.extend({ type: z.literal('video') }),
});
const mediaBlockShape = z.discriminatedUnion('type', [photoShape, videoShape]);

export const blockShape = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['paragraph', 'expandable_blockquote']), text: textShape }),
  z.strictObject({ type: z.enum(['slideshow', 'collage']), blocks: z.array(mediaBlockShape).min(1) }),
  photoShape,
  videoShape,
]);
export type RichBlock = z.infer<typeof blockShape>;

export const richShape = z.looseObject({
  blocks: z.array(z.unknown()).optional(),
  html: z.string().optional(),
  markdown: z.string().optional(),
  skip_entity_detection: z.boolean().optional(),
});

export function blocksOf({ rich_message: message }: Readonly<Record<string, unknown>>): readonly RichBlock[] {
  const blocks = richShape.safeParse(message).data?.blocks ?? [];
  return blocks.flatMap(block => blockShape.safeParse(block).data ?? []);
}

/** The files of a request's rich message, in order. */
export function richMedia(params: Readonly<Record<string, unknown>>): readonly InputMedia[] {
  return blocksOf(params).flatMap(mediaIn);
}

export function mediaIn(block: RichBlock): readonly InputMedia[] {
  if (block.type === 'photo') return [block.photo];
  if (block.type === 'video') return [block.video];
  return 'blocks' in block ? block.blocks.flatMap(mediaIn) : [];
}

/** The pieces of a text that nothing marks, or only looks. */
export function leavesOf(text: RichText): readonly string[] {
  if (typeof text === 'string') return [text];
  return 'type' in text ? leavesOf(text.text) : text.flatMap(leavesOf);
}

/** How deep its marks go. */
export function depthOf(text: RichText): number {
  if (typeof text === 'string') return 0;
  if ('type' in text) return 1 + depthOf(text.text);
  return Math.max(0, ...text.map(depthOf));
}

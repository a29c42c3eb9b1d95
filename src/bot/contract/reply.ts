import * as z from 'zod';
import type { Clip } from '../../media/files/clip.ts';
import type { Post } from '../../media/post.ts';
import type { Chart, Picture } from './picture.ts';

/**
 * This file defines the content of replies. A text is a small tree, never a markdown or HTML string: each platform's
 * renderer escapes it, and text of other people is only in plain string leaves.
 */

/** A colour as `#rrggbb`. */
export const Colour = z.templateLiteral(['#', z.string().regex(/^[\da-f]{6}$/i)]);
export type Colour = z.output<typeof Colour>;

const Inline = z.union([
  z.string(),
  z.object({
    kind: z.enum(['strong', 'emphasis', 'code']),
    get children(): z.ZodReadonly<z.ZodArray<typeof Inline>> {
      return Text;
    },
  }),
  z.object({
    kind: z.literal('link'),
    url: z.string(),
    get children(): z.ZodReadonly<z.ZodArray<typeof Inline>> {
      return Text;
    },
    /** The token of a button that opens the link's target in the chat, for platforms whose text can have buttons. */
    token: z.string().exactOptional(),
  }),
  /** A date or time, unix milliseconds, shown in the reader's own format where the platform can. */
  z.object({ kind: z.literal('time'), at: z.number(), style: z.enum(['relative', 'date']) }),
  /** A command of Medley, such as `osu profile`, written as on the platform, and clickable if possible. */
  z.object({ kind: z.literal('command'), name: z.string() }),
  /** A role of people, by its id; showing it notifies no one. */
  z.object({ kind: z.literal('role'), id: z.string() }),
  /** A colour with a meaning, such as a difficulty's. Where text cannot be coloured, the emoji `symbol` is shown. */
  z.object({ kind: z.literal('swatch'), colour: Colour, symbol: z.string() }),
]);
export type Inline = z.output<typeof Inline>;

const Text = z.array(Inline).readonly();
export type Text = z.output<typeof Text>;

/** An image at an https address. */
const Image = z.object({
  kind: z.literal('image'),
  url: z.string(),
  alt: z.string(),
  /** Width divided by height, if known, so that nothing moves when the image is loaded. */
  ratio: z.number().exactOptional(),
});
export type Image = z.output<typeof Image>;

/** A short audio preview of a beatmap, at an https address. */
const Sound = z.object({ url: z.string(), label: z.string() });

const Choice = z.object({
  label: z.string(),
  detail: z.string().exactOptional(),
  /** True for the choice that is set now. */
  isSet: z.boolean().exactOptional(),
  /** The token that the choice sends when it is chosen, like a button's. */
  token: z.string(),
});
export type Choice = z.output<typeof Choice>;

const Action = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('link'),
    label: z.string(),
    url: z.string(),
    /** `primary`: the link that most people want, which some platforms highlight. */
    style: z.literal('primary').exactOptional(),
  }),
  z.object({
    kind: z.literal('button'),
    label: z.string(),
    /** The token that `ButtonTokens` made for the button, at most 64 bytes. */
    token: z.string(),
    style: z.enum(['primary', 'secondary', 'danger']),
    /**
     * True for the button back to the list above; a platform with a Back button of its own leaves this button out if
     * both lead to the same list.
     */
    isUp: z.literal(true).exactOptional(),
  }),
  /** A choice of one among several, at most 25. Where a platform has no menus, the choices are buttons. */
  z.object({ kind: z.literal('menu'), label: z.string(), choices: z.array(Choice).readonly() }),
]);
export type Action = z.output<typeof Action>;

/** The card's main value, such as pp, for layouts with a column for it. */
const CardWorth = z.object({
  /** The value as text, such as `271 pp`. */
  value: z.string(),
  /** More about the value, such as `+6.2 in total`, where a layout has room. */
  detail: z.string().exactOptional(),
  /** Replaces the card's lines in a layout with a column for the value, where those lines would repeat the column. */
  lines: z.array(Text).readonly(),
  /** A play's grade and each of its mods separately, for lists with aligned columns. */
  play: z.object({ grade: z.string(), colour: Colour, mods: z.array(z.string()).readonly() }).exactOptional(),
});

/** One of several things in a list, such as a beatmapset or a play. */
const Card = z.object({
  kind: z.literal('card'),
  title: Text,
  /** Short lines, the most important ones first. Where there is little space, the last ones are left out. */
  lines: z.array(Text).readonly(),
  /** More lines. In a list only the web page shows them, elsewhere an opened card does. */
  details: z.array(Text).readonly().exactOptional(),
  image: Image.exactOptional(),
  colour: Colour.exactOptional(),
  sound: Sound.exactOptional(),
  worth: CardWorth.exactOptional(),
  /** The button that opens what the card is about. */
  action: Action.exactOptional(),
});
export type Card = z.output<typeof Card>;

const Heading = z.object({
  kind: z.literal('heading'),
  text: Text,
  /** An image beside the text, if the platform can show one: an author's avatar. */
  image: Image.exactOptional(),
  /** The site of the post, shown as a mark beside the text if the platform can. */
  site: z.object({ name: z.string(), colour: Colour }).exactOptional(),
});
export type Heading = z.output<typeof Heading>;

const Field = z.object({
  label: z.string(),
  value: Text,
  /**
   * The command that the label describes. Where commands can be clicked, the command is shown in place of the label.
   */
  command: z.string().exactOptional(),
});
export type Field = z.output<typeof Field>;

/** Any block but an image card. */
export const WordBlock = z.discriminatedUnion('kind', [
  Heading,
  z.object({
    kind: z.literal('text'),
    text: Text,
    /** True for text that may be shortened, with a way to see all of it where the platform has one. */
    folded: z.boolean().exactOptional(),
    /** True for a less important line, in smaller type if possible. */
    small: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal('fields'), fields: z.array(Field).readonly() }),
  Image,
  Sound.extend({ kind: z.literal('sound') }),
  Card,
  z.object({ kind: z.literal('divider') }),
]);
export type WordBlock = z.output<typeof WordBlock>;

export type Block = WordBlock | PictureBlock;

export interface PictureBlock {
  readonly kind: 'picture';
  readonly picture: Picture;
  readonly alt: string;
  /** Text that the image card does not have; it is shown together with the card. */
  readonly beside?: readonly WordBlock[];
  /** The card's content as text, shown where the card is not. Default: `alt`. */
  readonly instead?: readonly WordBlock[];
  /**
   * True when the card shows nothing but the text of the reply: a platform with a layout for text shows `instead`, or
   * the reply's other blocks, without the card.
   */
  readonly repeats?: true;
  /** Makes the data of the charts on the card, for a platform that draws them itself. */
  readonly charts?: () => readonly Chart[];
}

/** One file of a post. The platform chooses how to send it: by its own file id, an address, an upload or the tunnel. */
export interface GalleryItem {
  readonly kind: 'media';
  readonly post: Post;
  /** The item's index in `post.items`. */
  readonly index: number;
  /** `audio`: only the audio of a video is shown. */
  readonly form: 'original' | 'audio';
  readonly spoiler: boolean;
  /** The part of a video to show; absent for the whole video. */
  readonly clip?: Clip;
}

/** The parts of a reply that are stored as they are. */
export const ReplyFrame = z.object({
  tone: z.enum(['neutral', 'success', 'notice', 'error']),
  actions: z.array(Action).readonly(),
  /** True when the whole reply, text included, is in a spoiler, because its link was. */
  isHidden: z.boolean().exactOptional(),
  /** The colour of the post's site, for platforms that can show one. */
  colour: Colour.exactOptional(),
  /** True when the site's own preview shows as much as the reply. A link that was only pasted then gets no reply. */
  onlyWhenAsked: z.boolean().exactOptional(),
  /** True when the message with the pressed button stays unchanged, because the reply only adds to it. */
  isBeside: z.boolean().exactOptional(),
  /** `caller`: only the person who asked sees the reply, where the platform supports that. */
  visibility: z.enum(['chat', 'caller']),
  /** The milliseconds after which the reply, such as a time to wait, is no longer true and may be deleted. */
  outdatedMs: z.number().exactOptional(),
  /** Set after a failure that may pass: when to ask again, and for which `link` if the request has several. */
  retry: z.object({ afterMs: z.number(), link: z.string().exactOptional() }).exactOptional(),
});

export interface Reply extends Readonly<z.output<typeof ReplyFrame>> {
  readonly blocks: readonly Block[];
  readonly gallery: readonly GalleryItem[];
  /** The post that this one quotes, sent below it as a separate reply. */
  readonly quoted?: Reply;
  /**
   * This reply with further parts that took longer, to replace it once; undefined if they did not come. Never rejects.
   */
  readonly later?: Promise<Reply | undefined>;
}

export type Tone = Reply['tone'];

import type { Clip } from '../../media/files/clip.ts';
import type { Post } from '../../media/post.ts';

/**
 * The content of replies. A text is a small tree, never a markdown or HTML string: each platform's renderer escapes it,
 * and text of other people is only in plain string leaves.
 */
export type Inline =
  | string
  | { readonly kind: 'strong' | 'emphasis' | 'code'; readonly children: readonly Inline[] }
  /** `token`: a button's token that opens the same thing in the chat, for platforms whose text can have buttons. */
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[]; readonly token?: string }
  /** A date or time, unix milliseconds, shown in the reader's own format where the platform can. */
  | { readonly kind: 'time'; readonly at: number; readonly style: 'relative' | 'date' }
  /** A command of Medley, such as `osu profile`, shown as people write it on the platform; clickable if possible. */
  | { readonly kind: 'command'; readonly name: string }
  /** A role of people, by its id; it is shown without notifying anybody. */
  | { readonly kind: 'role'; readonly id: string }
  /** A colour with a meaning, such as a difficulty's. Where text has no colours, the emoji `symbol` is shown. */
  | { readonly kind: 'swatch'; readonly colour: Colour; readonly symbol: string };

/** A colour as `#rrggbb`. */
export type Colour = `#${string}`;

export type Text = readonly Inline[];

export type Block =
  | Heading
  /**
   * `folded` text may be shortened, with a way to see all of it where the platform has one. `small`: a less important
   * line, in smaller type if possible.
   */
  | { readonly kind: 'text'; readonly text: Text; readonly folded?: boolean; readonly small?: boolean }
  | { readonly kind: 'fields'; readonly fields: readonly Field[] }
  | Image
  | PictureBlock
  /** A short audio preview of a beatmap, at an https address. */
  | { readonly kind: 'sound'; readonly url: string; readonly label: string }
  | Card
  | { readonly kind: 'divider' };

export interface Field {
  readonly label: string;
  readonly value: Text;
  /** The command that the label describes; where commands are clickable, the command is shown instead of the label. */
  readonly command?: string;
}

export interface Heading {
  readonly kind: 'heading';
  readonly text: Text;
  /** An image beside the text, if the platform can show one: an author's avatar. */
  readonly image?: Image;
  /** The site of the post, shown as a mark beside the text if the platform can. */
  readonly site?: { readonly name: string; readonly colour: Colour };
}

export interface PictureBlock {
  readonly kind: 'picture';
  readonly picture: Picture;
  readonly alt: string;
  /** Text that is not on the image card, shown together with it. */
  readonly beside?: readonly WordBlock[];
  /** The card's content as text, for when the card is not shown. Default: `alt`. */
  readonly instead?: readonly WordBlock[];
  /**
   * True when the card only repeats text: a platform with a layout for text shows `instead`, or the reply's other
   * blocks, without the card.
   */
  readonly repeats?: true;
  /** Makes the data of the charts on the card, for a platform that draws them itself. */
  readonly charts?: () => readonly Chart[];
}

/** A curve through values, from left to right. */
export interface Chart {
  readonly label: string;
  /** A point of the curve: `height` is relative, `text` the value in words, `name` what has this value. */
  readonly points: readonly { readonly height: number; readonly text: string; readonly name: string }[];
}

/** Any block but an image card. */
export type WordBlock = Exclude<Block, PictureBlock>;

/** Replaces each image card by itself and the text beside it, or by its text if the card is not shown. */
export function withPictures(blocks: readonly Block[], isShown: (block: PictureBlock) => boolean): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.kind !== 'picture') return [block];
    return isShown(block) ? [block, ...(block.beside ?? [])] : (block.instead ?? [block]);
  });
}

/** Reduces several cards to rows of a list, without their audio previews and details, which opening a card shows. */
export function asRows(blocks: readonly Block[]): readonly Block[] {
  if (blocks.filter(({ kind }) => kind === 'card').length < 2) return blocks;
  return blocks.map(block => {
    if (block.kind !== 'card') return block;
    const { sound: _, details: __, ...row } = block;
    return row;
  });
}

/** An image at an https address. */
export interface Image {
  readonly kind: 'image';
  readonly url: string;
  readonly alt: string;
  /** Width divided by height, if known, so that nothing moves when the image is loaded. */
  readonly ratio?: number;
}

/** One of several things in a list, such as a beatmapset or a play. */
export interface Card {
  readonly kind: 'card';
  readonly title: Text;
  /** Short lines, the most important first; the last ones may be left out where there is little space. */
  readonly lines: readonly Text[];
  /** More lines. In a list only the web page shows them; elsewhere they are shown when the card is opened. */
  readonly details?: readonly Text[];
  readonly image?: Image;
  readonly colour?: Colour;
  readonly sound?: { readonly url: string; readonly label: string };
  /** The card's main value, such as pp, for layouts that have a column for it. */
  readonly worth?: CardWorth;
  /** Opens what the card is about. */
  readonly action?: Action;
}

export interface CardWorth {
  /** The value as text, such as `271 pp`. */
  readonly value: string;
  /** More about the value, such as `+6.2 in total`. */
  readonly detail?: string;
  /** Replaces the card's lines in such a layout, because those repeat `value` and `play`. */
  readonly lines: readonly Text[];
  /** A play's grade and each of its mods separately, for lists with aligned columns. */
  readonly play?: { readonly grade: string; readonly colour: Colour; readonly mods: readonly string[] };
}

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The theme of the reader's chat, where it is known. */
export type CardTheme = 'dark' | 'light';

/** An image card, which is only drawn when it is sent. */
export interface Picture extends Size {
  /** Identifies the image by its content: letters, digits, `-`. */
  readonly key: string;
  /** The SVG of the dark image, for a card that is stored until it is sent. */
  readonly svg?: string;
  /**
   * Draws the PNG; a card that cannot be drawn is replaced by its `alt`.
   * @param theme default: dark
   */
  draw(theme?: CardTheme): Promise<Buffer>;
}

/** One file of a post. The platform chooses how to send it: by its own file id, an address, an upload, the tunnel. */
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

export type Action =
  /** `primary`: the link that most people want, which some platforms highlight. */
  | { readonly kind: 'link'; readonly label: string; readonly url: string; readonly style?: 'primary' }
  /** `token` is made by `action.ts` and has at most 64 bytes. */
  | {
      readonly kind: 'button';
      readonly label: string;
      readonly token: string;
      readonly style: 'primary' | 'secondary' | 'danger';
    }
  /** A choice of one among several, at most 25. Where a platform has no menus, the choices are buttons. */
  | { readonly kind: 'menu'; readonly label: string; readonly choices: readonly Choice[] };

export interface Choice {
  readonly label: string;
  readonly detail?: string;
  /** True for the current choice. */
  readonly isSet?: boolean;
  /** A token as for a button. */
  readonly token: string;
}

export type Tone = 'neutral' | 'success' | 'notice' | 'error';

export interface Reply {
  readonly tone: Tone;
  readonly blocks: readonly Block[];
  readonly gallery: readonly GalleryItem[];
  readonly actions: readonly Action[];
  /** True when the whole reply, text included, is behind a spoiler, because its link was. */
  readonly isHidden?: boolean;
  /** The post that this one quotes, sent below it as a separate reply. */
  readonly quoted?: Reply;
  /** The colour of the post's site, for platforms that can show one. */
  readonly colour?: Colour;
  /** True when the site's own preview shows as much: then a link that was merely pasted gets no reply. */
  readonly onlyWhenAsked?: boolean;
  /** `caller`: only the person who asked sees the reply, where the platform supports that. */
  readonly visibility: 'chat' | 'caller';
  /** After this many milliseconds the reply, such as a time to wait, is no longer true and may be deleted. */
  readonly outdatedMs?: number;
  /** For a failure that may pass: when asking again may help, and for which `link` if there are several. */
  readonly retry?: { readonly afterMs: number; readonly link?: string };
  /** The reply with parts that took longer, to replace it; undefined if there are none. Never rejects. */
  readonly later?: Promise<Reply | undefined>;
}

/** A reply with these parts; all others are empty, neutral and visible to the chat. */
export function reply(parts: Partial<Reply>): Reply {
  return { tone: 'neutral', blocks: [], gallery: [], actions: [], visibility: 'chat', ...parts };
}

/** The reply with its text and files behind a spoiler. */
export function hidden(shown: Reply): Reply {
  const { later, quoted, ...now } = shown;
  const better = later?.then(reply => reply && hidden(reply));
  return {
    ...now,
    isHidden: true,
    gallery: shown.gallery.map(item => ({ ...item, spoiler: true })),
    ...(quoted !== undefined && { quoted: hidden(quoted) }),
    ...(better !== undefined && { later: better }),
  };
}

export function textBlock(text: Text): WordBlock {
  return { kind: 'text', text };
}

export function headingBlock(text: Text): Heading {
  return { kind: 'heading', text };
}

export function button(label: string, token: string, style: 'primary' | 'secondary' | 'danger' = 'secondary'): Action {
  return { kind: 'button', label, token, style };
}

/** A menu, or nothing without choices. */
export function menu(label: string, choices: readonly Choice[]): readonly Action[] {
  return choices.length === 0 ? [] : [{ kind: 'menu', label, choices }];
}

const SEPARATOR = ' · ';

/** Joins parts on one line; undefined ones are left out. */
export function joined(parts: readonly (Text | string | undefined)[]): Text {
  return parts
    .filter(part => part !== undefined && part.length > 0)
    .flatMap((part, index): Text => {
      const text = typeof part === 'string' ? [part] : (part ?? []);
      return index === 0 ? text : [SEPARATOR, ...text];
    });
}

/** Joins lines in one block; empty lines are left out. */
export function stacked(lines: readonly Text[]): Text {
  return lines.filter(line => line.length > 0).flatMap((line, index) => (index === 0 ? line : ['\n', ...line]));
}

export function link(url: string, ...children: readonly Inline[]): Extract<Inline, { kind: 'link' }> {
  return { kind: 'link', url, children };
}

export function strong(...children: readonly Inline[]): Inline {
  return { kind: 'strong', children };
}

import type { Clip } from '../../media/files/clip.ts';
import type { Post } from '../../media/post.ts';

/**
 * All kinds of content that a reply can have. Text is a small tree, never a markdown or HTML string: the platforms' renderers escape it,
 * and text from the web can only be a plain string leaf.
 */
export type Inline =
  | string
  | { readonly kind: 'strong' | 'emphasis' | 'code'; readonly children: readonly Inline[] }
  /** `token`: the token of a button that opens the same thing in the chat, where text can hold a button. */
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[]; readonly token?: string }
  /** A moment, shown in the reader's own way where the platform can. Unix milliseconds. */
  | { readonly kind: 'time'; readonly at: number; readonly style: 'relative' | 'date' }
  /**
   * One of Medley's own commands, such as `osu profile`: shown as people write it on the platform, and clickable where the platform can
   * do that.
   */
  | { readonly kind: 'command'; readonly name: string }
  /** A role of people, by its id; showing it notifies nobody. */
  | { readonly kind: 'role'; readonly id: string }
  /** A colour that has a meaning, such as a difficulty's. Where text has no colours, `symbol` is shown, an emoji of a similar colour. */
  | { readonly kind: 'swatch'; readonly colour: Colour; readonly symbol: string };

/** A colour as `#rrggbb`. */
export type Colour = `#${string}`;

export type Text = readonly Inline[];

export type Block =
  | Heading
  /**
   * `folded` text may be shown shortened, with a way to see all of it where the platform has one. `small`: a less important line, in
   * smaller type where the platform can do that.
   */
  | { readonly kind: 'text'; readonly text: Text; readonly folded?: boolean; readonly small?: boolean }
  | { readonly kind: 'fields'; readonly fields: readonly Field[] }
  | Image
  | PictureBlock
  /** A short piece of audio to listen to, at an https address: a beatmap's preview. */
  | { readonly kind: 'sound'; readonly url: string; readonly label: string }
  | Card
  | { readonly kind: 'divider' };

export interface Field {
  readonly label: string;
  readonly value: Text;
  /** The command whose usage the label is; where the platform can make the command clickable, only the command is shown. */
  readonly command?: string;
}

export interface Heading {
  readonly kind: 'heading';
  readonly text: Text;
  /** An image beside the text and the small text below it, where the platform can do that: an author's avatar. */
  readonly image?: Image;
  /** The site that a post is from, for a mark of it beside the text where the platform can do that. */
  readonly site?: { readonly name: string; readonly colour: Colour };
}

export interface PictureBlock {
  readonly kind: 'picture';
  readonly picture: Picture;
  readonly alt: string;
  /** Text that the image card lacks, shown together with it. */
  readonly beside?: readonly WordBlock[];
  /** The content of the image card as text, shown when the card is not. Default: `alt`. */
  readonly instead?: readonly WordBlock[];
  /**
   * True when the image card only repeats what text says: a platform that can lay text out shows `instead`, or the other blocks of the
   * reply, in its place.
   */
  readonly repeats?: true;
  /** The charts of the image card as data, for a platform that can draw them itself. */
  readonly charts?: readonly Chart[];
}

/** A curve through values, from left to right. */
export interface Chart {
  readonly label: string;
  /** `height`: the larger, the higher. `text`: the value in words, `name`: what it is the value of. */
  readonly points: readonly { readonly height: number; readonly text: string; readonly name: string }[];
}

/** Any block but an image card. */
export type WordBlock = Exclude<Block, PictureBlock>;

/** The blocks, with each image card and what stands beside it, or with its text when the card is not shown. */
export function withPictures(blocks: readonly Block[], isShown: (block: PictureBlock) => boolean): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.kind !== 'picture') return [block];
    return isShown(block) ? [block, ...(block.beside ?? [])] : (block.instead ?? [block]);
  });
}

/** The blocks, with several cards reduced to rows of a list: their sound and details are shown when they are opened. */
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
  /** Width divided by height, where known, so that the page does not move when the image is loaded. */
  readonly ratio?: number;
}

/** One of several things in a list: a found beatmapset, a play. */
export interface Card {
  readonly kind: 'card';
  readonly title: Text;
  /** Short lines, the most important first; those at the end may be left out where there is little space. */
  readonly lines: readonly Text[];
  /** More lines. In a list only the web page shows them; elsewhere they are shown when the card is opened. */
  readonly details?: readonly Text[];
  readonly image?: Image;
  readonly colour?: Colour;
  readonly sound?: { readonly url: string; readonly label: string };
  /** The value of the thing, for layouts with a column for it. */
  readonly worth?: CardWorth;
  /** Opens the thing itself. */
  readonly action?: Action;
}

export interface CardWorth {
  /** The value as text, such as `271 pp`. */
  readonly value: string;
  /** A detail of the value, such as `+6.2 in total`. */
  readonly detail?: string;
  /** These replace the card's lines in such a layout, since those repeat `value` and `play`. */
  readonly lines: readonly Text[];
  /** A play's grade and each of its mods separately, for lists with aligned columns. */
  readonly play?: { readonly grade: string; readonly colour: Colour; readonly mods: readonly string[] };
}

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The colours of the reader's chat, where they are known. */
export type CardTheme = 'dark' | 'light';

/** An image card, which Medley only draws when it is sent. */
export interface Picture extends Size {
  /** Identifies the image by its content: letters, digits, `-`. */
  readonly key: string;
  /** The source of the dark image, for a card that is stored until it can be sent. */
  readonly svg?: string;
  /**
   * Draws the PNG. Of an image card that cannot be drawn, the `alt` is shown.
   * @param theme default: dark
   */
  draw(theme?: CardTheme): Promise<Buffer>;
}

/** One file of a post. The platform decides how it is sent: by its own file id, an address, an upload, the tunnel. */
export interface GalleryItem {
  readonly kind: 'media';
  readonly post: Post;
  /** Index into `post.items`. */
  readonly index: number;
  /** `audio`: only the audio of a video is wanted. */
  readonly form: 'original' | 'audio';
  readonly spoiler: boolean;
  /** The part of a video that is wanted; absent for the whole video. */
  readonly clip?: Clip;
}

export type Action =
  /** `primary`: the link that most people want, where links can look different. */
  | { readonly kind: 'link'; readonly label: string; readonly url: string; readonly style?: 'primary' }
  /** `token` is made by `action.ts` and has at most 64 bytes. */
  | {
      readonly kind: 'button';
      readonly label: string;
      readonly token: string;
      readonly style: 'primary' | 'secondary' | 'danger';
    }
  /** A choice of one among several; at most 25 are shown. Where a platform has no menus, they are buttons. */
  | { readonly kind: 'menu'; readonly label: string; readonly choices: readonly Choice[] };

export interface Choice {
  readonly label: string;
  readonly detail?: string;
  /** True for the choice that is set at present. */
  readonly isSet?: boolean;
  /** A token like that of a button. */
  readonly token: string;
}

export type Tone = 'neutral' | 'success' | 'notice' | 'error';

export interface Reply {
  readonly tone: Tone;
  readonly blocks: readonly Block[];
  readonly gallery: readonly GalleryItem[];
  readonly actions: readonly Action[];
  /** True when the reply is shown only to those who want to see it, text included, since its link stood behind a spoiler. */
  readonly isHidden?: boolean;
  /** The post that this one quotes; it is sent below this one as a reply of its own. */
  readonly quoted?: Reply;
  /** The colour of the post's site, where the platform can show one. */
  readonly colour?: Colour;
  /** True when the site's own embed shows as much as the reply: the reply is then left out if its link was merely pasted. */
  readonly onlyWhenAsked?: boolean;
  /** `caller`: only the person who asked sees it, where the platform can do that. */
  readonly visibility: 'chat' | 'caller';
  /** Milliseconds after which the reply is no longer true and may be deleted, such as a time to wait. */
  readonly outdatedMs?: number;
  /** For a failure that may pass: after this many milliseconds asking again may help, for `link` where a message has several links. */
  readonly retry?: { readonly afterMs: number; readonly link?: string };
  /** The same reply with parts that take longer, to be shown in its place; undefined where they bring nothing new. Never rejects. */
  readonly later?: Promise<Reply | undefined>;
}

/** A reply made from the given parts; all else is empty, neutral and visible to the chat. */
export function reply(parts: Partial<Reply>): Reply {
  return { tone: 'neutral', blocks: [], gallery: [], actions: [], visibility: 'chat', ...parts };
}

/** The same reply, with text and files hidden until a reader wants to see them. */
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

/** A menu, or nothing when there is nothing to choose. */
export function menu(label: string, choices: readonly Choice[]): readonly Action[] {
  return choices.length === 0 ? [] : [{ kind: 'menu', label, choices }];
}

const SEPARATOR = ' · ';

/** Parts on one line; undefined ones are left out. */
export function joined(parts: readonly (Text | string | undefined)[]): Text {
  return parts
    .filter(part => part !== undefined && part.length > 0)
    .flatMap((part, index): Text => {
      const text = typeof part === 'string' ? [part] : (part ?? []);
      return index === 0 ? text : [SEPARATOR, ...text];
    });
}

/** Lines below each other in one block; empty lines are left out. */
export function stacked(lines: readonly Text[]): Text {
  return lines.filter(line => line.length > 0).flatMap((line, index) => (index === 0 ? line : ['\n', ...line]));
}

export function link(url: string, ...children: readonly Inline[]): Extract<Inline, { kind: 'link' }> {
  return { kind: 'link', url, children };
}

export function strong(...children: readonly Inline[]): Inline {
  return { kind: 'strong', children };
}

import type { Translator } from '../../i18n/translate.ts';
import type { Clip } from '../../media/files/clip.ts';
import type { Post } from '../../media/post.ts';

/**
 * This file defines the content of replies. A text is a small tree, never a markdown or HTML string: each platform's
 * renderer escapes it, and text of other people is only in plain string leaves.
 */
export type Inline =
  | string
  | { readonly kind: 'strong' | 'emphasis' | 'code'; readonly children: readonly Inline[] }
  /** A link. `token`: that of a button that opens the same in the chat, for platforms whose text can have buttons. */
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[]; readonly token?: string }
  /** A date or time, unix milliseconds, shown in the reader's own format where the platform can. */
  | { readonly kind: 'time'; readonly at: number; readonly style: 'relative' | 'date' }
  /** A command of Medley, such as `osu profile`, written as on the platform, and clickable if possible. */
  | { readonly kind: 'command'; readonly name: string }
  /** A role of people, by its id; showing it notifies nobody. */
  | { readonly kind: 'role'; readonly id: string }
  /** A colour with a meaning, such as a difficulty's. Where text cannot be coloured, the emoji `symbol` is shown. */
  | { readonly kind: 'swatch'; readonly colour: Colour; readonly symbol: string };

/** A colour as `#rrggbb`. */
export type Colour = `#${string}`;

export type Text = readonly Inline[];

export type Block =
  | Heading
  /**
   * A paragraph. `folded` text may be shortened, with a way to see all of it where the platform has one. `small`: a
   * less important line, in smaller type if possible.
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
  /** The command that the label describes. Where commands can be clicked, it is shown in place of the label. */
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

/** A curve through values, from left to right. */
export interface Chart {
  readonly label: string;
  /** A point of the curve: `height` is relative, `text` the value in words, `name` what has this value. */
  readonly points: readonly { readonly height: number; readonly text: string; readonly name: string }[];
}

/** Any block but an image card. */
export type WordBlock = Exclude<Block, PictureBlock>;

/** Replaces each image card: by itself with the text beside it, or by its text if it is not shown. */
export function withPictures(blocks: readonly Block[], isShown: (block: PictureBlock) => boolean): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.kind !== 'picture') return [block];
    return isShown(block) ? [block, ...(block.beside ?? [])] : (block.instead ?? [block]);
  });
}

/** Makes rows of a list of several cards: without audio previews and details, which appear when a card is opened. */
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
  /** Short lines, the most important ones first. Where there is little space, the last ones are left out. */
  readonly lines: readonly Text[];
  /** More lines. In a list only the web page shows them, elsewhere an opened card does. */
  readonly details?: readonly Text[];
  readonly image?: Image;
  readonly colour?: Colour;
  readonly sound?: { readonly url: string; readonly label: string };
  /** The card's main value, such as pp, for layouts with a column for it. */
  readonly worth?: CardWorth;
  /** Opens what the card is about. */
  readonly action?: Action;
}

export interface CardWorth {
  /** The value as text, such as `271 pp`. */
  readonly value: string;
  /** More about the value, such as `+6.2 in total`, where a layout has room. */
  readonly detail?: string;
  /** Replaces the card's lines in a layout with a column for the value, since they repeat `value` and `play`. */
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

/** An image card, which is drawn only when it is sent. */
export interface Picture extends Size {
  /** Identifies the image by its content: letters, digits, `-`. */
  readonly key: string;
  /** The SVG of the card's dark version, by which it is stored until it is sent. */
  readonly svg?: string;
  /**
   * Draws the PNG; a card that cannot be drawn is replaced by its `alt`.
   * @param theme default: dark
   */
  draw(theme?: CardTheme): Promise<Buffer>;
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

export type Action =
  /** `primary`: the link that most people want, which some platforms highlight. */
  | { readonly kind: 'link'; readonly label: string; readonly url: string; readonly style?: 'primary' }
  /** A button. Its `token` is made by `action.ts` and has at most 64 bytes. */
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
  /** True for the choice that is set now. */
  readonly isSet?: boolean;
  /** The token that the choice sends when it is chosen, like a button's. */
  readonly token: string;
}

export type Tone = 'neutral' | 'success' | 'notice' | 'error';

export interface Reply {
  readonly tone: Tone;
  readonly blocks: readonly Block[];
  readonly gallery: readonly GalleryItem[];
  readonly actions: readonly Action[];
  /** True when the whole reply, text included, is in a spoiler, because its link was. */
  readonly isHidden?: boolean;
  /** The post that this one quotes, sent below it as a separate reply. */
  readonly quoted?: Reply;
  /** The colour of the post's site, for platforms that can show one. */
  readonly colour?: Colour;
  /** True when the site's own preview shows as much; if its link was only pasted, there is then no reply. */
  readonly onlyWhenAsked?: boolean;
  /** `caller`: only the person who asked sees the reply, where the platform supports that. */
  readonly visibility: 'chat' | 'caller';
  /** The milliseconds after which the reply, such as a time to wait, is no longer true and may be deleted. */
  readonly outdatedMs?: number;
  /** When asking again may help after a failure that may pass, and for which `link` if there are several. */
  readonly retry?: { readonly afterMs: number; readonly link?: string };
  /** The same reply with parts that took longer, to replace it; undefined if they did not come. Never rejects. */
  readonly later?: Promise<Reply | undefined>;
}

/** A reply with these parts; every other part is empty, neutral and visible to the chat. */
export function reply(parts: Partial<Reply>): Reply {
  return { tone: 'neutral', blocks: [], gallery: [], actions: [], visibility: 'chat', ...parts };
}

/** The reply with its text and files in a spoiler. */
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

/** Joins parts with commas, as the language writes them. */
export function listed(parts: readonly Inline[], { comma }: Pick<Translator, 'comma'>): Text {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
}

/** A name and what it has, as the language writes `name: value`. */
export function labelled(name: Text, value: Text, { messages }: Pick<Translator, 'messages'>): Text {
  const between = messages.joining.labelled({ name: '', value: '' });
  return [...name, between, ...value].reduce<Text>((text, part) => {
    const last = text.at(-1);
    return typeof last === 'string' && typeof part === 'string' ? text.with(-1, last + part) : text.concat(part);
  }, []);
}

/** Joins phrases, some of which may have commas of their own; there is at least one. */
export function series(phrases: readonly string[], { messages }: Pick<Translator, 'messages'>): string {
  return phrases.reduce((words, more) => messages.joining.series({ words, more }));
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

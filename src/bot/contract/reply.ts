import type { Clip } from '../../media/files/clip.ts';
import type { Post } from '../../media/post.ts';

/**
 * The whole visual vocabulary of Medley. Text is a small tree, never a markdown or HTML string: escaping belongs to the
 * platforms' renderers, and text from the web can only ever be a plain string leaf.
 */
export type Inline =
  | string
  | { readonly kind: 'strong' | 'emphasis' | 'code'; readonly children: readonly Inline[] }
  /** `token`, of a button: opens the same thing in the chat, where text can hold a button. */
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[]; readonly token?: string }
  /** A moment, shown in the reader's own way where the platform can. Unix milliseconds. */
  | { readonly kind: 'time'; readonly at: number; readonly style: 'relative' | 'date' }
  /** One of Medley's own commands, `osu profile`: shown as people write it there, and ready to be used where the platform can. */
  | { readonly kind: 'command'; readonly name: string }
  /** A role of people, by its id; nobody is notified. */
  | { readonly kind: 'role'; readonly id: string }
  /** A colour that means something (a difficulty's). `symbol` stands for it, an emoji of like colour, where text has none. */
  | { readonly kind: 'swatch'; readonly colour: Colour; readonly symbol: string };

/** `#rrggbb` */
export type Colour = `#${string}`;

export type Text = readonly Inline[];

export type Block =
  | Heading
  /**
   * `folded` text may be shown shortened, with a way to see the rest where the platform has one. `small`: one line of less importance,
   * set smaller where the platform can.
   */
  | { readonly kind: 'text'; readonly text: Text; readonly folded?: boolean; readonly small?: boolean }
  | { readonly kind: 'fields'; readonly fields: readonly Field[] }
  | Image
  | PictureBlock
  /** A short piece of audio to try: a beatmap's preview. An https address. */
  | { readonly kind: 'sound'; readonly url: string; readonly label: string }
  | Card
  | { readonly kind: 'divider' };

export interface Field {
  readonly label: string;
  readonly value: Text;
  /** The command whose usage the label is; it alone stands there where the platform makes it ready to be used. */
  readonly command?: string;
}

export interface Heading {
  readonly kind: 'heading';
  readonly text: Text;
  /** Stands beside it, and beside the small text below it, where the platform can: an author's avatar. */
  readonly image?: Image;
}

export interface PictureBlock {
  readonly kind: 'picture';
  readonly picture: Picture;
  readonly alt: string;
  /** Says what the image card lacks: shown where that is. */
  readonly beside?: readonly WordBlock[];
  /** Says all of it in words: shown where the image card is not. Default: `alt`. */
  readonly instead?: readonly WordBlock[];
  /** Words say it better where they can be laid out: `instead`, or else the rest of the reply. */
  readonly repeats?: true;
}

/** Any block but an image card. */
export type WordBlock = Exclude<Block, PictureBlock>;

/** The blocks with each image card and what stands beside it, or with what stands in its place. */
export function withPictures(blocks: readonly Block[], isShown: (block: PictureBlock) => boolean): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.kind !== 'picture') return [block];
    return isShown(block) ? [block, ...(block.beside ?? [])] : (block.instead ?? [block]);
  });
}

/** The blocks, where several cards are rows of a list: what else there is to them comes when they are opened. */
export function asRows(blocks: readonly Block[]): readonly Block[] {
  if (blocks.filter(({ kind }) => kind === 'card').length < 2) return blocks;
  return blocks.map(block => {
    if (block.kind !== 'card') return block;
    const { sound: _, details: __, ...row } = block;
    return row;
  });
}

/** At an https address. */
export interface Image {
  readonly kind: 'image';
  readonly url: string;
  readonly alt: string;
  /** Width by height, where known: so that nothing moves when it comes. */
  readonly ratio?: number;
}

/** One of several things in a list: a found beatmapset, a play. */
export interface Card {
  readonly kind: 'card';
  readonly title: Text;
  /** Short ones, most important first; those at the end may be left out where there is little space. */
  readonly lines: readonly Text[];
  /** Further lines, which rows of a list have on a page alone; elsewhere they are found on opening. */
  readonly details?: readonly Text[];
  readonly image?: Image;
  readonly colour?: Colour;
  readonly sound?: { readonly url: string; readonly label: string };
  /** The value of the thing, where there is space to set that apart. */
  readonly worth?: CardWorth;
  /** Opens the thing itself. */
  readonly action?: Action;
}

export interface CardWorth {
  /** `271 pp` */
  readonly value: string;
  /** `+6.2 in total` */
  readonly detail?: string;
  /** Stand for the card's lines then, since those say `value` too, and what `play` has. */
  readonly lines: readonly Text[];
  /** A play has its grade and each mod by itself, for lists whose rows are aligned. */
  readonly play?: { readonly grade: string; readonly colour: Colour; readonly mods: readonly string[] };
}

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The colours of the reader's chat, where they are known. */
export type CardTheme = 'dark' | 'light';

/** Drawn by Medley, when it is sent and not before. */
export interface Picture extends Size {
  /** Identifies it, the same for the same content: letters, digits, `-`. */
  readonly key: string;
  /** The source of the dark image, for one that is stored until it can be sent. */
  readonly svg?: string;
  /** PNG. An image card that cannot be drawn is left out, and its `alt` stands instead. @param theme default: dark */
  draw(theme?: CardTheme): Promise<Buffer>;
}

/** One file of a post. The platform decides how it gets there: its own file id, an address, an upload, the tunnel. */
export interface GalleryItem {
  readonly kind: 'media';
  readonly post: Post;
  /** Index into `post.items`. */
  readonly index: number;
  /** `audio`: only the audio of a video is wanted. */
  readonly form: 'original' | 'audio';
  readonly spoiler: boolean;
  /** The part of a video that is wanted; absent for all of it. */
  readonly clip?: Clip;
}

export type Action =
  /** `primary`: what most people want of the reply, where links can be told apart by their looks. */
  | { readonly kind: 'link'; readonly label: string; readonly url: string; readonly style?: 'primary' }
  /** `token` is made by `action.ts` and at most 64 bytes. */
  | {
      readonly kind: 'button';
      readonly label: string;
      readonly token: string;
      readonly style: 'primary' | 'secondary' | 'danger';
    }
  /** One of several to be opened; at most 25 are shown. Buttons where a platform has no menus. */
  | { readonly kind: 'menu'; readonly label: string; readonly choices: readonly Choice[] };

export interface Choice {
  readonly label: string;
  readonly detail?: string;
  /** This is the present choice. */
  readonly isSet?: boolean;
  /** A token as a button has one. */
  readonly token: string;
}

export type Tone = 'neutral' | 'success' | 'notice' | 'error';

export interface Reply {
  readonly tone: Tone;
  readonly blocks: readonly Block[];
  readonly gallery: readonly GalleryItem[];
  readonly actions: readonly Action[];
  /** Only those who want to look see it, words and all: the link stood behind a spoiler. */
  readonly isHidden?: boolean;
  /** The post that this one quotes: sent below it, as a reply of its own. */
  readonly quoted?: Reply;
  /** The colour of the site that a post is from, where the platform can show one. */
  readonly colour?: Colour;
  /** The site's own embed shows as much: it is left out where its link was merely pasted. */
  readonly onlyWhenAsked?: boolean;
  /** `caller`: the person who asked sees it alone, where the platform can do that. */
  readonly visibility: 'chat' | 'caller';
  /** Milliseconds after which it is true no longer and may go away: a time to wait that is over. */
  readonly outdatedMs?: number;
  /** A failure that may pass: after so many milliseconds it can help to ask again, for `link` where a message has several. */
  readonly retry?: { readonly afterMs: number; readonly link?: string };
  /** The same with what takes longer, to be shown in its place; undefined where that brings nothing new. Never rejects. */
  readonly later?: Promise<Reply | undefined>;
}

/** A reply from its interesting parts; everything else empty, neutral and visible to the chat. */
export function reply(parts: Partial<Reply>): Reply {
  return { tone: 'neutral', blocks: [], gallery: [], actions: [], visibility: 'chat', ...parts };
}

/** The same reply, its words and files shown only to those who want to look. */
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

/** A menu, or nothing where there is nothing to choose. */
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

/** Lines below each other in one block; empty ones are left out. */
export function stacked(lines: readonly Text[]): Text {
  return lines.filter(line => line.length > 0).flatMap((line, index) => (index === 0 ? line : ['\n', ...line]));
}

export function link(url: string, ...children: readonly Inline[]): Extract<Inline, { kind: 'link' }> {
  return { kind: 'link', url, children };
}

export function strong(...children: readonly Inline[]): Inline {
  return { kind: 'strong', children };
}

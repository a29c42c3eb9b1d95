import type { Translator } from '../../i18n/translate.ts';
import type { CardTheme } from '../contract/picture.ts';
import type { Colour } from '../contract/reply.ts';

type ColourName = 'ground' | 'line' | 'ink' | 'muted' | 'accent' | 'marigold' | 'berry' | 'sky' | 'lilac';
/** The colours of a card. All but `line` are legible on `ground`, the background. */
export type Look = Readonly<Record<ColourName, Colour>>;

/** The colours by theme. If the reader's theme is unknown, the dark colours are used, as they suit light chats too. */
export const LOOKS: Readonly<Record<CardTheme, Look>> = {
  dark: {
    ground: '#16211e',
    line: '#2f433c',
    ink: '#e7efec',
    muted: '#9db1a9',
    accent: '#63d3bd',
    marigold: '#f0b94a',
    berry: '#ff9dab',
    sky: '#7fb8ff',
    lilac: '#c3a6ff',
  },
  light: {
    ground: '#ffffff',
    line: '#d3ddd8',
    ink: '#14211d',
    muted: '#54665f',
    accent: '#0a7563',
    marigold: '#975e00',
    berry: '#c22f4c',
    sky: '#1f65bd',
    lilac: '#6b45c4',
  },
};

/** The language and the colours in which a card is drawn. */
export interface Pen {
  readonly t: Translator;
  readonly look: Look;
}

/** The width of every card in pixels. A phone shows the whole card, but scaled down to the width `PHONE`. */
export const WIDTH = 1080;
/** The width in pixels at which a phone of 360 px shows a card, between the margins of the chat. */
export const PHONE = 306;
/** The smallest size of text on a card: a phone of 360 px shows it 11 px high. */
export const SMALL = 39;
/** The space between a card's edge and its contents. */
export const MARGIN = 32;
/** The width of a card's contents. */
export const INNER = WIDTH - 2 * MARGIN;

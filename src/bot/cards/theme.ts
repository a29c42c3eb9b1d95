import type { Translator } from '../../i18n/translate.ts';
import type { CardTheme, Colour } from '../contract/reply.ts';

/** The colours of a card. All but `line` are legible on `ground`. */
export interface Look {
  readonly ground: Colour;
  readonly line: Colour;
  readonly ink: Colour;
  readonly muted: Colour;
  readonly accent: Colour;
  readonly marigold: Colour;
  readonly berry: Colour;
  readonly sky: Colour;
  readonly lilac: Colour;
}

/** The dark look is used where the reader's theme is not known: with its own background it is readable in light chats too. */
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

/** The language and the colours that a card is drawn with. */
export interface Pen {
  readonly t: Translator;
  readonly look: Look;
}

/** Every card has this width, which is more than the number of pixels on which a phone shows it. */
export const WIDTH = 1080;
/** How wide a phone of 360 px shows a card between the margins of the chat, in pixels. */
export const PHONE = 306;
/** The smallest text on a card: it is 11 px high on such a phone. */
export const SMALL = 39;
/** The space between the edge of a card and its contents. */
export const MARGIN = 32;

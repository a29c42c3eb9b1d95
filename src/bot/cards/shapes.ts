import type { Size } from '../contract/reply.ts';
import { starColour, starInk } from './star-colour.ts';
import { element, type Markup } from './svg.ts';
import { textWidth } from './text-width.ts';
import { type Look, SMALL, TYPEFACE } from './theme.ts';

export interface Label {
  readonly x: number;
  /** The place of the baseline. */
  readonly y: number;
  readonly colour: string;
  /** Default: the smallest there is. */
  readonly size?: number;
  readonly bold?: boolean;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Text wider than that fades out; only for text that starts at `x`. */
  readonly maxWidth?: number;
}

const FADE = 60;
/** A line takes at least this part of its measured width: pairs of letters are drawn closer together. */
const NARROWEST = 0.98;

/** A line of text. */
export function label(text: string, { x, y, size = SMALL, colour, bold, anchor, maxWidth }: Label): Markup {
  const words = drawable(text);
  const isCut = maxWidth !== undefined && NARROWEST * textWidth(words, size, bold === true) > maxWidth;
  const id = `f${Math.round(x)}-${Math.round(y)}`;
  const line = element(
    'text',
    {
      x,
      y,
      'font-size': size,
      'font-weight': bold ? 700 : 400,
      'text-anchor': anchor ?? 'start',
      fill: isCut ? `url(#${id})` : colour,
    },
    [words],
  );
  return isCut ? group([fade(id, colour, x + maxWidth), line]) : line;
}

function fade(id: string, colour: string, end: number): Markup {
  return element('linearGradient', { id, gradientUnits: 'userSpaceOnUse', x1: end - FADE, y1: 0, x2: end, y2: 0 }, [
    element('stop', { offset: 0, 'stop-color': colour }),
    element('stop', { offset: 1, 'stop-color': colour, 'stop-opacity': 0 }),
  ]);
}

export function group(children: readonly Markup[]): Markup {
  return element('g', {}, children);
}

/** The card itself, as a whole document. */
export function cardMarkup({ width, height }: Size, look: Look, children: readonly Markup[]): string {
  const ground = element('rect', { x: 0, y: 0, width, height, rx: 32, fill: look.ground });
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      'font-family': TYPEFACE,
    },
    [ground, ...children],
  ).markup;
}

export const PILL = { width: 184, height: 66 };

/** Stars as osu! shows them, their colour behind them; `x`, `y`: the upper left corner. */
export function starPill(stars: number, x: number, y: number, look: Look): Markup {
  const ink = starInk(stars);
  return group([
    // The hardest are black, which a dark card is nearly.
    element('rect', {
      x,
      y,
      ...PILL,
      rx: PILL.height / 2,
      fill: starColour(stars),
      stroke: look.line,
      'stroke-width': 2,
    }),
    star(x + 40, y + PILL.height / 2, 17, ink),
    label(stars.toFixed(2), { x: x + 117, y: y + 47, size: SMALL, bold: true, anchor: 'middle', colour: ink }),
  ]);
}

/** A star as wide as it is high, its middle at `x`, `y`: the typeface has none. */
function star(x: number, y: number, radius: number, colour: string): Markup {
  const corners = Array.from({ length: 10 }, (_, index) => {
    const angle = (index * Math.PI) / 5 - Math.PI / 2;
    const reach = index % 2 === 0 ? radius : radius * 0.45;
    return `${(x + reach * Math.cos(angle)).toFixed(1)},${(y + reach * Math.sin(angle)).toFixed(1)}`;
  });
  return element('polygon', { points: corners.join(' '), fill: colour });
}

/** A check mark on a disc, its middle at `x`, `y`: the typeface has none. */
export function check(x: number, y: number, radius: number, look: Look): Markup {
  const points: readonly (readonly [number, number])[] = [
    [-0.45, 0.05],
    [-0.1, 0.38],
    [0.48, -0.34],
  ];
  return group([
    element('circle', { cx: x, cy: y, r: radius, fill: look.accent }),
    element('polyline', {
      points: points.map(([right, down]) => `${x + right * radius},${y + down * radius}`).join(' '),
      fill: 'none',
      stroke: look.ground,
      'stroke-width': radius * 0.24,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }),
  ]);
}

/** Names beside spots of their colours, from left to right. Where each begins is reckoned by its letters. */
export function legend(
  entries: readonly { readonly name: string; readonly colour: string }[],
  { x, y, look }: { readonly x: number; readonly y: number; readonly look: Look },
): readonly Markup[] {
  let left = x;
  return entries.flatMap(({ name, colour }) => {
    const at = left;
    left += 80 + name.length * SMALL * 0.58;
    return [
      element('circle', { cx: at + 13, cy: y - 14, r: 13, fill: colour }),
      label(name, { x: at + 40, y, colour: look.ink }),
    ];
  });
}

/** Latin, Greek and Cyrillic, with their punctuation and signs. */
const DRAWN =
  '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\u0020-\\u007E\\u00A0-\\u00FF\\u2010-\\u2027\\u2030-\\u203A\\u20A0-\\u20BF';
const ALL_DRAWN = new RegExp(`^[${DRAWN}]*$`, 'u');
const NOT_DRAWN = new RegExp(`[^${DRAWN}]+`, 'gu');

/** A gap says that something stood there which the typeface cannot draw: empty boxes say nothing. */
function drawable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(NOT_DRAWN, '…');
}

/** Tells whether the typeface can draw all of it. */
export function isDrawable(text: string): boolean {
  return ALL_DRAWN.test(text);
}

/** A title as it can be drawn: in its own letters where those are at hand, else the romanised one. */
export function drawableTitle(romanised: string, unicode: string | null): string {
  return unicode !== null && unicode !== '' && isDrawable(unicode) ? unicode : romanised;
}

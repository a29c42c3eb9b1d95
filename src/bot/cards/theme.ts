import { element, type Markup } from './svg.ts';

/** One look for every image card: dark, with a background of its own, readable in light and dark chats alike. */
export const THEME = {
  ground: '#16211e',
  raised: '#1d2a26',
  line: '#2f433c',
  ink: '#e7efec',
  muted: '#9db1a9',
  accent: '#63d3bd',
  marigold: '#f0b94a',
  berry: '#ff9dab',
  sky: '#7fb8ff',
  lilac: '#c3a6ff',
} as const;

/** Space between the edge of a card and what is on it, in pixels. */
export const MARGIN = 36;
/** Every card is as wide; a phone shows it at about a third of that, so nothing is smaller than 20. */
export const WIDTH = 1000;

/** The typeface that is shipped, see `painter.ts`. */
export const TYPEFACE = 'Noto Sans';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Label {
  readonly x: number;
  /** Of the baseline. */
  readonly y: number;
  readonly size: number;
  readonly colour?: string;
  readonly bold?: boolean;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Text wider than that fades out; only for text that starts at `x`. */
  readonly maxWidth?: number;
}

const FADE = 48;

/** A line of text. */
export function label(text: string, { x, y, size, colour = THEME.ink, bold, anchor, maxWidth }: Label): Markup {
  const id = `f${Math.round(x)}-${Math.round(y)}`;
  const line = element(
    'text',
    {
      x,
      y,
      'font-size': size,
      'font-weight': bold ? 700 : 400,
      'text-anchor': anchor ?? 'start',
      fill: maxWidth === undefined ? colour : `url(#${id})`,
    },
    [drawable(text)],
  );
  return maxWidth === undefined ? line : group([fade(id, colour, x + maxWidth), line]);
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
export function card({ width, height }: Size, children: readonly Markup[]): string {
  const ground = element('rect', { x: 0, y: 0, width, height, rx: 28, fill: THEME.ground });
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

/** Latin, Greek and Cyrillic, with their punctuation and signs. */
const DRAWN =
  '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\u0020-\\u007E\\u00A0-\\u00FF\\u2010-\\u2027\\u2030-\\u203A\\u20A0-\\u20BF';
const ALL_DRAWN = new RegExp(`^[${DRAWN}]*$`, 'u');
const NOT_DRAWN = new RegExp(`[^${DRAWN}]+`, 'gu');

/** A gap says that something stood there which the typeface cannot draw: empty boxes say nothing. */
function drawable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(NOT_DRAWN, '…');
}

/** A star as wide as it is high, its middle at `x`, `y`: the typeface has none. */
export function star(x: number, y: number, radius: number, colour: string): Markup {
  const corners = Array.from({ length: 10 }, (_, index) => {
    const angle = (index * Math.PI) / 5 - Math.PI / 2;
    const reach = index % 2 === 0 ? radius : radius * 0.45;
    return `${(x + reach * Math.cos(angle)).toFixed(1)},${(y + reach * Math.sin(angle)).toFixed(1)}`;
  });
  return element('polygon', { points: corners.join(' '), fill: colour });
}

/** A check mark on a disc, its middle at `x`, `y`: the typeface has none. */
export function check(x: number, y: number, radius: number): Markup {
  const [left, foot, right] = [radius * 0.45, radius * 0.35, radius * 0.5];
  return group([
    element('circle', { cx: x, cy: y, r: radius, fill: THEME.accent }),
    element('path', {
      d: `M${x - left} ${y + 0.05 * radius}L${x - 0.1 * radius} ${y + foot}L${x + right} ${y - foot}`,
      fill: 'none',
      stroke: THEME.ground,
      'stroke-width': radius * 0.22,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }),
  ]);
}

/** Whether the typeface can draw all of it. */
export function isDrawable(text: string): boolean {
  return ALL_DRAWN.test(text);
}

/** A title as it can be drawn: in its own letters where those are at hand, else the romanised one. */
export function drawableTitle(romanised: string, unicode: string | null): string {
  return unicode !== null && unicode !== '' && isDrawable(unicode) ? unicode : romanised;
}

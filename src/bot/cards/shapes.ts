import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { CardTheme, Size } from '../contract/picture.ts';
import { starColour, starInk } from './star-colour.ts';
import { INNER, LOOKS, type Look, type Pen, SMALL } from './theme.ts';
import { drawable, isDrawable, runsOf, TYPEFACE, textWidth } from './typefaces.ts';

/** Complete and safe markup, in which all text and values are escaped. */
export interface Markup {
  readonly markup: string;
}

type Attributes = Readonly<Record<string, string | number>>;

/** An SVG element; strings among its children are text. */
export function element(name: string, attributes: Attributes, children: readonly (Markup | string)[] = []): Markup {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`);
  const inside = children.map(child => (typeof child === 'string' ? escapeText(child) : child.markup));
  return { markup: `<${name}${written.join('')}>${inside.join('')}</${name}>` };
}

/** Writes an attribute. Numbers are rounded to hundredths, which is finer than any screen shows, to save bytes. */
function attribute(value: string | number): string {
  return typeof value === 'number' ? `${Math.round(value * 100) / 100}` : escapeText(value);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** Escapes text; characters that XML cannot contain, and unpaired surrogates, are dropped. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r -\uFFFD\u{10000}-\u{10FFFF}]|\p{Surrogate}/gu, '')
    .replace(/[&<>"]/g, character => ENTITIES.get(character) ?? '');
}

export interface Label {
  readonly x: number;
  /** The vertical position of the baseline of the text. */
  readonly y: number;
  readonly colour: string;
  /** The size of the text. Default: the smallest one on cards. */
  readonly size?: number;
  readonly bold?: boolean;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** The greatest width of the text; longer text is cut and ends in an ellipsis. */
  readonly maxWidth?: number;
}

/**
 * A line of text may be drawn this much narrower than it was measured, as kerning sets some pairs of letters closer.
 */
const NARROWEST = 0.98;

/** The reader's language if its letters can be drawn, else English. */
export function drawnIn(t: Translator): Translator {
  const { accuracy, unranked } = t.messages.cards;
  return isDrawable(accuracy + unranked) ? t : createTranslator(['en']);
}

export function penFor(t: Translator, theme: CardTheme): Pen {
  return { t: drawnIn(t), look: LOOKS[theme] };
}

/**
 * A line of text. Each run of letters in one typeface gets a position of its own. Without that, the rasterizer would
 * set a foreign letter and its neighbours in one typeface that has all of them, which would change the weight or the
 * order of the neighbours.
 */
export function label(
  text: string,
  { x, y, size = SMALL, colour, bold = false, anchor = 'start', maxWidth }: Label,
): Markup {
  const words = maxWidth === undefined ? drawable(text) : fitted(drawable(text), maxWidth, { size, bold });
  const runs = runsOf(words);
  const font = { 'font-size': size, 'font-weight': bold ? 700 : 400, fill: colour };
  const [only, ...others] = runs;
  if (only === undefined || (others.length === 0 && only.family === undefined)) {
    return element('text', { x, y, ...font, 'text-anchor': anchor }, [words]);
  }
  let left = x - BEFORE[anchor] * textWidth(words, size, bold);
  const placed = runs.map(({ text, family }) => {
    const run = element('tspan', { x: left, 'font-family': family ?? TYPEFACE }, [text]);
    left += textWidth(text, size, bold);
    return run;
  });
  return element('text', { y, ...font }, placed);
}

/** The share of a line's width that is to the left of its anchor. */
const BEFORE = { start: 0, middle: 0.5, end: 1 } as const;

export function labelWidth(text: string, { size = SMALL, bold = false }: Pick<Label, 'size' | 'bold'> = {}): number {
  return textWidth(drawable(text), size, bold);
}

function fitted(words: string, maxWidth: number, { size, bold }: Required<Pick<Label, 'size' | 'bold'>>): string {
  const width = (line: string) => textWidth(line, size, bold);
  if (NARROWEST * width(words) <= maxWidth) return words;
  const letters = Array.from(new Intl.Segmenter().segment(words), ({ segment }) => segment);
  while (letters.length > 0 && width(`${letters.join('')}…`) > maxWidth) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}

export function group(children: readonly Markup[]): Markup {
  return element('g', {}, children);
}

/** The SVG document of a card: a background with round corners, and the children on it. */
export function cardMarkup({ width, height }: Size, look: Look, children: readonly Markup[]): string {
  const ground = element('rect', { x: 0, y: 0, width, height, rx: 32, fill: look.ground });
  const viewBox = `0 0 ${width} ${height}`;
  const attributes = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox, 'font-family': TYPEFACE };
  return element('svg', attributes, [ground, ...children]).markup;
}

export const PILL = { width: 184, height: 66 };

/** A star rating as osu! shows it, on its colour; `x` and `y` are the upper left corner. */
export function starPill(stars: number, x: number, y: number, { t, look }: Pen): Markup {
  const ink = starInk(stars);
  // A rating of three digits before the decimal separator leaves no room for decimals.
  const decimals = stars < 99.995 ? 2 : 0;
  // The edge keeps the pill visible on a dark card, because the hardest maps have the colour black.
  const edge = { stroke: look.line, 'stroke-width': 2 };
  return group([
    element('rect', { x, y, ...PILL, rx: PILL.height / 2, fill: starColour(stars), ...edge }),
    star(x + 40, y + PILL.height / 2, 17, ink),
    label(t.decimal(stars, decimals, decimals), { x: x + 117, y: y + 47, bold: true, anchor: 'middle', colour: ink }),
  ]);
}

/** Draws a star as a shape, because the typeface has none; its centre is at `x`, `y`. */
function star(x: number, y: number, radius: number, colour: string): Markup {
  const corners = Array.from({ length: 10 }, (_, index) => {
    const angle = (index * Math.PI) / 5 - Math.PI / 2;
    const reach = index % 2 === 0 ? radius : radius * 0.45;
    return `${(x + reach * Math.cos(angle)).toFixed(1)},${(y + reach * Math.sin(angle)).toFixed(1)}`;
  });
  return element('polygon', { points: corners.join(' '), fill: colour });
}

/** Draws a check mark on a disc as a shape, because the typeface has none; its centre is at `x`, `y`. */
export function check(x: number, y: number, radius: number, look: Look): Markup {
  const point = (right: number, down: number) => `${x + right * radius},${y + down * radius}`;
  return group([
    element('circle', { cx: x, cy: y, r: radius, fill: look.accent }),
    element('polyline', {
      points: `${point(-0.45, 0.05)} ${point(-0.1, 0.38)} ${point(0.48, -0.34)}`,
      fill: 'none',
      stroke: look.ground,
      'stroke-width': radius * 0.24,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }),
  ]);
}

interface Entry {
  readonly name: string;
  readonly colour: string;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly look: Look;
}

/** A name beside a dot of its colour. */
export function legendEntry({ name, colour }: Entry, { x, y, look }: Place): readonly Markup[] {
  return [
    element('circle', { cx: x + 13, cy: y - 14, r: 13, fill: colour }),
    label(name, { x: x + 40, y, colour: look.ink }),
  ];
}

export function legendWidth(name: string): number {
  return 40 + labelWidth(name);
}

/** Legend entries from left to right. */
export function legend(entries: readonly Entry[], { x, y, look }: Place): readonly Markup[] {
  const { places } = flow(
    entries.map(({ name }) => legendWidth(name)),
    Number.POSITIVE_INFINITY,
    40,
  );
  return entries.flatMap((entry, index) => legendEntry(entry, { x: x + (places[index]?.x ?? 0), y, look }));
}

/** The positions of boxes of these widths: from left to right, in as many rows as are needed. */
export function flow(widths: readonly number[], maxWidth: number, gap: number) {
  const places: { readonly x: number; readonly row: number }[] = [];
  let [x, row] = [0, 0];
  for (const width of widths) {
    if (x > 0 && x + width > maxWidth) [x, row] = [0, row + 1];
    places.push({ x, row });
    x += width + gap;
  }
  return { places, rows: widths.length === 0 ? 0 : row + 1 };
}

/** The space between boxes of these widths that are spread over the whole card. */
export function spaceBetween(widths: readonly number[]): number {
  return (INNER - widths.reduce((sum, width) => sum + width, 0)) / Math.max(1, widths.length - 1);
}

/** An image across the upper part of a card, dimmed so that text on it is legible. @param cover a data address */
export function coverBehind(cover: string | undefined, { width, height }: Size, { ground }: Look): readonly Markup[] {
  if (cover === undefined) return [];
  const clip = { 'clip-path': 'url(#corners)' };
  const area = { x: 0, y: 0, width, height };
  const stop = (offset: number, opacity: number) =>
    element('stop', { offset, 'stop-color': ground, 'stop-opacity': opacity });
  return [
    element('clipPath', { id: 'corners' }, [element('rect', { ...area, height: height + 32, rx: 32 })]),
    element('linearGradient', { id: 'shade', x2: 0, y2: 1 }, [stop(0, 0.66), stop(0.75, 0.8), stop(1, 1)]),
    element('image', { ...area, href: cover, preserveAspectRatio: 'xMidYMid slice', ...clip }),
    element('rect', { ...area, fill: 'url(#shade)', ...clip }),
  ];
}

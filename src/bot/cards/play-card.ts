import type { MapDifficulty } from '../../beatmaps/difficulty/difficulty.ts';
import type { Size } from '../contract/picture.ts';
import { BADGE_HEIGHT, gradeBadge, modBadge, modBadgeWidth } from './badges.ts';
import { type Area, areaPath, linePath, peaksOf, pointsIn } from './chart.ts';
import {
  cardMarkup,
  coverBehind,
  element,
  flow,
  label,
  labelWidth,
  legendEntry,
  legendWidth,
  type Markup,
  PILL,
  spaceBetween,
  starPill,
} from './shapes.ts';
import { MAX_POINTS, shownSeries, sumsOf, timeline } from './strain-graph.ts';
import { INNER, type Look, MARGIN, type Pen, WIDTH } from './theme.ts';

/** The facts about a map that the head, the upper part of a card, shows. */
export interface MapHead {
  /** The title in characters that can be drawn. */
  readonly title: string;
  readonly artist: string;
  /** The difficulty's name. */
  readonly version: string;
  /** The star rating with the mods; null when unknown. */
  readonly stars: number | null;
  /** The cover image as a data address. */
  readonly cover: string | undefined;
}

export interface PlayView extends MapHead {
  /** The grade in osu!'s letters: XH, X, SH, S, A, B, C, D or F. Undefined for a simulated play. */
  readonly grade?: string | undefined;
  /** Acronyms of mods, each perhaps with the player's settings: `DT 1.3×`. */
  readonly mods: readonly string[];
  readonly figures: readonly Figure[];
  /** Sentences about how many pp the play would have with other results. */
  readonly remarks?: readonly string[];
  /** How often the play has each hit result, as `512×300` (512 times 300 points), with the result's colour. */
  readonly results?: readonly { readonly name: string; readonly colour: keyof Look }[];
  /** The player's name, and the date of the play. */
  readonly note: string;
  /** The pp of plays without a miss, by accuracy. */
  readonly worths?: readonly Figure[];
  readonly strains: MapDifficulty['strains'] | undefined;
  /** The place of a failure in the map, from 0 to 1, and a text about it; undefined for a play that did not fail. */
  readonly fail?: { readonly at: number; readonly text: string } | undefined;
}

interface Figure {
  readonly value: string;
  readonly label: string;
}

/** The height of the head, which shows the map's name on its cover. */
export const HEAD = 264;
const GRADE = { left: MARGIN, top: HEAD + 26, width: 216, height: 140 };
/** The least space between the counts of hit results. */
const RESULT_GAP = 32;
const STRAINS = { left: MARGIN, width: INNER, height: 150 };

/** Draws a part of the card whose upper edge is at `top`; returns the lower edge, where the next part begins. */
type Part = (top: number) => { readonly end: number; readonly markup: readonly Markup[] };

export function playCardSize(view: PlayView, pen: Pen): Size {
  return layOut(view, pen).size;
}

/** Draws a play at a glance: its map, how it went and where it ended. */
export function renderPlayCard(view: PlayView, pen: Pen): string {
  const { size, markup } = layOut(view, pen);
  return cardMarkup(size, pen.look, [...coverBehind(view.cover, { ...size, height: HEAD }, pen.look), ...markup]);
}

function layOut(view: PlayView, pen: Pen): { readonly size: Size; readonly markup: readonly Markup[] } {
  const parts: readonly Part[] = [
    () => ({ end: HEAD, markup: mapHead(view, pen) }),
    top => figures(view, top, pen),
    top => lines(view.remarks ?? [], top, pen),
    top => badges(view, top, pen),
    top => results(view, top, pen),
    top => worths(view, top, pen),
    top => strains(view, top, pen),
  ];
  const markup: Markup[] = [];
  let end = 0;
  for (const part of parts) {
    const drawn = part(end);
    markup.push(...drawn.markup);
    end = drawn.end;
  }
  return { size: { width: WIDTH, height: Math.round(end + 30) }, markup };
}

export function mapHead({ title, artist, version, stars }: MapHead, pen: Pen): readonly Markup[] {
  const { look } = pen;
  const left = MARGIN + (stars === null ? 0 : PILL.width + 22);
  return [
    label(title, { x: MARGIN, y: 80, size: 50, bold: true, colour: look.ink, maxWidth: INNER }),
    label(artist, { x: MARGIN, y: 136, colour: look.ink, maxWidth: INNER }),
    ...(stars === null ? [] : [starPill(stars, MARGIN, 166, pen)]),
    label(version, { x: left, y: 213, size: 42, bold: true, colour: look.ink, maxWidth: WIDTH - MARGIN - left }),
  ];
}

function figures({ grade, figures: shown }: PlayView, top: number, { look }: Pen): ReturnType<Part> {
  if (shown.length === 0) return { end: top, markup: [] };
  const left = grade === undefined ? MARGIN : GRADE.left + GRADE.width + 40;
  const width = (WIDTH - MARGIN - left) / Math.max(2, shown.length);
  return {
    end: top + 182,
    markup: [
      ...(grade === undefined ? [] : [gradeBadge(grade, GRADE, look)]),
      ...shown.flatMap(({ value, label: name }, index) => {
        const x = left + index * width;
        const maxWidth = width - 16;
        return [
          label(value, { x, y: top + 88, size: 54, bold: true, colour: look.ink, maxWidth }),
          label(name, { x, y: top + 144, colour: look.muted, maxWidth }),
        ];
      }),
    ],
  };
}

function lines(texts: readonly string[], top: number, { look }: Pen): ReturnType<Part> {
  return {
    end: top + texts.length * 54 + (texts.length === 0 ? 0 : 8),
    markup: texts.map((text, index) =>
      label(text, { x: MARGIN, y: top + 40 + index * 54, colour: look.accent, maxWidth: INNER }),
    ),
  };
}

/** The mods, with the player's name beside them, or below them if there is no space. */
function badges({ mods, note }: PlayView, top: number, { look }: Pen): ReturnType<Part> {
  const widths = mods.map(modBadgeWidth);
  const { places, rows } = flow(widths, INNER, 12);
  const [y, step] = [top + 10, BADGE_HEIGHT + 12];
  const last = places.at(-1);
  const used = last === undefined ? 0 : last.x + (widths.at(-1) ?? 0) + 32;
  const isBeside = rows < 2 && used + labelWidth(note) <= INNER;
  const noteRow = isBeside ? Math.max(0, rows - 1) : rows;
  const end = mods.length === 0 && note === '' ? top : y + (note === '' ? rows : noteRow + 1) * step;
  return {
    end,
    markup: [
      ...mods.map((mod, index) => {
        const { x = 0, row = 0 } = places[index] ?? {};
        return modBadge(mod, MARGIN + x, y + row * step);
      }),
      label(note, {
        x: isBeside && mods.length > 0 ? WIDTH - MARGIN : MARGIN,
        y: y + noteRow * step + 42,
        anchor: isBeside && mods.length > 0 ? 'end' : 'start',
        colour: look.muted,
        maxWidth: INNER,
      }),
    ],
  };
}

function results({ results: shown = [] }: PlayView, top: number, { look }: Pen): ReturnType<Part> {
  const widths = shown.map(({ name }) => legendWidth(name));
  // Counts that fit in one row are spread over its whole width.
  const { places, rows } = flow(widths, INNER + 1, Math.max(spaceBetween(widths), RESULT_GAP));
  return {
    end: top + rows * 60,
    markup: shown.flatMap(({ name, colour }, index) => {
      const { x = 0, row = 0 } = places[index] ?? {};
      return legendEntry({ name, colour: look[colour] }, { x: MARGIN + x, y: top + row * 60 + 46, look });
    }),
  };
}

function worths({ worths: shown = [] }: PlayView, top: number, { look }: Pen): ReturnType<Part> {
  const width = INNER / Math.max(1, shown.length);
  return {
    end: shown.length === 0 ? top : top + 134,
    markup: shown.flatMap(({ value, label: name }, index) => [
      label(value, { x: MARGIN + index * width, y: top + 64, size: 42, bold: true, colour: look.ink }),
      label(name, { x: MARGIN + index * width, y: top + 114, colour: look.muted }),
    ]),
  };
}

/** The strain graph of all skills together, coloured up to where the play failed. */
function strains({ strains: given, mods, fail }: PlayView, top: number, pen: Pen): ReturnType<Part> {
  const sums = sumsOf(given == null ? [] : shownSeries(given, mods));
  if (given == null || !sums.some(value => value > 0)) return failLine(fail, top, pen);
  const { look } = pen;
  const area: Area = { ...STRAINS, top: top + (fail === undefined ? 36 : 82) };
  const points = pointsIn(area, peaksOf(sums, MAX_POINTS), { min: 0, max: Math.max(...sums) });
  const end = fail === undefined ? points.length : Math.max(1, Math.round(fail.at * (points.length - 1)));
  const played = points.slice(0, end + 1);
  const left = points.slice(end);
  const line = { fill: 'none', 'stroke-width': 3.5, 'stroke-linejoin': 'round' };
  return {
    end: area.top + area.height + 62,
    markup: [
      element('path', { d: areaPath(left, area), fill: look.muted, 'fill-opacity': 0.14 }),
      element('path', { d: linePath(left), ...line, stroke: look.muted, 'stroke-opacity': 0.6 }),
      element('path', { d: areaPath(played, area), fill: look.accent, 'fill-opacity': 0.28 }),
      element('path', { d: linePath(played), ...line, stroke: look.accent }),
      ...timeline(area, sums.length * given.sectionMs, pen),
      ...(fail === undefined ? [] : failMark(fail, area, look)),
    ],
  };
}

/** Says where the play failed, if there are no strains to draw. */
function failLine(fail: PlayView['fail'], top: number, { look }: Pen): ReturnType<Part> {
  if (fail === undefined) return { end: top, markup: [] };
  return { end: top + 60, markup: [label(fail.text, { x: MARGIN, y: top + 46, bold: true, colour: look.berry })] };
}

function failMark({ at, text }: NonNullable<PlayView['fail']>, area: Area, look: Look): readonly Markup[] {
  const x = area.left + at * area.width;
  const place = at > 0.5 ? ({ x: x - 16, anchor: 'end' } as const) : { x: x + 18 };
  return [
    element('rect', { x: x - 2, y: area.top - 52, width: 4, height: area.height + 52, fill: look.berry }),
    element('circle', { cx: x, cy: area.top + area.height, r: 11, fill: look.berry }),
    label(text, { ...place, y: area.top - 18, bold: true, colour: look.berry }),
  ];
}

import type { MapDifficulty } from '../../beatmaps/difficulty/difficulty.ts';
import type { Beatmap, Beatmapset } from '../../beatmaps/model/beatmapset.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Size, SvgRasterizer } from '../contract/picture.ts';
import type { PictureBlock } from '../contract/reply.ts';
import { type Area, areaPath, linePath, peaksOf, pointsIn, roundStep } from './chart.ts';
import { cardMarkup, element, label, legend, type Markup, PILL, penFor, starPill } from './shapes.ts';
import { INNER, MARGIN, type Pen, WIDTH } from './theme.ts';
import { drawableTitle } from './typefaces.ts';

export const STRAIN_GRAPH: Size = { width: WIDTH, height: 590 };

export interface StrainView {
  /** Artist and title in characters that can be drawn. */
  readonly title: string;
  /** The difficulty's name, and the mods. */
  readonly subtitle: string;
  /** The star rating with the mods. */
  readonly stars: number;
  readonly sectionMs: number;
  /** For each skill, one strain value per section of the map. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

const CHART = { left: MARGIN, top: 300, width: INNER, height: 200 };
const COLOURS = ['accent', 'marigold', 'berry', 'sky', 'lilac'] as const;
/** The most points of the chart; people could not tell more of them apart. */
export const MAX_POINTS = 220;

/**
 * Skills that are variants of another skill. They are left out, because their lines would cover the other skill's line.
 */
const DOUBLES = new Set(['aimNoSliders', 'singleColorStamina']);

/** The strain graph of a difficulty, with its alt text; undefined if there are no strains. */
export function strainPicture(
  { set, beatmap, mods, stars, estimated }: StrainSubject,
  painter: SvgRasterizer,
  t: Translator,
): PictureBlock | undefined {
  const { strains } = estimated;
  if (strains === null || !strains.series.some(({ values }) => values.some(value => value > 0))) return undefined;
  const view: StrainView = {
    title: `${drawableTitle(set.artist, set.artist_unicode)} - ${drawableTitle(set.title, set.title_unicode)}`,
    subtitle: `[${beatmap.version}]${mods.length === 0 ? '' : ` +${mods.join('')}`}`,
    stars,
    sectionMs: strains.sectionMs,
    series: shownSeries(strains, mods),
  };
  const alt = t.messages.cards.strainsAlt({ map: `${view.title} ${view.subtitle}`, at: t.duration(hardestAt(view)) });
  const picture = painter.picture('strains', theme => renderStrainGraph(view, penFor(t, theme)), STRAIN_GRAPH);
  return { kind: 'picture', picture, alt };
}

/**
 * The skills to show. The calculation always includes the skill `flashlight`, which makes only plays with the mod
 * Flashlight (FL) harder, so only these show it.
 */
export function shownSeries({ series }: Pick<StrainView, 'series'>, mods: readonly string[]): StrainView['series'] {
  return series.filter(({ name }) => !DOUBLES.has(name) && (name !== 'flashlight' || mods.includes('FL')));
}

/** The strains of all skills together, section by section. */
export function sumsOf(series: StrainView['series']): readonly number[] {
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  return Array.from({ length }, (_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

export interface StrainSubject {
  readonly set: Pick<Beatmapset, 'artist' | 'artist_unicode' | 'title' | 'title_unicode'>;
  readonly beatmap: Pick<Beatmap, 'version'>;
  readonly mods: readonly string[];
  /** The star rating, the same one that the reply's text states. */
  readonly stars: number;
  readonly estimated: Pick<MapDifficulty, 'strains'>;
}

/** Draws how hard a map is from beginning to end, with a line for each skill and a mark at its hardest point. */
export function renderStrainGraph(view: StrainView, pen: Pen): string {
  const { t, look } = pen;
  const series = view.series
    .filter(({ values }) => values.some(value => value > 0))
    .slice(0, COLOURS.length)
    .map(({ name, values }, index) => ({
      name: t.find(`cards.skills.${name}`) ?? name,
      values: peaksOf(values, MAX_POINTS),
      colour: look[COLOURS[index] ?? 'ink'],
    }));
  const peak = Math.max(1e-9, ...series.flatMap(({ values }) => values));
  const lengthMs = Math.max(0, ...view.series.map(({ values }) => values.length)) * view.sectionMs;
  const maxWidth = INNER - PILL.width - 24;
  const stroke = { 'stroke-width': 3.5, 'stroke-linejoin': 'round' };
  return cardMarkup(STRAIN_GRAPH, look, [
    label(view.title, { x: MARGIN, y: 84, size: 44, bold: true, colour: look.ink, maxWidth }),
    label(view.subtitle, { x: MARGIN, y: 144, colour: look.muted, maxWidth: INNER }),
    starPill(view.stars, WIDTH - MARGIN - PILL.width, 34, pen),
    ...legend(series, { x: MARGIN, y: 210, look }),
    ...series.flatMap(({ values, colour }) => {
      const points = pointsIn(CHART, values, { min: 0, max: peak });
      return [
        element('path', { d: areaPath(points, CHART), fill: colour, 'fill-opacity': 0.2 }),
        element('path', { d: linePath(points), fill: 'none', stroke: colour, ...stroke }),
      ];
    }),
    ...timeline(CHART, lengthMs, pen),
    ...hardest(view, lengthMs, pen),
  ]);
}

/** The time labels below a chart. */
export function timeline({ left, top, width, height }: Area, lengthMs: number, { t, look }: Pen): readonly Markup[] {
  const foot = top + height;
  const line = element('rect', { x: left, y: foot, width, height: 2, fill: look.line });
  if (lengthMs <= 0) return [line];
  const stepMs = stepFor(lengthMs);
  const ticks: Markup[] = [];
  for (let at = 0; at <= lengthMs - stepMs / 3; at += stepMs) {
    const x = left + (at / lengthMs) * width;
    ticks.push(label(t.duration(at), { x, y: foot + 56, colour: look.muted, anchor: at === 0 ? 'start' : 'middle' }));
  }
  return [line, ...ticks];
}

/** The step between time labels, which is a round number of seconds or minutes. */
function stepFor(lengthMs: number): number {
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].map(seconds => seconds * 1000);
  return steps.find(step => lengthMs / step <= 6) ?? roundStep(lengthMs, 6);
}

/** The time at which the strains of all skills together are highest, in milliseconds from the beginning. */
function hardestAt({ series, sectionMs }: StrainView): number {
  const sums = sumsOf(series);
  return sectionMs * sums.reduce((best, value, at) => (value > (sums[best] ?? 0) ? at : best), 0);
}

function hardest(view: StrainView, lengthMs: number, { t, look }: Pen): readonly Markup[] {
  if (!view.series.some(({ values }) => values.some(value => value > 0))) return [];
  const at = hardestAt(view);
  const x = CHART.left + (at / lengthMs) * CHART.width;
  const place = x > WIDTH / 2 ? ({ x: x - 14, anchor: 'end' } as const) : { x: x + 16 };
  const mark = { x: x - 1, y: CHART.top - 46 };
  return [
    element('rect', { ...mark, width: 3, height: CHART.height + 46, fill: look.ink, 'fill-opacity': 0.7 }),
    label(t.messages.cards.hardest({ at: t.duration(at) }), { ...place, y: CHART.top - 14, colour: look.ink }),
  ];
}

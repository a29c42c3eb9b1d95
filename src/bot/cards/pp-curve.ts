import type { Score } from '../../beatmaps/model/score.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { PictureBlock } from '../reply.ts';
import { roundStep } from './chart.ts';
import { element, type Markup } from './svg.ts';
import type { SvgRasterizer } from './svg-rasterizer.ts';
import { card, label, MARGIN, type Size, THEME, WIDTH } from './theme.ts';

export const PP_CURVE: Size = { width: WIDTH, height: 440 };

const CHART = { left: MARGIN + 76, top: 140, width: WIDTH - 2 * MARGIN - 76, height: 220 };

/** Mods that make a map another one to play; the rest change little. In the order in which they decide the colour. */
const CLASSES = [
  { mods: ['DT', 'NC'], name: 'DT', colour: THEME.marigold },
  { mods: ['HR'], name: 'HR', colour: THEME.berry },
  { mods: ['EZ', 'HT', 'DC', 'FL'], name: 'EZ · HT · FL', colour: THEME.lilac },
] as const;
const OTHERS = { name: 'NM · HD', colour: THEME.accent };

/** A player's best plays as an image card with its alt text; undefined where there are too few for a curve. */
export function ppPicture(
  username: string,
  scores: readonly Score[],
  painter: SvgRasterizer,
  t: Translator,
): PictureBlock | undefined {
  const worth = scores.flatMap(({ pp }) => (pp === null ? [] : [pp]));
  if (worth.length < FEWEST) return undefined;
  const [top, last] = [Math.max(...worth), Math.min(...worth)].map(pp =>
    t.messages.cards.worth(t.number(Math.round(pp))),
  );
  const alt = t.messages.cards.curveAlt(username, worth.length, top ?? '', last ?? '');
  return { kind: 'picture', picture: painter.picture('plays', renderPpCurve(username, scores, t), PP_CURVE), alt };
}

const FEWEST = 3;

/** A player's best plays from the first to the last, by what they are worth. */
export function renderPpCurve(username: string, scores: readonly Score[], t: Translator): string {
  const { cards } = t.messages;
  const plays = scores.flatMap(({ pp, mods }) => (pp === null ? [] : [{ pp, look: lookOf(mods) }]));
  const top = Math.max(1, ...plays.map(({ pp }) => pp));
  const step = roundStep(top, 4);
  const ceiling = Math.ceil(top / step) * step;
  const looks = [OTHERS, ...CLASSES].filter(({ name }) => plays.some(({ look }) => look.name === name));
  return card(PP_CURVE, [
    label(cards.topPlays(username, plays.length), {
      x: MARGIN,
      y: 66,
      size: 32,
      bold: true,
      maxWidth: WIDTH - 2 * MARGIN,
    }),
    ...looks.flatMap(({ name, colour }, index) => [
      element('circle', { cx: MARGIN + 10 + index * 190, cy: 98, r: 9, fill: colour }),
      label(name, { x: MARGIN + 28 + index * 190, y: 105, size: 21 }),
    ]),
    ...levels(step, ceiling, t),
    ...bars(plays, ceiling),
    ...places(plays.length),
  ]);
}

function lookOf(mods: Score['mods']): { readonly name: string; readonly colour: string } {
  const acronyms = mods.map(({ acronym }) => acronym);
  return CLASSES.find(each => each.mods.some(mod => acronyms.includes(mod))) ?? OTHERS;
}

function levels(step: number, ceiling: number, t: Translator): readonly Markup[] {
  return Array.from({ length: Math.round(ceiling / step) + 1 }, (_, index) => index * step).flatMap(value => {
    const y = CHART.top + CHART.height * (1 - value / ceiling);
    return [
      element('rect', { x: CHART.left, y: y - 1, width: CHART.width, height: 2, fill: THEME.line }),
      label(t.number(value), { x: CHART.left - 14, y: y + 7, size: 20, anchor: 'end', colour: THEME.muted }),
    ];
  });
}

function bars(
  plays: readonly { readonly pp: number; readonly look: { readonly colour: string } }[],
  ceiling: number,
): readonly Markup[] {
  const column = CHART.width / Math.max(20, plays.length);
  return plays.map(({ pp, look }, index) => {
    const height = (CHART.height * pp) / ceiling;
    return element('rect', {
      x: CHART.left + index * column,
      y: CHART.top + CHART.height - height,
      width: Math.max(1.5, column - (column > 6 ? 2 : 0.5)),
      height,
      fill: look.colour,
    });
  });
}

/** Which play of the list stands where: the first, the middle and the last. */
function places(count: number): readonly Markup[] {
  const column = CHART.width / Math.max(20, count);
  const shown = count < 2 ? [1] : count < 5 ? [1, count] : [1, Math.ceil(count / 2), count];
  return count === 0
    ? []
    : shown.map(place =>
        label(`${place}`, {
          x: CHART.left + (place === count && count >= 20 ? place : place - 0.5) * column,
          y: CHART.top + CHART.height + 34,
          size: 20,
          anchor: place === count && count >= 20 ? 'end' : 'middle',
          colour: THEME.muted,
        }),
      );
}

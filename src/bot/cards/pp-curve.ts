import type { Score } from '../../beatmaps/model/score.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Size, SvgRasterizer } from '../contract/picture.ts';
import type { PictureBlock } from '../contract/reply.ts';
import { roundStep } from './chart.ts';
import { cardMarkup, element, label, legend, type Markup, penFor } from './shapes.ts';
import { INNER, type Look, MARGIN, type Pen, WIDTH } from './theme.ts';

export const PP_CURVE: Size = { width: WIDTH, height: 580 };

const CHART = { left: MARGIN + 126, top: 220, width: INNER - 126, height: 266 };

/** Classes of mods that change how a map plays. A play has the colour of the first class of which it has a mod. */
const CLASSES = [
  { mods: ['DT', 'NC'], name: 'DT', colour: 'marigold' },
  { mods: ['HR'], name: 'HR', colour: 'berry' },
  { mods: ['EZ', 'HT', 'DC', 'FL'], name: 'EZ · HT · FL', colour: 'lilac' },
] as const;
const OTHERS = { name: 'NM · HD', colour: 'accent' } as const;

/** The image card of a player's best plays, with its alt text; undefined if the plays are too few for a curve. */
export function ppPicture(
  username: string,
  scores: readonly Score[],
  painter: SvgRasterizer,
  t: Translator,
): PictureBlock | undefined {
  const worth = scores.flatMap(({ pp }) => (pp === null ? [] : [pp]));
  if (worth.length < FEWEST) return undefined;
  const [top, last] = [Math.max(...worth), Math.min(...worth)].map(pp =>
    t.messages.cards.worth({ pp: t.number(Math.round(pp)) }),
  );
  const alt = t.messages.cards.curveAlt({ name: username, n: worth.length, top: top ?? '', last: last ?? '' });
  const picture = painter.picture('plays', theme => renderPpCurve(username, scores, penFor(t, theme)), PP_CURVE);
  return { kind: 'picture', picture, alt };
}

const FEWEST = 3;

/** Draws the pp of each of a player's best plays, from the best to the last. */
export function renderPpCurve(username: string, scores: readonly Score[], pen: Pen): string {
  const { t, look } = pen;
  const plays = scores.flatMap(({ pp, mods }) => (pp === null ? [] : [{ pp, ...classOf(mods) }]));
  const top = Math.max(1, ...plays.map(({ pp }) => pp));
  const step = roundStep(top, 4);
  const ceiling = Math.ceil(top / step) * step;
  const classes = [OTHERS, ...CLASSES].filter(({ name }) => plays.some(play => play.name === name));
  return cardMarkup(PP_CURVE, look, [
    label(t.messages.cards.topPlays({ name: username, n: plays.length }), {
      x: MARGIN,
      y: 84,
      size: 46,
      bold: true,
      colour: look.ink,
      maxWidth: INNER,
    }),
    ...legend(
      classes.map(({ name, colour }) => ({ name, colour: look[colour] })),
      { x: MARGIN, y: 152, look },
    ),
    ...levels(step, ceiling, pen),
    ...bars(plays, ceiling, look),
    ...places(plays.length, pen),
  ]);
}

function classOf(mods: Score['mods']) {
  const acronyms = mods.map(({ acronym }) => acronym);
  return CLASSES.find(each => each.mods.some(mod => acronyms.includes(mod))) ?? OTHERS;
}

function levels(step: number, ceiling: number, { t, look }: Pen): readonly Markup[] {
  return Array.from({ length: Math.round(ceiling / step) + 1 }, (_, index) => index * step).flatMap(value => {
    const y = CHART.top + CHART.height * (1 - value / ceiling);
    return [
      element('rect', { x: CHART.left, y: y - 1, width: CHART.width, height: 2, fill: look.line }),
      label(t.number(value), { x: CHART.left - 16, y: y + 14, anchor: 'end', colour: look.muted }),
    ];
  });
}

function bars(plays: readonly Bar[], ceiling: number, look: Look): readonly Markup[] {
  const column = CHART.width / Math.max(20, plays.length);
  return plays.map(({ pp, colour }, index) => {
    const height = (CHART.height * pp) / ceiling;
    return element('rect', {
      x: CHART.left + index * column,
      y: CHART.top + CHART.height - height,
      width: Math.max(1.5, column - (column > 6 ? 2 : 0.5)),
      height,
      fill: look[colour],
    });
  });
}

interface Bar {
  readonly pp: number;
  readonly colour: keyof Look;
}

/** The labels below the chart: the places of the first, the middle and the last play. */
function places(count: number, { look }: Pen): readonly Markup[] {
  const column = CHART.width / Math.max(20, count);
  const shown = count < 2 ? [1] : count < 5 ? [1, count] : [1, Math.ceil(count / 2), count];
  return count === 0
    ? []
    : shown.map(place =>
        label(`${place}`, {
          x: CHART.left + (place === count && count >= 20 ? place : place - 0.5) * column,
          y: CHART.top + CHART.height + 56,
          anchor: place === count && count >= 20 ? 'end' : 'middle',
          colour: look.muted,
        }),
      );
}

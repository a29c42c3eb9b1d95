import type { Player, PlayerStatistics } from '../../beatmaps/model/player.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { PictureBlock, Size } from '../contract/reply.ts';
import type { SvgRasterizer } from '../contract/services.ts';
import { type Area, areaPath, linePath, pointsIn } from './chart.ts';
import { cardMarkup, check, group, label, penFor } from './shapes.ts';
import { element, type Markup } from './svg.ts';
import { MARGIN, type Pen, SMALL, WIDTH } from './theme.ts';

export interface ProfileView {
  readonly player: Player;
  /** Someone of the chat proved to be that player. */
  readonly isProven: boolean;
  /** The pp of the best plays, the best first; empty where they are not known. */
  readonly best: readonly number[];
}

const INNER = WIDTH - 2 * MARGIN;
/** Figures begin at these places: the longest of them, the time played, has the most room. */
const COLUMNS = [0, 190, 408, 626, 916] as const;
const GRADE_COLUMNS = [0, 224, 428, 640, 836] as const;
/** Between two charts that stand side by side. */
const GAP = 60;
const FEWEST_PLAYS = 3;

/** Without figures and history, little is left to show. */
export function profileCardSize(view: ProfileView): Size {
  const { statistics } = view.player;
  if (statistics === null) return { width: WIDTH, height: 252 };
  return { width: WIDTH, height: chartsOf(view).length === 0 ? 476 : 730 };
}

/** A player's image card with its alt text. */
export function profilePicture(view: ProfileView, painter: SvgRasterizer, t: Translator): PictureBlock {
  const { cards } = t.messages;
  const { username, statistics } = view.player;
  const rank = statistics?.global_rank ?? null;
  const pp = statistics?.pp ?? null;
  const place = rank === null ? cards.unranked : `#${t.number(rank)}`;
  const facts = [username, place, ...(pp === null ? [] : [cards.worth({ pp: t.number(Math.round(pp)) })])];
  const alt = cards.profileAlt({ facts: facts.join(', ') });
  const size = profileCardSize(view);
  const picture = painter.picture('profile', theme => renderProfileCard(view, penFor(t, theme)), size);
  return { kind: 'picture', picture, alt };
}

/** A player at a glance: their ranks over the last days, and what their best plays are worth. */
export function renderProfileCard(view: ProfileView, pen: Pen): string {
  const { statistics } = view.player;
  const size = profileCardSize(view);
  const charts = statistics === null ? [] : chartsOf(view);
  const { cards } = pen.t.messages;
  const width = charts.length > 1 ? (INNER - GAP) / 2 : INNER;
  return cardMarkup(size, pen.look, [
    ...heading(view, pen),
    ...(statistics === null ? [] : figures(statistics, pen)),
    ...charts.flatMap((chart, index) =>
      renderChart(chart, { left: MARGIN + index * (width + GAP), top: 484, width, height: 160 }, pen),
    ),
    ...(charts.length > 0 ? [] : [label(cards.noHistory, { x: MARGIN, y: size.height - 38, colour: pen.look.muted })]),
  ]);
}

function heading({ player, isProven }: ProfileView, { t, look }: Pen): readonly Markup[] {
  const { username, country, mode, title, statistics } = player;
  const { cards } = t.messages;
  const rank = statistics?.global_rank ?? null;
  const under = [t.messages.osu.modes[mode], country?.name, title]
    .filter(part => typeof part === 'string' && part !== '')
    .join(' · ');
  const left = isProven ? MARGIN + 68 : MARGIN;
  const right = { x: WIDTH - MARGIN, anchor: 'end' } as const;
  return [
    ...(isProven ? [check(MARGIN + 26, 75, 26, look)] : []),
    label(username, {
      x: left,
      y: 96,
      size: 58,
      bold: true,
      colour: look.ink,
      maxWidth: (rank === null ? INNER : 640) - (left - MARGIN),
    }),
    label(under, { x: MARGIN, y: 156, colour: look.muted, maxWidth: 620 }),
    ...(rank === null
      ? [label(cards.unranked, { ...right, y: 156, colour: look.accent })]
      : [
          label(`#${t.number(rank)}`, { ...right, y: 96, size: 58, bold: true, colour: look.accent }),
          label(countryRank(statistics, country?.code, t), { ...right, y: 156, colour: look.muted }),
        ]),
  ];
}

function countryRank(statistics: PlayerStatistics | null, code: string | undefined, t: Translator): string {
  const rank = statistics?.country_rank ?? null;
  return rank === null ? '' : `${code ?? ''} #${t.number(rank)}`.trim();
}

const GRADES = [
  { key: 'ssh', name: 'SS+', colour: 'ink' },
  { key: 'ss', name: 'SS', colour: 'marigold' },
  { key: 'sh', name: 'S+', colour: 'ink' },
  { key: 's', name: 'S', colour: 'marigold' },
  { key: 'a', name: 'A', colour: 'accent' },
] as const;

function figures(statistics: PlayerStatistics, { t, look }: Pen): readonly Markup[] {
  const { cards } = t.messages;
  const { pp, hit_accuracy, play_count, play_time, level, grade_counts } = statistics;
  const shown: readonly (readonly [string, string | undefined])[] = [
    [cards.pp, pp === null ? undefined : t.number(Math.round(pp))],
    [cards.accuracy, hit_accuracy === null ? undefined : t.percent(hit_accuracy / 100, 2, 2)],
    [cards.plays, play_count === null ? undefined : t.compact(play_count)],
    [cards.playTime, play_time === null ? undefined : cards.hours({ n: t.number(Math.round(play_time / 3600)) })],
    [cards.level, level === null ? undefined : `${level.current}`],
  ];
  const known = shown.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const grades = grade_counts === null ? [] : GRADES.map(({ key, ...look }) => ({ ...look, count: grade_counts[key] }));
  const columnOf = (index: number, columns: readonly number[] = COLUMNS) => MARGIN + (columns[index] ?? 0);
  return [
    ...known.map(({ name, value }, index) =>
      group([
        label(value, { x: columnOf(index), y: 248, size: 44, bold: true, colour: look.ink }),
        label(name, { x: columnOf(index), y: 298, colour: look.muted }),
      ]),
    ),
    ...grades.map(({ name, colour, count }, index) =>
      element('text', { x: columnOf(index, GRADE_COLUMNS), y: 374, 'font-size': SMALL }, [
        element('tspan', { fill: look[colour], 'font-weight': 700 }, [`${name} `]),
        element('tspan', { fill: look.ink }, [count < 10_000 ? t.number(count) : t.compact(count)]),
      ]),
    ),
  ];
}

interface Chart {
  readonly kind: 'ranks' | 'plays';
  readonly values: readonly number[];
}

function chartsOf({ player, best }: ProfileView): readonly Chart[] {
  // The API fills the days before the player was ranked with zeros.
  const ranks = player.rank_history.filter(rank => rank > 0);
  return [
    ...(ranks.length < 2 ? [] : [{ kind: 'ranks' as const, values: ranks }]),
    ...(best.length < FEWEST_PLAYS ? [] : [{ kind: 'plays' as const, values: best }]),
  ];
}

function renderChart({ kind, values }: Chart, area: Area, { t, look }: Pen): readonly Markup[] {
  const { cards } = t.messages;
  const isRanks = kind === 'ranks';
  const colour = isRanks ? look.accent : look.marigold;
  // The best rank, which is the lowest number, stands on top.
  const heights = isRanks ? values.map(rank => -rank) : values;
  const points = pointsIn(area, heights, rangeOf(heights, isRanks));
  const written = (value: number | undefined) =>
    value === undefined ? '' : `${isRanks ? '#' : ''}${t.number(Math.round(value))}`;
  const last = points.at(-1);
  const foot = area.top + area.height + 54;
  return [
    label(isRanks ? cards.lastDays({ n: values.length }) : cards.bestPlays({ n: values.length }), {
      x: area.left,
      y: area.top - 30,
      colour: look.muted,
      maxWidth: area.width,
    }),
    element('path', { d: areaPath(points, area), fill: colour, 'fill-opacity': 0.16 }),
    element('path', {
      d: linePath(points),
      fill: 'none',
      stroke: colour,
      'stroke-width': 5,
      'stroke-linejoin': 'round',
      'stroke-linecap': 'round',
    }),
    ...(last === undefined ? [] : [element('circle', { cx: last.x, cy: last.y, r: 9, fill: colour })]),
    label(written(values[0]), { x: area.left, y: foot, colour: look.muted }),
    label(written(values.at(-1)), { x: area.left + area.width, y: foot, anchor: 'end', colour: look.ink }),
  ];
}

/** A rank that never moved stays in the middle; pp begins near its lowest, since nothing else could be seen. */
function rangeOf(heights: readonly number[], isRanks: boolean): { readonly min: number; readonly max: number } {
  const [min, max] = [Math.min(...heights), Math.max(...heights)];
  if (min === max) return { min: min - 1, max: max + 1 };
  return { min: isRanks ? min : Math.max(0, min - (max - min) * 0.15), max };
}

import type { Player, PlayerStatistics } from '../../beatmaps/model/player.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { PictureBlock } from '../reply.ts';
import { areaPath, linePath, pointsIn } from './chart.ts';
import { element, type Markup } from './svg.ts';
import type { SvgRasterizer } from './svg-rasterizer.ts';
import { card, check, group, label, MARGIN, type Size, THEME, WIDTH } from './theme.ts';

/** Without figures and history, little is left to show. */
export function profileCardSize({ statistics }: Player): Size {
  return { width: WIDTH, height: statistics === null ? 190 : 520 };
}

const CHART = { left: MARGIN + 110, top: 326, width: WIDTH - 2 * MARGIN - 110, height: 130 };

/** A player's image card with its alt text. */
export function profilePicture(player: Player, isProven: boolean, painter: SvgRasterizer, t: Translator): PictureBlock {
  const { cards } = t.messages;
  const rank = player.statistics?.global_rank ?? null;
  const pp = player.statistics?.pp ?? null;
  const alt = cards.profileAlt(
    player.username,
    rank === null ? cards.unranked : `#${t.number(rank)}`,
    pp === null ? '' : cards.worth(t.number(Math.round(pp))),
  );
  const picture = painter.picture('profile', renderProfileCard(player, isProven, t), profileCardSize(player));
  return { kind: 'picture', picture, alt };
}

/** A player at a glance, and their ranks over the last days. */
export function renderProfileCard(player: Player, isProven: boolean, t: Translator): string {
  const { statistics } = player;
  const size = profileCardSize(player);
  return card(size, [
    ...heading(player, isProven, t),
    ...(statistics === null ? [] : figures(statistics, t)),
    ...rankHistory(player.rank_history, size, t),
  ]);
}

function heading(
  { username, country, mode, title, statistics }: Player,
  isProven: boolean,
  t: Translator,
): readonly Markup[] {
  const { cards } = t.messages;
  const rank = statistics?.global_rank ?? null;
  const under = [t.messages.osu.modes[mode], country?.name, title]
    .filter(part => typeof part === 'string' && part !== '')
    .join(' · ');
  return [
    ...(isProven ? [check(MARGIN + 20, 62, 20)] : []),
    label(username, {
      x: isProven ? MARGIN + 54 : MARGIN,
      y: 78,
      size: 46,
      bold: true,
      maxWidth: isProven ? 506 : 560,
    }),
    label(under, { x: MARGIN, y: 116, size: 24, colour: THEME.muted, maxWidth: 560 }),
    label(rank === null ? cards.unranked : `#${t.number(rank)}`, {
      x: WIDTH - MARGIN,
      y: 80,
      size: rank === null ? 32 : 50,
      bold: true,
      anchor: 'end',
      colour: THEME.accent,
    }),
    label(countryRank(statistics, country?.code, t), {
      x: WIDTH - MARGIN,
      y: 116,
      size: 24,
      anchor: 'end',
      colour: THEME.muted,
    }),
  ];
}

function countryRank(statistics: PlayerStatistics | null, code: string | undefined, t: Translator): string {
  const rank = statistics?.country_rank ?? null;
  return rank === null ? '' : `${code ?? ''} #${t.number(rank)}`.trim();
}

const GRADES = [
  { key: 'ssh', name: 'SS+', colour: THEME.ink },
  { key: 'ss', name: 'SS', colour: THEME.marigold },
  { key: 'sh', name: 'S+', colour: THEME.ink },
  { key: 's', name: 'S', colour: THEME.marigold },
  { key: 'a', name: 'A', colour: THEME.accent },
] as const;

function figures(statistics: PlayerStatistics, t: Translator): readonly Markup[] {
  const { cards } = t.messages;
  const { pp, hit_accuracy, play_count, play_time, level, grade_counts } = statistics;
  const shown: readonly (readonly [string, string | undefined])[] = [
    [cards.pp, pp === null ? undefined : t.number(Math.round(pp))],
    [cards.accuracy, hit_accuracy === null ? undefined : t.percent(hit_accuracy / 100)],
    [cards.plays, play_count === null ? undefined : t.compact(play_count)],
    [cards.playTime, play_time === null ? undefined : cards.hours(t.number(Math.round(play_time / 3600)))],
    [cards.level, level === null ? undefined : `${level.current}`],
  ];
  const known = shown.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const column = (WIDTH - 2 * MARGIN) / Math.max(1, known.length);
  const grades = grade_counts === null ? [] : GRADES.map(({ key, ...look }) => ({ ...look, count: grade_counts[key] }));
  const gradeColumn = (WIDTH - 2 * MARGIN) / GRADES.length;
  return [
    ...known.map(({ name, value }, index) =>
      group([
        label(value, { x: MARGIN + index * column, y: 186, size: 36, bold: true }),
        label(name, { x: MARGIN + index * column, y: 216, size: 21, colour: THEME.muted }),
      ]),
    ),
    ...grades.map(({ name, colour, count }, index) =>
      element('text', { x: MARGIN + index * gradeColumn, y: 266, 'font-size': 25 }, [
        element('tspan', { fill: colour, 'font-weight': 700 }, [`${name} `]),
        element('tspan', { fill: THEME.ink }, [t.number(count)]),
      ]),
    ),
  ];
}

function rankHistory(history: readonly number[], { height }: Size, t: Translator): readonly Markup[] {
  // The API fills the days before the player was ranked with zeros.
  const ranks = history.filter(rank => rank > 0);
  const y = height - 28;
  if (ranks.length < 2) return [label(t.messages.cards.noHistory, { x: MARGIN, y, size: 21, colour: THEME.muted })];
  const best = Math.min(...ranks);
  const worst = Math.max(...ranks);
  // The best rank, which is the lowest number, stands on top; someone who never moved stays in the middle.
  const range = best === worst ? { min: -best - 1, max: -best + 1 } : { min: -worst, max: -best };
  const points = pointsIn(
    CHART,
    ranks.map(rank => -rank),
    range,
  );
  const last = points.at(-1);
  return [
    element('path', { d: areaPath(points, CHART), fill: THEME.accent, 'fill-opacity': 0.14 }),
    element('path', {
      d: linePath(points),
      fill: 'none',
      stroke: THEME.accent,
      'stroke-width': 4,
      'stroke-linejoin': 'round',
      'stroke-linecap': 'round',
    }),
    ...(last === undefined ? [] : [element('circle', { cx: last.x, cy: last.y, r: 7, fill: THEME.accent })]),
    label(`#${t.number(best)}`, { x: MARGIN, y: CHART.top + 16, size: 21, colour: THEME.muted }),
    ...(best === worst
      ? []
      : [label(`#${t.number(worst)}`, { x: MARGIN, y: CHART.top + CHART.height, size: 21, colour: THEME.muted })]),
    label(t.messages.cards.lastDays(ranks.length), { x: CHART.left, y, size: 21, colour: THEME.muted }),
    label(t.messages.cards.today, { x: WIDTH - MARGIN, y, size: 21, anchor: 'end', colour: THEME.muted }),
  ];
}

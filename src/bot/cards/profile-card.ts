import type { Player, PlayerStatistics } from '../../beatmaps/model/player.ts';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { Chart, Size, SvgRasterizer } from '../contract/picture.ts';
import type { PictureBlock } from '../contract/reply.ts';
import { gradeBadge } from './badges.ts';
import { type Area, areaPath, linePath, pointsIn } from './chart.ts';
import {
  cardMarkup,
  check,
  coverBehind,
  element,
  flow,
  group,
  label,
  labelWidth,
  type Markup,
  penFor,
  spaceBetween,
} from './shapes.ts';
import { INNER, type Look, MARGIN, type Pen, WIDTH } from './theme.ts';

export interface ProfileView {
  readonly player: Player;
  /** True when someone of the chat has proved to be this player by signing in. */
  readonly isProven: boolean;
  /** The pp of the best plays, highest first; empty when unknown. */
  readonly best: readonly number[];
  /** The avatar as a data address, in the same form as `cover`. */
  readonly avatar?: string | undefined;
  readonly cover?: string | undefined;
}

/**
 * The distances from the left at which the columns of statistics begin. The play time has the widest column, because
 * its text is the longest.
 */
const COLUMNS = [0, 172, 408, 626, 916] as const;
const GRADE = { top: 330, width: 68, height: 56 };
/** The height of the cover. */
const HEAD = 200;
const AVATAR = { x: MARGIN, y: 30, width: 146, height: 146 };
/** The space between two charts side by side. */
const GAP = 60;
const FEWEST_PLAYS = 3;

/** The card's size. Without statistics there is little to show, so the card is lower. */
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
  const alt = cards.profileAlt({ facts: facts.join(t.comma) });
  const size = profileCardSize(view);
  const picture = painter.picture('profile', theme => renderProfileCard(view, penFor(t, theme)), size);
  return { kind: 'picture', picture, alt, charts: () => chartsOf(view).map(chart => chartData(chart, t)) };
}

function chartData({ kind, values }: ProfileChart, t: Translator): Chart {
  const ago = new Intl.RelativeTimeFormat(t.locale, { numeric: 'auto' });
  const pp = t.messages.cards.worth;
  const points = values.map((value, index) => {
    const shown = t.number(Math.round(value));
    return kind === 'ranks'
      ? { height: -value, text: `#${shown}`, name: ago.format(index + 1 - values.length, 'day') }
      : { height: value, text: pp({ pp: shown }), name: `#${t.number(index + 1)}` };
  });
  return { label: chartLabel({ kind, values }, t), points };
}

/** Draws a player at a glance: their statistics, their ranks of the last days and their best plays. */
export function renderProfileCard(view: ProfileView, pen: Pen): string {
  const { statistics } = view.player;
  const size = profileCardSize(view);
  const charts = statistics === null ? [] : chartsOf(view);
  const { cards } = pen.t.messages;
  const width = charts.length > 1 ? (INNER - GAP) / 2 : INNER;
  return cardMarkup(size, pen.look, [
    ...coverBehind(view.cover, { ...size, height: HEAD }, pen.look),
    ...heading(view, pen),
    ...(statistics === null ? [] : figures(statistics, pen)),
    ...charts.flatMap((chart, index) =>
      renderChart(chart, { left: MARGIN + index * (width + GAP), top: 484, width, height: 160 }, pen),
    ),
    ...(charts.length > 0 ? [] : [label(cards.noHistory, { x: MARGIN, y: size.height - 38, colour: pen.look.muted })]),
  ]);
}

function heading({ player, isProven, avatar, cover }: ProfileView, { t, look }: Pen): readonly Markup[] {
  const { username, country, mode, title, statistics } = player;
  const { cards } = t.messages;
  const rank = statistics?.global_rank ?? null;
  const under = [t.messages.osu.modes[mode], country && t.country(country), title].filter(part => part).join(' · ');
  const start = avatar === undefined ? MARGIN : AVATAR.x + AVATAR.width + 28;
  const left = isProven ? start + 68 : start;
  const right = { x: WIDTH - MARGIN, anchor: 'end' } as const;
  const large = { size: 58, bold: true };
  const quiet = cover === undefined ? look.muted : look.ink;
  const shown = rank === null ? '' : `#${t.number(rank)}`;
  const ofCountry = statistics?.country_rank ?? null;
  const inCountry = ofCountry === null ? '' : `${country?.code ?? ''} #${t.number(ofCountry)}`.trim();
  const below = rank === null ? cards.unranked : inCountry;
  const flag = country === null ? undefined : countryBadge(country.code, start, look);
  const words = start + (flag === undefined ? 0 : flag.width + 20);
  const beside = (text: string, style: { readonly size?: number; readonly bold?: boolean } = {}) =>
    WIDTH - MARGIN - (text === '' ? 0 : labelWidth(text, style) + 32);
  return [
    ...(avatar === undefined ? [] : [portrait(avatar)]),
    ...(isProven ? [check(start + 26, 75, 26, look)] : []),
    label(username, { x: left, y: 96, ...large, colour: look.ink, maxWidth: beside(shown, large) - left }),
    ...(flag === undefined ? [] : [flag.markup]),
    label(under, { x: words, y: 158, colour: quiet, maxWidth: beside(below) - words }),
    label(shown, { ...right, y: 96, ...large, colour: look.accent }),
    label(below, { ...right, y: 158, colour: rank === null ? look.accent : quiet }),
  ];
}

function portrait(avatar: string): Markup {
  return group([
    element('clipPath', { id: 'portrait' }, [element('rect', { ...AVATAR, rx: 28 })]),
    element('image', { ...AVATAR, href: avatar, preserveAspectRatio: 'xMidYMid slice', 'clip-path': 'url(#portrait)' }),
  ]);
}

/** The letters of a country in place of its flag, which no typeface has. */
function countryBadge(code: string, x: number, look: Look) {
  const width = labelWidth(code, { bold: true }) + 24;
  const markup = group([
    element('rect', { x, y: 119, width, height: 52, rx: 12, fill: look.line }),
    label(code, { x: x + width / 2, y: 158, bold: true, anchor: 'middle', colour: look.ink }),
  ]);
  return { width, markup };
}

const GRADES = [
  { key: 'ssh', rank: 'XH' },
  { key: 'ss', rank: 'X' },
  { key: 'sh', rank: 'SH' },
  { key: 's', rank: 'S' },
  { key: 'a', rank: 'A' },
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
  const columns = columnsOf(
    known.map(({ name, value }) => Math.max(labelWidth(value, { size: 44, bold: true }), labelWidth(name))),
  );
  const columnOf = (index: number) => MARGIN + (columns[index] ?? 0);
  return [
    ...known.map(({ name, value }, index) =>
      group([
        label(value, { x: columnOf(index), y: 248, size: 44, bold: true, colour: look.ink }),
        label(name, { x: columnOf(index), y: 298, colour: look.muted }),
      ]),
    ),
    ...(level === null ? [] : levelBar(level.progress, columnOf(known.length - 1), look)),
    ...(grade_counts === null ? [] : gradeCounts(grade_counts, { t, look })),
  ];
}

/** The left edges of the columns of statistics: the usual ones or, if texts would touch there, evenly spread ones. */
function columnsOf(widths: readonly number[]): readonly number[] {
  const fits = widths.every((width, index) => (COLUMNS[index] ?? 0) + width <= (COLUMNS[index + 1] ?? INNER + 24) - 24);
  return fits ? COLUMNS : flow(widths, Number.POSITIVE_INFINITY, spaceBetween(widths)).places.map(({ x }) => x);
}

/** A bar for the player's level. @param progress percentage of the way to the next level */
function levelBar(progress: number, x: number, look: Look): readonly Markup[] {
  const bar = { x, y: 311, height: 8, rx: 4 };
  const width = WIDTH - MARGIN - x;
  const share = Math.min(1, Math.max(0, progress / 100));
  return [
    element('rect', { ...bar, width, fill: look.line }),
    element('rect', { ...bar, width: Math.max(8, width * share), fill: look.accent }),
  ];
}

/** The number of plays by grade, in one row. If the numbers would touch, they are in English, which is shorter. */
function gradeCounts(counts: NonNullable<PlayerStatistics['grade_counts']>, { t, look }: Pen): readonly Markup[] {
  const written = (write: (count: number) => string) => GRADES.map(({ key }) => write(counts[key]));
  const widthsOf = (texts: readonly string[]) => texts.map(text => GRADE.width + 12 + labelWidth(text));
  const own = written(count => (count < 10_000 ? t.number(count) : t.compact(count)));
  const texts = spaceBetween(widthsOf(own)) < 20 ? written(createTranslator(['en']).compact) : own;
  const widths = widthsOf(texts);
  const { places } = flow(widths, Number.POSITIVE_INFINITY, spaceBetween(widths));
  return GRADES.flatMap(({ rank }, index) => {
    const left = MARGIN + (places[index]?.x ?? 0);
    return [
      gradeBadge(rank, { ...GRADE, left }, look),
      label(texts[index] ?? '', { x: left + GRADE.width + 12, y: GRADE.top + 42, colour: look.ink }),
    ];
  });
}

interface ProfileChart {
  readonly kind: 'ranks' | 'plays';
  readonly values: readonly number[];
}

function chartsOf({ player, best }: ProfileView): readonly ProfileChart[] {
  // osu!'s API states 0 for days before the player had a rank.
  const ranks = player.rank_history.filter(rank => rank > 0);
  return [
    ...(ranks.length < 2 ? [] : [{ kind: 'ranks' as const, values: ranks }]),
    ...(best.length < FEWEST_PLAYS ? [] : [{ kind: 'plays' as const, values: best }]),
  ];
}

function chartLabel({ kind, values: { length: n } }: ProfileChart, t: Translator): string {
  const { cards } = t.messages;
  return kind === 'ranks' ? cards.lastDays({ n }) : cards.bestPlays({ n });
}

function renderChart(chart: ProfileChart, area: Area, { t, look }: Pen): readonly Markup[] {
  const { kind, values } = chart;
  const isRanks = kind === 'ranks';
  const colour = isRanks ? look.accent : look.marigold;
  // The best rank is the lowest number, so the curve is drawn upside down.
  const heights = isRanks ? values.map(rank => -rank) : values;
  const points = pointsIn(area, heights, rangeOf(heights, isRanks));
  const written = (value: number | undefined) =>
    value === undefined ? '' : `${isRanks ? '#' : ''}${t.number(Math.round(value))}`;
  const last = points.at(-1);
  const foot = area.top + area.height + 54;
  const stroke = { 'stroke-width': 5, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' };
  return [
    label(chartLabel(chart, t), { x: area.left, y: area.top - 30, colour: look.muted, maxWidth: area.width }),
    element('path', { d: areaPath(points, area), fill: colour, 'fill-opacity': 0.16 }),
    element('path', { d: linePath(points), fill: 'none', stroke: colour, ...stroke }),
    ...(last === undefined ? [] : [element('circle', { cx: last.x, cy: last.y, r: 9, fill: colour })]),
    label(written(values[0]), { x: area.left, y: foot, colour: look.muted }),
    label(written(values.at(-1)), { x: area.left + area.width, y: foot, anchor: 'end', colour: look.ink }),
  ];
}

/**
 * The range of a chart's vertical axis. A constant rank is drawn in the middle. An axis of pp begins a little below the
 * lowest value, so that differences are visible.
 */
function rangeOf(heights: readonly number[], isRanks: boolean): { readonly min: number; readonly max: number } {
  const [min, max] = [Math.min(...heights), Math.max(...heights)];
  if (min === max) return { min: min - 1, max: max + 1 };
  return { min: isRanks ? min : Math.max(0, min - (max - min) * 0.15), max };
}

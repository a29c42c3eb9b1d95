import type { Size } from '../contract/picture.ts';
import { BADGE_HEIGHT, gradeBadge, modBadge, modBadgeWidth } from './badges.ts';
import { HEAD, type MapHead, mapHead } from './play-card.ts';
import { cardMarkup, coverBehind, element, flow, label, labelWidth, type Markup } from './shapes.ts';
import { INNER, MARGIN, type Pen, WIDTH } from './theme.ts';

export interface ListView extends MapHead {
  readonly rows: readonly ListRow[];
}

export interface ListRow {
  readonly place: string;
  /** The player's name, or the date of the play. */
  readonly name: string;
  /** The grade in osu!'s letters: XH, X, SH, S, A, B, C, D or F. */
  readonly grade: string;
  readonly mods: readonly string[];
  /** Facts about the play, the most important first. If there is no room, the last ones are left out. */
  readonly facts: readonly string[];
  /** The play's pp, or its score. */
  readonly worth: string;
}

const ROW = 138;
const MAX_ROWS = 10;
const GRADE = { width: 84, height: 60 };
const GAP = 20;

export function listCardSize({ rows }: Pick<ListView, 'rows'>): Size {
  return { width: WIDTH, height: HEAD + Math.min(rows.length, MAX_ROWS) * ROW + 16 };
}

/** Draws a list of plays on one map. */
export function renderListCard(view: ListView, pen: Pen): string {
  const size = listCardSize(view);
  const rows = view.rows.slice(0, MAX_ROWS);
  const placeWidth = Math.max(0, ...rows.map(({ place }) => labelWidth(place)));
  return cardMarkup(size, pen.look, [
    ...coverBehind(view.cover, { ...size, height: HEAD }, pen.look),
    ...mapHead(view, pen),
    ...rows.flatMap((row, index) => renderRow(row, HEAD + index * ROW, placeWidth, pen)),
  ]);
}

/** @param placeWidth the width of the widest row number */
function renderRow(row: ListRow, top: number, placeWidth: number, { look }: Pen): readonly Markup[] {
  const { place, name, grade, mods, facts, worth } = row;
  const badge = { ...GRADE, left: MARGIN + placeWidth + GAP, top: top + 39 };
  const left = badge.left + badge.width + GAP;
  const right = WIDTH - MARGIN;
  const shown = modsWithin(mods, right - left - labelWidth(facts[0] ?? '') - GAP);
  const { places, width: modsWidth } = inOneRow(shown);
  const large = { size: 44, bold: true };
  const nameRoom = right - left - labelWidth(worth, large) - GAP;
  const room = right - left - (shown.length === 0 ? 0 : modsWidth + GAP);
  return [
    element('rect', { x: MARGIN, y: top, width: INNER, height: 2, fill: look.line }),
    label(place, { x: MARGIN + placeWidth, y: top + 83, anchor: 'end', colour: look.muted }),
    gradeBadge(grade, badge, look),
    label(name, { x: left, y: top + 58, size: 42, bold: true, colour: look.ink, maxWidth: nameRoom }),
    label(worth, { x: right, y: top + 58, ...large, anchor: 'end', colour: look.ink }),
    label(factsWithin(facts, room), { x: left, y: top + 114, colour: look.muted, maxWidth: room }),
    ...shown.map((mod, index) =>
      modBadge(mod, right - modsWidth + (places[index]?.x ?? 0), top + 114 - BADGE_HEIGHT + 14),
    ),
  ];
}

/**
 * The mods that fit into the row: all mods, without their settings if necessary; otherwise the first mods, and `+N` for
 * the N other ones.
 */
function modsWithin(mods: readonly string[], room: number): readonly string[] {
  const short = mods.map(mod => mod.split(' ', 1).join());
  const cut = short.map((_, index) => [...short.slice(0, -1 - index), `+${index + 1}`]);
  return [mods, short, ...cut].find(each => inOneRow(each).width <= room) ?? [];
}

function inOneRow(mods: readonly string[]) {
  const widths = mods.map(modBadgeWidth);
  const { places } = flow(widths, Number.POSITIVE_INFINITY, 10);
  return { places, width: (places.at(-1)?.x ?? 0) + (widths.at(-1) ?? 0) };
}

function factsWithin(facts: readonly string[], room: number): string {
  const text = facts.join(' · ');
  return facts.length < 2 || labelWidth(text) <= room ? text : factsWithin(facts.slice(0, -1), room);
}

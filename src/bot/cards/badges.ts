import { shownGrade } from '../../beatmaps/model/score.ts';
import type { Colour } from '../contract/reply.ts';
import type { Area } from './chart.ts';
import { element, group, label, labelWidth, type Markup } from './shapes.ts';
import type { Look } from './theme.ts';

const INK: Colour = '#171a1c';

/**
 * The colours of osu!'s kinds of mods (osu!lazer, 2026-08): harder, easier, automatic play, converted map, set by the
 * system. All other mods are for fun (`FUN`). Purple and pink are lighter than osu!'s, because the letters on them are
 * dark.
 */
const MOD_COLOURS: readonly (readonly [acronyms: string, colour: Colour])[] = [
  ['HR SD PF DT NC HD FL BL ST AC FI TC CO', '#ff6666'],
  ['EZ NF HT DC NR SR', '#b2ff66'],
  ['AT CN RX AP SO', '#66ccff'],
  ['TP DA CL RD MR AL SW SG IN CS HO DS 1K 2K 3K 4K 5K 6K 7K 8K 9K 10K', '#a98cff'],
  ['TD SV2', '#ffcc22'],
];
const FUN: Colour = '#ff8cc0';
/** The colour of a text such as `+3`, which counts the mods that are not shown. */
const COUNT: Colour = '#c3d0cb';

/** The colour of a mod. @param mod an acronym, perhaps with the player's settings: `DT 1.3×` */
function modColour(mod: string): Colour {
  const [acronym = ''] = mod.split(' ');
  if (acronym.startsWith('+')) return COUNT;
  return MOD_COLOURS.find(([acronyms]) => acronyms.split(' ').includes(acronym))?.[1] ?? FUN;
}

export const BADGE_HEIGHT = 56;
const PADDING = 18;

export function modBadgeWidth(mod: string): number {
  return labelWidth(mod, { bold: true }) + 2 * PADDING;
}

/** A mod as osu! shows it; `x` and `y` are its upper left corner. */
export function modBadge(mod: string, x: number, y: number): Markup {
  const width = modBadgeWidth(mod);
  return group([
    element('rect', { x, y, width, height: BADGE_HEIGHT, rx: 16, fill: modColour(mod) }),
    label(mod, { x: x + width / 2, y: y + 42, bold: true, anchor: 'middle', colour: INK }),
  ]);
}

/** osu!'s colours of grades (osu!lazer, 2026-08). */
const GRADE_COLOURS: Readonly<Record<string, Colour>> = {
  SS: '#f05fc6',
  S: '#02b5c3',
  A: '#88da20',
  B: '#e3b130',
  C: '#ff8e5d',
};
const LOWEST: Colour = '#ff5a5a';

export function gradeColour(letter: string): Colour {
  return GRADE_COLOURS[letter] ?? LOWEST;
}

/** The letter of a grade on its colour. `XH`, for plays with mods that hide objects, is an `SS` with an edge. */
export function gradeBadge(rank: string, { left, top, width, height }: Area, look: Look): Markup {
  const letter = shownGrade(rank);
  const edge = rank.length === 2 && rank.endsWith('H') ? { stroke: look.ink, 'stroke-width': height / 18 } : {};
  const size = height * 0.74;
  const [x, y] = [left + width / 2, top + height / 2 + size * 0.355];
  return group([
    element('rect', { x: left, y: top, width, height, rx: height / 4, fill: gradeColour(letter), ...edge }),
    label(letter, { x, y, size, bold: true, anchor: 'middle', colour: INK }),
  ]);
}

import { AppError } from '../../errors.ts';
import { foldMod } from '../model/mods.ts';
import type { ModClass } from '../rating/mod-class.ts';

/** Which mods to recommend. */
export interface ModFilter {
  /** All of these; `NC` is written `DT`. */
  readonly must: readonly string[];
  /** None of these. */
  readonly never: readonly string[];
  /** Those of `must` and no others. */
  readonly exact: boolean;
}

export const ANY_MODS: ModFilter = { must: [], never: [], exact: false };

/** Mods that a recommendation can speak of. */
const KNOWN: readonly string[] = ['EZ', 'HT', 'DT', 'HD', 'HR', 'FL'];
const CLASHES: readonly (readonly string[])[] = [
  ['EZ', 'HR'],
  ['DT', 'HT'],
];
const WORD = /^([+-]?)((?:[a-z]{2})+)(!?)$/i;
const MAX_LENGTH = 64;

/**
 * `+HDDT` or `HDDT`: with these; `-HR`: without it; `NM`: with none at all; `HDDT!`: with these alone. Several, apart by spaces or commas,
 * all hold. A plus at the beginning may have become a space on its way.
 *
 * @throws AppError `invalid_request` with params `what: 'mods'`, `reason` (`unknown` or `clash`) and `mods`
 */
export function parseModFilter(text: string): ModFilter {
  const words = text.length > MAX_LENGTH ? ['?'] : text.split(/[\s,]+/).filter(word => word !== '');
  const read = words.map(readWord);
  const must = [...new Set(read.flatMap(filter => filter.must))];
  const never = [...new Set(read.flatMap(filter => filter.never))];
  const exact = read.some(filter => filter.exact);
  const isTorn =
    must.some(mod => never.includes(mod)) ||
    CLASHES.some(clash => clash.every(mod => must.includes(mod))) ||
    (read.some(filter => filter.exact && filter.must.length === 0) && must.length > 0);
  if (isTorn) throw refuse('clash', words.join(' '));
  return { must, never, exact };
}

function readWord(word: string): ModFilter {
  if (/^\+?(?:nm|nomod)$/i.test(word)) return { must: [], never: [], exact: true };
  const [, sign = '', mods = '', bang = ''] = WORD.exec(word) ?? [];
  if (mods === '') throw refuse('unknown', word);
  const list = (mods.toUpperCase().match(/../g) ?? []).map(foldMod);
  const stranger = list.find(mod => !KNOWN.includes(mod));
  if (stranger !== undefined) throw refuse('unknown', stranger);
  return sign === '-' ? { must: [], never: list, exact: false } : { must: list, never: [], exact: bang !== '' };
}

function refuse(reason: 'unknown' | 'clash', mods: string): AppError {
  const params = { what: 'mods', reason, mods: mods.slice(0, 16) };
  return new AppError('invalid_request', 'mods must be like +HDDT, -HR or NM', { params });
}

/** Whether such plays can have the mods asked for, HD apart: anyone may put it on or leave it. */
export function allowsClass({ must, never, exact }: ModFilter, { mods }: ModClass): boolean {
  const wanted = must.filter(mod => mod !== 'HD');
  if (!wanted.every(mod => mods.includes(mod)) || mods.some(mod => never.includes(mod))) return false;
  return !exact || mods.length === wanted.length;
}

/** The mods to recommend for a class, in the order in which players write them. */
export function modsToPlay(
  { must, never, exact }: ModFilter,
  { mods }: ModClass,
  isHidden: boolean,
): readonly string[] {
  const withHidden = must.includes('HD') || (isHidden && !never.includes('HD') && !exact);
  return withHidden ? ['HD', ...mods] : mods;
}

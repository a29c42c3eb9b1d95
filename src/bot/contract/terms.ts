/**
 * This file has the terms: words such as `+HDDT` and `98%` that mean the same in every osu! command (see
 * `docs/osu-commands.md`).
 */
import { parseRuleset, type Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { areMods } from '../../beatmaps/model/mods.ts';
import type { ChoiceOption, IntegerOption, StringOption } from './command.ts';

/** The rulesets by the names that players use. */
const MODES = ['osu', 'taiko', 'catch', 'mania'] as const;
export type Mode = (typeof MODES)[number];

export function modeOf(ruleset: Ruleset): Mode {
  return ruleset === 'fruits' ? 'catch' : ruleset;
}

function readMode(word: string): Mode | undefined {
  const ruleset = parseRuleset(word);
  return ruleset && modeOf(ruleset);
}

/** Makes a reader of words such as `500x`, which returns the first group of the pattern. */
function as(pattern: RegExp): (word: string) => string | undefined {
  return word => pattern.exec(word)?.[1];
}

const COUNT = { type: 'integer', min: 0, max: 100_000 } as const;
const MAX_WORD = 60;
const WORD = { type: 'string', form: 'word', maxLength: MAX_WORD } as const;
const MODS = { ...WORD, joins: true, also: ['m', 'mod'] } as const;
const NO_MODS = /^nomods?$/i;
const PLUS_MODS = /^\+([a-z\d][a-z\d,+]+)!?$/i;
const CAPITAL_MODS = /^(?:EZ|NF|HT|DC|NC|DT|HR|SD|PF|FL|HD)+$/;
/** Matches usual mods. In lower case there must be two at least, since one is likely a word of a title or sentence. */
const USUAL_MODS = /^(?:(?:EZ|NF|HT|DC|NC|DT|HR|SD|PF|FL|HD|NM)+|(?:ez|nf|ht|dc|nc|dt|hr|sd|pf|fl|hd){2,})$/;
/**
 * Matches usual mods in any case. It reads the last words behind a name, or the only word, as two letters are no name.
 */
export const LAST_MODS = /^(?:EZ|NF|HT|DC|NC|DT|HR|SD|PF|FL|HD|NM)+$/i;
const isMod = (acronym: string) => areMods([acronym]);

/** All terms: the option that each fills, the form in which it needs no name, and its other names. */
export const TERMS = {
  /** Exactly these mods: `+HDDT`, `+hd,dt`, `+HD+DT` and `+HD +DT` are the same; a closing `!` changes nothing. */
  mods: {
    ...MODS,
    bare: word => (NO_MODS.exec(word) ? 'NM' : (PLUS_MODS.exec(word)?.[1] ?? USUAL_MODS.exec(word)?.[0])),
  },
  mode: {
    type: 'choice',
    choices: MODES,
    alias: readMode,
    also: ['ruleset', 'm'],
    // A dash before two letters excludes mods, as in `-hd`; a longer word behind a dash is a ruleset: `-taiko`.
    bare: word => readMode(/^(?::|-(?=...))([a-z!]+)$/i.exec(word)?.[1] ?? ''),
  },
  accuracy: { ...WORD, also: ['acc', 'a'], bare: as(/^(\d{1,3}(?:[.,]\d{1,6})?)%$/) },
  /** A number with decimals before the `x` is a speed, in brackets too, as replies write it; one without is a combo. */
  rate: { ...WORD, also: ['speed', 'clock', 'clockrate', 'cr'], bare: as(/^\(?(\d[.,]\d{1,3})[x\xd7*]\)?$/i) },
  combo: { ...COUNT, also: ['c'], bare: as(/^(\d{1,6})x$/i) },
  /** A number before `m` is of misses, never of minutes: lengths are written as `1:30` or behind `length:`. */
  misses: { ...COUNT, also: ['miss', 'x', 'm'], bare: as(/^(\d{1,6})x?(?:m|miss|misses)$/i) },
  n300: { ...COUNT, also: ['300'], bare: as(/^(\d{1,6})x300$/i) },
  n100: { ...COUNT, also: ['100'], bare: as(/^(\d{1,6})x100$/i) },
  n50: { ...COUNT, also: ['50'], bare: as(/^(\d{1,6})x50$/i) },
  /** A country's two letters. */
  country: { ...WORD, named: true, also: ['co'] },
  /** Only typed commands have the page; forms leave it out, because their replies have buttons for pages. */
  page: { type: 'integer', min: 1, max: 2_000, also: ['p'], only: 'typed', named: true },
  index: { type: 'integer', min: 1, max: 200, also: ['i', 'n', 'nth'], bare: as(/^#(\d{1,3})$/) },
} as const satisfies Readonly<Record<string, StringOption | IntegerOption | ChoiceOption>>;

/** Chooses plays by mods: with at least these (`+HDDT`), with only these (`+HDDT!`), or without some (`-HR`). */
export const MOD_FILTER = {
  ...MODS,
  /**
   * Usual mods in capitals need no plus. Two or more may stand anywhere; a single one not as the first word, which may
   * be a player's name.
   */
  bare: (word: string, place: number) => {
    if (NO_MODS.test(word) || word === 'NM') return 'NM';
    if (CAPITAL_MODS.test(word) && (word.length > 2 || place > 0)) return word;
    const [, sign, letters = ''] = /^([+-])([a-z\d,+]{2,})!?$/i.exec(word) ?? [];
    // Behind a dash all letters must be mods, because a player's name may begin with a dash as well.
    return sign === '+' || (sign === '-' && modsIn(letters).every(isMod)) ? word : undefined;
  },
} as const;

/** A range of a figure under any of its names: `ar=9-10`. Ranges include both ends, so `ar>9` equals `ar=9-`. */
export function figure(...names: readonly string[]) {
  const bare = (word: string): string | undefined => {
    const [, name = '', sign, value] = /^([a-z]+)([<>])=?([\d.,:]+)%?$/i.exec(word) ?? [];
    if (!names.includes(name.toLowerCase())) return undefined;
    return sign === '>' ? `${value}-` : `-${value}`;
  };
  return { ...WORD, also: names.slice(1), bare } as const;
}

/** Reads `300pp`, or a range such as `300-400pp`. */
export const ppWord = as(/^(\d{1,5}(?:-\d{1,5})?)pp$/i);

function modsIn(letters: string): readonly string[] {
  return letters.split(/[,+]/).flatMap(part => part.match(/..?/g) ?? []);
}

type Term = StringOption | IntegerOption | ChoiceOption;
const ENTRIES: readonly (readonly [key: string, term: Term])[] = Object.entries(TERMS);

/** The names of terms, reserved in every command: `acc=98` is never part of a title. */
export const TERM_NAMES: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(([key, { also = [] }]) => [key, ...also.filter(name => name.length > 1)]),
);

/** The term that a word states, with or without its name: `+HDDT`, `acc=98`. */
export function termOf(word: string): readonly [key: string, value: string] | undefined {
  const [, name = '', value = ''] = /^(?:--?)?([a-z\d]+)[:=](.+)$/i.exec(word) ?? [];
  for (const [key, term] of ENTRIES) {
    const isNamed = key === name.toLowerCase() || term.also?.includes(name.toLowerCase()) === true;
    const said = isNamed ? (term.bare?.(value, 0) ?? value) : term.bare?.(word, 0);
    if (said !== undefined && (key !== 'mods' || modsIn(said).every(isMod))) return [key, said];
  }
  return undefined;
}

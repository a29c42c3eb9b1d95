/** The words of players that mean the same in every osu! command: `docs/osu-commands.md` has them in a table. */
import { parseRuleset, type Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { areMods } from '../../beatmaps/model/mods.ts';
import type { ChoiceOption, IntegerOption, StringOption } from './command.ts';

/** The rulesets as players call them. */
const MODES = ['osu', 'taiko', 'catch', 'mania'] as const;
export type Mode = (typeof MODES)[number];

export function modeOf(ruleset: Ruleset): Mode {
  return ruleset === 'fruits' ? 'catch' : ruleset;
}

function readMode(word: string): Mode | undefined {
  const ruleset = parseRuleset(word);
  return ruleset && modeOf(ruleset);
}

/** A reader of words like `500x`: the first group of a pattern is the value. */
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
/** In small letters two or more: one alone is rather a word of a title or sentence. */
const USUAL_MODS = /^(?:(?:EZ|NF|HT|DC|NC|DT|HR|SD|PF|FL|HD|NM)+|(?:ez|nf|ht|dc|nc|dt|hr|sd|pf|fl|hd){2,})$/;
const isMod = (acronym: string) => areMods([acronym]);

/** How each is written without its name, and the other names that it goes by. */
export const TERMS = {
  /** `+HDDT`, `+hd,dt`, `+HD+DT` and `+HD +DT`: with exactly these, so a closing `!` adds nothing. Usual ones need no plus. */
  mods: {
    ...MODS,
    bare: word => (NO_MODS.exec(word) ? 'NM' : (PLUS_MODS.exec(word)?.[1] ?? USUAL_MODS.exec(word)?.[0])),
  },
  mode: {
    type: 'choice',
    choices: MODES,
    alias: readMode,
    also: ['ruleset', 'm'],
    // A dash before two letters is that of mods left out.
    bare: word => readMode(/^(?::|-(?=...))([a-z!]+)$/i.exec(word)?.[1] ?? ''),
  },
  accuracy: { ...WORD, also: ['acc', 'a'], bare: as(/^(\d{1,3}(?:[.,]\d{1,6})?)%$/) },
  /** A number with decimals before the `x` is a speed; without, it is a combo. */
  rate: { ...WORD, also: ['speed', 'clock'], bare: as(/^(\d[.,]\d{1,3})[x×]$/i) },
  combo: { ...COUNT, also: ['c'], bare: as(/^(\d{1,6})x$/i) },
  /** Never minutes: lengths are `1:30`, or stand behind `length:`. */
  misses: { ...COUNT, also: ['miss', 'x'], bare: as(/^(\d{1,6})x?(?:m|miss|misses)$/i) },
  n300: { ...COUNT, also: ['300'], bare: as(/^(\d{1,6})x300$/i) },
  n100: { ...COUNT, also: ['100'], bare: as(/^(\d{1,6})x100$/i) },
  n50: { ...COUNT, also: ['50'], bare: as(/^(\d{1,6})x50$/i) },
  /** A country's two letters. */
  country: { ...WORD, named: true, also: ['co'] },
  /** Forms have buttons for it. */
  page: { type: 'integer', min: 1, max: 2_000, also: ['p'], only: 'typed', named: true },
  index: { type: 'integer', min: 1, max: 200, also: ['i', 'n', 'nth'], bare: as(/^#(\d{1,3})$/) },
} as const satisfies Readonly<Record<string, StringOption | IntegerOption | ChoiceOption>>;

/** `+HDDT`: with these, `+HDDT!`: with these alone, `-HR`: without; where plays are chosen by their mods. */
export const MOD_FILTER = {
  ...MODS,
  /** Usual mods in capitals need no plus either: two of them anywhere, one alone behind a name. */
  bare: (word: string, place: number) => {
    if (NO_MODS.test(word) || word === 'NM') return 'NM';
    if (CAPITAL_MODS.test(word) && (word.length > 2 || place > 0)) return word;
    const [, sign, letters = ''] = /^([+-])([a-z\d,+]{2,})!?$/i.exec(word) ?? [];
    // Names of players may begin with a dash.
    return sign === '+' || (sign === '-' && modsIn(letters).every(isMod)) ? word : undefined;
  },
} as const;

function modsIn(letters: string): readonly string[] {
  return letters.split(/[,+]/).flatMap(part => part.match(/..?/g) ?? []);
}

type Term = StringOption | IntegerOption | ChoiceOption;
const ENTRIES: readonly (readonly [key: string, term: Term])[] = Object.entries(TERMS);

/** Names that no command's own words have: `acc=98` is never part of a title. */
export const TERM_NAMES: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(([key, { also = [] }]) => [key, ...also.filter(name => name.length > 1)]),
);

/** The term that a word is, with or without its name: `+HDDT`, `acc=98`. */
export function termOf(word: string): readonly [key: string, value: string] | undefined {
  const [, name = '', value = ''] = /^(?:--?)?([a-z\d]+)[:=](.+)$/i.exec(word) ?? [];
  for (const [key, term] of ENTRIES) {
    const isNamed = key === name.toLowerCase() || term.also?.includes(name.toLowerCase()) === true;
    const said = isNamed ? (term.bare?.(value, 0) ?? value) : term.bare?.(word, 0);
    if (said !== undefined && (key !== 'mods' || modsIn(said).every(isMod))) return [key, said];
  }
  return undefined;
}

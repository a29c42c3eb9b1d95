import { parseRuleset, type Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { areMods } from '../../beatmaps/model/mods.ts';
import { AppError } from '../../errors.ts';
import type { HintKey, HintValues, TextValues } from '../../i18n/messages.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Card, Reply } from './reply.ts';
import type { Caller, ProgressStage } from './request.ts';
import type { Services } from './services.ts';
import type { Site } from './settings.ts';

/** The fields of options of every type. The texts are in i18n: `commands[name].description`, `.options[option]`. */
interface OptionBase {
  readonly required?: boolean;
  /** Options of which one makes a required text option dispensable in typed commands; it is then empty. */
  readonly unless?: readonly string[];
  /**
   * Limits where the option exists. `group`: not in private chats; `typed`: only in commands written as text; `button`:
   * only in button tokens, so that people never see it.
   */
  readonly only?: 'group' | 'typed' | 'button';
  /** True when a typed command must name the option before its value: `clip:0:05-0:20`. */
  readonly named?: true;
  /** Further names by which people may type the option. */
  readonly also?: readonly string[];
  /**
   * Recognises a typed value by its form alone, at any position: `98%`.
   * @param place how many of the words before this one were not recognised by their form
   */
  readonly bare?: (word: string, place: number) => string | undefined;
}
export interface StringOption extends OptionBase {
  readonly type: 'string';
  /**
   * How typed words become the value. `rest`: all words that follow; `name`: all words, except that choices, switches
   * and mods at the end go to other options; `map`: like `name`, but conditions such as `stars>6` are allowed; `link`:
   * one pasted address; `role`: the id of a role, from a list where the platform has one.
   */
  readonly form?: 'word' | 'rest' | 'name' | 'map' | 'link' | 'role';
  /** True when several values given for the option are joined by spaces. */
  readonly joins?: true;
  readonly maxLength: number;
  /** Suggests values while a person types; at most 25 are used. */
  readonly suggest?: (partial: string, context: CommandContext) => Promise<readonly OptionSuggestion[]>;
}
export interface IntegerOption extends OptionBase {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}
export interface BooleanOption extends OptionBase {
  readonly type: 'boolean';
  /** True when this option, if it is true, lets only the caller see the answer, where the platform can do so. */
  readonly hidesAnswer?: true;
  /** The site that the option switches on or off; its texts are made from the site's name. */
  readonly site?: Site;
}
export interface ChoiceOption extends OptionBase {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Names of choices that are the same in every language, such as the languages' own names. */
  readonly names?: Readonly<Record<string, string>>;
  /** Returns the choice that a further word, given in lower case, means; undefined if it means none. */
  readonly alias?: (word: string) => string | undefined;
}
export type Option = StringOption | IntegerOption | BooleanOption | ChoiceOption;
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends StringOption
  ? string
  : O extends IntegerOption
    ? number
    : O extends BooleanOption
      ? boolean
      : O extends { readonly choices: readonly (infer C)[] }
        ? C
        : never;

/** The options' values as `run` gets them: checked, and with all required ones. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly required: true } ? ValueOf<O[K]> : ValueOf<O[K]> | undefined;
};

export interface CommandContext {
  readonly caller: Caller;
  readonly t: Translator;
  readonly services: Services;
  /** Aborts when Medley stops or the reply is no longer wanted. */
  readonly signal: AbortSignal;
  /** Shows what the caller is waiting for, where the platform has a good way to do so. */
  progress(stage: ProgressStage): void;
}

export interface OptionSuggestion {
  readonly label: string;
  /** Text that tells apart suggestions with similar labels; shown where there is space. */
  readonly detail?: string;
  readonly value: string;
}

/** The kinds of links that commands answer: to posts, osu! beatmaps, osu! players, and their plays. */
export type Accepted = 'link' | 'beatmap-link' | 'player-link' | 'score-link';

/** The subject of a command that is not about posts. */
export type Subject = 'beatmap' | 'player';

/** One page of results while a person types. */
export interface Browsed {
  readonly cards: readonly Card[];
  /** A token for the next page, at most 64 characters; undefined on the last page. */
  readonly next: string | undefined;
}

export interface Command<O extends Options = Options> {
  /** The name, matching `^[a-z][a-z-]*$`; for a grouped command two such words: `osu profile`. */
  readonly name: string;
  readonly options: O;
  readonly visibility: 'chat' | 'caller';
  /** How many units of the caller's rate limit the command takes. */
  readonly cost: number;
  /** Set for a command that menus and help leave out: `typed` if people may type it, false if only platforms run it. */
  readonly listed?: false | 'typed';
  /** The thing that the command's notices speak of. Default: posts. */
  readonly subject?: Subject;
  /**
   * The kind of pasted link that this command answers; its first option gets the link. People who ask for the same link
   * in one chat at the same time share one run, so the reply must not depend on who asked.
   */
  readonly accepts?: Accepted;
  run(values: Values<O>, context: CommandContext): Promise<Reply>;
  /**
   * Finds what the command searches for while a person types; for an empty text it finds the most popular.
   * @param reach `local`: without asking any upstream
   */
  browse?(
    text: string,
    next: string | undefined,
    context: CommandContext,
    reach: 'local' | 'upstream',
  ): Promise<Browsed>;
}

/** Declares a command. The types of its options become those of `run`'s values, its name becomes part of its type. */
export function defineCommand<const N extends string, const O extends Options>(
  command: Command<O> & { readonly name: N },
): Command<O> & { readonly name: N } {
  return command;
}

const MAX_ECHO = 40;

/**
 * An `invalid_request` error that says what is wrong. `params.hint` is the key of a sentence in `messages.hints`, and
 * the other params fill it. The value `name`, which a person typed, is shortened.
 */
export function usageError<Key extends HintKey>(key: Key, ...values: HintValues<Key>): AppError {
  const [params = {}]: readonly TextValues[] = values;
  const echoed = Object.entries(params).map(([name, value]) => [name, name === 'name' ? shortened(`${value}`) : value]);
  return new AppError('invalid_request', `hint: ${key}`, { params: { ...Object.fromEntries(echoed), hint: key } });
}

/**
 * The error for a name that is no command. The hint lists the commands of the same group, else the first words of all
 * commands, since a list of everything is more than a person reads.
 */
export function unknownCommand(name: string, commands: readonly { readonly name: string }[]): AppError {
  const names = commands.map(command => command.name);
  const [first] = name.split(' ');
  const group = names.filter(each => each.startsWith(`${first} `));
  const allowed = group.length > 0 ? group : new Set(names.map(each => each.split(' ', 1)[0]));
  return usageError('unknownCommand', { name, allowed: [...allowed].map(each => `/${each}`).join(', ') });
}

function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_ECHO)];
  return characters.length > MAX_ECHO ? `${characters.slice(0, MAX_ECHO).join('')}…` : text;
}

// From here on: the terms, words such as `+HDDT` and `98%` that mean the same in every osu! command (see
// `docs/osu-commands.md`).

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

/** Makes a reader of words such as `500x`, which returns the part that the first group of the pattern matches. */
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
/** Matches usual mods. In lower case it takes two or more, since a single one is more likely a word of a sentence. */
const USUAL_MODS = /^(?:(?:EZ|NF|HT|DC|NC|DT|HR|SD|PF|FL|HD|NM)+|(?:ez|nf|ht|dc|nc|dt|hr|sd|pf|fl|hd){2,})$/;
/**
 * Matches usual mods in any case: as the last words behind a name or as a lone word, since no player's name is as short
 * as `hd`.
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
  /**
   * A number with decimals before the `x` is a speed, a number without is a combo. Brackets around a speed are allowed,
   * because replies show speeds in brackets.
   */
  rate: { ...WORD, also: ['speed', 'clock', 'clockrate', 'cr'], bare: as(/^\(?(\d[.,]\d{1,3})[x\xd7*]\)?$/i) },
  combo: { ...COUNT, also: ['c'], bare: as(/^(\d{1,6})x$/i) },
  /** A number before `m` counts misses and never minutes: lengths are written as `1:30` or behind `length:`. */
  misses: { ...COUNT, also: ['miss', 'x', 'm'], bare: as(/^(\d{1,6})x?(?:m|miss|misses)$/i) },
  n300: { ...COUNT, also: ['300'], bare: as(/^(\d{1,6})x300$/i) },
  n100: { ...COUNT, also: ['100'], bare: as(/^(\d{1,6})x100$/i) },
  n50: { ...COUNT, also: ['50'], bare: as(/^(\d{1,6})x50$/i) },
  /** A country's two letters. */
  country: { ...WORD, named: true, also: ['co'] },
  /** Only typed commands have the option for the page; forms lack it, because their replies have buttons for pages. */
  page: { type: 'integer', min: 1, max: 2_000, also: ['p'], only: 'typed', named: true },
  index: { type: 'integer', min: 1, max: 200, also: ['i', 'n', 'nth'], bare: as(/^#(\d{1,3})$/) },
} as const satisfies Readonly<Record<string, StringOption | IntegerOption | ChoiceOption>>;

/** Chooses plays by mods: with at least these (`+HDDT`), with only these (`+HDDT!`), or without some (`-HR`). */
export const MOD_FILTER = {
  ...MODS,
  /**
   * Usual mods in capitals need no plus. Two or more may stand anywhere; a single mod must not be the first word, which
   * may be a player's name.
   */
  bare: (word: string, place: number) => {
    if (NO_MODS.test(word) || word === 'NM') return 'NM';
    if (CAPITAL_MODS.test(word) && (word.length > 2 || place > 0)) return word;
    const [, sign, letters = ''] = /^([+-])([a-z\d,+]{2,})!?$/i.exec(word) ?? [];
    // A player's name may also begin with a dash, so a word with a dash is taken as mods only if all its letters are
    // mods.
    return sign === '+' || (sign === '-' && modsIn(letters).every(isMod)) ? word : undefined;
  },
} as const;

/** An option for a range of a number such as AR: `ar=9-10`. Ranges include both ends, so `ar>9` equals `ar=9-`. */
export function figure(...names: readonly string[]) {
  const bare = (word: string): string | undefined => {
    const [, name = '', sign, value] = /^([a-z]+)([<>])=?(\d[\d.,:ceihmns]*|[.,]\d+)%?$/i.exec(word) ?? [];
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

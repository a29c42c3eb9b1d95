import { OSU_SITE } from '../../beatmaps/model/link.ts';
import { TERM_NAMES, termOf, usageError } from './command.ts';
import { type CommandSpec, looksLikeLink, type OptionSpec, switchOf, unknownOption } from './command-spec.ts';
import { type Form, fillPositions, fits, formOf, isRest, joinWords, type Raw, type SetOption } from './positions.ts';
import { createWordReader, type Word, type WordReader } from './word-reader.ts';

/** Matches the position between an osu! link and the mods right behind it, where a space is missing. */
const MODS_AT_LINK = new RegExp(String.raw`(?=\+[a-z\d]{2})(?<=${OSU_SITE}/[^\s+]{1,100})`, 'gi');

/** Matches the position between mods and the speed right behind them: `DT1.3x`, `+HDDT(1.3x)`. */
const SPEED_AT_MODS = /(?=\(?\d[.,]\d{1,3}[x\xd7*]\)?(?!\S))(?<=(?<!\S)\+?(?:[a-z]{2}){0,8}(?:dt|nc|ht|dc))/gi;

/**
 * Reads the text after a command as raw option values, which `validateOptions` checks later. There are three ways to
 * say which option a value is for: by its position, in the order in which the options are declared; by the option's
 * name before it (`name:value`, `name=value`), as declared or in the reader's language; or by the value's form (`98%`).
 * A value with spaces is in quotes. A boolean option is its name alone, or its name and a word for on or off. An option
 * of form `rest`, `name` or `map` gets all remaining words.
 * @param into the option that gets all words that fit no other option; by default the unused options get them, by
 * position
 * @throws AppError `invalid_request` with a hint.
 */
export function parseArguments(spec: CommandSpec, text: string, into?: OptionSpec): Raw {
  const names = optionNames(spec);
  const main = formOf(into ?? spec.options.find(each => isRest(each) && each.option.named !== true));
  const words = createWordReader(text.replace(MODS_AT_LINK, ' ').replace(SPEED_AT_MODS, ' '), {
    isSearch: main === 'rest',
  });
  const raw: Raw = {};
  const plain: Word[] = [];
  // Behind the name of a `rest` option, such as `query:`, all words belong to it until another option's name comes.
  let open = plain;
  let form = main;
  const opened: [OptionSpec, Word[]][] = [];

  const set: SetOption = (option, value) => {
    const before = raw[option.key];
    const joins = option.option.type === 'string' && option.option.joins === true;
    if (before !== undefined && !joins) throw usageError('repeatedOption', { option: option.name });
    raw[option.key] = before === undefined ? value : `${before} ${value}`;
  };

  function takeNamed(option: OptionSpec, separated: boolean): void {
    [open, form] = [plain, main];
    if (!separated && option.option.type === 'boolean') {
      set(option, readSwitch(words));
      return;
    }
    const value = words.next();
    if (value && !value.quoted && isRest(option)) {
      [open, form] = [[value], formOf(option)];
      opened.push([option, open]);
      return;
    }
    if (value === undefined) throw usageError('noValue', { option: option.name });
    // The value may be written in the form that needs no name, too: `acc=98%` means `acc=98`.
    set(option, (value.quoted ? undefined : option.option.bare?.(value.text, 0)) ?? value.text);
  }

  /** Reads an option's name with its value; returns false when no option's name comes next. */
  function takeLabel(): boolean {
    const label = words.label();
    const meant = (label && names.get(label.name)) ?? [];
    const isMeant = label !== undefined && meant.length > 0;
    if (!isMeant && label?.isSure === true && isStray(label.name, form) && !isBare(words.peek())) {
      throw unknownOption(spec, words.next()?.raw ?? '');
    }
    if (!isMeant || (!label.isSure && isBare(words.peek()))) return false;
    words.skip(label.length);
    const option = accepting(meant, words.peek()?.text);
    if (option) takeNamed(option, label.separated);
    return true;
  }

  /**
   * True for a word that is an option's value by its form alone and so is not read as an option's name: `-acc` sorts a
   * list, although `acc` also names an option.
   */
  function isBare(word: Word | undefined): boolean {
    return word !== undefined && bareIn(spec, word, plain.length).length > 0;
  }

  function takeWord(word: Word): void {
    const isFree = !word.quoted && (form !== 'rest' || /^[+:]/.test(word.raw));
    const [said] = isFree ? bareIn(spec, word, plain.length) : [];
    const [flag] = word.quoted || main !== undefined ? [] : (names.get(word.text.toLowerCase()) ?? []);
    if (said) set(...said);
    else if (flag?.option.type === 'boolean') set(flag, readSwitch(words));
    // An option's name may stand before its value without a colon, as the usage shows it: `/settings language id`.
    else if (flag && words.more() && !Object.hasOwn(raw, flag.key)) takeNamed(flag, true);
    else if (isMisplaced(word, form)) throw unknownOption(spec, word.raw);
    else open.push(word);
  }

  while (words.more()) {
    if (takeLabel()) continue;
    const word = words.next();
    if (word) takeWord(word);
  }
  for (const [option, taken] of opened) set(option, joinWords(taken));
  if (into === undefined) fillPositions(spec, plain, raw, set);
  else if (plain.length > 0) set(into, joinWords(plain));
  return raw;
}

/** The value as a person has to type it so that it is read as one value: in quotes if needed. */
export function printed(value: string): string {
  if (/^(?:[\p{L}\p{N}_][\p{L}\p{N}_-]*|https?:\/\/\S+)$/u.test(value) && termOf(value) === undefined) return value;
  const mark = /["\u201c\u201d\u201e]/.test(value) && !/['\u2018\u2019]/.test(value) ? "'" : '"';
  return `${mark}${value}${mark}`;
}

/** Finds the option of a short name that several have: `-m 3` means misses, `-m taiko` the ruleset, else `-m` mods. */
function accepting(meant: readonly OptionSpec[], value: string | undefined): OptionSpec | undefined {
  const fitting = (type: 'integer' | 'choice') =>
    meant.find(each => each.option.type === type && value !== undefined && fits(each, value));
  return fitting('integer') ?? fitting('choice') ?? meant.find(({ option }) => option.type === 'string') ?? meant[0];
}

function bareIn({ options }: CommandSpec, { text }: Word, place: number) {
  return options.flatMap((spec): readonly (readonly [OptionSpec, string])[] => {
    const value = spec.option.bare?.(text, place);
    return value === undefined ? [] : [[spec, value]];
  });
}

/** True for a `name:` that the command has no option for, and that cannot be part of a text to search for either. */
function isStray(name: string, form: Form): boolean {
  return form === undefined || form === 'name' || (form === 'map' && TERM_NAMES.has(name));
}

/**
 * True for a word that cannot be part of a player's or a map's name, such as the term `98%` where no option takes it.
 */
function isMisplaced({ raw, quoted }: Word, form: Form): boolean {
  if (quoted || looksLikeLink(raw)) return false;
  if (form === 'name') return /[%=+:#]|[a-z][<>]=?\d/i.test(raw);
  return form === 'map' && /[^\p{L}\p{N}_]/u.test(raw) && termOf(raw) !== undefined;
}

/** Reads a boolean option without a colon: `links` alone is on; in `links off` the second word decides. */
function readSwitch(words: WordReader): boolean {
  const isOn = switchOf(words.peek()?.raw ?? '');
  if (isOn !== undefined) words.next();
  return isOn ?? true;
}

function optionNames({ options }: CommandSpec): ReadonlyMap<string, readonly OptionSpec[]> {
  const names = new Map<string, readonly OptionSpec[]>();
  const note = (name: string, option: OptionSpec) =>
    names.set(name.toLowerCase(), [...new Set([...(names.get(name.toLowerCase()) ?? []), option])]);
  for (const option of options) note(option.key, option);
  for (const option of options) note(option.name, option);
  for (const option of options) for (const name of option.option.also ?? []) note(name, option);
  return names;
}

/** This file assigns words to options by their position in a line. */
import { LAST_MODS, type StringOption, termOf } from './command.ts';
import {
  type CommandSpec,
  looksLikeLink,
  matchChoice,
  type OptionSpec,
  switchOf,
  unknownOption,
} from './command-spec.ts';
import type { Word } from './word-reader.ts';

export type Raw = Record<string, string | boolean>;
export type SetOption = (option: OptionSpec, value: string | boolean) => void;

/**
 * Gives the words that were not recognised by their form (as `98%` is) to the unused options, by position.
 * @throws AppError `invalid_request` with a hint.
 */
export function fillPositions(spec: CommandSpec, words: readonly Word[], raw: Raw, set: SetOption): void {
  // A ruleset beside the words of a title, to which it may belong, needs its option's name (`mode:taiko`); beside a
  // map's link it does not.
  const isOpen = ({ option }: OptionSpec) =>
    option.named !== true || (option.type === 'choice' && Object.hasOwn(raw, 'map'));
  // Mods may be several words, `hd dt`; any other option is set once.
  const free = spec.options.filter(each => isOpen(each) && (each.key === 'mods' || !Object.hasOwn(raw, each.key)));
  const misfits: Word[] = [];
  for (const [at, word] of words.entries()) {
    const index = free.findIndex(option => fits(option, word.text));
    const option = free[index];
    if (!option) {
      misfits.push(word);
      continue;
    }
    if (isName(option)) {
      fillNames(spec, free, words.slice(at), set);
      break;
    }
    if (option.key !== 'mods') free.splice(index, 1);
    if (isRest(option)) {
      set(option, joinWords(words.slice(at)));
      break;
    }
    set(option, option.option.type === 'boolean' || word.text);
  }
  // A word that fits no option is set for the first unused one, so that the error says what that option expects. If the
  // next word is one for on or off, the word before it must be meant as an option's name, perhaps of an option that
  // only other chats have, so the error says that this name is unknown.
  const open = free.filter(({ option }) => option.type !== 'boolean');
  for (const [at, word] of misfits.entries()) {
    const option = open.shift();
    if (!option || switchOf(misfits[at + 1]?.text ?? '') !== undefined) throw unknownOption(spec, word.text);
    set(option, word.text);
  }
}

/** The fewest letters of a last word that is taken as a choice: a shorter one more likely belongs to a name. */
const MIN_LAST_WORD = 3;

/**
 * Takes choices, switches and mods from the end of the words, each option once; what remains is the name, as in `lamp
 * post best taiko`. If a command takes two names, each is one word, and longer ones must be quoted.
 */
function fillNames(spec: CommandSpec, free: readonly OptionSpec[], words: readonly Word[], set: SetOption): void {
  const left = takeLast(free, words, set);
  const [main] = free.filter(isName);
  const names = free.filter(each => formOf(each) === 'name');
  // A name may begin with a dash, but a later word with a dash is likely meant as an option of another bot.
  const stray = formOf(main) === 'name' && left.length > 1 ? left.find(({ raw }) => /^-[a-z]+$/i.test(raw)) : undefined;
  if (stray) throw unknownOption(spec, stray.raw);
  if (names.length > 1 && left.length <= names.length) {
    for (const [at, option] of names.slice(0, left.length).entries()) set(option, left[at]?.text ?? '');
  } else if (main && left.length > 0) set(main, joinWords(left));
}

/** Sets the choices, switches and mods that end the words; returns the words before them. */
function takeLast(free: readonly OptionSpec[], words: readonly Word[], set: SetOption): readonly Word[] {
  const choices = free.filter(
    ({ key, option }) => option.type === 'choice' || option.type === 'boolean' || key === 'mods',
  );
  let end = words.length;
  for (let word = words[end - 1]; word !== undefined; word = words[end - 1]) {
    const { text, quoted } = word;
    const isOn = quoted ? undefined : switchOf(text);
    const named = words[end - 2]?.text ?? '';
    const flag = choices.find(each => each.option.type === 'boolean' && isLast(each, named));
    if (isOn !== undefined && flag !== undefined) {
      choices.splice(choices.indexOf(flag), 1);
      set(flag, isOn);
      end -= 2;
      continue;
    }
    const index = quoted ? -1 : choices.findIndex(option => isLast(option, text));
    const option = choices[index];
    if (!option) break;
    if (option.key !== 'mods') choices.splice(index, 1);
    set(option, option.option.type === 'boolean' || text);
    end -= 1;
  }
  return words.slice(0, end);
}

function isLast(option: OptionSpec, word: string): boolean {
  return option.key === 'mods' ? LAST_MODS.test(word) : word.length >= MIN_LAST_WORD && fits(option, word);
}

/**
 * Joins words into the value of a `rest` option. Quotes around the whole value are dropped; quotes around a part of it
 * stay, as they may have a meaning in a search.
 */
export function joinWords(words: readonly Word[]): string {
  return words.length === 1 ? (words[0]?.text ?? '') : words.map(word => word.raw).join(' ');
}

export type Form = StringOption['form'];

export function formOf(spec: OptionSpec | undefined): Form {
  return spec?.option.type === 'string' ? spec.option.form : undefined;
}

export function isRest(spec: OptionSpec): boolean {
  return ['rest', 'name', 'map'].includes(formOf(spec) ?? '');
}

function isName(spec: OptionSpec): boolean {
  return ['name', 'map'].includes(formOf(spec) ?? '');
}

export function fits(spec: OptionSpec, word: string): boolean {
  const { option } = spec;
  switch (option.type) {
    case 'integer':
      return /^[+-]?\d{1,15}$/.test(word);
    case 'choice':
      return matchChoice(spec, word) !== undefined;
    case 'string':
      // Mods that are found by their position need no plus sign: `LINK HDDT`.
      if (option.bare && !isRest(spec)) return option.bare(word, 0) !== undefined || termOf(`+${word}`) !== undefined;
      return option.form !== 'link' || looksLikeLink(word);
    case 'boolean':
      return [spec.key, spec.name, ...(option.also ?? [])].includes(word.toLowerCase());
  }
}

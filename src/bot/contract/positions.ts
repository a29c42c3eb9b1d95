/** Options by their place in a line. */
import type { StringOption } from './command.ts';
import { type CommandSpec, looksLikeLink, matchChoice, type OptionSpec, unknownOption } from './command-spec.ts';
import { termOf } from './terms.ts';
import type { Word } from './word-reader.ts';

export type Raw = Record<string, string | boolean>;
export type SetOption = (option: OptionSpec, value: string | boolean) => void;

/** Gives words without a meaning of their own to the options that are free still. @throws AppError `invalid_request` with a hint. */
export function fillPositions(spec: CommandSpec, words: readonly Word[], raw: Raw, set: SetOption): void {
  const free = spec.options.filter(({ key, option }) => option.named !== true && !Object.hasOwn(raw, key));
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
    free.splice(index, 1);
    if (isRest(option)) {
      set(option, joined(words.slice(at)));
      break;
    }
    set(option, option.option.type === 'boolean' || word.text);
  }
  // A word that fits nowhere goes to the first free option, whose own hint then says what it wants.
  const open = free.filter(({ option }) => option.type !== 'boolean');
  for (const word of misfits) {
    const option = open.shift();
    if (!option) throw unknownOption(spec, word.text);
    set(option, word.text);
  }
}

/** Shorter words are rather the end of a name than one of a choice's many aliases. */
const MIN_LAST_WORD = 3;

/**
 * `lamp post best taiko`: choices and switches are taken from the end, each option once; what is left is the name. Where two names are
 * wanted, each is one word, so that one of several stands in quotes.
 */
function fillNames(spec: CommandSpec, free: readonly OptionSpec[], words: readonly Word[], set: SetOption): void {
  const left = takeLast(free, words, set);
  const [main] = free.filter(isName);
  const names = free.filter(each => formOf(each) === 'name');
  // A name may begin with a dash, but a dash within one is rather an option of another bot.
  const stray = formOf(main) === 'name' && left.length > 1 ? left.find(({ raw }) => /^-[a-z]+$/i.test(raw)) : undefined;
  if (stray) throw unknownOption(spec, stray.raw);
  if (names.length > 1 && left.length <= names.length) {
    for (const [at, option] of names.slice(0, left.length).entries()) set(option, left[at]?.text ?? '');
  } else if (main && left.length > 0) set(main, joined(left));
}

/** The words before those at the end that are choices or switches, which are set. */
function takeLast(free: readonly OptionSpec[], words: readonly Word[], set: SetOption): readonly Word[] {
  const choices = free.filter(({ option }) => option.type === 'choice' || option.type === 'boolean');
  let end = words.length;
  for (let word = words[end - 1]; word !== undefined; word = words[end - 1]) {
    const { text, quoted } = word;
    const index = quoted || text.length < MIN_LAST_WORD ? -1 : choices.findIndex(option => fits(option, text));
    const [option] = index < 0 ? [] : choices.splice(index, 1);
    if (!option) break;
    set(option, option.option.type === 'boolean' || text);
    end -= 1;
  }
  return words.slice(0, end);
}

/** A `rest` keeps quotes as typed, since they may mean something to it; one that is quoted as a whole loses them. */
export function joined(words: readonly Word[]): string {
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
      // Mods need no plus where no name is asked for: `LINK HDDT`.
      if (option.bare && !isRest(spec)) return option.bare(word, 0) !== undefined || termOf(`+${word}`) !== undefined;
      return option.form !== 'link' || looksLikeLink(word);
    case 'boolean':
      return [spec.key, spec.name, ...(option.also ?? [])].includes(word.toLowerCase());
  }
}

import { type CommandSpec, matchChoice, type OptionSpec } from './command-spec.ts';
import { switchOf } from './switch-words.ts';
import { usageError } from './usage-error.ts';
import { createWordReader, type Word, type WordReader } from './word-reader.ts';

export interface CommandLine {
  /** Lower case, without the slash. */
  readonly name: string;
  /** The `botname` of `/name@botname`. */
  readonly mention: string | undefined;
  readonly rest: string;
}

const COMMAND = /^\s*\/([\p{L}\p{N}_-]{1,64})(?:@(\w{1,64}))?(?=\s|$)/u;

/** `/name what follows`, or undefined when the text is no command. */
export function parseCommandLine(text: string): CommandLine | undefined {
  const match = COMMAND.exec(text);
  if (!match?.[1]) return undefined;
  return { name: match[1].toLowerCase(), mention: match[2], rest: text.slice(match[0].length).trim() };
}

type Raw = Record<string, string | boolean>;

/**
 * The text after a command as raw option values: in declared order, as `name:value` or `name=value` in any order, quoted where a
 * value has spaces, booleans as bare words or with a word for on or off behind them, and an option of form `rest` gets all that nothing else claims. Names are taken in
 * the reader's language and as declared. Values are still unchecked: see `validateOptions`.
 * @throws AppError `invalid_request` with a hint.
 */
export function parseArguments(spec: CommandSpec, text: string): Raw {
  const names = optionNames(spec);
  const hasRest = spec.options.some(isRest);
  const raw: Raw = {};
  const plain: Word[] = [];
  // A minus in what is searched for leaves something out.
  const words = createWordReader(text, { hasRest });
  // The words after `query:` of a `rest` belong to it until another name comes.
  let open = plain;
  const opened: [OptionSpec, Word[]][] = [];

  function set(option: OptionSpec, value: string | boolean): void {
    if (Object.hasOwn(raw, option.key)) throw usageError('repeatedOption', { option: option.name });
    raw[option.key] = value;
  }

  function takeNamed(option: OptionSpec, separated: boolean): void {
    open = plain;
    if (!separated && option.option.type === 'boolean') {
      set(option, readSwitch(words));
      return;
    }
    const value = words.next();
    if (value && !value.quoted && isRest(option)) {
      open = [value];
      opened.push([option, open]);
    } else set(option, value?.text ?? '');
  }

  while (words.more()) {
    const label = words.label();
    const option = label && names.get(label.name);
    if (label && option) {
      words.skip(label.length);
      takeNamed(option, label.separated);
      continue;
    }
    if (label && !hasRest) throw unknownOption(spec, label.name);
    const word = words.next();
    if (!word) break;
    const flag = word.quoted || hasRest ? undefined : names.get(word.text.toLowerCase());
    if (flag?.option.type === 'boolean') set(flag, readSwitch(words));
    // `/settings language id`, as the usage reads.
    else if (flag && words.more() && !Object.hasOwn(raw, flag.key)) takeNamed(flag, true);
    else open.push(word);
  }

  for (const [option, taken] of opened) set(option, joined(taken));
  fillPositions(spec, plain, raw, set);
  return raw;
}

/** The value of a boolean's bare name: `links` alone is on, and in `links off` the second word says. */
function readSwitch(words: WordReader): boolean {
  const isOn = switchOf(words.peek()?.raw ?? '');
  if (isOn !== undefined) words.next();
  return isOn ?? true;
}

function fillPositions(
  spec: CommandSpec,
  words: readonly Word[],
  raw: Raw,
  set: (option: OptionSpec, value: string) => void,
): void {
  const isFree = ({ key, option }: OptionSpec) =>
    option.type !== 'boolean' && option.named !== true && !Object.hasOwn(raw, key);
  const free = spec.options.filter(isFree);
  const [head] = free;
  if (head && isName(head)) {
    fillName(head, free.slice(1), words, set);
    return;
  }
  const misfits: Word[] = [];
  for (const [at, word] of words.entries()) {
    const index = free.findIndex(option => fits(option, word.text));
    const option = free[index];
    if (!option) {
      misfits.push(word);
      continue;
    }
    free.splice(index, 1);
    if (isRest(option)) {
      set(option, joined(words.slice(at)));
      break;
    }
    set(option, word.text);
  }
  // A word that fits nowhere goes to the first free option, whose own hint then says what it wants.
  for (const word of misfits) {
    const option = free.shift();
    if (!option) throw unknownOption(spec, word.text);
    set(option, word.text);
  }
}

/** Shorter words are rather the end of a name than one of a choice's many aliases. */
const MIN_LAST_WORD = 3;

/** `lamp post best taiko`: choices are taken from the end, each option once; what is left is the name. */
function fillName(
  name: OptionSpec,
  others: readonly OptionSpec[],
  words: readonly Word[],
  set: (option: OptionSpec, value: string) => void,
): void {
  const free = others.filter(({ option }) => option.type === 'choice');
  let end = words.length;
  for (let word = words[end - 1]; word !== undefined; word = words[end - 1]) {
    const { text, quoted } = word;
    const index = quoted || text.length < MIN_LAST_WORD ? -1 : free.findIndex(option => fits(option, text));
    const [option] = index < 0 ? [] : free.splice(index, 1);
    if (!option) break;
    set(option, text);
    end -= 1;
  }
  if (end > 0) set(name, joined(words.slice(0, end)));
}

/** A `rest` keeps quotes as typed, since they may mean something to it; one that is quoted as a whole loses them. */
function joined(words: readonly Word[]): string {
  return words.length === 1 ? (words[0]?.text ?? '') : words.map(word => word.raw).join(' ');
}

function isRest({ option }: OptionSpec): boolean {
  return option.type === 'string' && (option.form === 'rest' || option.form === 'name');
}

function isName({ option }: OptionSpec): boolean {
  return option.type === 'string' && option.form === 'name';
}

function fits(spec: OptionSpec, word: string): boolean {
  const { option } = spec;
  switch (option.type) {
    case 'integer':
      return /^[+-]?\d{1,15}$/.test(word);
    case 'choice':
      return matchChoice(spec, word) !== undefined;
    case 'string':
      return option.form !== 'link' || looksLikeLink(word);
    case 'boolean':
      return false;
  }
}

/** Tells whether a word may be an address at all; which one it is, the extractor decides. */
export function looksLikeLink(word: string): boolean {
  return /^\S+$/.test(word) && (word.includes('.') || word.includes('://'));
}

function optionNames(spec: CommandSpec): ReadonlyMap<string, OptionSpec> {
  const names = new Map<string, OptionSpec>();
  for (const option of spec.options) names.set(option.name.toLowerCase(), option);
  for (const option of spec.options) names.set(option.key.toLowerCase(), option);
  return names;
}

/** The hint for a name or word that the command has no place for. */
export function unknownOption(spec: CommandSpec, name: string) {
  const allowed = spec.options.map(option => option.name).join(', ');
  return allowed === ''
    ? usageError('noOptions', { command: spec.name })
    : usageError('unknownOption', { command: spec.name, name, allowed });
}

import { AppError, toAppError } from '../../errors.ts';
import { printed } from '../contract/arguments.ts';
import type { Browsed, Command, CommandContext, OptionSuggestion } from '../contract/command.ts';
import { type CommandSpec, commandSpec, type OptionSpec } from '../contract/command-spec.ts';
import { formOf, isRest } from '../contract/positions.ts';
import type { Caller } from '../contract/request.ts';
import type { Services } from '../contract/services.ts';
import type { Admission } from './admission.ts';
import type { FailureLog } from './run-command.ts';

interface LineSuggestion {
  readonly label: string;
  readonly detail: string;
  /** The whole line as it is after this suggestion was chosen. */
  readonly text: string;
}

/** The most suggestions that any platform shows. */
const MAX_SUGGESTIONS = 25;

/**
 * Suggests how to go on with a line that begins with `/`: command names, then values of the option at the cursor and
 * names of the unused options.
 */
async function suggestLine(
  line: string,
  known: readonly CommandSpec[],
  context: CommandContext,
): Promise<readonly LineSuggestion[]> {
  const text = line.trimStart();
  if (!text.startsWith('/')) return [];
  const typed = text.slice(1).toLowerCase();
  const [current] = known
    .filter(({ name }) => typed.startsWith(`${name} `))
    .toSorted((a, b) => b.name.length - a.name.length);
  const found = current ? await continuations(text, current, context) : commandNames(typed, known);
  return found.slice(0, MAX_SUGGESTIONS);
}

function commandNames(typed: string, known: readonly CommandSpec[]): readonly LineSuggestion[] {
  return known
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, usage, description, options }) => ({
      label: usage,
      detail: description,
      text: `/${name}${options.length > 0 ? ' ' : ''}`,
    }));
}

async function continuations(
  text: string,
  spec: CommandSpec,
  context: CommandContext,
): Promise<readonly LineSuggestion[]> {
  // Finds the word at the cursor. No attempt begins within a word, because of the look-behind, so the time is linear.
  const start = Math.max(text.search(/(?<!\S)\S*$/), spec.name.length + 2);
  const before = text.slice(0, start);
  const partial = text.slice(start);
  const separator = /[:=]/.exec(partial)?.index;
  const name = partial.slice(0, separator).toLowerCase();
  const named = spec.options.find(option => option.key === name || option.name.toLowerCase() === name);
  if (named && separator !== undefined) {
    const label = partial.slice(0, separator + 1);
    const found = await optionValues(named, partial.slice(separator + 1), context);
    return found.map(({ label: shown, detail = named.description, value }) =>
      lineWith(before, `${label}${printed(value)}`, shown, detail),
    );
  }
  const whole = await wholeValues(text, spec, context);
  if (whole.length > 0) return whole;
  const left = freeOptions(spec, before.slice(spec.name.length + 2));
  const next = left.find(option => !isNamed(option, spec));
  const values = next ? await optionValues(next, partial, context) : [];
  const wanted = partial.toLowerCase();
  return [
    ...values.map(({ label, detail, value }) =>
      lineWith(before, printed(value), label, detail ?? next?.description ?? ''),
    ),
    ...left
      .filter(option => option !== next || (values.length === 0 && !option.option.required))
      .filter(option => option.name.toLowerCase().startsWith(wanted) || option.key.startsWith(wanted))
      .map(option => {
        const word = option.option.type === 'boolean' ? option.name : `${option.name}:`;
        return lineWith(before, word, option.name, option.description);
      }),
  ];
}

/** Suggests values for the whole text behind the command's name, since it may be one value of several words. */
async function wholeValues(text: string, spec: CommandSpec, context: CommandContext) {
  const [first] = spec.options;
  const before = text.slice(0, spec.name.length + 2);
  const typed = text.slice(before.length);
  const isSure = spec.options.some(option => typed.split(/\s+/).some(word => mentions(word, option)));
  if (first === undefined || !isRest(first) || !typed.includes(' ') || isSure) return [];
  const values = await optionValues(first, typed, context);
  return values.map(({ label, detail = first.description, value }) => lineWith(before, printed(value), label, detail));
}

/**
 * True for an option that must be typed with its name: a boolean, or one beside an option that takes all other words.
 */
function isNamed({ key, option }: OptionSpec, { options }: CommandSpec): boolean {
  const rest = options.find(each => isRest(each) && formOf(each) !== 'name');
  const isLeadingName = formOf(options[0]) === 'name' && options[0]?.key === key;
  return option.type === 'boolean' || (rest !== undefined && rest.key !== key && !isLeadingName);
}

/** The options that are not used before the cursor, by name or by position. */
function freeOptions(spec: CommandSpec, typed: string): readonly OptionSpec[] {
  const words = typed.split(/\s+/).filter(word => word !== '');
  const unnamed = spec.options.filter(option => !words.some(word => mentions(word, option)));
  let positions = words.filter(word => !spec.options.some(option => mentions(word, option))).length;
  const [first] = spec.options;
  return unnamed.filter(option => {
    if (isNamed(option, spec) || positions === 0) return true;
    // Behind a player's name all words may be that name, so no word proves that this option is used already.
    if (formOf(first) === 'name' && first?.key !== option.key) return true;
    positions -= 1;
    return false;
  });
}

function lineWith(before: string, word: string, label: string, detail: string): LineSuggestion {
  return { label, detail, text: `${before}${word}` };
}

/** True when a word names the option: `item:2`, `item=2`, or only `audio`. */
function mentions(word: string, { key, name, option }: OptionSpec): boolean {
  const label = /^[^:=]*/.exec(word.toLowerCase())?.[0] ?? '';
  if (label !== key && label !== name.toLowerCase()) return false;
  return option.type === 'boolean' || label.length < word.length;
}

/** Values of one option that match what is typed so far. */
async function optionValues(
  { option, choices }: OptionSpec,
  partial: string,
  context: CommandContext,
): Promise<readonly OptionSuggestion[]> {
  const wanted = partial.replace(/^["\u201c\u201d\u201e]/, '').toLowerCase();
  if (option.type === 'choice') {
    return choices.filter(
      ({ value, label }) => value.toLowerCase().startsWith(wanted) || label.toLowerCase().startsWith(wanted),
    );
  }
  if (option.type !== 'string' || option.suggest === undefined) return [];
  return (await option.suggest(wanted, context)).slice(0, MAX_SUGGESTIONS);
}

interface OptionRequest {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly command: string;
  /** The key under which the command declares the option. */
  readonly option: string;
  readonly partial: string;
}

interface BrowseRequest {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly text: string;
  /** The `next` that the previous page returned; undefined for the first page. */
  readonly next: string | undefined;
  /** Says whether an upstream may be asked, at the caller's cost, if the catalogue has no map. Default: it may not. */
  readonly mayAsk?: () => Promise<boolean>;
}

export function createAutocomplete(
  commands: readonly Command[],
  services: Services,
  { translator, isBlocked, charge }: Pick<Admission, 'translator' | 'isBlocked' | 'charge'>,
  logFailure: FailureLog,
) {
  /** The suggestions; after a failure none, since people just go on typing and no notice helps them. */
  async function orNone<T>(
    caller: Caller,
    signal: AbortSignal,
    find: (context: CommandContext) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    try {
      if (await isBlocked(caller)) return [];
      return await find({ caller, t: await translator(caller), services, signal, progress: () => undefined });
    } catch (error) {
      if (!signal.aborted) logFailure(toAppError(error), 'suggest', caller);
      return [];
    }
  }

  return {
    /** Suggestions for a typed line; empty when it is not a command. Never rejects. */
    suggest: (line: string, caller: Caller, signal: AbortSignal) =>
      orNone(caller, signal, context => {
        const known = commands.map(command => commandSpec(command, context.t, caller.chatKind));
        return suggestLine(line, known, context);
      }),

    /** Suggests values for an option, for platforms with typed options; at most 25. Never rejects. */
    suggestOption: ({ caller, signal, command, option, partial }: OptionRequest) =>
      orNone(caller, signal, async context => {
        const found = commands.find(({ name }) => name === command);
        const declared = found && commandSpec(found, context.t, caller.chatKind).options;
        const spec = declared?.find(({ key }) => key === option);
        return spec ? optionValues(spec, partial, context) : [];
      }),

    /** Finds beatmaps by plain text during typing; nothing while the local catalogue cannot be read. Never rejects. */
    async browse({ caller, signal, text, next, mayAsk }: BrowseRequest): Promise<Browsed> {
      const command = commands.find(each => each.browse !== undefined);
      const pages = await orNone(caller, signal, async context => {
        if (command?.browse === undefined) return [];
        const known = await command.browse(text, next, context, 'local').catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'upstream_unavailable') return NOTHING;
          throw error;
        });
        const isAsked = known.cards.length === 0 && (await mayAsk?.()) === true;
        if (!isAsked || (await charge(command, caller)) !== undefined) return [known];
        return [await command.browse(text, next, context, 'upstream')];
      });
      return pages[0] ?? NOTHING;
    },
  };
}

const NOTHING: Browsed = { cards: [], next: undefined };

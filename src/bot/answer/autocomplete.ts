import { AppError, toAppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Caller } from '../contract/caller.ts';
import type { Browsed, Command, CommandContext, OptionSuggestion } from '../contract/command.ts';
import { commandSpec } from '../contract/command-spec.ts';
import type { Services } from '../contract/services.ts';
import type { Callers } from './callers.ts';
import type { FailureLog } from './run-command.ts';
import { type LineSuggestion, optionValues, suggestLine } from './suggestions.ts';

export interface OptionRequest {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly command: string;
  /** The option's key. */
  readonly option: string;
  readonly partial: string;
}

export interface BrowseRequest {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly text: string;
  /** The `next` of the page before. */
  readonly next: string | undefined;
  /** Asked before an upstream is, at the caller's cost, when nothing is known here. Default: none is. */
  readonly mayAsk?: () => Promise<boolean>;
}

/** Helps people while they still type. */
export interface Autocomplete {
  /** How a typed line may go on; empty when it is no command. Never rejects. */
  suggest(line: string, caller: Caller, signal: AbortSignal): Promise<readonly LineSuggestion[]>;
  /** Autocomplete for platforms with typed options; at most 25. Never rejects. */
  suggestOption(request: OptionRequest): Promise<readonly OptionSuggestion[]>;
  /** Finds things by a text that is no command and no link, while it is typed; nothing for what cannot be read. Never rejects. */
  browse(request: BrowseRequest): Promise<Browsed>;
}

export interface AutocompleteOptions {
  readonly commands: readonly Command[];
  readonly services: Services;
  readonly translator: (caller: Caller) => Promise<Translator>;
  readonly logFailure: FailureLog;
  /** Never rejects. */
  readonly isBlocked: (caller: Caller) => Promise<boolean>;
  readonly charge: Callers['charge'];
}

export function createAutocomplete(options: AutocompleteOptions): Autocomplete {
  const { commands, services, translator, logFailure, isBlocked, charge } = options;

  async function contextOf(caller: Caller, signal: AbortSignal): Promise<CommandContext> {
    return { caller, t: await translator(caller), services, signal, progress: () => undefined };
  }

  /** A failure here is not worth a notice: without suggestions people just type on. */
  async function orNone<T>(
    found: () => Promise<readonly T[]>,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    try {
      return (await isBlocked(caller)) ? [] : await found();
    } catch (error) {
      if (!signal.aborted) logFailure(toAppError(error), 'suggest', caller);
      return [];
    }
  }

  return {
    suggest: (line, caller, signal) =>
      orNone(
        async () => {
          const context = await contextOf(caller, signal);
          const known = commands.map(command => ({ command, spec: commandSpec(command, context.t, caller.chatKind) }));
          return suggestLine(line, known, context);
        },
        caller,
        signal,
      ),

    suggestOption: ({ caller, signal, command, option, partial }) =>
      orNone(
        async () => {
          const context = await contextOf(caller, signal);
          const found = commands.find(({ name }) => name === command);
          const declared = found && commandSpec(found, context.t, caller.chatKind).options;
          const spec = declared?.find(({ key }) => key === option);
          return spec ? optionValues(spec, partial, context) : [];
        },
        caller,
        signal,
      ),

    async browse({ caller, signal, text, next, mayAsk }) {
      const command = commands.find(each => each.browse !== undefined);
      const pages = await orNone(
        async () => {
          if (command?.browse === undefined) return [];
          const context = await contextOf(caller, signal);
          const known = await command.browse(text, next, context, 'local').catch(noneWithoutCatalogue);
          const isAsked = known.cards.length === 0 && (await mayAsk?.()) === true;
          if (!isAsked || (await charge(command, caller)) !== undefined) return [known];
          return [await command.browse(text, next, context, 'upstream')];
        },
        caller,
        signal,
      );
      return pages[0] ?? NOTHING;
    },
  };
}

const NOTHING: Browsed = { cards: [], next: undefined };

function noneWithoutCatalogue(error: unknown): Browsed {
  if (error instanceof AppError && error.code === 'upstream_unavailable') return NOTHING;
  throw error;
}

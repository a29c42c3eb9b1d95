import { type AppError, toAppError } from '../errors.ts';
import { createTranslator, type Translator } from '../i18n/translate.ts';
import type { RateLimiter } from '../infra/rate-limit.ts';
import { type AdmissionOptions, createAdmission, type Refusal } from './admission.ts';
import { parseArguments } from './arguments.ts';
import { chatSettingsOf } from './chat-settings.ts';
import {
  type Browsed,
  type Caller,
  type Command,
  type CommandContext,
  callerKey,
  type ProgressStage,
  type Services,
  type Suggestion,
} from './command.ts';
import { type CommandSpec, commandSpec } from './command-texts.ts';
import { createConcern, type TextMessage } from './concern.ts';
import { createFailureLog, type Log } from './failure-log.ts';
import { hint } from './hint.ts';
import type { Invocation, PastedLink, Sink, TextInvocation } from './invocation.ts';
import { validateOptions } from './options.ts';
import { createLinkFinder, kindOfLink } from './osu-links.ts';
import { hidden, type Reply } from './reply.ts';
import { type LineSuggestion, optionValues, suggestLine } from './suggestions.ts';
import type { TextIntent } from './text-intent.ts';
import { errorNotice, notice } from './views/notice.ts';
import { createWork } from './work.ts';

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
  /** As the page before gave it. */
  readonly next: string | undefined;
}

export interface DispatcherOptions {
  readonly commands: readonly Command[];
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly userLimit: AdmissionOptions['userLimit'];
  readonly log: Log;
  readonly now?: () => number;
  /** Commands that run at once, not counting those that cost nothing. Default 32. */
  readonly concurrency?: number;
  /** Commands that may wait for their turn. Default 256. */
  readonly queued?: number;
}

export interface Dispatcher {
  /** Resolves when all is said. A text that is no concern of Medley's gets no reply at all. */
  dispatch(invocation: Invocation, sink: Sink): Promise<void>;
  /**
   * The canonical links that dispatching this message would answer, for faces that keep accepted work; empty for all else. Given
   * back as `links` of the same message, they mean the same. Never throws.
   */
  linksOf(message: TextMessage): readonly PastedLink[];
  /** How a typed line may go on; empty when it is no command. Never rejects. */
  suggest(line: string, caller: Caller, signal: AbortSignal): Promise<readonly LineSuggestion[]>;
  /** Autocomplete for faces with typed options; at most 25. Never rejects. */
  suggestOption(request: OptionRequest): Promise<readonly Suggestion[]>;
  /** What is found by a text that is no command and no link, while it is typed; nothing for what cannot be read. Never rejects. */
  browse(request: BrowseRequest): Promise<Browsed>;
  /** The caller's language: his setting, else that of the chat, else what his platform says. */
  translator(caller: Caller): Translator;
  /** What people see of the commands, in all chats or in one kind of them. */
  commandSpecs(t: Translator, chatKind?: Caller['chatKind']): readonly CommandSpec[];
}

/** Links of one message beyond this are left out, with a notice. */
const MAX_LINKS = 5;

/** One answer in the making. `reply` never rejects; undefined means it is no longer wanted. */
interface Answer {
  readonly reply: Promise<Reply | undefined>;
  readonly link?: string;
}

/** One invocation on its way, under a signal that also ends when its replies cannot be handed over. */
interface Turn {
  readonly caller: Caller;
  readonly t: Translator;
  readonly signal: AbortSignal;
  progress(stage: ProgressStage): void;
}

type RawOptions = Readonly<Record<string, unknown>>;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { commands, services, limiter, userLimit, log, now = Date.now } = options;
  const work = createWork<Reply>({ running: options.concurrency ?? 32, queued: options.queued ?? 256 });
  const admit = createAdmission({ limiter, userLimit, now });
  const logFailure = createFailureLog(log);
  const takers = new Map(commands.map(command => [command.accepts, command]));
  const concernOf = createConcern({
    commands,
    services,
    onUnreadable: (error, caller) => logFailure(toAppError(error), 'read settings', caller),
  });
  const findLinks = createLinkFinder(services.extractor);
  let turns = 0;

  function translator(caller: Caller): Translator {
    const set = [services.settings.user(callerKey(caller)).language, chatSettingsOf(services, caller).language];
    return createTranslator([...set.filter(language => language !== null), ...caller.locales]);
  }

  /** For those who must answer even when the settings cannot be read. */
  function calmTranslator(caller: Caller): Translator {
    try {
      return translator(caller);
    } catch (error) {
      logFailure(toAppError(error), 'read settings', caller);
      return createTranslator(caller.locales);
    }
  }

  function failure(
    error: unknown,
    doing: string,
    { caller, t }: Turn,
    { visibility, subject }: Pick<Command, 'visibility' | 'subject'> = { visibility: 'caller' },
  ): Reply {
    const appError = toAppError(error);
    logFailure(appError, doing, caller);
    return errorNotice(appError, t, visibility, subject);
  }

  function find(name: string): Command {
    const command = commands.find(each => each.name === name);
    if (!command) throw unknownCommand(name);
    return command;
  }

  function unknownCommand(name: string): AppError {
    return hint('unknownCommand', { name, allowed: commands.map(each => `/${each.name}`).join(', ') });
  }

  /** The command's reply, or the notice that stands for it. `raw` may throw a hint. */
  async function run(command: Command, turn: Turn, raw: () => RawOptions, isPressed = false) {
    const { caller, t, signal } = turn;
    try {
      const spec = commandSpec(command, t, isPressed ? 'button' : caller.chatKind);
      const values = validateOptions(spec, raw());
      const task = (waiter: Pick<CommandContext, 'signal' | 'progress'>) =>
        command.run(values, { ...waiter, caller, t, services });
      if (command.cost === 0) return await task(turn);
      turn.progress('resolving');
      turns += 1;
      const key = linkKey(command, values, turn) ?? `${turns}`;
      return await work.run(key, task, turn);
    } catch (error) {
      return signal.aborted ? undefined : failure(error, command.name, turn, command);
    }
  }

  /** The same for every spelling of a link, in one chat and one language; undefined without a link. */
  function linkKey({ name, accepts, options: declared }: Command, values: RawOptions, { caller, t }: Turn) {
    const [first, ...others] = accepts === undefined ? [] : Object.keys(declared).map(key => values[key]);
    const [link] = typeof first === 'string' ? findLinks(first) : [];
    const asked = accepts === 'link' ? (link ?? first) : link;
    if (asked === undefined) return undefined;
    return JSON.stringify([name, caller.platform, caller.chatId, t.locale, asked, ...others]);
  }

  async function single(command: Command, turn: Turn, raw: () => RawOptions, isPressed = false) {
    const refusal = await admit(command, turn.caller);
    if (refusal) throw refusal.error;
    return [{ reply: run(command, turn, raw, isPressed) }];
  }

  /** One answer for each link that the caller's limit allows; over it, one notice a window. */
  async function pasted(links: readonly PastedLink[], turn: Turn): Promise<readonly Answer[]> {
    const known = links.flatMap(link => {
      const command = takers.get(kindOfLink(link.url));
      return command === undefined ? [] : [{ link, command }];
    });
    const wanted = known.slice(0, MAX_LINKS);
    const answers: Answer[] = [];
    let refusal: Refusal | undefined;
    for (const { link, command } of wanted) {
      refusal = await admit(command, turn.caller);
      if (refusal) {
        if (refusal.firstRefusal) answers.push(said(failure(refusal.error, command.name, turn)));
        break;
      }
      answers.push(answerLink(command, link, turn));
    }
    const left = known.length - wanted.length;
    if (left > 0 && !refusal) answers.push(said(notice(turn.t.messages.notices.moreLinks(MAX_LINKS, left))));
    return answers;
  }

  function answerLink(command: Command, { url, spoiler }: PastedLink, turn: Turn): Answer {
    const ready = run(command, turn, () =>
      Object.fromEntries(
        Object.keys(command.options)
          .slice(0, 1)
          .map(key => [key, url]),
      ),
    );
    return { reply: spoiler ? ready.then(value => value && hidden(value)) : ready, link: url };
  }

  async function answerText(intent: TextIntent, turn: Turn): Promise<readonly Answer[]> {
    switch (intent.kind) {
      case 'command': {
        const spec = commandSpec(intent.command, turn.t, turn.caller.chatKind);
        return single(intent.command, turn, () => parseArguments(spec, intent.rest));
      }
      case 'links':
        return pasted(intent.links, turn);
      // The link command says best why it cannot take this one.
      case 'address':
        return pasted([{ url: intent.address, spoiler: false }], turn);
      case 'unknown':
        throw unknownCommand(intent.name);
      case 'talk':
        return [said(notice(turn.t.messages.notices.noLink))];
    }
  }

  async function answersTo(invocation: Exclude<Invocation, TextInvocation>, turn: Turn): Promise<readonly Answer[]> {
    if (invocation.kind === 'command') return single(find(invocation.name), turn, () => invocation.options);
    const { command, values } = services.actions.decode(invocation.token, callerKey(turn.caller));
    return single(find(command), turn, () => values, true);
  }

  async function prepared(
    invocation: Invocation,
    intent: TextIntent | undefined,
    turn: Turn,
  ): Promise<readonly Answer[]> {
    try {
      if (invocation.kind !== 'text') return await answersTo(invocation, turn);
      return intent ? await answerText(intent, turn) : [];
    } catch (error) {
      return turn.signal.aborted ? [] : [said(failure(error, invocation.kind, turn))];
    }
  }

  function contextOf(caller: Caller, signal: AbortSignal): CommandContext {
    return { caller, t: translator(caller), services, signal, progress: () => undefined };
  }

  /** What people type meanwhile is not worth a notice: without suggestions they just type on. */
  async function orNone<T>(
    found: () => Promise<readonly T[]>,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    try {
      return await found();
    } catch (error) {
      if (!signal.aborted) logFailure(toAppError(error), 'suggest', caller);
      return [];
    }
  }

  return {
    translator,

    commandSpecs: (t, chatKind) => commands.map(command => commandSpec(command, t, chatKind)),

    linksOf(message) {
      const intent = concernOf(message);
      return intent?.kind === 'links' ? intent.links : [];
    },

    async dispatch(invocation, sink) {
      const { caller, kind } = invocation;
      const intent = kind === 'text' ? concernOf(invocation) : undefined;
      if (kind === 'text' && !intent) return;
      const failed = new AbortController();
      const signal = AbortSignal.any([invocation.signal, failed.signal]);
      const turn: Turn = { caller, t: calmTranslator(caller), signal, progress: stage => sink.progress(stage) };
      const answers = await prepared(invocation, intent, turn);
      try {
        for (const [index, { reply, link }] of answers.entries()) {
          const ready = await reply;
          if (ready && !signal.aborted) await sink.reply(ready, { last: index === answers.length - 1, link });
        }
      } catch (error) {
        failed.abort(error);
        await Promise.all(answers.map(({ reply }) => reply));
        throw error;
      }
    },

    suggest: (line, caller, signal) =>
      orNone(
        () => {
          const context = contextOf(caller, signal);
          const known = commands.map(command => ({ command, spec: commandSpec(command, context.t, caller.chatKind) }));
          return suggestLine(line, known, context);
        },
        caller,
        signal,
      ),

    suggestOption: ({ caller, signal, command, option, partial }) =>
      orNone(
        async () => {
          const context = contextOf(caller, signal);
          const found = find(command);
          const spec = commandSpec(found, context.t, caller.chatKind).options.find(({ key }) => key === option);
          return spec ? optionValues(found, spec, partial, context) : [];
        },
        caller,
        signal,
      ),

    async browse({ caller, signal, text, next }) {
      const command = commands.find(each => each.browse !== undefined);
      const pages = await orNone(
        async () => {
          const found = await command?.browse?.(text, next, contextOf(caller, signal));
          return found ? [found] : [];
        },
        caller,
        signal,
      );
      return pages[0] ?? { cards: [], next: undefined };
    },
  };
}

function said(reply: Reply): Answer {
  return { reply: Promise.resolve(reply) };
}

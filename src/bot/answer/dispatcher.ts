import { AppError, StoreAway, toAppError } from '../../errors.ts';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { RateLimiter } from '../../infra/rate-limit/rate-limit.ts';
import { parseArguments } from '../contract/arguments.ts';
import { type Ask, askOf, isUnasked } from '../contract/ask.ts';
import { type Caller, callerKey } from '../contract/caller.ts';
import type { Command, CommandContext } from '../contract/command.ts';
import { type CommandSpec, commandSpec } from '../contract/command-spec.ts';
import type { Invocation, PastedLink, Sink } from '../contract/invocation.ts';
import type { Reply } from '../contract/reply.ts';
import type { ButtonPayload, Services } from '../contract/services.ts';
import type { ChatSettings } from '../contract/settings.ts';
import { usageError } from '../contract/usage-error.ts';
import { createRetryGate } from '../runtime/retry-gate.ts';
import { createTaskPool } from '../runtime/task-pool.ts';
import { chatSettingsOf, readableChatSettings } from '../stores/chat-settings.ts';
import { errorNotice, notice } from '../views/notice.ts';
import { type Autocomplete, createAutocomplete } from './autocomplete.ts';
import { createDirectDispatch } from './direct-dispatch.ts';
import { type Attempt, type DispatchContext, type Position, type Round, single } from './dispatch-context.ts';
import { createFailureLog, type Log } from './failure-log.ts';
import { createMessageFilter, type TextMessage } from './message-filter.ts';
import { validateOptions } from './options.ts';
import { createLinkFinder, kindOfLink } from './osu-links.ts';
import { createPastedLinks } from './pasted-links.ts';
import { createPromptRun, type PromptRunTimes } from './prompt-run.ts';
import { createUserRateLimit, type UserRateLimitOptions } from './user-rate-limit.ts';

export interface DispatcherOptions {
  readonly commands: readonly Command[];
  /** Further ones that only this caller may type, and that nothing lists. Default: none. */
  readonly hiddenCommands?: (caller: Caller) => readonly Command[];
  /** Whether this person or chat gets no answers to anything. Default: none is blocked. */
  readonly isBlocked?: (caller: Caller) => Promise<boolean>;
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly userLimit: UserRateLimitOptions['userLimit'];
  readonly log: Log;
  readonly now?: () => number;
  /** Commands that run at once, not counting those that cost nothing. Default 32. */
  readonly concurrency?: number;
  /** Commands that may wait for their turn. Default 256. */
  readonly queued?: number;
  readonly times?: Partial<PromptRunTimes>;
}

export interface Dispatcher extends Autocomplete {
  /**
   * What a message asks of Medley; undefined when it is not meant for it. While it cannot be read what goes for the chat, that is waited for, as
   * long as not too many do. Never rejects.
   */
  read(message: TextMessage): Promise<Ask | undefined>;
  /**
   * Begins to answer; what is not answered in this round is for the next one. Failures are answers too, but for a store that is away.
   * @throws StoreAway, and so may the replies: what was asked must be tried again
   */
  answer(ask: Ask, attempt: Attempt): Promise<Round>;
  /** Resolves when all is said. A text that is not meant for Medley gets no reply at all. */
  dispatch(invocation: Invocation, sink: Sink): Promise<void>;
  /**
   * The canonical links that dispatching this message would answer, for platforms that keep accepted work; empty for all else. Given
   * back as `links` of the same message, they mean the same. Never rejects.
   */
  linksOf(message: TextMessage): Promise<readonly PastedLink[]>;
  /** How people are spoken to there. @throws StoreAway */
  manner(caller: Caller): Promise<Manner>;
  /** The caller's language: their setting, else that of the chat, else what their platform says. Never rejects. */
  translator(caller: Caller): Promise<Translator>;
  /** What goes for the caller's chat; the defaults, but that nothing is hidden, where it cannot be read. Never rejects. */
  chatSettings(caller: Caller): Promise<ChatSettings>;
  /** The command that answers it; undefined where none or several do. Never rejects. */
  commandOf(ask: Ask, caller: Caller): Promise<string | undefined>;
  /** What people see of the commands, in all chats or in one kind of them. */
  commandSpecs(t: Translator, chatKind?: Caller['chatKind']): readonly CommandSpec[];
}

export interface Manner {
  readonly t: Translator;
  /** What goes for the caller's chat. */
  readonly settings: ChatSettings;
}

type RawOptions = Readonly<Record<string, unknown>>;

/** Messages that wait until it can be read what goes for their chats. */
const MOST_HELD = 1_000;
const LONGEST_RETRY_MS = 2_000;
/** For the store, of people who watch. */
const LONGEST_WAIT_MS = 10_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { commands, services, limiter, userLimit, log, now = Date.now } = options;
  const work = createTaskPool<Reply>({ running: options.concurrency ?? 32, queued: options.queued ?? 256 });
  const admit = createUserRateLimit({ limiter, userLimit, now });
  const logFailure = createFailureLog(log);
  const listed = commands.filter(each => each.listed !== false);
  /** Those that the caller may type. */
  const commandsFor = (caller: Caller): readonly Command[] => {
    const hidden = options.hiddenCommands?.(caller) ?? [];
    return hidden.length === 0 ? listed : [...listed, ...hidden];
  };
  const isBlocked = options.isBlocked ?? (async () => false);
  const intentOf = createMessageFilter({ commandsFor, services, isBlocked });
  const gate = createRetryGate({ most: MOST_HELD, longestMs: LONGEST_RETRY_MS, random: Math.random });
  const runPromptly = createPromptRun({ onFailure: logFailure, times: options.times });
  const findLinks = createLinkFinder(services.extractor);
  const pastedLinks = createPastedLinks({
    commands,
    admit,
    // Why a link that someone pasted cannot be shown is of interest to them alone.
    run: (command, ...rest) => run({ ...command, visibility: 'caller' }, ...rest),
  });
  const typingHelp = createAutocomplete({ commands: listed, services, translator, logFailure, isBlocked, admit });
  let turns = 0;

  function onUnreadable(error: unknown, caller: Caller): void {
    logFailure(toAppError(error), 'read settings', caller);
  }

  function chatSettings(caller: Caller): Promise<ChatSettings> {
    return readableChatSettings(services, caller, error => onUnreadable(error, caller));
  }

  async function manner(caller: Caller): Promise<Manner> {
    const [own, settings] = await Promise.all([
      services.settings.user(callerKey(caller)),
      chatSettingsOf(services, caller),
    ]);
    const set = [own.language, settings.language].filter(language => language !== null);
    return { t: createTranslator([...set, ...caller.locales]), settings };
  }

  async function translator(caller: Caller): Promise<Translator> {
    try {
      return (await manner(caller)).t;
    } catch (error) {
      onUnreadable(error, caller);
      return createTranslator(caller.locales);
    }
  }

  function failure(
    error: unknown,
    doing: string,
    { caller, t, about }: DispatchContext,
    { visibility, subject }: Pick<Command, 'visibility' | 'subject'> = { visibility: 'caller' },
  ): Reply {
    const appError = toAppError(error);
    logFailure(appError, doing, caller);
    return errorNotice(appError, t, { visibility, subject, about });
  }

  function find(name: string, caller: Caller): Command {
    const known = commandsFor(caller);
    const command = [...commands, ...known].find(each => each.name === name);
    if (!command) throw unknownCommand(name, known);
    return command;
  }

  /** Who names a group is told what is in it. */
  function unknownCommand(name: string, all: readonly Command[]): AppError {
    const group = all.filter(each => each.name.startsWith(`${name.split(' ')[0]} `));
    const known = group.length > 0 ? group : listed;
    return usageError('unknownCommand', { name, allowed: known.map(each => `/${each.name}`).join(', ') });
  }

  /** The command's reply, or the notice that stands for it. `raw` may throw a hint. */
  async function run(command: Command, turn: DispatchContext, raw: () => RawOptions, isPressed = false) {
    const { caller, t, signal } = turn;
    try {
      const spec = commandSpec(command, t, isPressed ? 'button' : caller.chatKind);
      const values = validateOptions(spec, raw());
      const task = (waiter: Pick<CommandContext, 'signal' | 'progress'>) =>
        runPromptly(command, values, { ...waiter, caller, t, services });
      if (command.cost === 0) return await task(turn);
      turn.progress('resolving');
      turns += 1;
      const key = linkKey(command, values, turn) ?? `${turns}`;
      return await work.run(key, task, turn);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof StoreAway) throw error;
      const notice = failure(error, command.name, turn, command);
      return turn.isQuiet === true ? undefined : notice;
    }
  }

  /** The same for every spelling of a link, in one chat and one language; undefined without a link. */
  function linkKey({ name, accepts, options: declared }: Command, values: RawOptions, { caller, t }: DispatchContext) {
    const [first, ...others] = accepts === undefined ? [] : Object.keys(declared).map(key => values[key]);
    const [link] = typeof first === 'string' ? findLinks(first) : [];
    const asked = accepts === 'link' ? (link ?? first) : link;
    if (asked === undefined) return undefined;
    return JSON.stringify([name, caller.platform, caller.chatId, t.locale, asked, ...others]);
  }

  async function alone(
    command: Command,
    turn: DispatchContext,
    { paid }: Position,
    raw: () => RawOptions,
    isPressed = false,
  ): Promise<Round> {
    const refusal = paid > 0 ? undefined : await admit(command, turn.caller);
    if (refusal) throw refusal;
    return single(run(command, turn, raw, isPressed));
  }

  async function rounds(ask: Ask, turn: DispatchContext, position: Position): Promise<Round> {
    if (ask.kind === 'links') return pastedLinks(ask.what, turn, position);
    if (position.from > 0) return { answers: [], next: position.from, paid: position.paid, remaining: undefined };
    switch (ask.kind) {
      case 'command':
        return alone(find(ask.what.name, turn.caller), turn, position, () => ask.what.options);
      case 'line': {
        const command = find(ask.what.name, turn.caller);
        const spec = commandSpec(command, turn.t, turn.caller.chatKind);
        return alone(command, turn, position, () => parseArguments(spec, ask.what.args));
      }
      case 'button': {
        const { command, values } = await openButton(ask.what, turn.caller);
        return alone(find(command, turn.caller), turn, position, () => values, true);
      }
      case 'talk':
        return single(Promise.resolve(notice(turn.t.messages.notices.noLink)));
    }
  }

  /** Silence; but a platform that waits for the answer of a command or button would show that it works on it. */
  function blocked(ask: Ask, turn: DispatchContext, paid: number): Round {
    if (ask.kind === 'command' || ask.kind === 'button')
      return single(
        Promise.resolve(
          failure(new AppError('forbidden', 'the caller is blocked', { params: { what: 'caller' } }), ask.kind, turn),
        ),
      );
    const next = ask.kind === 'links' ? ask.what.length : 1;
    return { answers: [], next, paid, remaining: undefined };
  }

  async function answer(ask: Ask, { from, paid, caller, signal, progress }: Attempt): Promise<Round> {
    const { t, settings } = await manner(caller);
    const isQuiet = isUnasked(ask) && settings.quietErrors;
    const turn = { caller, t, signal, progress, isQuiet };
    if (await isBlocked(caller)) return blocked(ask, turn, paid);
    try {
      const round = await rounds(ask, turn, { from, paid });
      // Those behind one that fails are not waited for any more.
      for (const { reply } of round.answers) reply.catch(() => undefined);
      return round;
    } catch (error) {
      if (error instanceof StoreAway) throw error;
      // Links that were answered before stay so; the rest of them is over with this notice.
      const next = ask.kind === 'links' ? ask.what.length : 1;
      if (signal.aborted) return { answers: [], next: from, paid, remaining: undefined };
      const notice = failure(error, ask.kind, turn);
      const reply = Promise.resolve(isQuiet ? undefined : notice);
      return { answers: [{ reply, next }], next, paid: next, remaining: undefined };
    }
  }

  /** Where nothing is kept for later, a store that is away is waited for a little, and then told of like any failure. */
  async function answerNow(ask: Ask, attempt: Attempt): Promise<Round> {
    const told = async (error: unknown) =>
      failure(error, ask.kind, { ...attempt, t: await translator(attempt.caller) });
    try {
      const round = await patiently(() => answer(ask, attempt), attempt.caller, LONGEST_WAIT_MS);
      return { ...round, answers: round.answers.map(each => ({ ...each, reply: each.reply.catch(told) })) };
    } catch (error) {
      return single(told(error));
    }
  }

  /** @throws AppError as `decode` */
  async function openButton(
    { token, isAside }: Extract<Ask, { kind: 'button' }>['what'],
    caller: Caller,
  ): Promise<Pick<ButtonPayload, 'command' | 'values'>> {
    if (isAside === true) {
      const found = await services.actions.decodeForAnyone(token);
      // What concerns its owner alone stays theirs.
      if (find(found.command, caller).visibility === 'chat') return found;
    }
    return services.actions.decode(token, callerKey(caller));
  }

  async function commandOf(ask: Ask, caller: Caller): Promise<string | undefined> {
    if (ask.kind === 'command' || ask.kind === 'line') return ask.what.name;
    if (ask.kind === 'button') {
      const pressed = await openButton(ask.what, caller).catch(() => undefined);
      return pressed?.command;
    }
    const [only, ...others] = ask.kind === 'links' ? ask.what : [];
    if (only === undefined || others.length > 0) return undefined;
    const accepted = kindOfLink(only.url);
    return commands.find(({ accepts }) => accepts === accepted)?.name;
  }

  async function read(message: TextMessage): Promise<Ask | undefined> {
    try {
      const intent = await patiently(() => intentOf(message), message.caller, Number.POSITIVE_INFINITY);
      return intent && askOf(intent);
    } catch (error) {
      onUnreadable(error, message.caller);
      return undefined;
    }
  }

  /** Tries again as long as the store is away, and not too many wait for it. @throws what `work` threw last */
  async function patiently<T>(work: () => Promise<T>, caller: Caller, forMs: number): Promise<T> {
    const until = performance.now() + forMs;
    let isLogged = false;
    for (;;) {
      try {
        const done = await work();
        gate.open();
        return done;
      } catch (error) {
        if (!(error instanceof StoreAway)) throw error;
        if (!isLogged) onUnreadable(error, caller);
        isLogged = true;
        if (!(await gate.wait(until - performance.now()))) throw error;
      }
    }
  }

  return {
    manner,
    translator,
    chatSettings,

    commandSpecs: (t, chatKind) => listed.map(command => commandSpec(command, t, chatKind)),

    async linksOf(message) {
      try {
        const intent = await intentOf(message);
        return intent?.kind === 'links' ? intent.links : [];
      } catch (error) {
        onUnreadable(error, message.caller);
        return [];
      }
    },

    read,
    answer,
    commandOf,

    dispatch: createDirectDispatch({ read, answer: answerNow, translator, failure }),

    ...typingHelp,
  };
}

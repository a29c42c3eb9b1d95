import { type AppError, toAppError } from '../../errors.ts';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { RateLimiter } from '../../infra/rate-limit/rate-limit.ts';
import { type Autocomplete, createAutocomplete } from '../autocomplete/autocomplete.ts';
import { type Caller, type Command, type CommandContext, callerKey, type Services } from '../command.ts';
import type { Reply } from '../reply.ts';
import { createTaskPool } from '../runtime/task-pool.ts';
import { readableChatSettings } from '../settings/chat-settings.ts';
import { errorNotice, notice } from '../views/notice.ts';
import { parseArguments } from './arguments.ts';
import { type CommandSpec, commandSpec } from './command-texts.ts';
import { type Answer, type DispatchContext, said } from './dispatch-context.ts';
import { createFailureLog, type Log } from './failure-log.ts';
import type { Invocation, PastedLink, Sink, TextInvocation } from './invocation.ts';
import { createMessageFilter, type TextMessage } from './message-filter.ts';
import { validateOptions } from './options.ts';
import { createLinkFinder } from './osu-links.ts';
import { createPastedLinks } from './pasted-links.ts';
import type { TextIntent } from './text-intent.ts';
import { usageError } from './usage-error.ts';
import { createUserRateLimit, type UserRateLimitOptions } from './user-rate-limit.ts';

export interface DispatcherOptions {
  readonly commands: readonly Command[];
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly userLimit: UserRateLimitOptions['userLimit'];
  readonly log: Log;
  readonly now?: () => number;
  /** Commands that run at once, not counting those that cost nothing. Default 32. */
  readonly concurrency?: number;
  /** Commands that may wait for their turn. Default 256. */
  readonly queued?: number;
}

export interface Dispatcher extends Autocomplete {
  /** Resolves when all is said. A text that is not meant for Medley gets no reply at all. */
  dispatch(invocation: Invocation, sink: Sink): Promise<void>;
  /**
   * The canonical links that dispatching this message would answer, for platforms that keep accepted work; empty for all else. Given
   * back as `links` of the same message, they mean the same. Never rejects.
   */
  linksOf(message: TextMessage): Promise<readonly PastedLink[]>;
  /** The caller's language: their setting, else that of the chat, else what their platform says. Never rejects. */
  translator(caller: Caller): Promise<Translator>;
  /** What people see of the commands, in all chats or in one kind of them. */
  commandSpecs(t: Translator, chatKind?: Caller['chatKind']): readonly CommandSpec[];
}

type RawOptions = Readonly<Record<string, unknown>>;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { commands, services, limiter, userLimit, log, now = Date.now } = options;
  const work = createTaskPool<Reply>({ running: options.concurrency ?? 32, queued: options.queued ?? 256 });
  const admit = createUserRateLimit({ limiter, userLimit, now });
  const logFailure = createFailureLog(log);
  const intentOf = createMessageFilter({
    commands,
    services,
    onUnreadable: (error, caller) => logFailure(toAppError(error), 'read settings', caller),
  });
  const findLinks = createLinkFinder(services.extractor);
  const pastedLinks = createPastedLinks({ commands, admit, run, failure });
  const typingHelp = createAutocomplete({ commands, services, translator, logFailure });
  let turns = 0;

  async function translator(caller: Caller): Promise<Translator> {
    const onUnreadable = (error: unknown) => logFailure(toAppError(error), 'read settings', caller);
    const [own, chat] = await Promise.all([
      services.settings.user(callerKey(caller)).catch(onUnreadable),
      readableChatSettings(services, caller, onUnreadable),
    ]);
    const set = [own?.language ?? null, chat.language];
    return createTranslator([...set.filter(language => language !== null), ...caller.locales]);
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

  function find(name: string): Command {
    const command = commands.find(each => each.name === name);
    if (!command) throw unknownCommand(name);
    return command;
  }

  /** Who names a group is told what is in it. */
  function unknownCommand(name: string): AppError {
    const group = commands.filter(each => each.name.startsWith(`${name.split(' ')[0]} `));
    const known = group.length > 0 ? group : commands;
    return usageError('unknownCommand', { name, allowed: known.map(each => `/${each.name}`).join(', ') });
  }

  /** The command's reply, or the notice that stands for it. `raw` may throw a hint. */
  async function run(command: Command, turn: DispatchContext, raw: () => RawOptions, isPressed = false) {
    const { caller, t, signal } = turn;
    try {
      const spec = commandSpec(command, t, isPressed ? 'button' : caller.chatKind);
      const values = validateOptions(spec, raw());
      const task = async (waiter: Pick<CommandContext, 'signal' | 'progress'>) => {
        const reply = await command.run(values, { ...waiter, caller, t, services });
        await services.actions.stored();
        return reply;
      };
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
  function linkKey({ name, accepts, options: declared }: Command, values: RawOptions, { caller, t }: DispatchContext) {
    const [first, ...others] = accepts === undefined ? [] : Object.keys(declared).map(key => values[key]);
    const [link] = typeof first === 'string' ? findLinks(first) : [];
    const asked = accepts === 'link' ? (link ?? first) : link;
    if (asked === undefined) return undefined;
    return JSON.stringify([name, caller.platform, caller.chatId, t.locale, asked, ...others]);
  }

  async function single(command: Command, turn: DispatchContext, raw: () => RawOptions, isPressed = false) {
    const refusal = await admit(command, turn.caller);
    if (refusal) throw refusal;
    return [{ reply: run(command, turn, raw, isPressed) }];
  }

  async function answerText(intent: TextIntent, turn: DispatchContext): Promise<readonly Answer[]> {
    switch (intent.kind) {
      case 'command': {
        const spec = commandSpec(intent.command, turn.t, turn.caller.chatKind);
        return single(intent.command, turn, () => parseArguments(spec, intent.rest));
      }
      case 'links':
        return pastedLinks(intent.links, turn);
      // The link command says best why it cannot take this one.
      case 'address':
        return pastedLinks([{ url: intent.address, spoiler: false }], turn);
      case 'unknown':
        throw unknownCommand(intent.name);
      case 'talk':
        return [said(notice(turn.t.messages.notices.noLink))];
    }
  }

  async function answersTo(
    invocation: Exclude<Invocation, TextInvocation>,
    turn: DispatchContext,
  ): Promise<readonly Answer[]> {
    if (invocation.kind === 'command') return single(find(invocation.name), turn, () => invocation.options);
    const { command, values } = await services.actions.decode(invocation.token, callerKey(turn.caller));
    return single(find(command), turn, () => values, true);
  }

  async function prepared(
    invocation: Invocation,
    intent: TextIntent | undefined,
    turn: DispatchContext,
  ): Promise<readonly Answer[]> {
    try {
      if (invocation.kind !== 'text') return await answersTo(invocation, turn);
      return intent ? await answerText(intent, turn) : [];
    } catch (error) {
      return turn.signal.aborted ? [] : [said(failure(error, invocation.kind, turn))];
    }
  }

  return {
    translator,

    commandSpecs: (t, chatKind) => commands.map(command => commandSpec(command, t, chatKind)),

    async linksOf(message) {
      const intent = await intentOf(message);
      return intent?.kind === 'links' ? intent.links : [];
    },

    async dispatch(invocation, sink) {
      const { caller, kind } = invocation;
      const intent = kind === 'text' ? await intentOf(invocation) : undefined;
      if (kind === 'text' && !intent) return;
      const failed = new AbortController();
      const signal = AbortSignal.any([invocation.signal, failed.signal]);
      const turn: DispatchContext = {
        caller,
        t: await translator(caller),
        signal,
        progress: stage => sink.progress(stage),
      };
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

    ...typingHelp,
  };
}

/**
 * The way of every request, from a message to its answer:
 * 1. A platform hears a message (`platforms/NAME/incoming`), and `read` below finds what in it is meant for Medley.
 * 2. `runtime/accept.ts` stores the request in the queue, where it survives a crash of the process.
 * `runtime/job-runner.ts` takes up pasted links at once, and most other requests when it is their chat's turn.
 * 3. `runtime/continue-job.ts` asks for replies: `answer` below checks who asks (`admission.ts`) and runs the
 * command (`run-command.ts`), or one command for each link. The command for a post asks `media/extract/extractor.ts`.
 * 4. The platform sends each reply once (`platforms/NAME/outgoing`); files come from `media/delivery/delivery.ts` as
 * they are sent.
 * 5. `runtime/settle-failure.ts` decides what follows a failure: another attempt, a notice, or nothing.
 */
import { AppError, StoreAway } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { actFor } from '../../infra/concurrency/running-work.ts';
import type { Command } from '../contract/command.ts';
import { type CommandSpec, commandSpec } from '../contract/command-spec.ts';
import type { Reply } from '../contract/reply.ts';
import { hidden } from '../contract/reply-parts.ts';
import {
  type AttemptContext,
  type Caller,
  callerKey,
  isUnasked,
  type LinksBody,
  onlyReply,
  type PastedLink,
  type PendingReply,
  type Position,
  partsOf,
  type ReplyBatch,
  type RequestBody,
  type TextMessage,
} from '../contract/request.ts';
import type { ButtonTokens, Services } from '../contract/services.ts';
import { createRetryGate } from '../runtime/retry-gate.ts';
import { linkLabels, notice } from '../views/notice.ts';
import { type Admission, type AdmissionOptions, createAdmission } from './admission.ts';
import { createLinkFinder, kindOfLink } from './find-links.ts';
import { createMessageReader } from './read.ts';
import { type CommandResolver, createCommandResolver } from './resolve-command.ts';
import {
  type CommandRunner,
  type CommandRunnerOptions,
  createCommandRunner,
  createFailureLog,
  type FailureLog,
  type Log,
  type RunContext,
  renderFailure,
} from './run-command.ts';
import { createAutocomplete } from './suggestions.ts';

export interface DispatcherOptions extends AdmissionOptions, CommandRunnerOptions {
  readonly commands: readonly Command[];
  /**
   * Commands for the people who host Medley: they work in private chats only, and no list or menu shows them. Default:
   * none.
   */
  readonly ownerCommands?: readonly Command[];
  readonly services: Services;
  readonly log: Log;
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

/**
 * Turns a message into replies: reads it, checks whether its caller may ask, and answers it. bot/runtime delivers the
 * replies.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { commands, services, log, ownerCommands = [] } = options;
  const logFailure = createFailureLog(log);
  const findLinks = createLinkFinder(services.extractor);
  const admission = createAdmission(options, logFailure);
  const { preferences, translator, chatSettings, isOwner, isBlocked, onUnreadable } = admission;
  const buttons = services.actions;
  const resolver = createCommandResolver(commands, ownerCommands, isOwner, buttons);
  const { listed, commandsFor, commandOf } = resolver;
  const readMessage = createMessageReader(commandsFor, services, findLinks, isBlocked);
  const run = createCommandRunner(options, findLinks, logFailure);
  const answer = createAnswer({ commands, admission, resolver, buttons, run, logFailure });
  const gate = createRetryGate(Math.random);

  /**
   * Reads what a message asks of Medley; undefined when it is not meant for Medley. If the chat's settings cannot be
   * read, the message waits until they can, unless too many wait already. Never rejects.
   */
  async function read(message: TextMessage): Promise<RequestBody | undefined> {
    for (let isRetry = false; ; isRetry = true) {
      try {
        const body = await readMessage(message);
        if (isRetry) gate.open();
        return body;
      } catch (error) {
        const isAway = error instanceof StoreAway;
        if (!isAway || !isRetry) onUnreadable(error, message.caller);
        if (!(await waits(isAway, isRetry))) return undefined;
      }
    }
  }

  /** Waits while the store is away; returns true when the message is to be read again. */
  async function waits(isAway: boolean, isRetry: boolean): Promise<boolean> {
    if (isAway) return gate.wait(Number.POSITIVE_INFINITY);
    // While the store is away, the gate lets one waiting message at a time try again. This message had its try and
    // gives up for another reason, so it opens the gate for the messages that wait behind it.
    if (isRetry) gate.open();
    return false;
  }

  /**
   * The links in a message that Medley can answer, canonical and in order. Empty if the message asks for something
   * else, and while settings cannot be read. Never rejects.
   */
  async function linksOf(message: TextMessage): Promise<readonly PastedLink[]> {
    const body = await readMessage(message).catch(error => onUnreadable(error, message.caller));
    return body?.kind === 'links' ? body.what.filter(({ url }) => findLinks(url).length > 0) : [];
  }

  return {
    ...{ read, answer, preferences, translator, chatSettings, linksOf, commandOf },
    /** Describes the commands in the reader's language: all of them, or those that one kind of chat has. */
    commandSpecs: (t: Translator, chatKind?: Caller['chatKind']): readonly CommandSpec[] =>
      listed.map(command => commandSpec(command, t, chatKind)),
    ...createAutocomplete(listed, services, admission, logFailure),
  };
}

interface AnswerParts {
  readonly commands: readonly Command[];
  readonly admission: Pick<Admission, 'preferences' | 'charge' | 'isBlocked'>;
  readonly resolver: Pick<CommandResolver, 'resolve' | 'meant'>;
  readonly buttons: Pick<ButtonTokens, 'stored'>;
  readonly run: CommandRunner;
  readonly logFailure: FailureLog;
}

/**
 * Makes the function that answers requests: it checks whether the caller may ask, then runs the command, or one command
 * for each link.
 */
function createAnswer({ commands, admission, resolver, buttons, run, logFailure }: AnswerParts) {
  const answerLinks = createLinkAnswers({ commands, admission, run });

  async function answer(body: RequestBody, attempt: AttemptContext): Promise<ReplyBatch> {
    const { caller, signal, progress, from, paid } = attempt;
    const { t, settings } = attempt.preferences ?? (await admission.preferences(caller));
    const isQuiet = settings.quietErrors && isUnasked(body);
    const context = { caller, t, signal, isQuiet, progress };
    if (await admission.isBlocked(caller)) return answerBlocked(body, context, paid);
    try {
      const batch = await answerAdmitted(body, context, attempt);
      // After one reply fails, the later ones are not awaited; without a handler, their failures would end the process.
      for (const { reply } of batch.replies) reply.catch(() => undefined);
      return batch;
    } catch (error) {
      if (error instanceof StoreAway) throw error;
      if (signal.aborted) return noReply(from, paid);
      const failure = await failureNotice(body, context, error);
      // One notice answers the whole request: it stands for every link that no earlier attempt has answered.
      return onlyReply(Promise.resolve(isQuiet ? undefined : failure), partsOf(body));
    }
  }

  /** The notice of a failure. If a command's name was mistyped, it has a button for the command that was meant. */
  async function failureNotice(body: RequestBody, context: RunContext, error: unknown): Promise<Reply> {
    const failure = renderFailure(error, body.kind, context, logFailure);
    const isUnknown = error instanceof AppError && error.params.hint === 'unknownCommand';
    const meant = isUnknown ? resolver.meant(body, context.caller, context.t) : undefined;
    if (meant === undefined) return failure;
    await buttons.stored();
    return { ...failure, actions: [meant] };
  }

  async function answerAdmitted(body: RequestBody, context: RunContext, position: Position): Promise<ReplyBatch> {
    if (body.kind === 'links') return answerLinks(body, context, position);
    if (position.from > 0) return noReply(position.from, position.paid);
    if (body.kind === 'talk') return onlyReply(Promise.resolve(notice(context.t.messages.notices.noLink)));
    const { command, raw, pressed } = await resolver.resolve(body, context.caller);
    const refusal = position.paid > 0 ? undefined : await admission.charge(command, context.caller);
    if (refusal) throw refusal;
    const shown = run(command, context, raw, pressed !== undefined);
    // The notice about a link in a spoiler has a button that tries again with the option `spoiler`. The command then
    // puts the files into a spoiler; the text is put into one here.
    return onlyReply(pressed?.spoiler === true ? shown.then(each => each && hidden(each)) : shown);
  }

  /**
   * The reply to a blocked person. A message gets no reply; after a command or a button there must be one, because the
   * platform shows that Medley is working until an answer comes.
   */
  function answerBlocked(body: RequestBody, context: RunContext, paid: number): ReplyBatch {
    if (body.kind !== 'command' && body.kind !== 'button') return noReply(partsOf(body), paid);
    const error = new AppError('forbidden', 'the caller is blocked', { params: { what: 'caller' } });
    return onlyReply(Promise.resolve(renderFailure(error, body.kind, context, logFailure)));
  }

  // Queues of heavy work let their clients take turns (see `actFor`). The client is the person or, where several people
  // share a network address, that address.
  return (body: RequestBody, attempt: AttemptContext): Promise<ReplyBatch> =>
    actFor(attempt.caller.sharedRateKey ?? callerKey(attempt.caller), () => answer(body, attempt));
}

const LINKS_AT_ONCE = 5;

/**
 * Makes the function that answers the links of a message, a few at a time, as far as the caller's rate limit allows;
 * the batch states how many links remain.
 */
function createLinkAnswers({ commands, admission, run }: Pick<AnswerParts, 'commands' | 'admission' | 'run'>) {
  // If a pasted link cannot be shown, only the person who pasted it gets the notice about it.
  const commandsByLink = new Map(
    commands.map(command => [command.accepts, { ...command, visibility: 'caller' as const }]),
  );

  async function answerLink(
    command: Command,
    { url, spoiler, view, clip, options }: LinksBody['what'][number],
    context: RunContext,
    isPasted: boolean,
  ): Promise<Reply | undefined> {
    const [first = ''] = Object.keys(command.options);
    const wished = Object.entries({ view, clip, ...options, ...(spoiler && { spoiler }) }).filter(([key]) =>
      Object.hasOwn(command.options, key),
    );
    const values = { [first]: url, ...Object.fromEntries(wished) };
    const reply = await run(command, { ...context, link: url }, () => values);
    // A post without files gets no reply if its link was only pasted: the preview of the link already shows as much.
    if (reply === undefined || (isPasted && reply.onlyWhenAsked === true)) return undefined;
    return spoiler ? hidden(reply) : reply;
  }

  return async (body: LinksBody, context: RunContext, { from, paid }: Position): Promise<ReplyBatch> => {
    const links = body.what;
    const isPasted = body.unasked === true;
    const labels = links.length > 1 ? linkLabels(links.map(({ url }) => url)) : [];
    const replies: PendingReply[] = [];
    let refusal: AppError | undefined;
    let next = from;
    for (const link of links.slice(from)) {
      const command = commandsByLink.get(kindOfLink(link.url));
      if (command !== undefined) {
        if (replies.length === LINKS_AT_ONCE) break;
        if (next >= paid) refusal = await admission.charge(command, context.caller);
        if (refusal) break;
        const about = labels.slice(next, next + 1);
        const reply = answerLink(command, link, { ...context, about }, isPasted);
        // The reply may fail before anyone waits for it; without a handler, its failure would end the process.
        reply.catch(() => undefined);
        replies.push({ reply, next: next + 1 });
      }
      next += 1;
    }
    return { replies, next, paid: Math.max(paid, next), remaining: remainingOf(links.length - next, refusal) };
  };
}

function remainingOf(links: number, refusal: AppError | undefined): ReplyBatch['remaining'] {
  return links > 0 ? { links, refusal } : undefined;
}

function noReply(next: number, paid: number): ReplyBatch {
  return { replies: [], next, paid, remaining: undefined };
}

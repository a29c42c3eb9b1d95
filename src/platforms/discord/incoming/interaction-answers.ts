import type { Caller } from '../../../bot/command.ts';
import type { Invocation } from '../../../bot/dispatch/invocation.ts';
import type { Reply } from '../../../bot/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { DiscordContext } from '../context.ts';
import { MESSAGE_LIMITS } from '../limits.ts';
import { type Answer, createAnswer, type Destination } from '../outgoing/answer.ts';
import { deleteButtonId } from '../outgoing/delete-button.ts';
import { failureNotice } from '../outgoing/failure-notice.ts';
import { SendFailure } from '../outgoing/send.ts';

/** An interaction that was acknowledged. */
export interface InteractionWork {
  /** Of the kept job, if it is worth keeping. */
  readonly jobId: string | undefined;
  readonly caller: Caller;
  readonly token: string;
  readonly fileBytes: number;
  /** Where only the person has installed Medley, which bounds the follow-ups. */
  readonly isPersonal: boolean;
  readonly first: FirstMessage;
  readonly invocation: InvocationOf;
  /** It may have been answered before the process ended: only what cannot stand there twice is sent. */
  readonly isRepeat?: boolean;
}

type InvocationOf = Invocation extends infer Each
  ? Each extends Invocation
    ? Omit<Each, 'signal' | 'caller'>
    : never
  : never;

/** What `@original` is. */
export type FirstMessage =
  /** The deferred answer; nobody but the caller sees it when it is ephemeral. */
  | { readonly kind: 'deferred'; readonly isEphemeral: boolean }
  /** The message whose button was pressed, with the id of its own delete button. */
  | { readonly kind: 'pressed'; readonly isEphemeral: boolean; readonly deleteId: string | undefined };

export interface InteractionAnswers {
  /** Never rejects. */
  answer(work: InteractionWork): Promise<void>;
}

/** Answers interactions: the deferred message is edited, what does not fit follows. */
export function createInteractionAnswers(desk: DiscordContext): InteractionAnswers {
  const { dispatcher, delivery, jobs, sender, log, signal } = desk;

  async function answer(work: InteractionWork): Promise<void> {
    const { jobId, caller, invocation, fileBytes } = work;
    const t = await dispatcher.translator(caller);
    const outcome = { fileBytes, canAttach: true };
    const shared = createAnswer(outcome, { delivery, t, log, signal });
    const personal = createAnswer(outcome, { delivery, t, log, signal });
    const said: Said = { messages: 0, followUps: 0 };
    try {
      await dispatcher.dispatch(
        { ...invocation, caller, signal },
        {
          progress: () => undefined,
          reply: reply => (isForOne(reply, work) ? personal : shared).add(reply),
        },
      );
      if (signal.aborted) return;
      await deliver(work, shared, personal, said);
      if (jobId !== undefined) jobs.done(jobId);
    } catch (error) {
      if (!signal.aborted) await fail(error, work, t, said);
    } finally {
      await shared.dispose();
      await personal.dispose();
    }
  }

  async function deliver(work: InteractionWork, shared: Answer, personal: Answer, said: Said): Promise<void> {
    const { first } = work;
    const kept = personal.replies.length > 0 ? 1 : 0;
    if (shared.replies.length > 0) {
      await shared.finish(destinationOf(work, isHidden(first), said, 1 + mostFollowUps(work) - kept));
    }
    // As long as nothing was said, a follow-up would take the deferred message's place and be seen by all.
    else if (first.kind === 'deferred') await sender.deleteOriginal(work.token);
    if (personal.replies.length === 0) return;
    const followUp = destinationOf(work, true, said, mostFollowUps(work) - said.followUps);
    await personal.finish({
      ...followUp,
      deleteId: undefined,
      isRepeatable: () => false,
      send: (content, place) => followUp.send(content, place + 1),
    });
  }

  function destinationOf(work: InteractionWork, hidden: boolean, said: Said, messages: number): Destination {
    const { jobId, caller, token, fileBytes, first, isRepeat } = work;
    const ownDelete = hidden ? undefined : deleteButtonId(caller.userId);
    return {
      fileBytes,
      canAttach: true,
      deleteId: first.kind === 'pressed' ? first.deleteId : ownDelete,
      messages,
      // Follow-ups know no nonce.
      isRepeatable: (place: number) => place === 0,
      async send(content, place) {
        if (jobId !== undefined) jobs.sending(jobId);
        if (place === 0) await sender.editOriginal(token, content, signal);
        else if (isRepeat) return;
        else if (said.followUps >= mostFollowUps(work)) {
          log.warn({}, 'discord: an answer was longer than one interaction may be answered');
          return;
        } else {
          said.followUps += 1;
          await sender.followUp(token, content, hidden, signal);
        }
        said.messages += 1;
      },
    };
  }

  async function fail(error: unknown, work: InteractionWork, t: Translator, said: Said): Promise<void> {
    const { jobId, first, token } = work;
    const problem = error instanceof SendFailure ? error.problem : undefined;
    const isGone = problem === 'gone';
    log[isGone ? 'info' : 'error']({ err: error, job: jobId }, 'discord: an interaction could not be answered');
    try {
      if (jobId !== undefined) jobs.done(jobId);
      if (isGone || first.kind === 'pressed') return;
      const sorry = createAnswer({ fileBytes: 0, canAttach: false }, { delivery, t, log, signal });
      sorry.add(failureNotice(error, t));
      await sorry.finish({
        ...destinationOf(work, true, said, 1),
        deleteId: undefined,
        // What stands there already stays, and where Discord wants no edits for a while, a follow-up may still pass.
        send: content =>
          said.messages > 0 || problem === 'rate_limited'
            ? sender.followUp(token, content, true, signal)
            : sender.editOriginal(token, content, signal),
      });
    } catch (cause) {
      log.info({ err: cause, job: jobId }, 'discord: a failure could not be told');
    }
  }

  return { answer };
}

/** What has been sent of one answer. */
interface Said {
  messages: number;
  followUps: number;
}

function mostFollowUps({ isPersonal }: InteractionWork): number {
  return isPersonal ? MESSAGE_LIMITS.followUps : Number.POSITIVE_INFINITY;
}

function isHidden(first: FirstMessage): boolean {
  return first.isEphemeral;
}

/** What is not for everyone's eyes, and what must not take the place of what a button stands under. */
function isForOne({ visibility, tone }: Reply, { first, caller }: InteractionWork): boolean {
  if (first.kind === 'pressed') {
    return tone === 'notice' || tone === 'error' || (visibility === 'caller' && !first.isEphemeral);
  }
  return visibility === 'caller' && !first.isEphemeral && caller.chatKind === 'group';
}

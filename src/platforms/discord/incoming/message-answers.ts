import { type Caller, chatKey } from '../../../bot/command.ts';
import type { PastedLink } from '../../../bot/dispatch/invocation.ts';
import { createNoticePace } from '../../../bot/runtime/notice-pace.ts';
import type { DiscordContext } from '../context.ts';
import { TIMES } from '../limits.ts';
import { type Answer, createAnswer, type Destination } from '../outgoing/answer.ts';
import { deleteButtonId } from '../outgoing/delete-button.ts';
import { SendFailure } from '../outgoing/send.ts';
import { rightsIn } from '../permissions.ts';
import type { MessageTarget } from './job-payload.ts';
import { createTyping } from './typing.ts';

/** A message that was accepted as a job. */
export interface MessageWork {
  readonly jobId: string;
  readonly caller: Caller;
  readonly target: MessageTarget;
  /** Empty after a restart: no text is kept. */
  readonly text: string;
  readonly links: readonly PastedLink[];
}

export interface MessageAnswers {
  /** Never rejects. */
  answer(work: MessageWork): Promise<void>;
  /** Notices that are still to go away stay. */
  close(): void;
}

/** Answers messages by replies to them. */
export function createMessageAnswers(desk: DiscordContext): MessageAnswers {
  const { dispatcher, delivery, settings, jobs, sender, suppression, log, signal } = desk;
  const leaving = new Set<NodeJS.Timeout>();
  const pace = createNoticePace({ now: desk.now });

  async function answer({ jobId, caller, target, text, links }: MessageWork): Promise<void> {
    const t = await dispatcher.translator(caller);
    const answered = createAnswer(target, { delivery, t, log, signal });
    const typing = createTyping(sender, target.channelId, error =>
      log.debug({ err: error }, 'discord: typing could not be shown'),
    );
    try {
      const { direct } = target;
      await dispatcher.dispatch(
        { kind: 'text', caller, text, direct, links, signal },
        { progress: () => typing.start(), reply: reply => answered.add(reply) },
      );
      // What was ended by a stop is kept for the next start.
      if (signal.aborted) return;
      const isWhole = answered.replies.length > 0 && (await deliverInTurn(jobId, caller, target, answered));
      jobs.done(jobId);
      if (isWhole && target.isOnlyLinks) await hideEmbeds(caller, target);
    } catch (error) {
      if (!signal.aborted) fail(jobId, error);
    } finally {
      typing.stop();
      await answered.dispose();
    }
  }

  /** Delivers, notices about a limit at their pace: a person over it cannot make Medley flood a channel. Whether all has arrived. */
  async function deliverInTurn(
    jobId: string,
    caller: Caller,
    target: MessageTarget,
    answered: Answer,
  ): Promise<boolean> {
    const isLimitNotice = !target.isPrivate && answered.replies.every(({ outdatedMs }) => outdatedMs !== undefined);
    if (!isLimitNotice) return deliver(jobId, caller, target, answered);
    const post = async () => void (await deliver(jobId, caller, target, answered));
    await pace.put(`${target.channelId} ${caller.userId}`, post, signal);
    return false;
  }

  /** Whether all that was asked for has arrived. */
  async function deliver(jobId: string, caller: Caller, target: MessageTarget, answered: Answer): Promise<boolean> {
    const { replies } = answered;
    const sent: string[] = [];
    const { isWhole } = await answered.finish(destinationOf(jobId, caller, target, sent));
    const isNotice = !target.isPrivate && replies.every(({ visibility }) => visibility === 'caller');
    if (isNotice) leaveSoon(target.channelId, sent);
    return isWhole && replies.every(({ tone, gallery }) => tone === 'neutral' && gallery.length > 0);
  }

  function destinationOf(jobId: string, { userId }: Caller, target: MessageTarget, sent: string[]): Destination {
    const { channelId, messageId, canReply, fileBytes, canAttach } = target;
    return {
      fileBytes,
      canAttach,
      deleteId: deleteButtonId(userId),
      messages: Number.POSITIVE_INFINITY,
      isRepeatable: () => true,
      async send(content, place) {
        jobs.sending(jobId);
        const nonce = `${messageId}-${place}`;
        const replyTo = canReply ? (sent.at(-1) ?? messageId) : undefined;
        sent.push(await post(nonce, replyTo));

        async function post(key: string, to: string | undefined): Promise<string> {
          try {
            return await sender.post(channelId, content, { nonce: key, replyTo: to }, signal);
          } catch (error) {
            // The right to read the history was taken away a moment ago.
            if (to === undefined || !(error instanceof SendFailure) || error.code !== NO_HISTORY) throw error;
            return post(key, undefined);
          }
        }
      },
    };
  }

  async function hideEmbeds(caller: Caller, target: MessageTarget): Promise<void> {
    if (!rightsIn(desk.client(), placeOf(target)).manage) return;
    try {
      // An embed stays where it cannot be read whether it shall.
      if (!(await settings.chat(chatKey(caller))).suppressEmbeds) return;
      await suppression.suppress(target);
    } catch (error) {
      log.info({ err: error }, 'discord: an embed could not be hidden');
    }
  }

  /** What concerns one person cannot be hidden from others here, but it need not stay. */
  function leaveSoon(channelId: string, messageIds: readonly string[]): void {
    const timer = setTimeout(() => {
      leaving.delete(timer);
      for (const id of messageIds) {
        sender.deleteMessage(channelId, id).catch((error: unknown) => {
          log.debug({ err: error }, 'discord: a notice could not be deleted');
        });
      }
    }, TIMES.notice);
    timer.unref();
    leaving.add(timer);
  }

  function fail(jobId: string, error: unknown): void {
    const problem = error instanceof SendFailure ? error.problem : undefined;
    // The message was deleted, or the right to write was taken away: nothing of ours is wrong.
    const level = problem === 'gone' || problem === 'forbidden' ? 'info' : 'error';
    log[level]({ err: error, job: jobId }, 'discord: a message could not be answered');
    try {
      jobs.done(jobId);
    } catch (cause) {
      log.error({ err: cause, job: jobId }, 'discord: a job could not be closed');
    }
  }

  return {
    answer,
    close() {
      for (const timer of leaving) clearTimeout(timer);
      leaving.clear();
    },
  };
}

const NO_HISTORY = 160002;

function placeOf({ guildId, channelId }: MessageTarget) {
  return { guildId, channelId };
}

import type { Reply } from '../../../bot/reply.ts';
import type { Sending } from '../../../bot/runtime/chat-platform.ts';
import { MESSAGE_LIMITS, TIMES } from '../limits.ts';
import type { InteractionReplyTo } from '../reply-to.ts';
import type { Answer } from './answer.ts';
import type { AnswerParts } from './answer-parts.ts';
import { deleteButtonId, matchDeleteButton } from './delete-button.ts';
import type { AnswerKey, Content, DiscordApi } from './discord-api.ts';
import { nonceOf, postReply } from './post-reply.ts';
import { SendFailure, type SendProblem } from './send-failure.ts';

export interface InteractionAnswers {
  /** For all who see the interaction. */
  readonly shared: Answer;
  /** For the person who asked alone. */
  readonly personal: Answer;
}

export interface InteractionSenderOptions {
  readonly api: Pick<DiscordApi, 'post' | 'editOriginal' | 'followUp' | 'originalState' | 'deleteOriginal'>;
  readonly parts: AnswerParts;
}

/** Edits the deferred message, or the one whose button was pressed; what does not fit follows. */
export async function sendInteraction(
  { api, parts }: InteractionSenderOptions,
  key: AnswerKey,
  { shared, personal }: InteractionAnswers,
  sending: Sending,
  to: InteractionReplyTo,
): Promise<void> {
  const { request, signal, put, isFirst, isLast } = sending;
  const eventId = request.id.slice(request.platform.length + 1);
  // A deferred answer is edited once; what comes later in the same request follows.
  const isOpen = to.pressed !== undefined || isFirst || (await api.originalState(key, signal)) === 'pending';
  const followUps = mostFollowUps(to, sending);
  const kept = personal.replies.length > 0 ? 1 : 0;

  async function follow(name: string, content: Content, isEphemeral: boolean): Promise<string | undefined> {
    if (to.isFirstOnly === true) return undefined;
    return put(name, () => api.followUp(key, content, isEphemeral, signal));
  }

  /** As a message of the channel where that may be, since Discord knows a repeat of those; of follow-ups it does not. */
  async function followForAll(name: string, content: Content, last: string | undefined): Promise<string | undefined> {
    if (to.isFirstOnly === true || !mayPost(to, sending, content)) return follow(name, content, to.isEphemeral);
    const replyTo = to.rights.reply ? last : undefined;
    try {
      return await put(
        name,
        async tag =>
          (await postReply(api, request.chat.id, content, { nonce: nonceOf(eventId, tag), replyTo }, signal)).id,
        { repeatMs: TIMES.nonce },
      );
    } catch (error) {
      if (!(error instanceof SendFailure) || !REFUSED.has(error.problem)) throw error;
      return follow(name, content, to.isEphemeral);
    }
  }

  const ownDelete = to.isEphemeral ? undefined : deleteButtonId({ requesterId: request.user.id, answerId: eventId });
  if (shared.replies.length > 0) {
    const deleteId = to.pressed === undefined ? ownDelete : to.pressed.deleteId;
    const answerId = matchDeleteButton(deleteId ?? '')?.answerId;
    const sent: string[] = [];
    await shared.finish({
      fileBytes: to.fileBytes,
      canAttach: true,
      deleteId,
      messages: Math.max(1, Number(isOpen) + followUps - kept),
      async send(content, place, count) {
        const last = async () =>
          sent.at(-1) ?? (answerId === undefined ? undefined : (await parts.of(answerId)).at(-1));
        const id =
          place > 0 || !isOpen
            ? await followForAll(`${place}`, content, await last())
            : await put('0', () => api.editOriginal(key, content, signal), { repeatMs: TIMES.token });
        if (id !== undefined) sent.push(id);
        if (answerId !== undefined && (count > 1 || !isFirst || !isLast)) await parts.add(answerId, sent);
        return true;
      },
    });
  }
  if (personal.replies.length === 0) return;
  // As long as nothing was said, a follow-up would take the deferred message's place and be seen by all.
  if (shared.replies.length === 0 && isOpen && to.pressed === undefined) await api.deleteOriginal(key, signal);
  await personal.finish({
    fileBytes: to.fileBytes,
    canAttach: true,
    deleteId: undefined,
    messages: Math.max(1, followUps),
    async send(content, place) {
      await follow(`p${place}`, content, true);
      return true;
    },
  });
}

/** Said of a message of the channel they say nothing of a follow-up, which has rights and limits of its own. */
const REFUSED: ReadonlySet<SendProblem> = new Set(['too_large', 'forbidden', 'blocked', 'refused', 'gone']);

/** Whether Medley itself is in the channel, and may write there what the answer holds. */
function mayPost(to: InteractionReplyTo, { request: { chat } }: Sending, { uploads }: Content): boolean {
  const isThere = to.personal === undefined && (chat.groupId !== undefined || chat.kind === 'private');
  return isThere && !to.isEphemeral && to.rights.send && (uploads.length === 0 || to.rights.attach);
}

/** Whether it is not for everyone's eyes, or must not take the place of what a button stands under. */
export function isForOne({ visibility, tone }: Reply, to: InteractionReplyTo, isGroup: boolean): boolean {
  const isHidden = visibility === 'caller' && !to.isEphemeral;
  if (to.pressed !== undefined) return tone === 'notice' || tone === 'error' || isHidden;
  return isHidden && isGroup;
}

/** Where only the person has installed Medley there are five in all: parts of an answer that come later need theirs too. */
function mostFollowUps({ personal }: InteractionReplyTo, { isFirst, isLast }: Sending): number {
  if (personal === undefined) return Number.POSITIVE_INFINITY;
  if (!isFirst) return 1;
  return isLast ? MESSAGE_LIMITS.followUps : 2;
}

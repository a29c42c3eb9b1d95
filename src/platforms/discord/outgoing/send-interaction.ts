import type { Sending } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import type { AnswerKey, Content, DiscordApi } from '../api/discord-api.ts';
import { MESSAGE_LIMITS, TIMES } from '../api/limits.ts';
import type { InteractionReplyTo } from '../api/reply-to.ts';
import { isTokenDead } from '../api/send-failure.ts';
import type { Answer } from './answer.ts';
import type { AnswerParts } from './answer-parts.ts';
import { deleteButtonId, matchDeleteButton } from './delete-button.ts';
import { createFollowUps } from './follow-up.ts';
import { holdsFiles } from './uploads.ts';
import { BACK_ID, hasButtons, type ViewHistory } from './view-history.ts';

export interface InteractionAnswers {
  /** For all who see the interaction. */
  readonly shared: Answer;
  /** For the person who asked alone. */
  readonly personal: Answer;
}

export interface InteractionSenderOptions {
  readonly api: Pick<DiscordApi, 'post' | 'editOriginal' | 'followUp' | 'originalState' | 'deleteOriginal'>;
  readonly parts: AnswerParts;
  readonly history: ViewHistory;
}

/** Edits the deferred message, or the one whose button was pressed; what does not fit follows. */
export async function sendInteraction(
  { api, parts, history }: InteractionSenderOptions,
  key: AnswerKey,
  { shared, personal }: InteractionAnswers,
  sending: Sending,
  to: InteractionReplyTo,
): Promise<void> {
  const { request, signal, sendOnce, isFirst, isLast } = sending;
  const eventId = request.id.slice(request.platform.length + 1);
  // A deferred answer is edited once; what comes later in the same request follows.
  const isOpen = to.pressed !== undefined || isFirst || (await isPending(api, key, signal));
  const most = mostFollowUps(to, sending);
  const kept = personal.replies.length > 0 ? 1 : 0;

  const followUps = createFollowUps({ api, key, sending, to, eventId });

  /** Edits; where the token is dead, what all may see stands in the channel instead. */
  async function begin(content: Content): Promise<string | undefined> {
    const options = { repeatMs: TIMES.token, isUpload: holdsFiles(content.uploads) };
    try {
      return await sendOnce('0', () => api.editOriginal(key, content, signal), options);
    } catch (error) {
      if (to.pressed !== undefined || !isTokenDead(error) || !followUps.mayPost(content)) throw error;
      return followUps.forAll('0', content, undefined);
    }
  }

  const ownDelete = to.isEphemeral ? undefined : deleteButtonId({ requesterId: request.user.id, answerId: eventId });
  if (shared.replies.length > 0) {
    const deleteId = to.pressed === undefined ? ownDelete : to.pressed.deleteId;
    const answerId = matchDeleteButton(deleteId ?? '')?.answerId;
    const sent: string[] = [];
    const lastPart = async () => (answerId === undefined ? undefined : (await parts.of(answerId)).at(-1));
    const views = await history.next(request, to.pressed);
    const isView = shared.replies.length === 1 && isFirst && isLast;
    const isKept = isView && (views.length > 1 || shared.replies.some(hasButtons));
    await shared.finish({
      fileBytes: to.fileBytes,
      canAttach: true,
      deleteId,
      ...(isView && to.pressed !== undefined && views.length > 1 && { backId: BACK_ID }),
      messages: Math.max(1, Number(isOpen) + most - kept),
      async send(content, place, count) {
        const id =
          place > 0 || !isOpen
            ? await followUps.forAll(`${place}`, content, sent.at(-1) ?? (await lastPart()))
            : await begin(content);
        if (id !== undefined) sent.push(id);
        if (id !== undefined && place === 0 && isKept) await history.keep(id, views, request);
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
    messages: Math.max(1, most),
    async send(content, place) {
      await followUps.forCaller(`p${place}`, content);
      return true;
    },
  });
}

/** Whether the deferred answer has said nothing yet. */
async function isPending(
  api: Pick<DiscordApi, 'originalState'>,
  key: AnswerKey,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await api.originalState(key, signal)) === 'pending';
  } catch (error) {
    if (isTokenDead(error)) return false;
    throw error;
  }
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

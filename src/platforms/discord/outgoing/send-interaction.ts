import type { Reply } from '../../../bot/reply.ts';
import type { Sending } from '../../../bot/runtime/chat-platform.ts';
import { MESSAGE_LIMITS, TIMES } from '../limits.ts';
import type { InteractionReplyTo } from '../reply-to.ts';
import type { Answer } from './answer.ts';
import { deleteButtonId } from './delete-button.ts';
import type { AnswerKey, Content, DiscordApi } from './discord-api.ts';

export interface InteractionAnswers {
  /** For all who see the interaction. */
  readonly shared: Answer;
  /** For the person who asked alone. */
  readonly personal: Answer;
}

/** Edits the deferred message, or the one whose button was pressed; what does not fit follows. */
export async function sendInteraction(
  api: Pick<DiscordApi, 'editOriginal' | 'followUp' | 'originalState' | 'deleteOriginal'>,
  key: AnswerKey,
  { shared, personal }: InteractionAnswers,
  sending: Sending,
  to: InteractionReplyTo,
): Promise<void> {
  const { request, signal, put, isFirst } = sending;
  // A deferred answer is edited once; what comes later in the same request follows.
  const isOpen = to.pressed !== undefined || isFirst || (await api.originalState(key, signal)) === 'pending';
  const followUps = mostFollowUps(to, sending);
  const kept = personal.replies.length > 0 ? 1 : 0;

  async function follow(name: string, content: Content, isEphemeral: boolean): Promise<void> {
    if (to.isFirstOnly === true) return;
    await put(name, () => api.followUp(key, content, isEphemeral, signal));
  }

  const ownDelete = to.isEphemeral ? undefined : deleteButtonId(request.user.id);
  if (shared.replies.length > 0) {
    await shared.finish({
      fileBytes: to.fileBytes,
      canAttach: true,
      deleteId: to.pressed === undefined ? ownDelete : to.pressed.deleteId,
      messages: Math.max(1, Number(isOpen) + followUps - kept),
      async send(content, place) {
        if (place > 0 || !isOpen) await follow(`${place}`, content, to.isEphemeral);
        else await put('0', () => api.editOriginal(key, content, signal), { repeatMs: TIMES.token });
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

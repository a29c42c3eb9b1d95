import type { Sending } from '../../../bot/contract/chat-platform.ts';
import type { AnswerKey, Content, DiscordApi } from '../api/discord-api.ts';
import { nonceOf } from '../api/ids.ts';
import { TIMES } from '../api/limits.ts';
import type { InteractionReplyTo } from '../api/reply-to.ts';
import { SendFailure, type SendProblem } from '../api/send-failure.ts';
import { postReply } from './post-reply.ts';
import { holdsFiles } from './uploads.ts';

export interface FollowUpOptions {
  readonly api: Pick<DiscordApi, 'post' | 'followUp'>;
  readonly key: AnswerKey;
  readonly sending: Sending;
  readonly to: InteractionReplyTo;
  /** The interaction's own id. */
  readonly eventId: string;
}

/** What comes after the first message of an answer; resolves with its id, unless it stood there already. @throws SendFailure */
export interface FollowUps {
  /** Whether it may stand in the channel as a message of Medley's own. */
  mayPost(content: Content): boolean;
  /** `last`: the message before it. */
  forAll(name: string, content: Content, last: string | undefined): Promise<string | undefined>;
  forCaller(name: string, content: Content): Promise<string | undefined>;
}

export function createFollowUps({ api, key, sending, to, eventId }: FollowUpOptions): FollowUps {
  const { request, settings, signal, sendOnce } = sending;

  async function follow(name: string, content: Content, isEphemeral: boolean): Promise<string | undefined> {
    const isUpload = holdsFiles(content.uploads);
    return sendOnce(name, () => api.followUp(key, content, isEphemeral, signal), { isUpload });
  }

  /** Whether Medley itself is in the channel and may write there what the answer holds: in private chats it always may. */
  function mayPost({ uploads }: Content): boolean {
    const { kind, groupId } = request.chat;
    if (to.isEphemeral || to.personal !== undefined) return false;
    const mayWrite = to.rights.send && (uploads.length === 0 || to.rights.attach);
    return kind === 'private' || (groupId !== undefined && mayWrite);
  }

  return {
    mayPost,
    // As a message of the channel where that may be, since Discord knows a repeat of those; of follow-ups it does not.
    async forAll(name, content, last) {
      if (!mayPost(content)) return follow(name, content, to.isEphemeral);
      const replyTo = to.rights.reply ? last : undefined;
      const { silent: isSilent } = settings;
      const post = async (nonce: string) =>
        (await postReply(api, request.chat.id, content, { nonce, replyTo, isSilent }, signal)).id;
      try {
        return await sendOnce(name, tag => post(nonceOf(eventId, tag)), {
          repeatMs: TIMES.nonce,
          isUpload: holdsFiles(content.uploads),
        });
      } catch (error) {
        if (!(error instanceof SendFailure) || !REFUSED.has(error.problem)) throw error;
        return follow(name, content, to.isEphemeral);
      }
    },
    forCaller: (name, content) => follow(name, content, true),
  };
}

/** Said of a message of the channel they say nothing of a follow-up, which has rights and limits of its own. */
const REFUSED: ReadonlySet<SendProblem> = new Set(['too_large', 'forbidden', 'blocked', 'refused', 'gone']);

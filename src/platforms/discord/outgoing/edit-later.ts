import * as z from 'zod';
import type { ChatPlatform } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Delivery } from '../../../media/delivery/delivery.ts';
import type { Content, DiscordApi } from '../api/discord-api.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import { createAnswer } from './answer.ts';
import { deleteButtonId } from './delete-button.ts';
import type { SendOptions } from './send.ts';
import { BACK_ID, type ViewHistory } from './view-history.ts';

type Send = ChatPlatform<DiscordReplyTo>['send'];

export interface MendingSendOptions {
  readonly send: Send;
  readonly api: Pick<DiscordApi, 'editMessage' | 'editOriginal'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  /** Where the interaction did not say it. */
  readonly applicationId: () => string;
  readonly commandIds: SendOptions['commandIds'];
  readonly history: Pick<ViewHistory, 'depth'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** A message of its own, as `post` gives it, or that of an interaction. */
const Placed = z.union([z.object({ id: z.string() }), z.string().transform(id => ({ id }))]);
/** Of the first message of an answer. */
const FIRST = '0';

/** Sends replies, and edits the message of one whose rest comes later: only where it is the only one, so that it has the message alone. */
export function createMendingSend(options: MendingSendOptions): Send {
  const { send, api, delivery, applicationId, commandIds, history, log } = options;
  return async (replies, sending) => {
    const { to, t, request, editLater } = sending;
    const seen: Reply[] = [];
    const placed = new Map<string, unknown>();
    async function* noted(): AsyncGenerator<Reply> {
      for await (const reply of replies) {
        seen.push(reply);
        yield reply;
      }
    }
    await send(noted(), {
      ...sending,
      async sendOnce(key, call, options) {
        const result = await sending.sendOnce(key, call, options);
        placed.set(key, result);
        return result;
      },
    });
    const [reply, ...others] = seen;
    const posted = Placed.safeParse(placed.get(FIRST)).data;
    if (reply?.later === undefined || others.length > 0 || placed.size !== 1 || !placed.has(FIRST)) return;
    // What comes later to an interaction follows the message that is its own.
    if (to.kind === 'interaction' && !sending.isFirst) return;

    const edit = async (content: Content, signal: AbortSignal): Promise<void> => {
      if (to.kind === 'interaction') {
        await api.editOriginal(
          { applicationId: to.applicationId ?? applicationId(), token: to.token },
          content,
          signal,
        );
      } else if (posted !== undefined) await api.editMessage(to.channelId, posted.id, content, signal);
    };
    const pressed = to.kind === 'interaction' ? to.pressed : undefined;
    const answerId = request.id.slice(request.platform.length + 1);
    const isPrivate = to.kind === 'interaction' && to.isEphemeral;
    const ownDelete = isPrivate ? undefined : deleteButtonId({ requesterId: request.user.id, answerId });
    editLater?.(reply.later, async (better, signal) => {
      const messageId = posted?.id ?? pressed?.messageId;
      const depth = messageId === undefined ? 0 : await history.depth(messageId, request);
      // What its reader opened meanwhile stays.
      if (depth === undefined) return;
      const canAttach = to.kind === 'interaction' || to.rights.attach;
      const commands = await commandIds.current();
      const isBack = pressed !== undefined && depth > 1;
      const answer = createAnswer({ fileBytes: to.fileBytes, canAttach }, { delivery, t, commands, log, signal });
      try {
        answer.add(better);
        await answer.finish({
          ...{ fileBytes: to.fileBytes, canAttach, messages: 1 },
          deleteId: pressed === undefined ? ownDelete : pressed.deleteId,
          ...(isBack && { backId: BACK_ID }),
          async send(content, place) {
            if (place === 0) await edit(content, signal);
            return true;
          },
        });
      } finally {
        await answer.dispose();
      }
    });
  };
}

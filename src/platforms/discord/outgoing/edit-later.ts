import type { Sending } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import { BACK_ID, deleteIdOf } from '../render/buttons.ts';
import type { DiscordContext } from './context.ts';
import { createReplyGroup } from './reply-group.ts';
import { answerKeyOf } from './send-interaction.ts';

type EditContext = Pick<DiscordContext, 'api' | 'delivery' | 'commandIds' | 'applicationId' | 'history' | 'log'>;

/** Shows a better reply in the place of the one that was sent, once it is there. `messageId` is undefined where it is not known. */
export function replaceLater(
  context: EditContext,
  { to, t, request, editLater }: Sending<DiscordReplyTo>,
  later: Promise<Reply | undefined>,
  messageId: string | undefined,
): void {
  const { api, history } = context;
  const pressed = to.kind === 'interaction' ? to.pressed : undefined;
  editLater?.(later, async (better, signal) => {
    const shownIn = messageId ?? pressed?.messageId;
    const depth = shownIn === undefined ? 0 : await history.depth(shownIn, request);
    // The reader has opened something else in the message, and that stays.
    if (depth === undefined) return;
    const limits = { fileBytes: to.fileBytes, canAttach: to.kind === 'interaction' || to.rights.attach };
    const group = createReplyGroup(limits, { ...context, t, signal, commands: await context.commandIds.current() });
    try {
      group.add(better);
      await group.finish({
        deleteId: deleteIdOf(to, request),
        backId: pressed !== undefined && depth > 1 ? BACK_ID : undefined,
        messages: 1,
        async send(content, place) {
          if (place > 0) return true;
          if (to.kind === 'interaction') await api.editOriginal(answerKeyOf(to, context), content, signal);
          else if (messageId !== undefined) await api.editMessage(to.channelId, messageId, content, signal);
          return true;
        },
      });
    } finally {
      await group.dispose();
    }
  });
}

import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import { textBlock } from '../../../bot/contract/reply-parts.ts';
import { isWithoutRight } from '../api/bot-api-error.ts';
import { EMPTY, styleOf } from '../render/formatted-text.ts';
import { type FollowUpPayload, type MediaPayload, renderMissing, renderReply } from '../render/render.ts';
import { renderRich } from '../render/rich-message.ts';
import { renderText } from '../render/text-message.ts';
import type { ReplyContext, TelegramContext } from './context.ts';
import { createUploadTurns } from './file-candidates.ts';
import { createFileSender, type KnownWays, type SentFilesResult } from './file-sender.ts';
import type { ChatActions, MessageApi } from './message-api.ts';
import { createRichSender } from './rich-sender.ts';
import type { WordSender } from './words.ts';

export type Sender = ReturnType<typeof createSender>;

/** Sends replies. All methods throw BotApiError, and whatever `sendOnce` throws. */
export function createSender(telegram: TelegramContext, messages: MessageApi, actions: ChatActions, words: WordSender) {
  const inTurn = createUploadTurns(actions);
  const sendFiles = createFileSender(telegram, messages, inTurn);
  const sendRich = createRichSender(telegram, messages, inTurn);

  /** Sends the message below albums, which counts their files and has their buttons. It is not sent without buttons. */
  async function sendFollowUp(
    { content, keyboard }: FollowUpPayload,
    { gallery }: Reply,
    albums: readonly SentFilesResult[],
    context: ReplyContext,
  ): Promise<void> {
    if (!albums.some(({ isAnySent }) => isAnySent)) return;
    const buttons = context.extra?.(gallery, allIds(albums)) ?? [];
    const rows = [...(keyboard?.inline_keyboard ?? []), ...(buttons.length === 0 ? [] : [buttons])];
    if (rows.length === 0) return;
    const text = {
      kind: 'text',
      content,
      preview: { is_disabled: true },
      keyboard: { inline_keyboard: rows },
    } as const;
    await words.sendText(text, { ...context, to: { ...context.to, silent: true } });
  }

  /** Sends the files. Undefined if the chat allows no files: then the text is sent with a sentence that says so. */
  async function sendMedia(
    payload: MediaPayload,
    reply: Reply,
    context: ReplyContext,
    known: KnownWays | undefined,
  ): Promise<SentFilesResult | undefined> {
    try {
      return await sendFiles(payload, context, known);
    } catch (error) {
      if (!isWithoutRight(error)) throw error;
      const sentence = textBlock([context.t.messages.telegram.noFiles]);
      const blocks = [...reply.blocks, sentence];
      await words.sendText(renderText(blocks, reply.actions, styleOf(reply, context.t)), context);
      return undefined;
    }
  }

  /** Sends a reply in as many messages as are needed. */
  async function sendParts(reply: Reply, context: ReplyContext, known?: KnownWays): Promise<boolean> {
    const { t, extra, key } = context;
    const results: SentFilesResult[] = [];
    for (const [index, payload] of renderReply(reply, t, extra?.(reply.gallery, [])).entries()) {
      const own = { ...context, key: `${key}${index.toString(36)}` };
      if (payload.kind === 'media') {
        const result = await sendMedia(payload, reply, own, known);
        if (result === undefined) return false;
        results.push(result);
      } else if (payload.kind === 'followUp') await sendFollowUp(payload, reply, results, own);
      else await words.send(payload, own);
    }
    const missing = results.flatMap(result => result.missing);
    if (missing.length === 0) return results.every(({ isConfirmed }) => isConfirmed);
    const blocks = results.some(({ isAnySent }) => isAnySent) ? [] : reply.blocks;
    await words.sendText(renderMissing(reply, blocks, missing, t), { ...context, key: `${key}z` });
    return false;
  }

  return {
    /** Sends the reply; resolves with true when all its files have certainly arrived in full. */
    async send(reply: Reply, context: ReplyContext): Promise<boolean> {
      const { gallery } = reply;
      if (gallery.length < 2) return sendParts(reply, context);
      const extra = context.extra?.(gallery, []) ?? [];
      const rich = renderRich(reply, context.t, { extra, from: telegram.limits.richFrom });
      if (rich === undefined) return sendParts(reply, context);
      return sendRich(rich, context, known => sendParts(reply, context, known));
    },
    /** Sends one file without text; resolves with the message's id, or undefined when the file cannot be fetched. */
    async sendFile(item: GalleryItem, context: ReplyContext): Promise<number | undefined> {
      const payload: MediaPayload = { kind: 'media', items: [item], caption: EMPTY, keyboard: undefined };
      const sent = await sendFiles(payload, context);
      return sent.messages[0]?.message_id;
    },
  };
}

function allIds(results: readonly SentFilesResult[]): readonly number[] | undefined {
  const ids = results.flatMap(result => (result.ids === undefined ? [] : [result.ids]));
  return ids.length === results.length ? ids.flat() : undefined;
}

import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import { textBlock } from '../../../bot/contract/reply-parts.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { BotApiError, isPlaceGone, isShutOut, isWithoutRight } from '../api/bot-api-error.ts';
import { RichPart, type SentMessage, type SentRich } from '../api/methods.ts';
import { EMPTY, styleOf } from '../render/formatted-text.ts';
import { type FollowUpPayload, type MediaPayload, renderMissing, renderReply } from '../render/render.ts';
import { type RichPayload, renderRich, richBlocks } from '../render/rich-message.ts';
import { renderText } from '../render/text-message.ts';
import type { ReplyContext, TelegramContext } from './context.ts';
import { createFileCandidates, createUploadTurns, culprits, postKey, type UploadInTurn } from './file-candidates.ts';
import {
  createFileSender,
  findWays,
  type KnownWays,
  type ReadyFile,
  rememberSent,
  type SentFilesResult,
} from './file-sender.ts';
import type { ChatActions, MessageApi } from './message-api.ts';
import type { WordSender } from './words.ts';

export type Sender = ReturnType<typeof createSender>;

/** Sends replies. All methods throw BotApiError, and whatever `sendOnce` throws. */
export function createSender(telegram: TelegramContext, messages: MessageApi, actions: ChatActions, words: WordSender) {
  const inTurn = createUploadTurns(actions);
  const sendFiles = createFileSender(telegram, messages, inTurn);
  const rich = createRichSender(telegram, messages, inTurn);

  /**
   * Sends the message below albums, which counts their files and has the buttons that albums cannot have. If there
   * are no buttons, the message is not needed and not sent.
   */
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
    const preview = { is_disabled: true };
    const text = { kind: 'text', content, preview, keyboard: { inline_keyboard: rows } } as const;
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
      const payload = renderRich(reply, context.t, { extra, from: telegram.limits.richFrom });
      if (payload === undefined) return sendParts(reply, context);
      return rich.send(payload, context, known => sendParts(reply, context, known));
    },
    /** False when it is known that Telegram refuses a post's rich message, so that albums are sent. */
    mayBeRich: rich.isOffered,
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

/** For how many posts it is remembered that Telegram refused their rich message. */
const MAX_REFUSED = 1_000;
/** After this many refusals in a row no rich message is tried any more, since each costs time or an upload. */
const MAX_REFUSALS = 3;

function createRichSender(telegram: TelegramContext, api: MessageApi, inTurn: UploadInTurn) {
  const { log } = telegram;
  const refused = createLru<string, true>({ max: MAX_REFUSED });
  let refusalsInRow = 0;
  let isOffered = true;

  function isOfferedFor(items: readonly GalleryItem[]): boolean {
    return isOffered && !refused.has(postKey(items));
  }

  /** Sends the rich message. True when all files have certainly arrived; undefined when albums must be sent instead. */
  async function attempt(payload: RichPayload, ways: KnownWays, context: ReplyContext): Promise<boolean | undefined> {
    for (;;) {
      const ready = await readied(ways, context.signal, telegram.uploadBytes);
      const blocks = ready && richBlocks(ready, payload, context.t);
      if (ready === undefined || blocks === undefined) return undefined;
      const rich = { blocks, skip_entity_detection: true as const };
      const message = { rich_message: rich, reply_markup: payload.keyboard };
      const call = () => api.post('sendRichMessage', context, message);
      const isUpload = ready.some(({ candidate }) => candidate.uploadBytes > 0);
      try {
        const sent = await context.sendOnce(keyOf(context), call, { isUpload });
        refusalsInRow = 0;
        return sent !== undefined && (await isConfirmed(sent, ready));
      } catch (error) {
        if (!isRefused(error)) throw error;
        if (await useOtherWays(error, ready)) continue;
        noteRefusal(error, payload);
        return undefined;
      }
    }
  }

  function noteRefusal(error: BotApiError, { items }: RichPayload): void {
    if (error.code === 404 || /method not found/i.test(error.description)) {
      isOffered = false;
      log.info({ err: error }, 'the Bot API server knows no rich messages; albums are sent');
      return;
    }
    if (isWithoutRight(error)) return;
    refused.set(postKey(items), true);
    refusalsInRow += 1;
    isOffered = refusalsInRow < MAX_REFUSALS;
    log.warn({ err: error, isOffered }, 'a rich message was refused; albums are sent');
  }

  /**
   * Sends a post of several files as one rich message. If Telegram refuses it, `albums` is called, which sends albums.
   * @returns true when all files have certainly arrived in full
   * @throws BotApiError, and whatever `sendOnce` throws
   */
  async function send(
    payload: RichPayload,
    context: ReplyContext,
    albums: (ways?: KnownWays) => Promise<boolean>,
  ): Promise<boolean> {
    const { items } = payload;
    if (context.sentKeys.includes(keyOf(context))) return false;
    if (!isOfferedFor(items) || isBegunAsAlbum(context)) return albums();
    const ways = new Map(items.map(item => [item, createFileCandidates(item, true, telegram)]));
    try {
      const sent = await inTurn(items, [...ways.values()], context, () => attempt(payload, ways, context));
      return sent ?? (await albums(ways));
    } finally {
      await Promise.all([...ways.values()].map(each => each.close()));
    }
  }

  return { send, isOffered: isOfferedFor };
}

/** The files, each with the way to send it; undefined if one cannot be sent, or if they are too large together. */
async function readied(ways: KnownWays, signal: AbortSignal, maxBytes: number) {
  const files = [...ways].map(([item, way]) => ({ item, ways: way }));
  const { ready, missing } = await findWays(files, signal);
  const bytes = ready.reduce((sum, { candidate }) => sum + candidate.uploadBytes, 0);
  return missing.length === 0 && bytes <= maxBytes ? ready : undefined;
}

/** Stores Telegram's file ids for reuse if the message has all files. True when none was lost or cut short. */
async function isConfirmed({ message_id, rich_message }: SentRich, ready: readonly ReadyFile[]): Promise<boolean> {
  const files = filesAmong(rich_message?.blocks ?? []).map(file => ({ message_id, ...file }));
  return files.length === ready.length && rememberSent(ready, files);
}

/** The `sendOnce` key of a rich message, which differs from those of all albums. */
function keyOf({ key }: ReplyContext): string {
  return `${key}y`;
}

/** True when an earlier attempt sent albums, whose keys end in the album's position and two characters. */
function isBegunAsAlbum({ key, sentKeys }: ReplyContext): boolean {
  return sentKeys.some(each => each.startsWith(key) && each.length === key.length + 3);
}

/** The files in the blocks of a rich message, in order, each in the form of a message with one file. */
function filesAmong(blocks: readonly unknown[]): readonly Omit<SentMessage, 'message_id'>[] {
  return blocks.flatMap(block => {
    const part = RichPart.safeParse(block);
    if (!part.success) return [];
    const { blocks: inner, ...file } = part.data;
    return Object.values(file).some(each => each !== undefined) ? [file] : filesAmong(inner);
  });
}

/** True if Telegram refused the rich message and sent nothing, so that the same files may be sent as albums. */
function isRefused(error: unknown): error is BotApiError {
  if (!(error instanceof BotApiError) || isShutOut(error) || isPlaceGone(error)) return false;
  return error.code === 400 || error.code === 404 || error.code === 413;
}

/** Matches refusals of files that Telegram has lost or cannot fetch, such as `RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND`. */
const NOT_FOUND =
  /NO_MEDIA|MEDIA_(EMPTY|INVALID)|media not found|web ?page|HTTP URL|file identifier|FILE_(ID|REFERENCE)|(PHOTO|VIDEO)_URL|failed to (get|send)/i;

/** Changes the refused files to their next way of being sent. Resolves with false when none has another way. */
async function useOtherWays(error: BotApiError, ready: readonly ReadyFile[]): Promise<boolean> {
  if (error.code !== 400 || !NOT_FOUND.test(error.description)) return false;
  const others = culprits(error, ready).filter(({ candidate }) => candidate.from !== 'upload');
  for (const { ways } of others) await ways.refuse(error);
  return others.length > 0;
}

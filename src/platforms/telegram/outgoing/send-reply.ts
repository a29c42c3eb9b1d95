import type { Sending } from '../../../bot/contract/chat-platform.ts';
import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import { noticeLifeMs } from '../../../bot/runtime/chat-cleanup.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from '../api/bot-api.ts';
import type { TelegramLimits } from '../api/limits.ts';
import type { Button } from '../api/methods.ts';
import { failureSentence, isTopicClosed } from '../api/refusals.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import { renderText, wordingOf } from '../render/render.ts';
import type { AnswerPress } from './answer-press.ts';
import { audioButton } from './audio-button.ts';
import type { DeleteButton } from './delete-button.ts';
import type { Place } from './message-api.ts';
import type { Sender } from './send.ts';
import type { Occasion } from './sending.ts';

export interface SendReplyOptions {
  readonly api: BotApi;
  readonly sender: Sender;
  readonly answerPress: AnswerPress;
  readonly deleteButton: DeleteButton;
  readonly limits: Pick<TelegramLimits, 'noticeMs' | 'ephemeralMs'>;
  readonly log: Pick<Logger, 'debug'>;
  readonly now: () => number;
}

/** Sends one reply to where its request came from; resolves with whether all its files surely stand there, in their full length. */
export type SendReply = (reply: Reply, sending: Sending<TelegramReplyTo> & Pick<Occasion, 'key'>) => Promise<boolean>;

/** People who were told lately that a topic is closed. */
const MAX_TOLD = 1_000;
const TOLD_MS = 3_600_000;

export function createSendReply(options: SendReplyOptions): SendReply {
  const { api, sender, answerPress, deleteButton, limits, log, now } = options;
  const told = createLru<string, true>({ max: MAX_TOLD, ttl: TOLD_MS, perf: { now } });

  /** Under a single file in groups; in private chats people can delete what they like, but not an album at once. */
  function extraButtons(
    { request, to, t }: Sending<TelegramReplyTo>,
    gallery: readonly GalleryItem[],
    album: readonly number[] | undefined,
  ): readonly Button[] {
    const isAlbum = gallery.length > 1;
    if (to.isChannel === true || (!to.isGroup && !isAlbum)) return [];
    const words = t.messages.telegram;
    const owner = { chatId: to.chat, userId: request.user.id, messageId: to.message ?? 0 };
    const isDeletable = to.message !== undefined && album !== undefined;
    const buttons = [
      isAlbum ? audioButton(gallery, words.audio) : undefined,
      isDeletable ? deleteButton.render({ ...owner, others: album }, words.delete) : undefined,
    ];
    return buttons.filter(button => button !== undefined);
  }

  /**
   * A remark in a group: to the one person it concerns, where Telegram can show it to them alone. Otherwise all see it, without a sound, and
   * it goes again when the chat wants that.
   */
  async function sendNotice(reply: Reply, sending: Sending<TelegramReplyTo>, occasion: Occasion): Promise<void> {
    const { blocks, actions } = reply;
    const { to, request } = sending;
    const place: Place = { ...to, silent: true, ...(isForOne(reply, sending) && { onlyFor: Number(request.user.id) }) };
    const sent = await sender.sendText(renderText(blocks, actions, wordingOf(reply, occasion.t)), place, occasion);
    // Ephemeral messages have no id, and go by themselves.
    if (sent === undefined || sent.message_id === 0) return;
    const isShort = reply.outdatedMs !== undefined || to.isChannel === true;
    const lifeMs = Math.min(noticeLifeMs([reply], sending) ?? Infinity, isShort ? limits.noticeMs : Infinity);
    if (lifeMs === Infinity) return;
    sending.deleteLater(`${to.chat}`, [`${sent.message_id}`], lifeMs);
  }

  /** Telegram brings ephemeral messages only to people who are there: those who asked a moment ago. */
  function isForOne({ visibility }: Reply, { request, to }: Sending<TelegramReplyTo>): boolean {
    const isPerson = Number(request.user.id) > 0;
    return visibility === 'caller' && isPerson && to.isChannel !== true && now() - request.at < limits.ephemeralMs;
  }

  /** Nothing can be said in a closed topic, so the person who asked there is told elsewhere. */
  async function explain(error: unknown, { request, t }: Sending<TelegramReplyTo>): Promise<void> {
    const { id } = request.user;
    if (!isTopicClosed(error) || Number(id) <= 0 || told.has(id)) return;
    told.set(id, true);
    try {
      await api.call('sendMessage', { chat_id: Number(id), text: failureSentence(error, t) });
    } catch (cause) {
      // They never began a chat.
      log.debug({ err: cause }, 'a person could not be told that a topic is closed');
    }
  }

  async function say(reply: Reply, sending: Sending<TelegramReplyTo>, occasion: Occasion): Promise<boolean> {
    const { to, settings } = sending;
    const usual: Place = { ...to, ...(settings.silent && { silent: true }) };
    if (to.press !== undefined) await answerPress(reply, usual, to.press, occasion);
    else if (to.isGroup && isNotice(reply)) await sendNotice(reply, sending, occasion);
    else {
      // Where the link is deleted then, a reply to it would show that something is gone.
      const leaves = settings.deleteSource && to.isOnlyLinks === true && reply.gallery.length > 0;
      return sender.send(reply, { ...usual, ...(leaves && { message: undefined }) }, occasion);
    }
    return false;
  }

  return async (reply, sending) => {
    const { t, signal, sendOnce, sentKeys, key, request } = sending;
    const extra: Occasion['extra'] = (gallery, album) => extraButtons(sending, gallery, album);
    try {
      return await say(reply, sending, { t, signal, sendOnce, sentKeys, key, request: request.id, extra });
    } catch (error) {
      if (sending.to.press === undefined) await explain(error, sending);
      throw error;
    }
  };
}

/** A sentence that asks for no press, and that no answer will take the place of. */
function isNotice({ tone, gallery, actions, outdatedMs, later }: Reply): boolean {
  if (later !== undefined) return false;
  const isRemark = tone === 'notice' || tone === 'error';
  return outdatedMs !== undefined || (isRemark && gallery.length === 0 && actions.length === 0);
}

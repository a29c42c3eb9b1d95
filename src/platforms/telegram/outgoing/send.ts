import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import type { SentMessage } from '../api/methods.ts';
import { isWithoutRight } from '../api/refusals.ts';
import { markup } from '../render/file-fields.ts';
import { EMPTY } from '../render/formatted-text.ts';
import {
  type FollowUpPayload,
  type MediaPayload,
  type PhotoPayload,
  render,
  renderMissing,
  renderText,
  type TextPayload,
  wordingOf,
} from '../render/render.ts';
import { renderRich } from '../render/rich-message.ts';
import { createFileSender, type Outcome } from './file-sender.ts';
import { createKeyedMutex } from './keyed-mutex.ts';
import type { Place } from './message-api.ts';
import type { Photos } from './photos.ts';
import { createRichSender, type KnownWays, type RichSenderOptions } from './rich-sender.ts';
import type { Occasion } from './sending.ts';

/** All of it throws BotApiError, and what `put` throws. */
export interface Sender {
  /** Resolves with whether all files of the reply surely stand there, in their full length. */
  send(reply: Reply, place: Place, occasion: Occasion): Promise<boolean>;
  /** Undefined when it stood there already. */
  sendText(payload: TextPayload, place: Place, occasion: Occasion): Promise<SentMessage | undefined>;
  /** Sends one file without a word and tells the message's id; undefined when there is no file to be had. */
  sendFile(item: GalleryItem, place: Place, occasion: Occasion): Promise<number | undefined>;
}

export interface SenderOptions extends Omit<RichSenderOptions, 'lock'> {
  readonly photos: Photos;
}

export function createSender(options: SenderOptions): Sender {
  const { messages: api, photos, actions } = options;
  const lock = createKeyedMutex();
  const sendMedia = createFileSender({ ...options, lock });
  const sendRich = createRichSender({ ...options, lock });

  async function sendText(
    { content, preview, keyboard }: TextPayload,
    place: Place,
    { key, signal, sendOnce }: Occasion,
  ): Promise<SentMessage | undefined> {
    return sendOnce(key, () =>
      api.post('sendMessage', place, signal, address => ({
        ...address,
        text: content.text,
        entities: content.entities,
        link_preview_options: preview,
        ...markup(keyboard),
      })),
    );
  }

  async function sendPhoto(payload: PhotoPayload, place: Place, occasion: Occasion): Promise<void> {
    if (occasion.sentKeys.includes(occasion.key)) return;
    const put = () => photos.send(payload, place, occasion);
    const isSent = await (payload.photo.kind === 'picture' ? actions.during(place, 'upload_photo', put) : put());
    if (!isSent) await sendText(payload.instead, place, occasion);
  }

  async function sendWords(payload: TextPayload | PhotoPayload, place: Place, occasion: Occasion): Promise<void> {
    if (payload.kind === 'photo') await sendPhoto(payload, place, occasion);
    else await sendText(payload, place, occasion);
  }

  /** What albums hold, and the buttons that belong to them; nothing where there are none. */
  async function sendFollowUp(
    { content, keyboard }: FollowUpPayload,
    { gallery }: Reply,
    albums: readonly Outcome[],
    place: Place,
    occasion: Occasion,
  ): Promise<void> {
    if (!albums.some(({ isAnySent }) => isAnySent)) return;
    const buttons = occasion.extra?.(gallery, allIds(albums)) ?? [];
    const rows = [...(keyboard?.inline_keyboard ?? []), ...(buttons.length === 0 ? [] : [buttons])];
    if (rows.length === 0) return;
    const words = { kind: 'text' as const, content, preview: { is_disabled: true } };
    await sendText({ ...words, keyboard: { inline_keyboard: rows } }, { ...place, silent: true }, occasion);
  }

  /** Undefined where the chat takes no files: that is said, and the words stand there. */
  async function sendFiles(
    payload: MediaPayload,
    reply: Reply,
    place: Place,
    occasion: Occasion,
    known: KnownWays | undefined,
  ): Promise<Outcome | undefined> {
    try {
      return await sendMedia(payload, place, occasion, known);
    } catch (error) {
      if (!isWithoutRight(error)) throw error;
      const t = wordingOf(reply, occasion.t);
      const said = { kind: 'text' as const, text: [t.messages.telegram.noFiles] };
      await sendText(renderText([...reply.blocks, said], reply.actions, t), place, occasion);
      return undefined;
    }
  }

  async function send(reply: Reply, place: Place, occasion: Occasion): Promise<boolean> {
    const { t, extra } = occasion;
    const rich = renderRich(reply, { t, extra: extra?.(reply.gallery, []) ?? [] }, options.limits.richFrom);
    const inParts = (known?: KnownWays) => sendParts(reply, place, occasion, known);
    return rich === undefined ? inParts() : sendRich(rich, place, occasion, inParts);
  }

  /** In as many messages as it takes. */
  async function sendParts(
    reply: Reply,
    place: Place,
    occasion: Occasion,
    known: KnownWays | undefined,
  ): Promise<boolean> {
    const { t, extra } = occasion;
    const outcomes: Outcome[] = [];
    for (const [index, payload] of render(reply, { t, extra: extra?.(reply.gallery, []) ?? [] }).entries()) {
      const own = { ...occasion, key: `${occasion.key}${index.toString(36)}` };
      if (payload.kind === 'media') {
        const outcome = await sendFiles(payload, reply, place, own, known);
        if (outcome === undefined) return false;
        outcomes.push(outcome);
      } else if (payload.kind === 'followUp') await sendFollowUp(payload, reply, outcomes, place, own);
      else await sendWords(payload, place, own);
    }
    const missing = outcomes.flatMap(outcome => outcome.missing);
    if (missing.length === 0) return outcomes.every(({ isConfirmed }) => isConfirmed);
    const blocks = outcomes.some(({ isAnySent }) => isAnySent) ? [] : reply.blocks;
    const words = renderMissing({ blocks, actions: reply.actions }, missing, wordingOf(reply, t));
    await sendText(words, place, { ...occasion, key: `${occasion.key}z` });
    return false;
  }

  return {
    send,
    sendText,
    async sendFile(item, place, occasion) {
      const payload: MediaPayload = { kind: 'media', items: [item], caption: EMPTY, keyboard: undefined };
      const { messages } = await sendMedia(payload, place, occasion);
      return messages[0]?.message_id;
    },
  };
}

function allIds(outcomes: readonly Outcome[]): readonly number[] | undefined {
  const ids = outcomes.flatMap(outcome => (outcome.ids === undefined ? [] : [outcome.ids]));
  return ids.length === outcomes.length ? ids.flat() : undefined;
}

import type { GalleryItem, Reply } from '../../../bot/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { DeliveredLink } from '../../../media/delivery/delivery.ts';
import { MESSAGE_LIMITS } from '../limits.ts';
import { albumClass, albumItem, captioned, markup, pictured, shape } from '../render/file-fields.ts';
import { EMPTY } from '../render/formatted-text.ts';
import {
  type MediaPayload,
  type PhotoPayload,
  render,
  renderMissing,
  renderText,
  type TextPayload,
} from '../render/render.ts';
import { BotApiError } from './bot-api-error.ts';
import {
  type Candidate,
  createFileCandidates,
  type FileCandidates,
  type FileCandidatesOptions,
} from './file-candidates.ts';
import { createKeyedMutex } from './keyed-mutex.ts';
import type { MessageApi, Place, SendingWatch } from './message-api.ts';
import type { Button, SentMessage } from './methods.ts';
import type { Photos } from './photos.ts';
import { culprits, isAboutFile, isWithoutRight } from './send-errors.ts';

/** What sending needs to know about who waits. */
export interface Occasion {
  readonly t: Translator;
  readonly signal: AbortSignal;
  /** Buttons of this platform's own under a single file. */
  readonly extra?: readonly Button[];
  readonly watch?: SendingWatch;
}

export interface Sender {
  /** @throws BotApiError, or the signal's reason. */
  send(reply: Reply, place: Place, occasion: Occasion): Promise<void>;
  sendText(payload: TextPayload, place: Place, occasion: Occasion): Promise<SentMessage>;
  /** Sends one file without a word and tells the message's id; undefined when there is no file to be had. */
  sendFile(item: GalleryItem, place: Place, occasion: Occasion): Promise<number | undefined>;
}

export interface SenderOptions extends FileCandidatesOptions {
  readonly posting: MessageApi;
  readonly photos: Photos;
}

interface Ready {
  readonly ladder: FileCandidates;
  readonly candidate: Candidate;
}

export function createSender(options: SenderOptions): Sender {
  const { posting, photos, limits, isLocalServer } = options;
  const lock = createKeyedMutex();

  async function sendText(
    { content, preview, keyboard }: TextPayload,
    place: Place,
    occasion: Occasion,
  ): Promise<SentMessage> {
    await posting.takeTurn(place, 1, occasion.signal);
    return posting.put('sendMessage', place, occasion, address => ({
      ...address,
      text: content.text,
      entities: content.entities,
      link_preview_options: preview,
      ...markup(keyboard),
    }));
  }

  async function sendPhoto(payload: PhotoPayload, place: Place, occasion: Occasion): Promise<void> {
    await posting.takeTurn(place, 1, occasion.signal);
    if (!(await photos.send(payload, place, occasion))) await sendText(payload.instead, place, occasion);
  }

  /** Sends what can be sent. */
  async function sendMedia(
    payload: MediaPayload,
    place: Place,
    occasion: Occasion,
  ): Promise<{ readonly missing: readonly DeliveredLink[]; readonly messages: readonly SentMessage[] }> {
    const { items } = payload;
    const ladders = items.map(item => createFileCandidates(item, items.length > 1, options));
    await posting.takeTurn(place, items.length, occasion.signal);
    try {
      return await lock.run(
        JSON.stringify(items.map(({ post, form }) => [post.source, post.id, form])[0]),
        async () => (await Promise.all(ladders.map(ladder => ladder.isHeld()))).every(Boolean),
        () => climb(ladders, payload, place, occasion),
        occasion.signal,
      );
    } finally {
      await Promise.all(ladders.map(ladder => ladder.close()));
    }
  }

  async function climb(ladders: readonly FileCandidates[], payload: MediaPayload, place: Place, occasion: Occasion) {
    const missing: DeliveredLink[] = [];
    const messages: SentMessage[] = [];
    let left = ladders;
    while (left.length > 0) {
      const ready = await readied(left, missing, occasion.signal);
      left = ready.map(({ ladder }) => ladder);
      const batch = firstBatch(ready);
      if (batch.length === 0) break;
      const caption = messages.length === 0 ? payload.caption : EMPTY;
      const sent = await sendBatch(batch, { ...payload, caption }, place, occasion);
      if (sent === undefined) continue;
      for (const [index, { ladder }] of batch.entries()) {
        const message = sent[index];
        if (message !== undefined) await ladder.sent(message);
      }
      messages.push(...sent);
      left = left.slice(batch.length);
    }
    return { missing, messages };
  }

  /** Those that have a file to send; the others leave a link. */
  async function readied(
    ladders: readonly FileCandidates[],
    missing: DeliveredLink[],
    signal: AbortSignal,
  ): Promise<readonly Ready[]> {
    const found = await Promise.all(
      ladders.map(async ladder => ({ ladder, candidate: await ladder.candidate(signal) })),
    );
    return found.flatMap(({ ladder, candidate }) => {
      if (candidate.kind === 'candidate') return [{ ladder, candidate }];
      missing.push(candidate);
      return [];
    });
  }

  /** The first files that one request takes. */
  function firstBatch(ready: readonly Ready[]): readonly Ready[] {
    const largest = isLocalServer ? limits.localUpload : limits.upload;
    const batch: Ready[] = [];
    let bytes = 0;
    for (const each of ready) {
      const [first] = batch;
      bytes += each.candidate.uploadBytes;
      if (first !== undefined) {
        const fits = batch.length < MESSAGE_LIMITS.album && bytes <= largest;
        if (!fits || albumClass(first.candidate) === 'alone') break;
        if (albumClass(first.candidate) !== albumClass(each.candidate)) break;
      }
      batch.push(each);
    }
    return batch;
  }

  /** Undefined when Telegram does not take one of the files: it was refused, and another way has to be found. */
  async function sendBatch(
    batch: readonly Ready[],
    { caption, keyboard }: Pick<MediaPayload, 'caption' | 'keyboard'>,
    place: Place,
    occasion: Occasion,
  ): Promise<readonly SentMessage[] | undefined> {
    const [first, ...others] = batch;
    if (first === undefined) return [];
    try {
      if (others.length === 0) return [await sendOne(first.candidate, { caption, keyboard }, place, occasion)];
      const media = batch.map(({ candidate }, index) => albumItem(candidate, index === 0 ? caption : EMPTY));
      return await posting.put('sendMediaGroup', place, occasion, address => ({ ...address, media }));
    } catch (error) {
      if (!(error instanceof BotApiError) || !isAboutFile(error)) throw error;
      for (const { ladder } of culprits(error, batch)) await ladder.refuse(error);
      return undefined;
    }
  }

  function sendOne(
    candidate: Candidate,
    { caption, keyboard }: Pick<MediaPayload, 'caption' | 'keyboard'>,
    place: Place,
    occasion: Occasion,
  ): Promise<SentMessage> {
    const { type, media, spoiler, duration } = candidate;
    const common = { ...captioned(caption), ...markup(keyboard) };
    const hidden = spoiler ? { has_spoiler: true } : {};
    switch (type) {
      case 'video': {
        const shown = { ...common, ...hidden, ...shape(candidate), ...pictured(candidate) };
        const video = { ...shown, video: media, supports_streaming: true };
        return posting.put('sendVideo', place, occasion, address => ({ ...address, ...video }));
      }
      case 'photo':
        return posting.put('sendPhoto', place, occasion, address => ({
          ...address,
          ...common,
          ...hidden,
          photo: media,
        }));
      case 'animation': {
        const animation = { ...common, ...hidden, ...shape(candidate), ...pictured(candidate), animation: media };
        return posting.put('sendAnimation', place, occasion, address => ({ ...address, ...animation }));
      }
      case 'audio': {
        const audio = { ...common, audio: media, ...(duration === undefined ? {} : { duration }) };
        return posting.put('sendAudio', place, occasion, address => ({ ...address, ...audio }));
      }
      case 'document':
        return posting.put('sendDocument', place, occasion, address => ({ ...address, ...common, document: media }));
    }
  }

  return {
    async send(reply, place, occasion) {
      const { t, extra = [] } = occasion;
      const missing: DeliveredLink[] = [];
      let isAnySent = false;
      for (const payload of render(reply, { t, extra })) {
        if (payload.kind === 'text') await sendText(payload, place, occasion);
        else if (payload.kind === 'photo') await sendPhoto(payload, place, occasion);
        else {
          try {
            const outcome = await sendMedia(payload, place, occasion);
            missing.push(...outcome.missing);
            isAnySent ||= outcome.messages.length > 0;
          } catch (error) {
            if (!isWithoutRight(error)) throw error;
            const said = { kind: 'text' as const, text: [t.messages.telegram.noFiles] };
            await sendText(renderText([...reply.blocks, said], reply.actions, t), place, occasion);
            return;
          }
        }
      }
      if (missing.length === 0) return;
      const { actions } = reply;
      await sendText(renderMissing({ blocks: isAnySent ? [] : reply.blocks, actions }, missing, t), place, occasion);
    },
    sendText,
    async sendFile(item, place, occasion) {
      const payload: MediaPayload = { kind: 'media', items: [item], caption: EMPTY, keyboard: undefined };
      const { messages } = await sendMedia(payload, place, occasion);
      return messages[0]?.message_id;
    },
  };
}

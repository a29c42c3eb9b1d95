import type { GalleryItem, Reply } from '../../../bot/reply.ts';
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
import { culprits, isAboutFile, isWithoutRight } from './file-refusals.ts';
import { createKeyedMutex } from './keyed-mutex.ts';
import type { MessageApi, Place } from './message-api.ts';
import type { SentMessage } from './methods.ts';
import type { Photos } from './photos.ts';
import type { Occasion } from './sending.ts';

/** All of it throws Paced before anything that has to wait for its turn, and BotApiError. */
export interface Sender {
  send(reply: Reply, place: Place, occasion: Occasion): Promise<void>;
  /** Undefined when it stood there already. */
  sendText(payload: TextPayload, place: Place, occasion: Occasion): Promise<SentMessage | undefined>;
  /** Sends one file without a word and tells the message's id; undefined when there is no file to be had. */
  sendFile(item: GalleryItem, place: Place, occasion: Occasion): Promise<number | undefined>;
}

export interface SenderOptions extends FileCandidatesOptions {
  readonly messages: MessageApi;
  readonly photos: Photos;
}

/** A file of a payload on its way. */
interface Part {
  /** In the payload. */
  readonly index: number;
  readonly ways: FileCandidates;
}
interface Ready extends Part {
  readonly candidate: Candidate;
}

interface Outcome {
  readonly missing: readonly DeliveredLink[];
  readonly messages: readonly SentMessage[];
  /** Whether anything stands in the chat now, from an earlier attempt too. */
  readonly isAnySent: boolean;
}

export function createSender(options: SenderOptions): Sender {
  const { messages: api, photos, limits, isLocalServer } = options;
  const lock = createKeyedMutex();

  async function sendText(
    { content, preview, keyboard }: TextPayload,
    place: Place,
    { key, signal, put, stands }: Occasion,
  ): Promise<SentMessage | undefined> {
    if (!stands.includes(key)) api.takeTurn(place, 1);
    return put(key, () =>
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
    if (occasion.stands.includes(occasion.key)) return;
    api.takeTurn(place, 1);
    if (!(await photos.send(payload, place, occasion))) await sendText(payload.instead, place, occasion);
  }

  /** Sends what can be sent, and does not stand there already. */
  async function sendMedia(payload: MediaPayload, place: Place, occasion: Occasion): Promise<Outcome> {
    const { items } = payload;
    const standing = standingIn(occasion);
    const parts = items
      .map((item, index): Part => ({ index, ways: createFileCandidates(item, items.length > 1, options) }))
      .filter(({ index }) => !standing.has(index));
    if (parts.length === 0) return { missing: [], messages: [], isAnySent: true };
    api.takeTurn(place, parts.length);
    try {
      return await lock.run(
        JSON.stringify(items.map(({ post, form }) => [post.source, post.id, form])[0]),
        async () => (await Promise.all(parts.map(({ ways }) => ways.isHeld()))).every(Boolean),
        () => sendParts(parts, payload, place, occasion, standing.size > 0),
        occasion.signal,
      );
    } finally {
      await Promise.all(parts.map(({ ways }) => ways.close()));
    }
  }

  async function sendParts(
    parts: readonly Part[],
    payload: MediaPayload,
    place: Place,
    occasion: Occasion,
    isBegun: boolean,
  ): Promise<Outcome> {
    const missing: DeliveredLink[] = [];
    const messages: SentMessage[] = [];
    let left = parts;
    while (left.length > 0) {
      const ready = await readied(left, missing, occasion.signal);
      left = ready;
      const batch = firstBatch(ready);
      if (batch.length === 0) break;
      const caption = isBegun || messages.length > 0 ? EMPTY : payload.caption;
      const sent = await sendBatch(batch, { ...payload, caption }, place, occasion);
      if (sent === undefined) continue;
      for (const [index, { ways }] of batch.entries()) {
        const message = sent[index];
        if (message !== undefined) await ways.sent(message);
      }
      messages.push(...sent);
      left = left.slice(batch.length);
    }
    return { missing, messages, isAnySent: isBegun || messages.length > 0 };
  }

  /** Those that have a file to send; the others leave a link. */
  async function readied(
    parts: readonly Part[],
    missing: DeliveredLink[],
    signal: AbortSignal,
  ): Promise<readonly Ready[]> {
    const found = await Promise.all(
      parts.map(async ({ index, ways }) => ({ index, ways, candidate: await ways.candidate(signal) })),
    );
    return found.flatMap(({ candidate, ...part }) => {
      if (candidate.kind === 'candidate') return [{ ...part, candidate }];
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
    const { key, signal, put } = occasion;
    const [first, ...others] = batch;
    if (first === undefined) return [];
    try {
      const sent = await put(key + maskOf(batch), async () => {
        if (others.length === 0) return [await sendOne(first.candidate, { caption, keyboard }, place, signal)];
        const media = batch.map(({ candidate }, index) => albumItem(candidate, index === 0 ? caption : EMPTY));
        return api.post('sendMediaGroup', place, signal, address => ({ ...address, media }));
      });
      return sent ?? [];
    } catch (error) {
      if (!(error instanceof BotApiError) || !isAboutFile(error)) throw error;
      for (const { ways } of culprits(error, batch)) await ways.refuse(error);
      return undefined;
    }
  }

  function sendOne(
    candidate: Candidate,
    { caption, keyboard }: Pick<MediaPayload, 'caption' | 'keyboard'>,
    place: Place,
    signal: AbortSignal,
  ): Promise<SentMessage> {
    const { type, media, spoiler, duration } = candidate;
    const common = { ...captioned(caption), ...markup(keyboard) };
    const hidden = spoiler ? { has_spoiler: true } : {};
    switch (type) {
      case 'video': {
        const shown = { ...common, ...hidden, ...shape(candidate), ...pictured(candidate) };
        const video = { ...shown, video: media, supports_streaming: true };
        return api.post('sendVideo', place, signal, address => ({ ...address, ...video }));
      }
      case 'photo':
        return api.post('sendPhoto', place, signal, address => ({ ...address, ...common, ...hidden, photo: media }));
      case 'animation': {
        const animation = { ...common, ...hidden, ...shape(candidate), ...pictured(candidate), animation: media };
        return api.post('sendAnimation', place, signal, address => ({ ...address, ...animation }));
      }
      case 'audio': {
        const audio = { ...common, audio: media, ...(duration === undefined ? {} : { duration }) };
        return api.post('sendAudio', place, signal, address => ({ ...address, ...audio }));
      }
      case 'document':
        return api.post('sendDocument', place, signal, address => ({ ...address, ...common, document: media }));
    }
  }

  async function send(reply: Reply, place: Place, occasion: Occasion): Promise<void> {
    const { t, extra = [] } = occasion;
    const missing: DeliveredLink[] = [];
    let isAnySent = false;
    for (const [index, payload] of render(reply, { t, extra }).entries()) {
      const own = { ...occasion, key: `${occasion.key}${index.toString(36)}` };
      if (payload.kind === 'text') await sendText(payload, place, own);
      else if (payload.kind === 'photo') await sendPhoto(payload, place, own);
      else {
        try {
          const outcome = await sendMedia(payload, place, own);
          missing.push(...outcome.missing);
          isAnySent ||= outcome.isAnySent;
        } catch (error) {
          if (!isWithoutRight(error)) throw error;
          const said = { kind: 'text' as const, text: [t.messages.telegram.noFiles] };
          await sendText(renderText([...reply.blocks, said], reply.actions, t), place, own);
          return;
        }
      }
    }
    if (missing.length === 0) return;
    const { actions } = reply;
    const words = renderMissing({ blocks: isAnySent ? [] : reply.blocks, actions }, missing, t);
    await sendText(words, place, { ...occasion, key: `${occasion.key}z` });
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

/** Names files by their places: a number below 1024, since an album has at most ten, in two letters. */
function maskOf(batch: readonly Part[]): string {
  return batch
    .reduce((mask, { index }) => mask | (1 << index), 0)
    .toString(36)
    .padStart(2, '0');
}

/** Places of the files that an earlier attempt has sent. */
function standingIn({ key, stands }: Occasion): ReadonlySet<number> {
  const masks = stands
    .filter(each => each.startsWith(key) && each.length === key.length + 2)
    .map(each => Number.parseInt(each.slice(key.length), 36));
  const places = Array.from({ length: MESSAGE_LIMITS.album }, (_, index) => index);
  return new Set(places.filter(index => masks.some(mask => (mask & (1 << index)) !== 0)));
}

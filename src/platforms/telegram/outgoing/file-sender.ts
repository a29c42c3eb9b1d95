import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { DeliveredLink } from '../../../media/delivery/delivery.ts';
import { isLongEnough } from '../../../media/delivery/delivery-request.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { SentMessage } from '../api/methods.ts';
import { isAboutFile } from '../api/refusals.ts';
import {
  albumClass,
  albumItem,
  captioned,
  type FileCandidate,
  markup,
  pictured,
  shape,
} from '../render/file-fields.ts';
import { EMPTY } from '../render/formatted-text.ts';
import { reductionNote, withNote } from '../render/reduction-note.ts';
import type { MediaPayload } from '../render/render.ts';
import type { ChatAction, ChatActions } from './chat-action.ts';
import { createFileCandidates, culprits, type FileCandidates, type FileCandidatesOptions } from './file-candidates.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import type { MessageApi, Place } from './message-api.ts';
import type { Occasion } from './sending.ts';

export interface FileSenderOptions extends FileCandidatesOptions {
  readonly messages: MessageApi;
  readonly actions: ChatActions;
  /** Of posts whose files are on their way. */
  readonly lock: KeyedMutex;
}

/**
 * One file, or an album of up to ten.
 * @param known files that another attempt has got ready; they are let go of in any case
 * @throws BotApiError, and what `put` throws
 */
export type FileSender = (
  payload: MediaPayload,
  place: Place,
  occasion: Occasion,
  known?: ReadonlyMap<GalleryItem, FileCandidates>,
) => Promise<Outcome>;

/** A file of a payload on its way. */
interface Part {
  /** In the payload. */
  readonly index: number;
  readonly ways: FileCandidates;
}
interface Ready extends Part {
  readonly candidate: FileCandidate;
}

export interface Outcome {
  readonly missing: readonly DeliveredLink[];
  readonly messages: readonly SentMessage[];
  /** Of all messages that stand in the chat now; undefined when those of an earlier attempt are not known. */
  readonly ids: readonly number[] | undefined;
  /** Whether anything stands in the chat now, from an earlier attempt too. */
  readonly isAnySent: boolean;
  /** Whether Telegram has said of every file, in this attempt, that it holds all of it. */
  readonly isConfirmed: boolean;
}

export function createFileSender(options: FileSenderOptions): FileSender {
  const { messages: api, actions, lock, limits, isLocalServer } = options;
  /** Ids of the messages of albums, while a request may still need them. */
  const albums = createLru<string, readonly number[]>({ max: MAX_ALBUMS });

  async function sendParts(
    parts: readonly Part[],
    payload: MediaPayload,
    place: Place,
    occasion: Occasion,
    isBegun: boolean,
  ): Promise<Outcome> {
    const missing: DeliveredLink[] = [];
    const messages: SentMessage[] = [];
    let isConfirmed = !isBegun;
    let left = parts;
    for (let refusals = 0; left.length > 0; ) {
      if (refusals === MOST_REFUSALS) {
        missing.push(...left.map(({ ways }) => ways.link()));
        break;
      }
      const ready = await readied(left, missing, occasion.signal);
      left = ready;
      const batch = firstBatch(ready);
      if (batch.length === 0) break;
      const said = isBegun || messages.length > 0 ? EMPTY : payload.caption;
      const files = batch.map(({ index, candidate }) => ({ item: payload.items[index], candidate }));
      const caption = withNote(said, reductionNote(files, occasion.t));
      const sent = await sendBatch(batch, { ...payload, caption }, place, occasion);
      if (sent === undefined) {
        refusals += 1;
        continue;
      }
      const isWhole = await noted(batch, payload, sent);
      isConfirmed &&= isWhole;
      messages.push(...sent);
      remember(payload, occasion, sent);
      left = left.slice(batch.length);
    }
    const ids = idsOf(payload, occasion, missing.length);
    isConfirmed &&= missing.length === 0;
    return { missing, messages, ids, isAnySent: isBegun || messages.length > 0, isConfirmed };
  }

  /** Remembers what Telegram made of the files; whether it holds all of each. */
  async function noted(
    batch: readonly Ready[],
    { items }: MediaPayload,
    sent: readonly SentMessage[],
  ): Promise<boolean> {
    for (const [index, { ways }] of batch.entries()) {
      const message = sent[index];
      if (message !== undefined) await ways.sent(message);
    }
    return batch.every((part, index) => isAllThere(sent[index], part.candidate, items[part.index]));
  }

  function remember(payload: MediaPayload, { request }: Occasion, sent: readonly SentMessage[]): void {
    if (request === undefined) return;
    const key = albumKey(request, payload);
    albums.set(key, [...(albums.get(key) ?? []), ...sent.map(({ message_id: id }) => id)]);
  }

  function idsOf(payload: MediaPayload, { request = '' }: Occasion, missing: number): readonly number[] | undefined {
    const ids = albums.get(albumKey(request, payload)) ?? [];
    return ids.length === payload.items.length - missing ? ids : undefined;
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
    const { key, signal, sendOnce } = occasion;
    const [first, ...others] = batch;
    if (first === undefined) return [];
    try {
      const call = async () => {
        if (others.length === 0) return [await sendOne(first.candidate, { caption, keyboard }, place, signal)];
        const media = batch.map(({ candidate }, index) => albumItem(candidate, index === 0 ? caption : EMPTY));
        return api.post('sendMediaGroup', place, signal, address => ({ ...address, media }));
      };
      const isUpload = batch.some(({ candidate }) => candidate.uploadBytes > 0);
      const sent = await sendOnce(key + maskOf(batch), call, { messages: batch.length, isUpload });
      return sent ?? [];
    } catch (error) {
      if (!(error instanceof BotApiError) || !isAboutFile(error)) throw error;
      for (const { ways } of culprits(error, batch)) await ways.refuse(error);
      return undefined;
    }
  }

  function sendOne(
    candidate: FileCandidate,
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

  /** Sends what can be sent, and does not stand there already. */
  return async (payload, place, occasion, known) => {
    const { items } = payload;
    const standing = standingIn(occasion);
    const parts = items
      .map((item, index): Part => {
        return { index, ways: known?.get(item) ?? createFileCandidates(item, items.length > 1, options) };
      })
      .filter(({ index }) => !standing.has(index));
    if (parts.length === 0)
      return { missing: [], messages: [], ids: idsOf(payload, occasion, 0), isAnySent: true, isConfirmed: false };
    try {
      return await lock.run(
        postOf(items),
        () => areHeld(parts),
        async () => {
          const send = () => sendParts(parts, payload, place, occasion, standing.size > 0);
          return (await areHeld(parts)) ? send() : actions.during(place, actionFor(items), send);
        },
        occasion.signal,
      );
    } finally {
      await Promise.all(parts.map(({ ways }) => ways.close()));
    }
  };
}

/** What Telegram holds: as large as what was uploaded, and as long as the post says. What it does not say is taken to be so. */
export function isAllThere(
  sent: SentMessage | undefined,
  { uploadBytes, type }: FileCandidate,
  item: GalleryItem | undefined,
): boolean {
  if (sent === undefined) return false;
  const file = sent.video ?? sent.animation ?? sent.audio ?? sent.document;
  // Telegram makes photos smaller.
  if (file === undefined || item === undefined) return type === 'photo';
  if (uploadBytes > 0 && file.file_size !== undefined && file.file_size < uploadBytes) return false;
  return isLongEnough(item, { durationMs: file.duration === undefined ? null : file.duration * 1_000 });
}

/** Names the post that files are of. */
export function postOf([first]: readonly GalleryItem[]): string {
  return JSON.stringify(first && [first.post.source, first.post.id, first.form]);
}

const MAX_ALBUMS = 1_000;
/** Calls for one payload that Telegram refused because of its files: each may have been an upload. */
const MOST_REFUSALS = 6;

/** An answer holds the files of one post. */
function albumKey(request: string, { items }: MediaPayload): string {
  return JSON.stringify([request, ...items.map(({ post, index, form }) => [post.source, post.id, index, form])]);
}

export async function areHeld(parts: readonly Pick<Part, 'ways'>[]): Promise<boolean> {
  return (await Promise.all(parts.map(({ ways }) => ways.isHeld()))).every(Boolean);
}

export function actionFor(items: readonly GalleryItem[]): ChatAction {
  if (items.every(({ form, post, index }) => form === 'audio' || post.items[index]?.kind === 'audio')) {
    return 'upload_document';
  }
  return items.some(({ post, index }) => post.items[index]?.kind === 'video') ? 'upload_video' : 'upload_photo';
}

/** Names files by their places: a number below 1024, since an album has at most ten, in two letters. */
function maskOf(batch: readonly Part[]): string {
  return batch
    .reduce((mask, { index }) => mask | (1 << index), 0)
    .toString(36)
    .padStart(2, '0');
}

/** Places of the files that an earlier attempt has sent. */
function standingIn({ key, sentKeys }: Occasion): ReadonlySet<number> {
  const masks = sentKeys
    .filter(each => each.startsWith(key) && each.length === key.length + 2)
    .map(each => Number.parseInt(each.slice(key.length), 36));
  const places = Array.from({ length: MESSAGE_LIMITS.album }, (_, index) => index);
  return new Set(places.filter(index => masks.some(mask => (mask & (1 << index)) !== 0)));
}

import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import type { DeliveredLink } from '../../../media/delivery/delivery.ts';
import { isLongEnough } from '../../../media/delivery/delivery-plan.ts';
import { BotApiError, isAboutFile } from '../api/bot-api-error.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { SentMessage } from '../api/methods.ts';
import {
  albumClass,
  albumItem,
  captionFields,
  type FileCandidate,
  reductionNote,
  videoFields,
  withNote,
} from '../render/file-fields.ts';
import { EMPTY } from '../render/formatted-text.ts';
import type { MediaPayload } from '../render/render.ts';
import type { ReplyContext, TelegramContext } from './context.ts';
import { createFileCandidates, culprits, type FileCandidates, type UploadInTurn } from './file-candidates.ts';
import type { MessageApi } from './message-api.ts';

/** For each item, the ways to send its file, as prepared for a rich message that Telegram then refused. */
export type KnownWays = ReadonlyMap<GalleryItem, FileCandidates>;

export interface SentFilesResult {
  readonly missing: readonly DeliveredLink[];
  readonly messages: readonly SentMessage[];
  /** The ids of all messages with these files; undefined if an earlier attempt sent some whose ids are not known. */
  readonly ids: readonly number[] | undefined;
  /** True when any of these files is in the chat, perhaps from an earlier attempt. */
  readonly isAnySent: boolean;
  /** True when Telegram confirmed in this attempt that every file is there in full. */
  readonly isConfirmed: boolean;
}

/** A file with the way to send it. */
export interface ReadyFile {
  readonly item: GalleryItem;
  readonly ways: FileCandidates;
  readonly candidate: FileCandidate;
}

/** One file of an album (or the only file), with its position. */
type Part = Omit<ReadyFile, 'candidate'> & { readonly index: number };
type Ready = Part & ReadyFile;

/** After this many refused calls for an album, its other files become links, since each call may be a long upload. */
const MAX_REFUSALS = 6;

/** For how many albums the ids of their messages are remembered. */
const MAX_ALBUMS = 1_000;

export function createFileSender(telegram: TelegramContext, api: MessageApi, inTurn: UploadInTurn) {
  /** The ids of albums' messages, which the delete button needs and a later attempt would not know. */
  const albums = createLru<string, readonly number[]>({ max: MAX_ALBUMS });

  function albumIds({ items }: MediaPayload, { request = '', key }: ReplyContext, missing: number) {
    const ids = albums.get(`${request} ${key}`) ?? [];
    return ids.length === items.length - missing ? ids : undefined;
  }

  async function sendParts(
    parts: readonly Part[],
    payload: MediaPayload,
    context: ReplyContext,
  ): Promise<SentFilesResult> {
    const isBegun = parts.length < payload.items.length;
    const missing: DeliveredLink[] = [];
    const messages: SentMessage[] = [];
    let isConfirmed = !isBegun;
    let left = parts;
    for (let refusals = 0; left.length > 0; ) {
      if (refusals === MAX_REFUSALS) {
        missing.push(...left.map(({ ways }) => ways.link()));
        break;
      }
      const found = await findWays(left, context.signal);
      missing.push(...found.missing);
      left = found.ready;
      const batch = firstBatch(found.ready, telegram.uploadBytes);
      if (batch.length === 0) break;
      const words = isBegun || messages.length > 0 ? EMPTY : payload.caption;
      const caption = withNote(words, reductionNote(batch, context.t));
      const sent = await sendBatch(api, batch, { ...payload, caption }, context);
      if (sent === undefined) {
        refusals += 1;
        continue;
      }
      const isWhole = await rememberSent(batch, sent);
      isConfirmed &&= isWhole;
      messages.push(...sent);
      const album = `${context.request ?? ''} ${context.key}`;
      albums.set(album, [...(albums.get(album) ?? []), ...sent.map(({ message_id: id }) => id)]);
      left = left.slice(batch.length);
    }
    const ids = albumIds(payload, context, missing.length);
    isConfirmed &&= missing.length === 0;
    return { missing, messages, ids, isAnySent: isBegun || messages.length > 0, isConfirmed };
  }

  /**
   * Sends one file, or an album of up to ten, without the files that were sent before and those that Telegram does not
   * take.
   * @param known ways that were prepared for these files; they are closed here, even on failure
   * @throws BotApiError, and whatever `sendOnce` throws
   */
  return async (payload: MediaPayload, context: ReplyContext, known?: KnownWays): Promise<SentFilesResult> => {
    const { items } = payload;
    const sentBefore = positionsIn(context);
    const parts = items
      .map((item, index): Part => {
        return { index, item, ways: known?.get(item) ?? createFileCandidates(item, items.length > 1, telegram) };
      })
      .filter(({ index }) => !sentBefore.has(index));
    if (parts.length === 0)
      return { missing: [], messages: [], ids: albumIds(payload, context, 0), isAnySent: true, isConfirmed: false };
    const ways = parts.map(part => part.ways);
    try {
      return await inTurn(items, ways, context, () => sendParts(parts, payload, context));
    } finally {
      await Promise.all(ways.map(each => each.close()));
    }
  };
}

/** Finds the way to send each file. The files that cannot be sent are `missing`, and become links. */
export async function findWays<T extends Omit<ReadyFile, 'candidate'>>(files: readonly T[], signal: AbortSignal) {
  const candidates = await Promise.all(files.map(({ ways }) => ways.candidate(signal)));
  const ready: (T & ReadyFile)[] = [];
  const missing: DeliveredLink[] = [];
  for (const [index, file] of files.entries()) {
    const candidate = candidates[index];
    if (candidate?.kind === 'candidate') ready.push({ ...file, candidate });
    else if (candidate !== undefined) missing.push(candidate);
  }
  return { ready, missing };
}

/** The files from the beginning that fit into one call. */
function firstBatch(ready: readonly Ready[], maxBytes: number): readonly Ready[] {
  const batch: Ready[] = [];
  let bytes = 0;
  for (const each of ready) {
    const [first] = batch;
    bytes += each.candidate.uploadBytes;
    if (first !== undefined) {
      const fits = batch.length < MESSAGE_LIMITS.album && bytes <= maxBytes;
      if (!fits || albumClass(first.candidate) === 'alone') break;
      if (albumClass(first.candidate) !== albumClass(each.candidate)) break;
    }
    batch.push(each);
  }
  return batch;
}

/** Sends files in one call; undefined when Telegram refused one of them, which must then be sent in another way. */
async function sendBatch(
  api: MessageApi,
  batch: readonly Ready[],
  { caption, keyboard }: Pick<MediaPayload, 'caption' | 'keyboard'>,
  context: ReplyContext,
): Promise<readonly SentMessage[] | undefined> {
  const [first, ...others] = batch;
  if (first === undefined) return [];
  const call = async () => {
    if (others.length === 0) return [await sendOne(api, first.candidate, { caption, keyboard }, context)];
    const media = batch.map(({ candidate }, index) => albumItem(candidate, index === 0 ? caption : EMPTY));
    return api.post('sendMediaGroup', context, { media });
  };
  try {
    const isUpload = batch.some(({ candidate }) => candidate.uploadBytes > 0);
    return (await context.sendOnce(context.key + maskOf(batch), call, { messages: batch.length, isUpload })) ?? [];
  } catch (error) {
    if (!(error instanceof BotApiError) || !isAboutFile(error)) throw error;
    for (const { ways } of culprits(error, batch)) await ways.refuse(error);
    return undefined;
  }
}

function sendOne(
  api: MessageApi,
  candidate: FileCandidate,
  { caption, keyboard }: Pick<MediaPayload, 'caption' | 'keyboard'>,
  context: ReplyContext,
): Promise<SentMessage> {
  const { type, media, spoiler, duration } = candidate;
  const common = { ...captionFields(caption), reply_markup: keyboard };
  const video = { ...common, ...videoFields(candidate) };
  switch (type) {
    case 'video':
      return api.post('sendVideo', context, { ...video, video: media, supports_streaming: true });
    case 'photo':
      return api.post('sendPhoto', context, { ...common, has_spoiler: spoiler || undefined, photo: media });
    case 'animation':
      return api.post('sendAnimation', context, { ...video, animation: media });
    case 'audio':
      return api.post('sendAudio', context, { ...common, duration, audio: media });
    case 'document':
      return api.post('sendDocument', context, { ...common, document: media });
  }
}

/** Remembers the file ids that Telegram gave; resolves with true when all files are there in full. */
export async function rememberSent(batch: readonly ReadyFile[], sent: readonly SentMessage[]): Promise<boolean> {
  for (const [index, { ways }] of batch.entries()) {
    const message = sent[index];
    if (message !== undefined) await ways.sent(message);
  }
  return batch.every(({ candidate, item }, index) => isWholeFile(sent[index], candidate, item));
}

/** True when Telegram's file is as large as the upload and as long as its post says, as far as these are known. */
function isWholeFile(sent: SentMessage | undefined, { uploadBytes, type }: FileCandidate, item: GalleryItem): boolean {
  if (sent === undefined) return false;
  const file = sent.video ?? sent.animation ?? sent.audio ?? sent.document;
  // Telegram shrinks photos, so their size does not show whether they arrived in full.
  if (file === undefined) return type === 'photo';
  if (uploadBytes > 0 && file.file_size !== undefined && file.file_size < uploadBytes) return false;
  return isLongEnough(item, { durationMs: file.duration === undefined ? null : file.duration * 1_000 });
}

/** Two base-36 digits that say which files of an album (at most ten) a call sends: each file is a bit. */
function maskOf(batch: readonly Part[]): string {
  const mask = batch.reduce((sum, { index }) => sum | (1 << index), 0);
  return mask.toString(36).padStart(2, '0');
}

/** The positions of the files that earlier attempts have sent. */
function positionsIn({ key, sentKeys }: ReplyContext): ReadonlySet<number> {
  const masks = sentKeys
    .filter(each => each.startsWith(key) && each.length === key.length + 2)
    .map(each => Number.parseInt(each.slice(key.length), 36));
  const positions = Array.from({ length: MESSAGE_LIMITS.album }, (_, index) => index);
  return new Set(positions.filter(index => masks.some(mask => (mask & (1 << index)) !== 0)));
}

import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import type { DeliveredFile, DeliveredLink } from '../../../media/delivery/delivery.ts';
import type { DeliveryRequest } from '../../../media/delivery/delivery-plan.ts';
import type { SentFileKey } from '../../../media/delivery/sent-files.ts';
import { itemKey } from '../../../media/post.ts';
import type { BotApiError } from '../api/bot-api-error.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { SentMessage } from '../api/methods.ts';
import type { FileCandidate, FileType } from '../render/file-fields.ts';
import { isAudio } from '../render/render.ts';
import type { ReplyContext, TelegramContext } from './context.ts';
import type { ChatAction, ChatActions } from './message-api.ts';

/** The kinds of files that may be in an album. */
const ALBUM_TYPES: ReadonlySet<string> = new Set(['photo', 'video', 'audio']);

export type FileCandidates = ReturnType<typeof createFileCandidates>;

/** The ways to send a file, best first: by a file id from Telegram, by address, as an upload; at last as a link. */
export function createFileCandidates(item: GalleryItem, inAlbum: boolean, context: TelegramContext) {
  const { sentFiles } = context;
  const { post, clip } = item;
  /** The keys of the variants that Telegram refused as too large. */
  const refused = new Set<string>();
  const { key, remembered, remote, uploaded, close } = createWays(item, inAlbum, context, refused);
  // A clip is made for one person, so no file id is remembered for it, and it is uploaded.
  let way: FileCandidate['from'] | 'link' = clip === undefined ? 'remembered' : 'upload';
  let current: FileCandidate | DeliveredLink | undefined;
  let asDocument = false;

  async function find(signal: AbortSignal): Promise<FileCandidate | DeliveredLink> {
    if (way === 'remembered') {
      const known = await remembered();
      if (known !== undefined) return known;
      way = 'address';
    }
    if (way === 'address') {
      const found = remote();
      if (found !== undefined) return found;
      way = 'upload';
    }
    return way === 'upload' ? uploaded(asDocument, signal) : link();
  }

  function link(): DeliveredLink {
    return { kind: 'link', url: post.url, leadsTo: 'original', reason: 'too_large' };
  }

  return {
    /** Resolves with true when the file id of an earlier upload is known, so that sending the file takes no upload. */
    isRemembered: async () => way === 'remembered' && (await remembered()) !== undefined,
    /** The way to try now; it stays the same until `refuse` is called. @throws AppError when the signal aborts. */
    async candidate(signal: AbortSignal): Promise<FileCandidate | DeliveredLink> {
      current ??= await find(signal);
      return current;
    },
    /** To be called when Telegram refuses the current way, after which `candidate` resolves with the next one. */
    async refuse({ code, description }: BotApiError): Promise<void> {
      const isTooLarge = code === 413 || /too (big|large)/i.test(description);
      const last = current;
      current = undefined;
      if (last === undefined || last.kind === 'link') return;
      if (last.from === 'address') way = 'upload';
      else if (last.from === 'remembered') {
        way = 'address';
        await sentFiles.delete(key);
      } else if (isTooLarge && !refused.has(last.variantKey)) {
        // The refused file counts as too large, so the next upload is a smaller file.
        refused.add(last.variantKey);
        void close();
      } else if (last.type === 'photo') asDocument = true;
      else way = 'link';
    },
    /** The address of the post, to be sent if the file cannot be. */
    link,
    /** Remembers the file id that Telegram gave to the sent file. */
    async sent(message: SentMessage): Promise<void> {
      if (current?.kind !== 'candidate' || current.from === 'remembered' || clip !== undefined) return;
      const made = fileIn(message);
      const { variantKey, reduced } = current;
      if (made !== undefined) await sentFiles.put(key, { variantKey, reducedBytes: reduced?.bytes, ...made });
    },
    close,
  };
}

/** Makes the ways to send a file: its id, its address, an upload. @param refused variants too large to be uploaded */
function createWays(item: GalleryItem, inAlbum: boolean, context: TelegramContext, refused: ReadonlySet<string>) {
  const { sentFiles, holder, delivery, limits, uploadBytes } = context;
  const { post, index, form, clip } = item;
  const media = post.items[index];
  // An item's index changes when other items of the post can be read; its key never changes.
  const place = media === undefined ? index : itemKey(media);
  const key: SentFileKey = { holder, source: post.source, postId: post.id, index: place, form };
  /** The file on the disk, from its download to its release; undefined before and after. */
  let file: DeliveredFile | undefined;

  function requestOf(maxBytes: number): DeliveryRequest {
    return { post, index, form, maxBytes, refused: [...refused], ...(clip && { clip }) };
  }

  return {
    key,
    async remembered(): Promise<FileCandidate | undefined> {
      const known = await sentFiles.get(key);
      if (known === undefined) return undefined;
      const { variantKey, fileId, kind: type, reducedBytes: bytes } = known;
      if (!isFileType(type) || (inAlbum && !ALBUM_TYPES.has(type))) return undefined;
      const reduced = bytes === undefined ? undefined : { bytes, ...delivery.wholeAddress(requestOf(bytes)) };
      return candidateOf(item, { from: 'remembered', type, media: fileId, variantKey, reduced });
    },
    /** The address from which Telegram fetches the file by itself; undefined if Telegram cannot do that. */
    remote(): FileCandidate | undefined {
      const found = delivery.remoteFile(requestOf(media?.kind === 'image' ? limits.addressPhoto : limits.address));
      const type = found && typeOf(found.mime);
      if (found === undefined || type === undefined || type === 'document' || !isPublic(found.url)) return undefined;
      if (type === 'photo' && isUnlikePhoto(found)) return undefined;
      const { url, variantKey, reduced } = found;
      return candidateOf(item, { from: 'address', type, media: url, variantKey, reduced });
    },
    async uploaded(asDocument: boolean, signal: AbortSignal): Promise<FileCandidate | DeliveredLink> {
      if (file === undefined) {
        const maxBytes = media?.kind === 'image' ? limits.uploadPhoto : uploadBytes;
        const delivered = await delivery.deliver({ ...requestOf(maxBytes), thumbnail: true }, signal);
        if (delivered.kind === 'link') return delivered;
        file = delivered;
      }
      return uploadedFile(item, file, asDocument);
    },
    /** Releases the file on the disk. */
    async close(): Promise<void> {
      const done = file;
      file = undefined;
      await done?.dispose();
    },
  };
}

function uploadedFile(item: GalleryItem, file: DeliveredFile, asDocument: boolean): FileCandidate {
  const { path, fileName, bytes, mime, variantKey, reduced, width, height, durationMs, thumbnail } = file;
  const known = typeOf(mime) ?? 'document';
  const type = asDocument || (known === 'photo' && isUnlikePhoto(file)) ? 'document' : known;
  return candidateOf(item, {
    ...{ from: 'upload', type, media: { content: { path }, fileName, bytes }, variantKey, reduced },
    ...sizeOf(width, height),
    ...(durationMs !== null && { duration: secondsOf(durationMs) }),
    ...(thumbnail !== null &&
      type !== 'document' && {
        thumbnail: { content: { path: thumbnail.path }, bytes: thumbnail.bytes, fileName: 'thumbnail.jpg' },
      }),
  });
}

/** A candidate with the width, height and duration that the post states, unless the file states its own. */
function candidateOf(
  { post, index, clip, spoiler }: GalleryItem,
  part: Omit<FileCandidate, 'kind' | 'uploadBytes' | 'spoiler'>,
): FileCandidate {
  const { width = null, height = null, durationMs = null } = post.items[index] ?? {};
  const ms = clip === undefined ? durationMs : clip.endMs - clip.startMs;
  return {
    ...{ kind: 'candidate', spoiler, duration: secondsOf(ms), ...sizeOf(width, height) },
    uploadBytes: typeof part.media === 'string' ? 0 : part.media.bytes,
    ...part,
  };
}

function sizeOf(width: number | null, height: number | null): Pick<FileCandidate, 'width' | 'height'> {
  return width === null || height === null ? {} : { width, height };
}

/** Says whether Telegram refuses a picture as a photo for its size; a picture of unknown size is tried. */
function isUnlikePhoto({ width, height }: Pick<DeliveredFile, 'width' | 'height'>): boolean {
  if (width === null || height === null) return false;
  const isThin = Math.max(width, height) > MESSAGE_LIMITS.photoRatio * Math.min(width, height);
  return isThin || width + height > MESSAGE_LIMITS.photoSides;
}

/** The file id in a sent message. An animation has a document too; a photo has several sizes, the largest last. */
function fileIn(message: SentMessage): { readonly fileId: string; readonly kind: FileType } | undefined {
  const { video, animation, photo, audio, document } = message;
  const largest = photo?.at(-1);
  if (video) return { fileId: video.file_id, kind: 'video' };
  if (animation) return { fileId: animation.file_id, kind: 'animation' };
  if (largest) return { fileId: largest.file_id, kind: 'photo' };
  if (audio) return { fileId: audio.file_id, kind: 'audio' };
  return document && { fileId: document.file_id, kind: 'document' };
}

function isFileType(kind: string): kind is FileType {
  return ALBUM_TYPES.has(kind) || kind === 'animation' || kind === 'document';
}

function typeOf(mime: string): FileType | undefined {
  if (/^image\/(jpeg|png|webp)$/.test(mime)) return 'photo';
  if (mime === 'image/gif') return 'animation';
  if (mime.startsWith('video/')) return 'video';
  if (mime.startsWith('audio/')) return 'audio';
  return mime.startsWith('image/') ? 'document' : undefined;
}

/** A length in whole seconds, at least one: Telegram shows a video of zero seconds as endless. Undefined for null. */
function secondsOf(ms: number | null): number | undefined {
  return ms === null ? undefined : Math.max(1, Math.round(ms / 1_000));
}

/** True for an https address with a public domain: Telegram cannot reach addresses in a local network. */
function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' && /^[^.]+(\.[^.]+)*\.[a-z]{2,}$/i.test(hostname);
}

/**
 * The files of an album that must be sent in another way after Telegram refused the album. Telegram names only the
 * first file that it cannot get, but other files sent by id or by address usually fail as well, and each attempt would
 * upload the accepted ones again. So all files that were sent in the same way as the named one change together.
 */
export function culprits<T extends { readonly candidate: FileCandidate }>(
  { code, description }: BotApiError,
  batch: readonly T[],
): readonly T[] {
  const from = (way: FileCandidate['from']) => batch.filter(({ candidate }) => candidate.from === way);
  const named = batch[Number(/#(\d{1,2})\b/.exec(description)?.[1] ?? 0) - 1];
  if (named !== undefined) return named.candidate.from === 'upload' ? [named] : from(named.candidate.from);
  const uploads = from('upload');
  if (code === 413 && uploads.length > 0) {
    const largest = Math.max(...uploads.map(({ candidate }) => candidate.uploadBytes));
    return uploads.filter(({ candidate }) => candidate.uploadBytes === largest);
  }
  return [from('remembered'), from('address'), uploads].find(group => group.length > 0) ?? batch;
}

export type UploadInTurn = ReturnType<typeof createUploadTurns>;

export function createUploadTurns(actions: ChatActions) {
  const busy = new Map<string, Promise<void>>();

  /**
   * Sends a post's files. Requests for the same post take turns: the first one uploads the files, and the next ones
   * send them by the ids that Telegram gave.
   * @throws whatever `send` throws, or the signal's reason
   */
  return async <T>(
    items: readonly GalleryItem[],
    ways: readonly FileCandidates[],
    { to, signal }: Pick<ReplyContext, 'to' | 'signal'>,
    send: () => Promise<T>,
  ): Promise<T> => {
    const post = postKey(items);
    for (;;) {
      const isRemembered = await Promise.all(ways.map(each => each.isRemembered()));
      if (isRemembered.every(Boolean)) return send();
      const other = busy.get(post);
      if (other === undefined) break;
      await abortable(other, signal);
    }
    const release = () => void busy.delete(post);
    const sending = actions.during(to, actionFor(items), send);
    busy.set(post, sending.then(release, release));
    return sending;
  };
}

/** A text that identifies the post of these files, equal for all requests for the same post in the same form. */
export function postKey([first]: readonly GalleryItem[]): string {
  return JSON.stringify(first && [first.post.source, first.post.id, first.form]);
}

function actionFor(items: readonly GalleryItem[]): ChatAction {
  if (items.every(isAudio)) return 'upload_document';
  return items.some(({ post, index }) => post.items[index]?.kind === 'video') ? 'upload_video' : 'upload_photo';
}

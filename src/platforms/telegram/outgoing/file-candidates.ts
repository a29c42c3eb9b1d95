import type { GalleryItem } from '../../../bot/contract/reply.ts';
import type { DeliveredFile, DeliveredLink, Delivery } from '../../../media/delivery/delivery.ts';
import type { DeliveryRequest } from '../../../media/delivery/delivery-request.ts';
import type { SentFileKey, SentFiles } from '../../../media/delivery/sent-files.ts';
import type { MediaItem } from '../../../media/post.ts';
import type { BotApiError } from '../api/bot-api-error.ts';
import type { TelegramLimits } from '../api/limits.ts';
import type { SentMessage, Upload } from '../api/methods.ts';
import type { FileCandidate, FileType } from '../render/file-fields.ts';

/** The ways to send one file, best first: what Telegram holds, what it may fetch, what has to be uploaded; at last a link. */
export interface FileCandidates {
  /** Whether Telegram holds the file already, so that sending it costs nothing. */
  isHeld(): Promise<boolean>;
  /** The same until it is refused. @throws AppError when the signal aborts. */
  candidate(signal: AbortSignal): Promise<FileCandidate | DeliveredLink>;
  /** Telegram does not take the candidate: the next is another one. */
  refuse(error: BotApiError): Promise<void>;
  /** Where the file is, for when it cannot be sent. */
  link(): DeliveredLink;
  /** Remembers what Telegram made of the candidate. */
  sent(message: SentMessage): Promise<void>;
  /** Lets go of the file on disk. */
  close(): Promise<void>;
}

export interface FileCandidatesOptions {
  readonly delivery: Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'>;
  readonly sentFiles: SentFiles;
  /** Who holds the files: `telegram:BOT_ID`, since ids are per bot. */
  readonly holder: string;
  readonly limits: TelegramLimits;
  /** Whether the Bot API server is one's own, which takes larger files. */
  readonly isLocalServer: boolean;
}

/** Kinds that may stand beside others in an album. */
const ALBUM_TYPES: ReadonlySet<string> = new Set(['photo', 'video', 'audio']);

export function createFileCandidates(
  item: GalleryItem,
  inAlbum: boolean,
  options: FileCandidatesOptions,
): FileCandidates {
  const { delivery, sentFiles, holder, limits, isLocalServer } = options;
  const { post, index, form, spoiler, clip } = item;
  const media = post.items[index];
  const isPhoto = media?.kind === 'image';
  const key: SentFileKey = { holder, source: post.source, postId: post.id, index, form };
  const refused = new Set<string>();
  // A part of a video is made anew for each who wants it.
  let way: 'remembered' | 'address' | 'upload' | 'link' = clip === undefined ? 'remembered' : 'upload';
  let current: FileCandidate | DeliveredLink | undefined;
  let file: DeliveredFile | undefined;
  let asDocument = false;

  function request(maxBytes: number): DeliveryRequest {
    return { post, index, form, maxBytes, refused: [...refused], ...(clip && { clip }) };
  }

  async function held(): Promise<FileCandidate | undefined> {
    const known = await sentFiles.get(key);
    if (known === undefined || !isFileType(known.kind) || (inAlbum && !ALBUM_TYPES.has(known.kind))) return undefined;
    const { variantKey, fileId, kind: type, reducedBytes: bytes } = known;
    const reduced = bytes === undefined ? undefined : { bytes, ...delivery.wholeAddress(request(bytes)) };
    return made({ from: 'remembered', type, media: fileId, variantKey, reduced });
  }

  function fetched(): FileCandidate | undefined {
    const remote = delivery.remoteFile(request(isPhoto ? limits.addressPhoto : limits.address));
    const type = remote && typeOf(remote.mime);
    if (remote === undefined || type === undefined || type === 'document' || !isPublic(remote.url)) return undefined;
    const { url, variantKey, reduced } = remote;
    return made({ from: 'address', type, media: url, variantKey, reduced });
  }

  async function uploaded(signal: AbortSignal): Promise<FileCandidate | DeliveredLink> {
    const largest = isLocalServer ? limits.localUpload : limits.upload;
    if (file === undefined) {
      const wanted = request(isPhoto ? limits.uploadPhoto : largest);
      const delivered = await delivery.deliver({ ...wanted, thumbnail: true }, signal);
      if (delivered.kind === 'link') return delivered;
      file = delivered;
    }
    const { path, fileName, bytes, mime, variantKey, reduced } = file;
    const type = asDocument ? 'document' : (typeOf(mime) ?? 'document');
    const media = { content: { path }, fileName, bytes };
    return made({ from: 'upload', type, media, variantKey, reduced, ...looks(file, type) });
  }

  function made(
    part: Pick<FileCandidate, 'from' | 'type' | 'media' | 'variantKey' | 'reduced'> & {
      readonly width?: number;
      readonly height?: number;
      readonly duration?: number;
      readonly thumbnail?: Upload;
    },
  ): FileCandidate {
    const { width, height } = sizeOf(media);
    const duration = clip === undefined ? (media?.durationMs ?? null) : clip.endMs - clip.startMs;
    return {
      kind: 'candidate',
      width,
      height,
      duration: duration === null ? undefined : secondsOf(duration),
      thumbnail: undefined,
      uploadBytes: typeof part.media === 'string' ? 0 : part.media.bytes,
      spoiler,
      ...part,
    };
  }

  async function find(signal: AbortSignal): Promise<FileCandidate | DeliveredLink> {
    if (way === 'remembered') {
      const known = await held();
      if (known !== undefined) return known;
      way = 'address';
    }
    if (way === 'address') {
      const remote = fetched();
      if (remote !== undefined) return remote;
      way = 'upload';
    }
    return way === 'upload' ? uploaded(signal) : link();
  }

  function link(): DeliveredLink {
    return { kind: 'link', url: post.url, leadsTo: 'original', reason: 'too_large' };
  }

  async function letGo(): Promise<void> {
    const done = file;
    file = undefined;
    await done?.dispose();
  }

  function refuseUpload({ code, description }: BotApiError, { type, variantKey }: FileCandidate): void {
    const isTooLarge = code === 413 || /too (big|large)/i.test(description);
    if (isTooLarge && !refused.has(variantKey)) {
      refused.add(variantKey);
      void letGo();
    } else if (type === 'photo') asDocument = true;
    else way = 'link';
  }

  return {
    isHeld: async () => way === 'remembered' && (await held()) !== undefined,
    async candidate(signal) {
      current ??= await find(signal);
      return current;
    },
    async refuse(error) {
      const last = current;
      current = undefined;
      if (last === undefined || last.kind === 'link') return;
      if (last.from === 'upload') refuseUpload(error, last);
      else if (last.from === 'address') way = 'upload';
      else {
        way = 'address';
        await sentFiles.delete(key);
      }
    },
    link,
    async sent(message) {
      if (current?.kind !== 'candidate' || current.from === 'remembered' || clip !== undefined) return;
      const made = fileIn(message);
      const { variantKey, reduced } = current;
      if (made !== undefined) await sentFiles.put(key, { variantKey, reducedBytes: reduced?.bytes, ...made });
    },
    close: letGo,
  };
}

/** What Telegram made of what was sent. An animation has a document beside it, and a photo comes in sizes, largest last. */
function fileIn(message: SentMessage): { readonly fileId: string; readonly kind: FileType } | undefined {
  const { video, animation, photo, audio, document } = message;
  const largest = photo?.at(-1);
  if (video) return { fileId: video.file_id, kind: 'video' };
  if (animation) return { fileId: animation.file_id, kind: 'animation' };
  if (largest) return { fileId: largest.file_id, kind: 'photo' };
  if (audio) return { fileId: audio.file_id, kind: 'audio' };
  return document && { fileId: document.file_id, kind: 'document' };
}

/** How it looks, as far as that is known. */
function looks({ width, height, durationMs, thumbnail }: DeliveredFile, type: FileType) {
  return {
    ...(width !== null && height !== null ? { width, height } : {}),
    ...(durationMs === null ? {} : { duration: secondsOf(durationMs) }),
    ...(thumbnail === null || type === 'document'
      ? {}
      : { thumbnail: { content: { path: thumbnail.path }, bytes: thumbnail.bytes, fileName: 'thumbnail.jpg' } }),
  };
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

function sizeOf(media: MediaItem | undefined): {
  readonly width: number | undefined;
  readonly height: number | undefined;
} {
  const { width = null, height = null } = media ?? {};
  return width === null || height === null ? { width: undefined, height: undefined } : { width, height };
}

/** At least one: zero makes Telegram show a video without an end. */
function secondsOf(ms: number): number {
  return Math.max(1, Math.round(ms / 1_000));
}

/** Telegram comes from outside. */
function isPublic(url: string): boolean {
  return (
    URL.canParse(url) &&
    new URL(url).protocol === 'https:' &&
    /^[^.]+(\.[^.]+)*\.[a-z]{2,}$/i.test(new URL(url).hostname)
  );
}

/**
 * The files that have to go another way after the refusal. Telegram names the first that it cannot have; the others of its kind, held or
 * fetched alike, mostly meet the same, and each further try would upload again what it took before. So they go together.
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

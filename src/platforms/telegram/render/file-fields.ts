import type { Reduction } from '../../../media/delivery/delivery.ts';
import type { AlbumItem, FileSource, Keyboard, Upload } from '../api/methods.ts';
import type { FormattedText } from './formatted-text.ts';

/** Telegram's own kinds of files. */
export type FileType = 'photo' | 'video' | 'animation' | 'audio' | 'document';

/** One way to send a file. */
export interface FileCandidate {
  readonly kind: 'candidate';
  readonly from: 'remembered' | 'address' | 'upload';
  readonly type: FileType;
  readonly media: FileSource;
  readonly uploadBytes: number;
  readonly variantKey: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Seconds. */
  readonly duration: number | undefined;
  /** A small image of an uploaded video. */
  readonly thumbnail: Upload | undefined;
  readonly spoiler: boolean;
  readonly reduced: Reduction | undefined;
}

/** The fields of a file's message, each only where there is something to say. */

export function captioned({ text, entities }: FormattedText) {
  return text === '' ? {} : { caption: text, caption_entities: entities };
}

/** Of a photo or video that only those see who want to look. */
export function veiled(isHidden: boolean) {
  return isHidden ? { has_spoiler: true } : {};
}

export function markup(keyboard: Keyboard | undefined) {
  return keyboard === undefined ? {} : { reply_markup: keyboard };
}

export function shape({ width, height, duration }: Pick<FileCandidate, 'width' | 'height' | 'duration'>) {
  return {
    ...(width === undefined || height === undefined ? {} : { width, height }),
    ...(duration === undefined ? {} : { duration }),
  };
}

export function pictured({ thumbnail }: Pick<FileCandidate, 'thumbnail'>) {
  return thumbnail === undefined ? {} : { thumbnail };
}

export function albumItem(candidate: FileCandidate, caption: FormattedText): AlbumItem {
  const { type, media, spoiler, duration } = candidate;
  const hidden = veiled(spoiler);
  const words = captioned(caption);
  if (type === 'photo') return { type, media, ...words, ...hidden };
  if (type === 'audio') return { type, media, ...words, ...(duration === undefined ? {} : { duration }) };
  if (type === 'document') return { type, media, ...words };
  return {
    type: 'video',
    media,
    ...words,
    ...hidden,
    ...shape(candidate),
    ...pictured(candidate),
    supports_streaming: true,
  };
}

/** What may stand together in one album. */
export function albumClass({ type }: FileCandidate): 'seen' | 'audio' | 'document' | 'alone' {
  if (type === 'photo' || type === 'video') return 'seen';
  return type === 'animation' ? 'alone' : type;
}

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

// Each of these gives fields of a file's message, and only those that have a value.

export function captionFields({ text, entities }: FormattedText) {
  return text === '' ? {} : { caption: text, caption_entities: entities };
}

/** The field that hides a photo or video until a person wants to see it. */
export function spoilerField(isHidden: boolean) {
  return isHidden ? { has_spoiler: true } : {};
}

export function keyboardField(keyboard: Keyboard | undefined) {
  return keyboard === undefined ? {} : { reply_markup: keyboard };
}

export function durationField({ duration }: Pick<FileCandidate, 'duration'>) {
  return duration === undefined ? {} : { duration };
}

export function sizeFields(candidate: Pick<FileCandidate, 'width' | 'height' | 'duration'>) {
  const { width, height } = candidate;
  return { ...(width === undefined || height === undefined ? {} : { width, height }), ...durationField(candidate) };
}

/** The fields of a video or an animation. */
export function videoFields(candidate: FileCandidate) {
  const { thumbnail, spoiler } = candidate;
  return {
    ...spoilerField(spoiler),
    ...sizeFields(candidate),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  };
}

export function albumItem(candidate: FileCandidate, caption: FormattedText): AlbumItem {
  const { type, media, spoiler } = candidate;
  const words = captionFields(caption);
  if (type === 'photo') return { type, media, ...words, ...spoilerField(spoiler) };
  if (type === 'audio') return { type, media, ...words, ...durationField(candidate) };
  if (type === 'document') return { type, media, ...words };
  return { type: 'video', media, ...words, ...videoFields(candidate), supports_streaming: true };
}

/** Files of one class may be in one album. */
export function albumClass({ type }: FileCandidate): 'seen' | 'audio' | 'document' | 'alone' {
  if (type === 'photo' || type === 'video') return 'seen';
  return type === 'animation' ? 'alone' : type;
}

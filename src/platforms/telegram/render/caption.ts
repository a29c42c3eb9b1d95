import type { Block, GalleryItem, Text } from '../../../bot/contract/reply.ts';
import { reductionText } from '../../../bot/views/post.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Reduction } from '../../../media/delivery/delivery.ts';
import { itemCount } from '../../../media/post.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { AlbumItem, FileSource, Keyboard, Upload } from '../api/methods.ts';
import { renderBlocks } from './block-text.ts';
import { concat, EMPTY, type FormattedText, formatText, plainText, shorten, type TextStyle } from './formatted-text.ts';

/** The text under a file, cut to the length of a caption. */
export function renderCaption(blocks: readonly Block[], style: TextStyle): FormattedText {
  return renderBlocks(blocks, style, MESSAGE_LIMITS.caption);
}

export function fitsCaption({ text }: FormattedText): boolean {
  return text.length <= MESSAGE_LIMITS.caption;
}

/** A caption with a note below it; the caption is shortened to make room. */
export function withNote(caption: FormattedText, note: FormattedText): FormattedText {
  if (note.text === '') return caption;
  const below = shorten(note, MESSAGE_LIMITS.caption);
  const room = MESSAGE_LIMITS.caption - below.text.length - 2;
  const above = room < 1 ? EMPTY : shorten(caption, room);
  return above.text === '' ? below : concat([above, plainText('\n\n'), below]);
}

export interface ReducedFile {
  /** The item that the note names if its post has others. */
  readonly item?: GalleryItem | undefined;
  readonly candidate: Pick<FileCandidate, 'reduced'>;
}

/** A line for each file that is smaller than the site's; empty when there is none. */
export function reductionNote(files: readonly ReducedFile[], t: Translator): FormattedText {
  const lines = files.flatMap(({ item, candidate: { reduced } }): Text[] => {
    return reduced === undefined ? [] : [reductionText(reduced, t, item && nameOf(item, t))];
  });
  const text = lines.flatMap((line, index) => (index === 0 ? line : ['\n', ...line]));
  return formatText(text, t);
}

function nameOf({ post, index }: GalleryItem, t: Translator): string | undefined {
  const count = itemCount(post);
  const position = (post.items[index]?.position ?? index) + 1;
  return count > 1 ? t.messages.post.itemOf({ n: position, total: count }) : undefined;
}

/** Telegram's own kinds of files. */
export type FileType = 'photo' | 'video' | 'animation' | 'audio' | 'document';

/** One way to send a file, with the facts that Telegram wants. */
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

// Fields of a file's message, without those that have no value.

export function captionFields({ text, entities }: FormattedText) {
  return text === '' ? {} : { caption: text, caption_entities: entities };
}

/** Hides a photo or video behind a spoiler. */
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

/** The class of a file; files of one class may share an album. */
export function albumClass({ type }: FileCandidate): 'seen' | 'audio' | 'document' | 'alone' {
  if (type === 'photo' || type === 'video') return 'seen';
  return type === 'animation' ? 'alone' : type;
}

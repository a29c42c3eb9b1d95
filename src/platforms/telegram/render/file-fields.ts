import type { Block, GalleryItem, Text } from '../../../bot/contract/reply.ts';
import { stacked } from '../../../bot/contract/reply-parts.ts';
import { reductionText } from '../../../bot/views/post.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Reduction } from '../../../media/delivery/delivery.ts';
import { itemCount } from '../../../media/post.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { AlbumItem, FileSource, Upload } from '../api/methods.ts';
import { renderBlocks } from './block-text.ts';
import { concat, EMPTY, type FormattedText, formatText, plainText, shorten, type TextStyle } from './formatted-text.ts';

/** The text under a file, cut to the length that captions may have. */
export function renderCaption(blocks: readonly Block[], style: TextStyle): FormattedText {
  return renderBlocks(blocks, style, MESSAGE_LIMITS.caption);
}

export function fitsCaption({ text }: FormattedText): boolean {
  return text.length <= MESSAGE_LIMITS.caption;
}

/** A caption with a note below it; the caption is shortened to make room for the note. */
export function withNote(caption: FormattedText, note: FormattedText): FormattedText {
  if (note.text === '') return caption;
  const below = shorten(note, MESSAGE_LIMITS.caption);
  const room = MESSAGE_LIMITS.caption - below.text.length - 2;
  const above = room < 1 ? EMPTY : shorten(caption, room);
  return above.text === '' ? below : concat([above, plainText('\n\n'), below]);
}

export interface ReducedFile {
  /** The item. The note names it if the post has other items. */
  readonly item?: GalleryItem | undefined;
  readonly candidate: Pick<FileCandidate, 'reduced'>;
}

/** A line for each file that is smaller than on its site; empty if there is none. */
export function reductionNote(files: readonly ReducedFile[], t: Translator): FormattedText {
  const lines = files.flatMap(({ item, candidate: { reduced } }): Text[] => {
    return reduced === undefined ? [] : [reductionText(reduced, t, item && nameOf(item, t))];
  });
  return formatText(stacked(lines), t);
}

function nameOf({ post, index }: GalleryItem, t: Translator): string | undefined {
  const count = itemCount(post);
  const position = (post.items[index]?.position ?? index) + 1;
  return count > 1 ? t.messages.post.itemOf({ n: position, total: count }) : undefined;
}

/** The kinds of files that Telegram has. */
export type FileType = 'photo' | 'video' | 'animation' | 'audio' | 'document';

/** One way to send a file, with what Telegram is told about the file. */
export interface FileCandidate {
  readonly kind: 'candidate';
  readonly from: 'remembered' | 'address' | 'upload';
  readonly type: FileType;
  readonly media: FileSource;
  readonly uploadBytes: number;
  readonly variantKey: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** The length of a video or audio in seconds. */
  readonly duration?: number | undefined;
  /** A small image that Telegram shows before an uploaded video is played. */
  readonly thumbnail?: Upload;
  readonly spoiler: boolean;
  readonly reduced: Reduction | undefined;
}

// The functions below make the parameters of a message with a file. Undefined parameters are not sent.

export function captionFields({ text, entities }: FormattedText) {
  return text === '' ? {} : { caption: text, caption_entities: entities };
}

/** The fields of a video or an animation. */
export function videoFields({ width, height, duration, thumbnail, spoiler }: FileCandidate) {
  return { has_spoiler: spoiler || undefined, width, height, duration, thumbnail };
}

export function albumItem(candidate: FileCandidate, caption: FormattedText): AlbumItem {
  const { type, media, spoiler, duration } = candidate;
  const words = captionFields(caption);
  if (type === 'photo') return { type, media, ...words, has_spoiler: spoiler || undefined };
  if (type === 'audio') return { type, media, ...words, duration };
  if (type === 'document') return { type, media, ...words };
  return { type: 'video', media, ...words, ...videoFields(candidate), supports_streaming: true };
}

/** The class of a file: only files of one class may share an album, and an `alone` one shares none. */
export function albumClass({ type }: FileCandidate): 'seen' | 'audio' | 'document' | 'alone' {
  if (type === 'photo' || type === 'video') return 'seen';
  return type === 'animation' ? 'alone' : type;
}

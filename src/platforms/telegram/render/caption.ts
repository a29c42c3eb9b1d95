import type { Block, GalleryItem, Text } from '../../../bot/contract/reply.ts';
import { reductionText } from '../../../bot/views/post.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { itemCount } from '../../../media/post.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import { renderBlocks } from './block-text.ts';
import type { FileCandidate } from './file-fields.ts';
import { concat, EMPTY, type FormattedText, formatText, plainText, shorten, type TextStyle } from './formatted-text.ts';

/** The words under a file, cut to the length that a caption may have. `withNote` cuts them once more where a note needs room. */
export function renderCaption(blocks: readonly Block[], style: TextStyle): FormattedText {
  return renderBlocks(blocks, style, MESSAGE_LIMITS.caption);
}

export function fitsCaption({ text }: FormattedText): boolean {
  return text.length <= MESSAGE_LIMITS.caption;
}

/** A caption with a note below it, for which its words make room. */
export function withNote(caption: FormattedText, note: FormattedText): FormattedText {
  if (note.text === '') return caption;
  const below = shorten(note, MESSAGE_LIMITS.caption);
  const room = MESSAGE_LIMITS.caption - below.text.length - 2;
  const above = room < 1 ? EMPTY : shorten(caption, room);
  return above.text === '' ? below : concat([above, plainText('\n\n'), below]);
}

export interface ReducedFile {
  /** Named in the note where its post has others. */
  readonly item?: GalleryItem | undefined;
  readonly candidate: Pick<FileCandidate, 'reduced'>;
}

/** A line for each of the files that is smaller than the site's; empty where none is. */
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

import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Keyboard, RichBlock } from '../api/methods.ts';
import { renderBlocks } from './block-text.ts';
import type { FileCandidate } from './file-fields.ts';
import { pictured, shape } from './file-fields.ts';
import { renderKeyboard } from './keyboard.ts';
import { reductionNote } from './reduction-note.ts';
import { isSound, type RenderContext, wordingOf } from './render.ts';
import { renderRichWords } from './rich-words.ts';

/** All files of a post, what is said of them and the buttons in one message. */
export interface RichPayload {
  readonly items: readonly GalleryItem[];
  readonly words: readonly RichBlock[];
  readonly keyboard: Keyboard | undefined;
}

/**
 * Undefined where the reply is no album, where it has fewer than `from` files and one album holds all of it, or where it is more than one
 * such message holds. Pure.
 */
export function renderRich(reply: Reply, { t, extra = [] }: RenderContext, from: number): RichPayload | undefined {
  const { blocks, gallery, actions } = reply;
  if (gallery.length < 2 || gallery.length > MESSAGE_LIMITS.richMedia || gallery.some(isSound)) return undefined;
  const words = renderBlocks(blocks, wordingOf(reply, t), MESSAGE_LIMITS.richText);
  if (gallery.length < from && words.text.length <= MESSAGE_LIMITS.caption) return undefined;
  return { items: gallery, words: renderRichWords(words), keyboard: renderKeyboard(actions, { extra }) };
}

/** The files, one beside the other, and the words below them. Undefined where one of them may not stand there. */
export function richBlocks(
  files: readonly { readonly item: GalleryItem; readonly candidate: FileCandidate }[],
  { words }: Pick<RichPayload, 'words'>,
  t: Translator,
): readonly RichBlock[] | undefined {
  const blocks = files.map(({ candidate }) => fileBlock(candidate));
  const seen = blocks.filter(block => block !== undefined);
  if (seen.length < files.length) return undefined;
  return [{ type: 'slideshow', blocks: seen }, ...words, ...renderRichWords(reductionNote(files, t))];
}

function fileBlock(candidate: FileCandidate): RichBlock | undefined {
  const { type, media, spoiler } = candidate;
  const hidden = spoiler ? { has_spoiler: true } : {};
  if (type === 'photo') return { type, photo: { type, media, ...hidden } };
  if (type !== 'video') return undefined;
  const looks = { ...shape(candidate), ...pictured(candidate) };
  return { type, video: { type, media, ...hidden, ...looks, supports_streaming: true } };
}

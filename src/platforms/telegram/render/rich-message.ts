import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button, Keyboard, RichBlock, RichText } from '../api/methods.ts';
import { renderBlocks } from './block-text.ts';
import { type FileCandidate, fitsCaption, reductionNote, videoFields } from './file-fields.ts';
import { type Entity, type FormattedText, isWebAddress, styleOf } from './formatted-text.ts';
import { renderKeyboard } from './keyboard.ts';
import { isAudio } from './render.ts';

/** A rich message with all files of a post, its text and its buttons. */
export interface RichPayload {
  readonly items: readonly GalleryItem[];
  readonly words: readonly RichBlock[];
  readonly keyboard: Keyboard | undefined;
}

/**
 * Renders a reply as a rich message. Undefined with fewer than two files, with too many or with audio, and if it has
 * fewer than `from` files and its text fits into an album's caption. Pure.
 */
export function renderRich(
  reply: Reply,
  t: Translator,
  { extra, from }: { readonly extra: readonly Button[]; readonly from: number },
): RichPayload | undefined {
  const { blocks, gallery, actions } = reply;
  if (gallery.length < 2 || gallery.length > MESSAGE_LIMITS.richMedia || gallery.some(isAudio)) return undefined;
  const words = renderBlocks(blocks, styleOf(reply, t), MESSAGE_LIMITS.richText);
  if (gallery.length < from && fitsCaption(words)) return undefined;
  return { items: gallery, words: renderRichWords(words), keyboard: renderKeyboard(actions, { extra }) };
}

/** The files as a slideshow, and the text below. Undefined if a file cannot be in a rich message. */
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
  if (type === 'photo') return { type, photo: { type, media, has_spoiler: spoiler || undefined } };
  if (type !== 'video') return undefined;
  return { type, video: { type, media, ...videoFields(candidate), supports_streaming: true } };
}

/**
 * Text as blocks of a rich message: paragraphs, and quotes that expand for folded text. It is sent with
 * `skip_entity_detection`, so that no name notifies anyone, and Medley marks addresses by itself.
 */
export function renderRichWords(content: FormattedText): readonly RichBlock[] {
  const blocks: RichBlock[] = [];
  let at = 0;
  for (const { offset, length } of content.entities.filter(isQuote).toSorted((a, b) => a.offset - b.offset)) {
    blocks.push(...paragraphs(slice(content, at, offset)));
    blocks.push({ type: 'expandable_blockquote', text: richText(slice(content, offset, offset + length)) });
    at = offset + length;
  }
  return [...blocks, ...paragraphs(slice(content, at, content.text.length))];
}

function isQuote({ type }: Entity): boolean {
  return type === 'expandable_blockquote';
}

function paragraphs(content: FormattedText): readonly RichBlock[] {
  return [...content.text.matchAll(/\S[^\n]*(?:\n(?!\s*\n)[^\n]*)*/g)].map(({ 0: words, index }) => ({
    type: 'paragraph',
    text: richText(slice(content, index, index + words.trimEnd().length)),
  }));
}

/** A part of the text; entities that go beyond it are cut. */
function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const within = entities.flatMap(entity => {
    const start = Math.max(entity.offset, from);
    const end = Math.min(entity.offset + entity.length, to);
    return start < end && !isQuote(entity) ? [{ ...entity, offset: start - from, length: end - start }] : [];
  });
  return { text: text.slice(from, to), entities: within };
}

function richText(content: FormattedText): RichText {
  // Outer entities are put before inner ones. Entities with equal ranges keep their order.
  const entities = content.entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  return simple(partsOf({ ...content, entities }, true));
}

function partsOf({ text, entities }: FormattedText, isPlain: boolean): readonly RichText[] {
  const parts: RichText[] = [];
  const write = (from: number, to: number) => parts.push(...linkedText(text.slice(from, to), isPlain));
  let at = 0;
  for (const [index, outer] of entities.entries()) {
    if (outer.offset < at) continue;
    const end = outer.offset + outer.length;
    write(at, outer.offset);
    const inner = slice({ text, entities: entities.slice(index + 1) }, outer.offset, end);
    const isWritten = isPlain && outer.type !== 'code' && outer.type !== 'text_link';
    parts.push(marked(outer, simple(partsOf(inner, isWritten))));
    at = end;
  }
  write(at, text.length);
  return parts;
}

function marked(entity: Entity, text: RichText): RichText {
  if (entity.type === 'text_link') return { type: 'url', url: entity.url, text };
  const { type } = entity;
  const isMark = type === 'bold' || type === 'italic' || type === 'code' || type === 'spoiler';
  return isMark ? { type, text } : text;
}

const ADDRESS = /(https?:\/\/[^\s<>"`]*[^\s<>"`.,!?:;)'\]|\u2026])/i;

/** Text with its addresses as links. @param isPlain whether addresses in the text may become links */
function linkedText(text: string, isPlain: boolean): readonly RichText[] {
  const parts = isPlain ? text.split(ADDRESS) : [text];
  return parts
    .filter(part => part !== '')
    .map(part => (isPlain && ADDRESS.test(part) && isWebAddress(part) ? { type: 'url', url: part, text: part } : part));
}

function simple(parts: readonly RichText[]): RichText {
  const [only = '', ...others] = parts;
  return others.length === 0 ? only : parts;
}

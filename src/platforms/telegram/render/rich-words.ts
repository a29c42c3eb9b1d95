import type { RichBlock, RichText } from '../api/methods.ts';
import { type Entity, type FormattedText, isWebAddress } from './formatted-text.ts';

/**
 * Words as blocks of a rich message: paragraphs, and what is folded as a quote that opens. Telegram is to look for nothing in them
 * (`skip_entity_detection`), so that no name calls anyone; addresses are marked here.
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

/** A part of it; what covers more than the part ends with it. */
function slice({ text, entities }: FormattedText, from: number, to: number): FormattedText {
  const within = entities.flatMap(entity => {
    const start = Math.max(entity.offset, from);
    const end = Math.min(entity.offset + entity.length, to);
    return start < end && !isQuote(entity) ? [{ ...entity, offset: start - from, length: end - start }] : [];
  });
  return { text: text.slice(from, to), entities: within };
}

function richText(content: FormattedText): RichText {
  // Outer ones first; of those that cover the same, the order says it.
  const entities = content.entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  return simple(partsOf({ ...content, entities }, true));
}

function partsOf({ text, entities }: FormattedText, isPlain: boolean): readonly RichText[] {
  const parts: RichText[] = [];
  const plain = (from: number, to: number) => parts.push(...plainText(text.slice(from, to), isPlain));
  let at = 0;
  for (const [index, outer] of entities.entries()) {
    if (outer.offset < at) continue;
    const end = outer.offset + outer.length;
    plain(at, outer.offset);
    const inner = slice({ text, entities: entities.slice(index + 1) }, outer.offset, end);
    const isWritten = isPlain && outer.type !== 'code' && outer.type !== 'text_link';
    parts.push(marked(outer, simple(partsOf(inner, isWritten))));
    at = end;
  }
  plain(at, text.length);
  return parts;
}

function marked(entity: Entity, text: RichText): RichText {
  if (entity.type === 'text_link') return { type: 'url', url: entity.url, text };
  const { type } = entity;
  const isMark = type === 'bold' || type === 'italic' || type === 'code' || type === 'spoiler';
  return isMark ? { type, text } : text;
}

const ADDRESS = /(https?:\/\/[^\s<>"`]*[^\s<>"`.,!?:;)'\]|\u2026])/i;

/** @param isPlain whether addresses in it may be opened */
function plainText(text: string, isPlain: boolean): readonly RichText[] {
  const parts = isPlain ? text.split(ADDRESS) : [text];
  return parts
    .filter(part => part !== '')
    .map(part => (isPlain && ADDRESS.test(part) && isWebAddress(part) ? { type: 'url', url: part, text: part } : part));
}

function simple(parts: readonly RichText[]): RichText {
  const [only = '', ...others] = parts;
  return others.length === 0 ? only : parts;
}

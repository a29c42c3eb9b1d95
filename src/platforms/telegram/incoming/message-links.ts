import type { PastedLink } from '../../../bot/contract/request.ts';
import type { MessageEntity } from '../api/updates.ts';

export interface Words {
  /** The text or the caption, without what stands in code. */
  readonly text: string;
  /** What Telegram marked as an address, in order; undefined when it marked none, and the text is all there is. */
  readonly links: readonly PastedLink[] | undefined;
  /** What is left of the text without what Telegram marked as an address. */
  readonly rest: string;
}

/** Entities of one message are at most 100. */
const MAX_ENTITIES = 200;

/**
 * The words of a message and the links in them, by Telegram's own marks. What is written as code, or `<so>`, is left alone; what is
 * hidden stays hidden. Offsets are UTF-16 units, as JavaScript's own.
 */
export function readWords(text: string, all: readonly MessageEntity[]): Words {
  const entities = all.slice(0, MAX_ENTITIES);
  const code = entities.filter(({ type }) => type === 'code' || type === 'pre');
  const spoilers = entities.filter(({ type }) => type === 'spoiler');
  const marked = entities.filter(({ type }) => type === 'url' || type === 'text_link');
  const quotes = entities.filter(({ type }) => type === 'blockquote' || type === 'expandable_blockquote');
  const links = marked
    .filter(entity => !code.some(each => overlaps(each, entity)) && !isBracketed(text, entity))
    .toSorted((a, b) => a.offset - b.offset)
    .map((entity): PastedLink => {
      const shown = text.slice(entity.offset, entity.offset + entity.length);
      return {
        url: entity.type === 'text_link' ? (entity.url ?? shown) : shown,
        spoiler: spoilers.some(spoiler => overlaps(spoiler, entity)),
        ...(quotes.some(quote => overlaps(quote, entity)) && { quoted: true }),
      };
    });
  return { text: blanked(text, code), links: marked.length === 0 ? undefined : links, rest: blanked(text, marked) };
}

function overlaps(a: MessageEntity, b: MessageEntity): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

function isBracketed(text: string, { offset, length }: MessageEntity): boolean {
  return text.charAt(offset - 1) === '<' && text.charAt(offset + length) === '>';
}

function blanked(text: string, code: readonly MessageEntity[]): string {
  let blank = text;
  for (const { offset, length } of code) {
    const start = Math.max(0, offset);
    const end = Math.min(text.length, offset + length);
    if (end > start) blank = blank.slice(0, start) + ' '.repeat(end - start) + blank.slice(end);
  }
  return blank;
}

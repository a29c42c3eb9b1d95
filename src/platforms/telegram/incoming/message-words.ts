import * as z from 'zod';
import type { PastedLink } from '../../../bot/contract/request.ts';
import type { Message, MessageEntity } from '../api/updates.ts';

export interface MessageWords {
  /** The text or the caption, without its code. */
  readonly text: string;
  /** The parts that Telegram marked as addresses, in order; undefined when it marked none, and the text is all there is. */
  readonly links: readonly PastedLink[] | undefined;
  /** The text without the parts that Telegram marked as addresses. */
  readonly remainder: string;
}

type Written = Pick<Message, 'text' | 'caption' | 'entities' | 'caption_entities' | 'rich_message'>;

/** The words of a message, of whatever kind it is; undefined when it has none. */
export function messageWords({ text, caption, entities, ...others }: Written): MessageWords | undefined {
  if (text !== undefined) return readWords(text, entities);
  if (caption !== undefined) return readWords(caption, others.caption_entities);
  if (others.rich_message === undefined) return undefined;
  const rich = flattenRich(others.rich_message.blocks);
  return readWords(rich.text, rich.entities);
}

/** Entities of one message are at most 100. */
const MAX_ENTITIES = 200;

/**
 * The words of a message and the links in them, by Telegram's own marks. Code, and links written as `<so>`, are left alone; what is
 * hidden stays hidden. Offsets are UTF-16 units, as JavaScript's own.
 */
export function readWords(text: string, all: readonly MessageEntity[]): MessageWords {
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
  return {
    text: blanked(text, code),
    links: marked.length === 0 ? undefined : links,
    remainder: blanked(text, marked),
  };
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

/** A node of a rich message, and its inner parts in the order in which they are read. */
const Node = z.looseObject({ type: z.string().catch(''), url: z.string().optional().catch(undefined) });
const INNER = ['summary', 'text', 'blocks', 'items', 'cells', 'caption', 'credit'] as const;

/** The same marks as in other messages. */
const MARKS: Readonly<Record<string, string>> = {
  url: 'text_link',
  code: 'code',
  pre: 'pre',
  spoiler: 'spoiler',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
  pullquote: 'blockquote',
};

/** The words of a rich message, each block on a line of its own, and their marks. Offsets are UTF-16 units. */
export function flattenRich(blocks: readonly unknown[]): {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
} {
  let text = '';
  const entities: MessageEntity[] = [];

  function read(node: unknown): void {
    if (typeof node === 'string') text += node;
    else if (Array.isArray(node)) node.forEach(read);
    else readNode(Node.safeParse(node).data);
  }

  function readNode(node: z.output<typeof Node> | undefined): void {
    if (node === undefined) return;
    const offset = text.length;
    for (const name of INNER) {
      const inner = node[name];
      if (inner === undefined) continue;
      if (name !== 'text' && text !== '' && !text.endsWith('\n')) text += '\n';
      read(inner);
    }
    const mark = MARKS[node.type];
    const length = text.length - offset;
    if (mark !== undefined && length > 0) entities.push({ type: mark, offset, length, url: node.url });
  }

  for (const block of blocks) {
    if (text !== '' && !text.endsWith('\n')) text += '\n';
    read(block);
  }
  return { text: text.trimEnd(), entities };
}

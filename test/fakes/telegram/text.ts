import { badRequest } from './answer.ts';
import type { Entity } from './shapes.ts';

export interface ParsedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

const TAGS: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  pre: 'pre',
  a: 'text_link',
  blockquote: 'blockquote',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
};

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/**
 * What stays of a text once its markup is read. Of the parse modes only HTML is played.
 * @throws ApiRefusal as the Bot API words it.
 */
export function parseText(text: string, parseMode: string | undefined, entities: readonly Entity[] = []): ParsedText {
  if (parseMode === undefined || parseMode === '') return { text, entities };
  if (parseMode.toLowerCase() !== 'html') throw badRequest(`unsupported parse_mode`);
  return parseHtml(text);
}

function parseHtml(source: string): ParsedText {
  let text = '';
  const entities: Entity[] = [];
  const open: { readonly tag: string; readonly offset: number; readonly url: string | undefined }[] = [];
  const token = /<(\/?)([a-z-]*)([^>]*)>|&(lt|gt|amp|quot|#\d{1,7});|[^<&]+|[<&]/gi;
  for (const [part, slash, name, rest, character] of source.matchAll(token)) {
    if (character !== undefined) {
      text += CHARACTERS[character.toLowerCase()] ?? String.fromCodePoint(Number(character.slice(1)));
    } else if (name === undefined) {
      if (part === '<') throw badRequest(`can't parse entities: Unclosed start tag at byte offset ${text.length}`);
      text += part;
    } else if (slash === '/') {
      const last = open.pop();
      if (last?.tag !== name.toLowerCase()) {
        throw badRequest(`can't parse entities: Unexpected end tag at byte offset ${text.length}`);
      }
      const { offset, url } = last;
      const type = TAGS[last.tag] ?? last.tag;
      const length = text.length - offset;
      if (length > 0) entities.push({ type, offset, length, ...(url === undefined ? {} : { url }) });
    } else {
      const tag = name.toLowerCase();
      if (TAGS[tag] === undefined) throw badRequest(`can't parse entities: Unsupported start tag "${tag}"`);
      open.push({ tag, offset: text.length, url: /href="([^"]*)"/i.exec(rest ?? '')?.[1] });
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined)
    throw badRequest(`can't parse entities: Can't find end tag corresponding to start tag "${unclosed.tag}"`);
  return { text, entities };
}

/** Telegram counts the characters of texts, not their UTF-16 units. */
export function lengthOf(text: string): number {
  return [...text].length;
}

/** What the servers find by themselves in what people write: addresses and commands. Offsets are UTF-16 units. */
export function detectEntities(text: string): Entity[] {
  const found: Entity[] = [];
  for (const match of text.matchAll(/(?<=^|\s)\/[a-z0-9_]{1,32}(@[a-z0-9_]{3,32})?(?![a-z0-9_@/])/gi)) {
    found.push({ type: 'bot_command', offset: match.index, length: match[0].length });
  }
  for (const match of text.matchAll(/https?:\/\/[^\s<>"]+/gi)) {
    const address = match[0].replace(/[.,!?:;)'\]|]+$/, '');
    found.push({ type: 'url', offset: match.index, length: address.length });
  }
  for (const match of text.matchAll(/(?<=^|\s)@[a-z0-9_]{3,32}/gi)) {
    found.push({ type: 'mention', offset: match.index, length: match[0].length });
  }
  return found.sort((a, b) => a.offset - b.offset);
}

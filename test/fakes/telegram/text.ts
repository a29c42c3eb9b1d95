import { type ApiRefusal, badRequest } from './answer.ts';
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
  if (parseMode.toLowerCase() !== 'html') throw badRequest('unsupported parse_mode');
  return parseHtml(text);
}

interface OpenTag {
  readonly tag: string;
  readonly offset: number;
  readonly url: string | undefined;
}

function parseHtml(source: string): ParsedText {
  let text = '';
  const entities: Entity[] = [];
  const open: OpenTag[] = [];
  const token = /<(\/?)([a-z-]*)([^<>]*)>|&(lt|gt|amp|quot|#\d{1,7});|[^<&]+|[<&]/gi;
  for (const [part, slash, name, attributes = '', character] of source.matchAll(token)) {
    if (character !== undefined) text += characterOf(character);
    else if (name === undefined) text += plain(part, text.length);
    else if (slash === '/') entities.push(...closed(open.pop(), name.toLowerCase(), text.length));
    else open.push(opened(name.toLowerCase(), attributes, text.length));
  }
  const [left] = open;
  if (left !== undefined) throw unparsed(`Can't find end tag corresponding to start tag "${left.tag}"`);
  return { text, entities };
}

function characterOf(reference: string): string {
  return CHARACTERS[reference.toLowerCase()] ?? String.fromCodePoint(Number(reference.slice(1)));
}

function plain(part: string, at: number): string {
  if (part === '<') throw unparsed(`Unclosed start tag at byte offset ${at}`);
  return part;
}

function opened(tag: string, attributes: string, offset: number): OpenTag {
  if (TAGS[tag] === undefined) throw unparsed(`Unsupported start tag "${tag}" at byte offset ${offset}`);
  return { tag, offset, url: /href="([^"]*)"/i.exec(attributes)?.[1] };
}

function closed(last: OpenTag | undefined, tag: string, at: number): readonly Entity[] {
  if (last?.tag !== tag) throw unparsed(`Unexpected end tag at byte offset ${at}`);
  const { offset, url } = last;
  if (at === offset) return [];
  return [{ type: TAGS[tag] ?? tag, offset, length: at - offset, ...(url === undefined ? {} : { url }) }];
}

function unparsed(cause: string): ApiRefusal {
  return badRequest(`can't parse entities: ${cause}`);
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

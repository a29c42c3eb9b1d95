import type { MessageEntity } from '@grammyjs/types';
import type { Inline, Text } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { menuName, withMenuNames } from './menu-names.ts';

/** Offsets and lengths are UTF-16 units, as JavaScript's own. */
export type Entity = Readonly<MessageEntity.CommonMessageEntity | MessageEntity.TextLinkMessageEntity>;

/** Plain text and what is said about its parts: there is no markup that words from the web could break. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

export const EMPTY: FormattedText = { text: '', entities: [] };
const ELLIPSIS = '…';

/** How moments, commands and names are written. */
export interface Voice extends Pick<Translator, 'date' | 'messages'> {
  /** The page of a person by the name that a text calls them; undefined where there is none. */
  readonly pageOf?: ((username: string) => string | undefined) | undefined;
  /** Whether all of it stands behind a spoiler, which can hold everything but code. */
  readonly isHidden?: boolean;
}

/** A reply's text as Telegram takes it. */
export function formatText(text: Text, voice: Voice): FormattedText {
  return concat(text.map(inline => formatInline(inline, voice)));
}

function formatInline(inline: Inline, voice: Voice): FormattedText {
  if (typeof inline === 'string') return withoutMentions(inline, voice);
  switch (inline.kind) {
    case 'strong':
      return covered(formatText(inline.children, voice), { type: 'bold' });
    case 'emphasis':
      return covered(formatText(inline.children, voice), { type: 'italic' });
    // Nothing may stand inside of code.
    case 'code':
      return asCode(withMenuNames(wordsOf(inline.children), voice), voice);
    case 'link': {
      const children = formatText(inline.children, voice);
      if (!isWebAddress(inline.url)) return children;
      // No other link, and no name, stands out in a link.
      const entities = children.entities.filter(({ type }) => type !== 'code' && type !== 'text_link');
      return covered({ ...children, entities }, { type: 'text_link', url: inline.url });
    }
    case 'time':
      return plain(voice.date(inline.at));
    case 'swatch':
      return plain(inline.symbol);
    // As it stands in the menu: then a tap sends it.
    case 'command':
      return plain(`/${menuName(inline.name)}`);
  }
}

function wordsOf(children: Text): string {
  return children
    .map(child => (typeof child === 'string' ? child : 'children' in child ? wordsOf(child.children) : ''))
    .join('');
}

function asCode(text: string, { isHidden = false }: Voice): FormattedText {
  return isHidden ? plain(unnamed(text)) : covered(plain(text), { type: 'code' });
}

/** No mention is made of it. */
function unnamed(text: string): string {
  return text.replaceAll('@', '＠');
}

export function plain(text: string): FormattedText {
  return { text, entities: [] };
}

const NAME = /(?<![A-Za-z0-9_])@([A-Za-z0-9_][A-Za-z0-9_.]*)/g;

/**
 * Telegram makes a mention of every `@name` in a text, and the person of that name, who has nothing to do with it, is called; but not of a
 * name that is a link, or code. So that it can be copied as it stands, nothing is put into it.
 */
function withoutMentions(text: string, voice: Voice): FormattedText {
  const parts: FormattedText[] = [];
  let from = 0;
  for (const match of text.matchAll(NAME)) {
    const name = match[0].replace(/\.+$/, '');
    const url = voice.pageOf?.(name.slice(1));
    parts.push(plain(text.slice(from, match.index)));
    parts.push(url === undefined ? asCode(name, voice) : covered(plain(name), { type: 'text_link', url }));
    from = match.index + name.length;
  }
  return concat([...parts, plain(text.slice(from))]);
}

export function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/]+\.[^\s]+$/i.test(url) && URL.canParse(url);
}

/** What an entity is, wherever it stands. */
type Mark = Readonly<
  Pick<MessageEntity.CommonMessageEntity, 'type'> | Pick<MessageEntity.TextLinkMessageEntity, 'type' | 'url'>
>;

/** The whole under one entity. */
export function covered(content: FormattedText, mark: Mark): FormattedText {
  const start = content.text.length - content.text.trimStart().length;
  const length = content.text.trim().length;
  if (length === 0) return content;
  const outer: Entity = { ...mark, offset: start, length };
  return { text: content.text, entities: [outer, ...content.entities.filter(({ type }) => type !== mark.type)] };
}

export function concat(parts: readonly FormattedText[]): FormattedText {
  let text = '';
  const entities: Entity[] = [];
  for (const part of parts) {
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + text.length });
    text += part.text;
  }
  return { text, entities };
}

/** At most `max` units; what is cut off is marked by an ellipsis, and entities end where the text does. */
export function shorten(content: FormattedText, max: number): FormattedText {
  if (content.text.length <= max) return content;
  if (max < 1) return EMPTY;
  const kept = content.text
    .slice(0, max - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
  const entities = content.entities.flatMap(entity => {
    const length = Math.min(entity.length, kept.length - entity.offset);
    return length > 0 ? [{ ...entity, length }] : [];
  });
  return { text: kept + ELLIPSIS, entities };
}

/** Telegram looks at no more of one message. */
const MOST_ENTITIES = 100;

/** With no more entities than Telegram takes: the last names give up theirs first, and are then written so that they call no one. */
export function withinEntities({ text, entities }: FormattedText): FormattedText {
  if (entities.length <= MOST_ENTITIES) return { text, entities };
  const isName = ({ type, offset }: Entity) => (type === 'code' || type === 'text_link') && text[offset] === '@';
  const left = [...entities.filter(each => !isName(each)), ...entities.filter(isName)].slice(MOST_ENTITIES);
  const dropped = new Set(left);
  const units = text.split('');
  for (const { offset } of left.filter(isName)) units[offset] = '＠';
  return { text: units.join(''), entities: entities.filter(each => !dropped.has(each)) };
}

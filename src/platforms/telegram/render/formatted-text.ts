import type { MessageEntity } from '@grammyjs/types';
import type { Inline, Text } from '../../../bot/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { withMenuNames } from './menu-names.ts';

/** Offsets and lengths are UTF-16 units, as JavaScript's own. */
export type Entity = Readonly<MessageEntity.CommonMessageEntity | MessageEntity.TextLinkMessageEntity>;

/** Plain text and what is said about its parts: there is no markup that words from the web could break. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

export const EMPTY: FormattedText = { text: '', entities: [] };
const ELLIPSIS = '…';

/** How moments and commands are written. */
type Words = Pick<Translator, 'date' | 'messages'>;

/** A reply's text as Telegram takes it. */
export function formatText(text: Text, t: Words): FormattedText {
  return concat(text.map(inline => formatInline(inline, t)));
}

function formatInline(inline: Inline, t: Words): FormattedText {
  if (typeof inline === 'string') return plain(withoutMentions(withMenuNames(inline, t)));
  switch (inline.kind) {
    case 'strong':
      return covered(formatText(inline.children, t), { type: 'bold' });
    case 'emphasis':
      return covered(formatText(inline.children, t), { type: 'italic' });
    // Nothing may stand inside of code.
    case 'code':
      return covered(plain(withMenuNames(wordsOf(inline.children), t)), { type: 'code' });
    case 'link': {
      const children = formatText(inline.children, t);
      return isWebAddress(inline.url) ? covered(children, { type: 'text_link', url: inline.url }) : children;
    }
    case 'time':
      return plain(t.date(inline.at));
    case 'swatch':
      return plain(inline.symbol);
    // As it stands in the menu: then a tap sends it.
    case 'command':
      return plain(`/${inline.name.replace(/[ -]/g, '_')}`);
  }
}

function wordsOf(children: Text): string {
  return children
    .map(child => (typeof child === 'string' ? child : 'children' in child ? wordsOf(child.children) : ''))
    .join('');
}

export function plain(text: string): FormattedText {
  return { text, entities: [] };
}

/** Telegram makes a mention of every `@name` in a text, and the person of that name, who has nothing to do with it, is called. */
function withoutMentions(text: string): string {
  return text.replace(/@(?=\w)/g, '@\u2060');
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

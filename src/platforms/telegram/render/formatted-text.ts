import type { MessageEntity } from '@grammyjs/types';
import type { Inline, Reply, Text } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';

/** Offsets and lengths are UTF-16 units, as JavaScript's own. */
export type Entity = Readonly<MessageEntity.CommonMessageEntity | MessageEntity.TextLinkMessageEntity>;

/** Plain text with entities that mark its parts: there is no markup that words from the web could break. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

export const EMPTY: FormattedText = { text: '', entities: [] };
const ELLIPSIS = '…';

/** The way in which moments, commands and names are written. */
export interface TextStyle extends Pick<Translator, 'date' | 'messages'> {
  /** The page of a person by the name that a text calls them; undefined where there is none. */
  readonly pageOf?: ((username: string) => string | undefined) | undefined;
  /** All of the text is under a spoiler, which can have anything but code in it. */
  readonly isHidden?: boolean;
}

/** The style of a reply's texts. */
export function styleOf(reply: Pick<Reply, 'blocks' | 'gallery' | 'isHidden'>, t: Translator): Translator & TextStyle {
  return { ...t, pageOf: profileAddresses(reply), isHidden: reply.isHidden === true };
}

/**
 * Makes the addresses of the people whom a post's caption names: on its site, by the way in which the heading leads to the author.
 * Undefined where it does not lead there by name.
 */
function profileAddresses({ blocks, gallery }: Pick<Reply, 'blocks' | 'gallery'>) {
  const username = gallery[0]?.post.author.username ?? '';
  const heading = blocks.find(block => block.kind === 'heading');
  const [page] =
    heading?.text.flatMap(each => (typeof each !== 'string' && each.kind === 'link' ? [each.url] : [])) ?? [];
  const [before, after, ...others] = username === '' ? [] : (page?.split(username) ?? []);
  if (before === undefined || after === undefined || others.length > 0) return undefined;
  return (name: string) => `${before}${name}${after}`;
}

/** A reply's text as Telegram takes it. */
export function formatText(text: Text, style: TextStyle): FormattedText {
  return concat(text.map(inline => formatInline(inline, style)));
}

function formatInline(inline: Inline, style: TextStyle): FormattedText {
  if (typeof inline === 'string') return withoutMentions(inline, style);
  switch (inline.kind) {
    case 'strong':
      return covered(formatText(inline.children, style), { type: 'bold' });
    case 'emphasis':
      return covered(formatText(inline.children, style), { type: 'italic' });
    // Telegram takes no entity inside of code.
    case 'code':
      return asCode(withMenuNames(wordsOf(inline.children), style), style);
    case 'link': {
      const children = formatText(inline.children, style);
      if (!isWebAddress(inline.url)) return children;
      // A link has no other link, and no marked name, in it.
      const entities = children.entities.filter(({ type }) => type !== 'code' && type !== 'text_link');
      return covered({ ...children, entities }, { type: 'text_link', url: inline.url });
    }
    case 'time':
      return plainText(style.date(inline.at));
    case 'role':
      return plainText(inline.id);
    case 'swatch':
      return plainText(inline.symbol);
    // A tap sends a command that is written as in the menu.
    case 'command':
      return plainText(`/${menuName(inline.name)}`);
  }
}

function wordsOf(children: Text): string {
  return children
    .map(child => (typeof child === 'string' ? child : 'children' in child ? wordsOf(child.children) : ''))
    .join('');
}

function asCode(text: string, { isHidden = false }: TextStyle): FormattedText {
  return isHidden ? plainText(unnamed(text)) : covered(plainText(text), { type: 'code' });
}

/** The text without anything that Telegram makes a mention of. */
function unnamed(text: string): string {
  return text.replaceAll('@', '＠');
}

export function plainText(text: string): FormattedText {
  return { text, entities: [] };
}

const NAME = /(?<![A-Za-z0-9_])@([A-Za-z0-9_][A-Za-z0-9_.]*)/g;

/**
 * Telegram makes a mention of every `@name` in a text, and the person of that name, who has nothing to do with it, is called; but not of a
 * name that is a link, or code. Nothing is inserted into the name, so that it can be copied.
 */
function withoutMentions(text: string, style: TextStyle): FormattedText {
  const parts: FormattedText[] = [];
  let from = 0;
  for (const match of text.matchAll(NAME)) {
    const name = match[0].replace(/\.+$/, '');
    const url = style.pageOf?.(name.slice(1));
    parts.push(plainText(text.slice(from, match.index)));
    parts.push(url === undefined ? asCode(name, style) : covered(plainText(name), { type: 'text_link', url }));
    from = match.index + name.length;
  }
  return concat([...parts, plainText(text.slice(from))]);
}

export function isWebAddress(url: string): boolean {
  return /^https?:\/\/[^\s/]+\.[^\s]+$/i.test(url) && URL.canParse(url);
}

/** An entity without its position. */
type Mark = Readonly<
  Pick<MessageEntity.CommonMessageEntity, 'type'> | Pick<MessageEntity.TextLinkMessageEntity, 'type' | 'url'>
>;

/** Marks the whole with one entity. */
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

/** Telegram looks at no more entities of one message. */
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

/** Telegram's names know neither spaces nor dashes. */
export function menuName(command: string): string {
  return command.replace(/[ -]/g, '_');
}

/** Writes the names of commands in a text as the menu does. */
export function withMenuNames(text: string, { messages }: Pick<Translator, 'messages'>): string {
  return text.replace(/\/([a-z]+ [a-z-]+)/g, (written, name: string) =>
    Object.hasOwn(messages.commands, name) ? `/${menuName(name)}` : written,
  );
}

import type { MessageEntity } from '@grammyjs/types';
import type { Inline, Reply, Text } from '../../../bot/contract/reply.ts';
import { shortened, withSpotsKept } from '../../../bot/contract/reply-parts.ts';
import type { Translator } from '../../../i18n/translate.ts';

/** A mark on a part of a text. Offset and length count UTF-16 units, as JavaScript does. */
export type Entity = Readonly<MessageEntity.CommonMessageEntity | MessageEntity.TextLinkMessageEntity>;

/** Plain text and entities that mark parts of it, as Telegram wants it: text of others cannot change the markup. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

export const EMPTY: FormattedText = { text: '', entities: [] };

/** The way in which dates, commands and names are written in a text. */
export interface TextStyle extends Pick<Translator, 'date' | 'messages'> {
  /** The address of a person whom the text mentions by that name; undefined if it is not known. */
  readonly pageOf?: ((username: string) => string | undefined) | undefined;
  /** True when the whole text is in a spoiler, where Telegram allows no code. */
  readonly isHidden?: boolean;
}

/** How the texts of a reply are written: in the reader's language, with addresses for the people they mention. */
export function styleOf(reply: Pick<Reply, 'blocks' | 'gallery' | 'isHidden'>, t: Translator): Translator & TextStyle {
  return { ...t, pageOf: profileAddresses(reply), isHidden: reply.isHidden === true };
}

/**
 * Makes addresses of the people whom a caption mentions, from the address of the author's page: with their name in
 * place of the author's. Undefined when the address does not contain the author's name.
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

/** Converts a reply's text to text with entities. */
export function formatText(text: Text, style: TextStyle): FormattedText {
  return concat(withSpotsKept(text).map(inline => formatInline(inline, style)));
}

function formatInline(inline: Inline, style: TextStyle): FormattedText {
  if (typeof inline === 'string') return withoutMentions(inline, style);
  switch (inline.kind) {
    case 'strong':
      return covered(formatText(inline.children, style), { type: 'bold' });
    case 'emphasis':
      return covered(formatText(inline.children, style), { type: 'italic' });
    // Telegram accepts no other entity inside code.
    case 'code':
      return asCode(withMenuNames(wordsOf(inline.children), style), style);
    case 'link': {
      const children = formatText(inline.children, style);
      if (!isWebAddress(inline.url)) return children;
      // A link may contain no other link and no code, so these entities inside it are left out.
      const entities = children.entities.filter(({ type }) => type !== 'code' && type !== 'text_link');
      return covered({ ...children, entities }, { type: 'text_link', url: inline.url });
    }
    case 'time':
      return plainText(style.date(inline.at));
    case 'role':
      return plainText(inline.id);
    case 'swatch':
      return plainText(inline.symbol);
    // When a person taps a command it is sent as it is written, so it is written with its name in the menu.
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
  // A name behind the wide `＠` is no mention for Telegram.
  return isHidden ? plainText(text.replaceAll('@', '＠')) : covered(plainText(text), { type: 'code' });
}

export function plainText(text: string): FormattedText {
  return { text, entities: [] };
}

const NAME = /(?<![A-Za-z0-9_])@([A-Za-z0-9_][A-Za-z0-9_.]*)/g;

/**
 * Telegram turns each `@name` into a mention and notifies that person, who has nothing to do with the text. It leaves
 * links and code alone, so names become links or code. No characters are added, so that people can copy the names.
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

/** An entity that has no position yet. */
type Mark = Readonly<
  Pick<MessageEntity.CommonMessageEntity, 'type'> | Pick<MessageEntity.TextLinkMessageEntity, 'type' | 'url'>
>;

/** The text with one entity over all of it. */
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

/** Cuts a text to at most `max` units, with an ellipsis at the cut, where entities end as well. */
export function shorten(content: FormattedText, max: number): FormattedText {
  if (content.text.length <= max) return content;
  if (max < 1) return EMPTY;
  const text = shortened(content.text, max);
  const entities = content.entities.flatMap(entity => {
    const length = Math.min(entity.length, text.length - 1 - entity.offset);
    return length > 0 ? [{ ...entity, length }] : [];
  });
  return { text, entities };
}

/** The most entities of a message that Telegram reads. */
const MOST_ENTITIES = 100;

/**
 * Leaves no more entities than Telegram reads. The last `@names` lose their entity first, and get a wide `＠` instead,
 * so that Telegram does not notify these people.
 */
export function withinEntities({ text, entities }: FormattedText): FormattedText {
  if (entities.length <= MOST_ENTITIES) return { text, entities };
  const isName = ({ type, offset }: Entity) => (type === 'code' || type === 'text_link') && text[offset] === '@';
  const left = [...entities.filter(each => !isName(each)), ...entities.filter(isName)].slice(MOST_ENTITIES);
  const dropped = new Set(left);
  const units = text.split('');
  for (const { offset } of left.filter(isName)) units[offset] = '＠';
  return { text: units.join(''), entities: entities.filter(each => !dropped.has(each)) };
}

/** The name of a command in Telegram's menu, where spaces and dashes are not allowed. */
export function menuName(command: string): string {
  return command.replace(/[ -]/g, '_');
}

/** The text, in which commands have their names from Telegram's menu. */
export function withMenuNames(text: string, { messages }: Pick<Translator, 'messages'>): string {
  return text.replace(/\/([a-z]+ [a-z-]+)/g, (written, name: string) =>
    Object.hasOwn(messages.commands, name) ? `/${menuName(name)}` : written,
  );
}

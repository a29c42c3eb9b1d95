import { withoutWishes } from '../../../bot/answer/find-links.ts';
import { parseArguments } from '../../../bot/contract/arguments.ts';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { CommandSpec } from '../../../bot/contract/command-spec.ts';
import {
  type Caller,
  callerOf,
  type PastedLink,
  type RequestBody,
  type TextMessage,
} from '../../../bot/contract/request.ts';
import { type CommandLine, parseCommandLine } from '../../../bot/contract/short-forms.ts';
import { AppError } from '../../../errors.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { INVITATION } from '../api/limits.ts';
import { replyToOf, speakerOf, type TelegramReplyTo } from '../api/reply-to.ts';
import type { Message, MessageEntity } from '../api/updates.ts';
import type { TelegramContext } from '../outgoing/context.ts';
import { menuName } from '../render/formatted-text.ts';
import { flattenRich } from './rich-words.ts';

/** A message that is being read. */
interface Listening {
  readonly message: Message;
  readonly caller: Caller;
  /** True when the message addresses Medley, by mentioning its name or by being in a private chat. */
  readonly direct: boolean;
  /** Reads the request in these words of the message, or of the message to which it replies. */
  readonly read: (words: Pick<TextMessage, 'text' | 'links' | 'direct'>) => Promise<RequestBody | undefined>;
}

/** Reads the request in a message; undefined if it is not meant for Medley, like most messages of a group. */
export type ReadMessage = (message: Message) => Promise<NewRequest<TelegramReplyTo> | undefined>;

const MAX_CHANNELS = 10_000;

/**
 * Reads messages. Posts that were forwarded from a channel to its discussion group are left out if links are answered
 * in the channel: the answers there are forwarded, too.
 */
export function createReadMessage(telegram: TelegramContext): ReadMessage {
  const read = createRead(telegram);
  /** For each channel, whether any of its posts was answered. */
  const answered = createLru<number, Promise<boolean>>({ max: MAX_CHANNELS });

  async function isAnswered(before: Promise<boolean> | undefined, reading: ReturnType<ReadMessage>): Promise<boolean> {
    return (await reading.catch(() => undefined)) !== undefined || (await before) === true;
  }

  return async message => {
    const { chat, sender_chat: as, is_automatic_forward: isForward } = message;
    if (isForward && as !== undefined && (await answered.get(as.id)) === true) return undefined;
    const reading = read(message);
    if (chat.type === 'channel') answered.set(chat.id, isAnswered(answered.get(chat.id), reading));
    return reading;
  };
}

function createRead({ dispatcher, username, eventIds }: TelegramContext) {
  async function command(line: CommandLine, words: MessageWords, listening: Listening) {
    const { caller, read } = listening;
    // Telegram sends `/start` when a person opens the chat, with a parameter if they came by a link to the bot. It is
    // also sent when a person adds Medley to a group by a link, but there another update causes the greeting.
    if (line.name === 'start') return caller.chatKind === 'group' && line.rest === INVITATION ? undefined : START;
    const specs = dispatcher.commandSpecs(await dispatcher.translator(caller), caller.chatKind);
    const spec = specs.find(({ name }) => menuName(name) === line.name);
    const typed = () => read({ text: `/${spec?.name ?? line.name} ${line.rest}` });
    if (spec?.accepts !== 'link') return typed();
    const found = line.rest === '' ? readReplied(listening) : readLinkCommand(spec, line.rest, words, listening);
    return (await found) ?? typed();
  }

  return async (message: Message): ReturnType<ReadMessage> => {
    const words = ownWords(message);
    const line = words && parseCommandLine(words.text);
    const mention = line?.mention?.toLowerCase();
    const own = username().toLowerCase();
    if (words === undefined || (mention !== undefined && mention !== own)) return undefined;
    // A post in a channel has no known person as its author, so the channel counts as the speaker.
    const isPost = message.chat.type === 'channel';
    const speaker = speakerOf(isPost ? { ...message, sender_chat: { id: message.chat.id } } : message);
    if (speaker === undefined) return undefined;
    const caller = callerOf({ platform: 'telegram', ...speaker }, { answersQuotes: true });
    const direct = caller.chatKind === 'private' || mention !== undefined || isMentioned(words.text, own);
    const read: Listening['read'] = said => dispatcher.read({ caller, direct, ...said });
    const listening = { message, caller, direct, read };
    const body = await (line ? command(line, words, listening) : readTalk(words, listening));
    if (body === undefined) return undefined;
    const { chat, message_id: id, media_group_id: album } = message;
    // Links that stand below several messages of one album are one request.
    const names = body.kind === 'links' && album ? ['album', album, ...body.what.map(({ url }) => url)] : [id];
    // A channel's forwarded post is not deletable, because the comments below it would be deleted as well.
    const isDeletable = !message.is_automatic_forward && isOnlyLinks(message, words, body);
    const replyTo = { ...replyToOf(message), message: id, ...(isDeletable && { isOnlyLinks: true }) };
    return { ...body, ...speaker, eventId: eventIds(chat.id, ...names), replyTo };
  };
}

async function readTalk({ text, links }: MessageWords, listening: Listening): Promise<RequestBody | undefined> {
  const { message, caller, direct, read } = listening;
  const body = await read({ text, links });
  // In a group, a `line` is a short form (`!rs`), which `read` returns only if the group's settings allow it.
  if (body?.kind === 'links' || body?.kind === 'line') return body;
  if (caller.chatKind === 'private') {
    // A post that a person forwards may have its link in a button alone, so the buttons are read, too.
    const buttons = buttonLinks(message);
    if (buttons.length === 0) return body;
    const pointed = await read({ text: '', links: buttons });
    return pointed?.kind === 'links' ? pointed : body;
  }
  return direct ? ((await readReplied(listening)) ?? body) : undefined;
}

/** The addresses that the buttons of a message open. */
function buttonLinks(message: Pick<Message, 'reply_markup'> | undefined): readonly PastedLink[] {
  const buttons = message?.reply_markup?.inline_keyboard.flat() ?? [];
  return buttons.flatMap(({ url }) => (url === undefined ? [] : [{ url, spoiler: false }]));
}

/** Reads the links in the message to which this one replies, or in the part of it that this one quotes. */
async function readReplied({ message, read }: Listening): Promise<RequestBody | undefined> {
  const { reply_to_message: other, external_reply: outside, quote } = message;
  const { text = '', links } = (other && messageWords(other)) ?? {};
  const preview = outside?.link_preview_options;
  // If the message replied to is an answer of Medley's, the address of its post is in a button.
  const addresses = [...buttonLinks(other), ...(preview ? [{ url: preview.url, spoiler: false }] : [])];
  const whole = { text, links: addresses.length === 0 ? links : [...(links ?? []), ...addresses] };
  // The entities of a quote mark no links. So if a part of the quote is a spoiler, only the whole text of the message
  // from which it is quoted shows which links are hidden.
  const isHidden = quote?.entities.some(({ type }) => type === 'spoiler') === true;
  for (const words of quote === undefined || isHidden ? [whole] : [{ text: quote.text }, whole]) {
    const body = await read({ direct: true, ...words });
    if (body?.kind === 'links') return body;
  }
  return undefined;
}

/**
 * Reads a command whose link is in the message itself or in the message to which it replies. The link is found by
 * Telegram's entities, since a word may hide its address.
 */
async function readLinkCommand(
  spec: CommandSpec,
  text: string,
  { links, remainder }: MessageWords,
  listening: Listening,
): Promise<RequestBody | undefined> {
  const given = await listening.read({ direct: true, text, links });
  const body = given?.kind === 'links' ? given : await readReplied(listening);
  const [link, ...others] = body?.kind === 'links' ? body.what : [];
  const isAlone = /^\s*\/\S+$/.test(withoutWishes(remainder).trimEnd());
  if (isAlone && (others.length > 0 || link?.spoiler === true)) return body;
  const key = spec.options.find(({ option }) => option.type === 'string' && option.form === 'link')?.key;
  if (link === undefined || key === undefined || others.length > 0) return undefined;
  try {
    const options = { ...(link.spoiler && { spoiler: true }), ...parseArguments(spec, text), [key]: link.url };
    return { kind: 'command', what: { name: spec.name, options } };
  } catch (error) {
    // An invalid command is left to the dispatcher, whose error message is better.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const START = { kind: 'command' as const, what: { name: 'start', options: {} } };

/**
 * The words that the sender wrote. Messages sent through other bots are left to those bots; links in
 * forwarded messages count as quoted.
 */
function ownWords(message: Message): MessageWords | undefined {
  const words = message.via_bot === undefined ? messageWords(message) : undefined;
  if (message.forward_origin === undefined || words?.links === undefined) return words;
  return { ...words, links: words.links.map(link => ({ ...link, quoted: true })) };
}

/** True when a message has only links (and options such as `view:media`), so that it may be deleted when answered. */
function isOnlyLinks({ text }: Message, { links = [], remainder }: MessageWords, body: RequestBody): boolean {
  if (text === undefined || body.kind !== 'links' || body.what.length !== links.length) return false;
  return withoutWishes(remainder).trim() === '';
}

/** True when Telegram takes the text as a mention of the name: `@name`, not inside a longer name. */
function isMentioned(text: string, username: string): boolean {
  return new RegExp(`(?<![\\w/@])@${username}(?!\\w)`).test(text.toLowerCase());
}

export interface MessageWords {
  /** The text or the caption of the message, without code. */
  readonly text: string;
  /** The links that Telegram's entities mark, in order; undefined without entities, when only the text is searched. */
  readonly links: readonly PastedLink[] | undefined;
  /** The text without the links that Telegram's entities mark. */
  readonly remainder: string;
}

type Written = Pick<Message, 'text' | 'caption' | 'entities' | 'caption_entities' | 'rich_message'>;

/** The text of a message of any kind; undefined when it has none. */
function messageWords({ text, caption, entities, ...others }: Written): MessageWords | undefined {
  if (text !== undefined) return readWords(text, entities);
  if (caption !== undefined) return readWords(caption, others.caption_entities);
  if (others.rich_message === undefined) return undefined;
  const rich = flattenRich(others.rich_message.blocks);
  return readWords(rich.text, rich.entities);
}

/** How many entities are read; Telegram's limit is 100 per message. */
const MAX_ENTITIES = 200;

/**
 * The text of a message and its links, by Telegram's entities. Code, and links in angle brackets (`<link>`), are left
 * out; links in spoilers are marked. Offsets count UTF-16 units, as JavaScript does.
 */
export function readWords(text: string, all: readonly MessageEntity[]): MessageWords {
  const entities = all.slice(0, MAX_ENTITIES);
  const code = entities.filter(({ type }) => type === 'code' || type === 'pre');
  const spoilers = entities.filter(({ type }) => type === 'spoiler');
  const marked = entities.filter(({ type }) => type === 'url' || type === 'text_link');
  const quotes = entities.filter(({ type }) => type === 'blockquote' || type === 'expandable_blockquote');
  const links = marked
    .filter(({ offset, length }) => text.charAt(offset - 1) !== '<' || text.charAt(offset + length) !== '>')
    .filter(entity => !code.some(each => overlaps(each, entity)))
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

function blanked(text: string, code: readonly MessageEntity[]): string {
  let blank = text;
  for (const { offset, length } of code) {
    const start = Math.max(0, offset);
    const end = Math.min(text.length, offset + length);
    if (end > start) blank = blank.slice(0, start) + ' '.repeat(end - start) + blank.slice(end);
  }
  return blank;
}

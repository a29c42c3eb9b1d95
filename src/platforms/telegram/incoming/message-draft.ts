import type { Dispatcher } from '../../../bot/answer/answer.ts';
import { type CommandLine, parseArguments, parseCommandLine } from '../../../bot/contract/arguments.ts';
import type { Caller } from '../../../bot/contract/caller.ts';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { CommandSpec } from '../../../bot/contract/command-spec.ts';
import { callerOf, type RequestBody } from '../../../bot/contract/request.ts';
import { withoutWishes } from '../../../bot/contract/wishes.ts';
import { AppError } from '../../../errors.ts';
import { type EventIds, placeOf, speakerOf } from '../api/envelope.ts';
import { INVITATION } from '../api/limits.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import type { Message } from '../api/updates.ts';
import { menuName } from '../render/menu-names.ts';
import { readWords, type Words } from './message-links.ts';
import { flattenRich } from './rich-message.ts';

export interface ReadMessageOptions {
  readonly dispatcher: Pick<Dispatcher, 'read' | 'commandSpecs' | 'translator'>;
  /** Without the `@`. */
  readonly username: () => string;
  readonly eventIds: EventIds;
}

/** What a message asks of Medley; undefined when it is not meant for it, which is what most messages of a group come to. */
export type ReadMessage = (message: Message) => Promise<NewRequest<TelegramReplyTo> | undefined>;

interface Said {
  readonly caller: Caller;
  /** Whether it was said to Medley itself. */
  readonly direct: boolean;
}

export function createReadMessage({ dispatcher, username, eventIds }: ReadMessageOptions): ReadMessage {
  function read(
    { text, links }: Pick<Words, 'text' | 'links'>,
    { caller, direct }: Said,
  ): Promise<RequestBody | undefined> {
    return dispatcher.read({ caller, direct, text, ...(links && { links }) });
  }

  async function talk(words: Words, message: Message, said: Said): Promise<RequestBody | undefined> {
    const ask = await read(words, said);
    // A line is a short form that the group wants answered.
    if (ask?.kind === 'links' || ask?.kind === 'line' || said.caller.chatKind === 'private') return ask;
    return said.direct ? ((await replied(message, said)) ?? ask) : undefined;
  }

  /** The links of the message that is replied to, for those who point at it. */
  async function replied({ reply_to_message: other }: Message, said: Said): Promise<RequestBody | undefined> {
    if (other === undefined) return undefined;
    const { text = '', links } = writtenIn(other) ?? {};
    // Medley's own answers lead to their posts by a button.
    const buttons = other.reply_markup?.inline_keyboard.flat() ?? [];
    const led = buttons.flatMap(({ url }) => (url === undefined ? [] : [{ url, spoiler: false }]));
    const words = { text, links: led.length === 0 ? links : [...(links ?? []), ...led] };
    const ask = await read(words, { ...said, direct: true });
    return ask?.kind === 'links' ? ask : undefined;
  }

  async function command(
    line: CommandLine,
    words: Words,
    message: Message,
    said: Said,
  ): Promise<RequestBody | undefined> {
    const { caller } = said;
    // Telegram sends it when a person opens the chat, with a word where a link led there.
    if (line.name === 'start') return isInvited(line, caller) ? undefined : { kind: 'command', what: START };
    const specs = dispatcher.commandSpecs(await dispatcher.translator(caller), caller.chatKind);
    const spec = specs.find(({ name }) => menuName(name) === line.name);
    const typed = () => read({ text: `/${spec?.name ?? line.name} ${line.rest}`, links: undefined }, said);
    if (spec?.accepts !== 'link') return typed();
    const found = line.rest === '' ? await replied(message, said) : await linkCommand(spec, line.rest, words, said);
    return found ?? typed();
  }

  /** With its link as Telegram marks it, which may be hidden behind words. */
  async function linkCommand(
    spec: CommandSpec,
    rest: string,
    words: Words,
    said: Said,
  ): Promise<RequestBody | undefined> {
    const ask = await read({ text: rest, links: words.links }, { ...said, direct: true });
    const [link, ...others] = ask?.kind === 'links' ? ask.what : [];
    const key = spec.options.find(({ option }) => option.type === 'string' && option.form === 'link')?.key;
    if (link === undefined || key === undefined || others.length > 0) return undefined;
    try {
      const options = { ...parseArguments(spec, rest), [key]: link.url };
      return { kind: 'command', what: { name: spec.name, options } };
    } catch (error) {
      // The dispatcher says best what is amiss.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  return async message => {
    const words = forwarded(wordsOf(message), message);
    const line = words && parseCommandLine(words.text);
    const mention = line?.mention?.toLowerCase();
    const own = username().toLowerCase();
    if (words === undefined || (mention !== undefined && mention !== own)) return undefined;
    // A channel's posts are its own, whoever wrote them.
    const isPost = message.chat.type === 'channel';
    const speaker = speakerOf(isPost ? { ...message, sender_chat: { id: message.chat.id } } : message);
    if (speaker === undefined) return undefined;
    const caller = callerOf({ platform: 'telegram', ...speaker }, { answersQuotes: true });
    const direct = caller.chatKind === 'private' || mention !== undefined || isMentioned(words.text, own);
    const ask = await (line
      ? command(line, words, message, { caller, direct })
      : talk(words, message, { caller, direct }));
    if (ask === undefined) return undefined;
    const { chat, message_id: id } = message;
    const replyTo = {
      ...placeOf(message),
      message: id,
      ...(isOnlyLinks(message, words, ask) && { isOnlyLinks: true }),
    };
    return { ...ask, ...speaker, eventId: eventIds(chat.id, id), replyTo };
  };
}

/** What is forwarded is someone else's word, as a quote is. */
function forwarded(words: Words | undefined, { forward_origin: origin }: Message): Words | undefined {
  if (origin === undefined || words?.links === undefined) return words;
  return { ...words, links: words.links.map(link => ({ ...link, quoted: true })) };
}

/** A message that may be deleted when it is answered, since nothing else is said in it. */
function isOnlyLinks({ text }: Message, { links = [], rest }: Words, ask: RequestBody): boolean {
  if (text === undefined || ask.kind !== 'links' || ask.what.length !== links.length) return false;
  return withoutWishes(rest).trim() === '';
}

const START = { name: 'start', options: {} };

/** Telegram says it for those who add Medley to a group by its link; that it is there now is known anyway. */
function isInvited({ rest }: CommandLine, { chatKind }: Caller): boolean {
  return chatKind === 'group' && rest === INVITATION;
}

/** What other bots put into people's mouths is theirs to answer. */
function wordsOf(message: Message): Words | undefined {
  return message.via_bot === undefined ? writtenIn(message) : undefined;
}

type Written = Pick<Message, 'text' | 'caption' | 'entities' | 'caption_entities' | 'rich_message'>;

function writtenIn({ text, caption, entities, ...others }: Written): Words | undefined {
  if (text !== undefined) return readWords(text, entities);
  if (caption !== undefined) return readWords(caption, others.caption_entities);
  if (others.rich_message === undefined) return undefined;
  const rich = flattenRich(others.rich_message.blocks);
  return readWords(rich.text, rich.entities);
}

/** By name, as Telegram finds it: `@name` with nothing like a name around it. */
function isMentioned(text: string, username: string): boolean {
  const name = `@${username}`;
  const folded = text.toLowerCase();
  for (let at = folded.indexOf(name); at !== -1; at = folded.indexOf(name, at + 1)) {
    if (!/[\w/@]/.test(folded.charAt(at - 1)) && !/\w/.test(folded.charAt(at + name.length))) return true;
  }
  return false;
}

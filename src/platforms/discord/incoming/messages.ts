import * as z from 'zod';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import { callerOf, type PastedLink, type TextMessage } from '../../../bot/contract/request.ts';
import { parseShortForm } from '../../../bot/contract/short-forms.ts';
import { chatIn, isGuildAdmin, rightsIn, uploadBytesIn } from '../api/permissions.ts';
import type { MessageReplyTo } from '../api/reply-to.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { isRecord } from './dispatches.ts';

const text = z.string().nullish().catch(undefined);
/** The parts of a message that may have links. */
const Parts = z.object({
  content: z.string().catch(''),
  embeds: z.array(z.object({ url: text, description: text })).catch([]),
  components: z.unknown().optional(),
});
type Parts = Readonly<z.infer<typeof Parts>>;
/** The messages that a message forwards. */
const Forwarded = z
  .array(z.object({ message: Parts }).transform(({ message }) => message))
  .default([])
  .catch([]);
const Created = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.string().nullish(),
  content: z.string(),
  type: z.number().default(0),
  flags: z.number().nullish(),
  author: z.object({ id: z.string(), bot: z.boolean().nullish(), system: z.boolean().nullish() }),
  webhook_id: z.string().nullish(),
  message_snapshots: Forwarded,
  /** The message to which this message replies. */
  referenced_message: Parts.extend({ message_snapshots: Forwarded }).nullish().catch(undefined),
  member: z.object({ roles: z.array(z.string()).catch([]) }).nullish(),
});
type Created = z.infer<typeof Created>;

const Updated = z.object({ id: z.string(), flags: z.number().nullish() });

/** The types of messages that people write: 0 is an ordinary message, 19 a reply. */
const WRITTEN: readonly number[] = [0, 19];

/** Reads a MESSAGE_UPDATE; undefined for a message without embeds. @throws ZodError for data that are no message */
export function readUpdate(data: unknown): { messageId: string; flags: number } | undefined {
  // Most updates have no embeds, so nothing more is checked of them.
  if (!isRecord(data) || !Array.isArray(data.embeds) || data.embeds.length === 0) return undefined;
  const { id, flags } = Updated.parse(data);
  return { messageId: id, flags: flags ?? 0 };
}

/**
 * Reads the request in a MESSAGE_CREATE; undefined for a message that is not meant for Medley. For most messages it
 * returns not even a promise, to save time, because every message of every server is read.
 * @throws ZodError for data that are no message
 */
export function readMessage(
  data: unknown,
  context: DiscordContext,
): Promise<NewRequest<MessageReplyTo> | undefined> | undefined {
  const { client } = context.gateway;
  const ownId = client?.user.id;
  if (!mayMatter(data, ownId)) return undefined;
  const message = Created.parse(data);
  const { author, webhook_id: webhookId, type } = message;
  const isByProgram = author.bot === true || author.system === true || author.id === ownId;
  if (isByProgram || typeof webhookId === 'string' || !WRITTEN.includes(type)) return undefined;
  const { text, isMentioned } = spokenText(message, client);
  const direct = isMentioned || !message.guild_id;
  // Discord shows previews of links in quotes too, so quotes are not left out here.
  const unfurled = addressedLinks(withoutCode(text.slice(0, MAX_CHARS)));
  const own = linksIn(text, unfurled, message);
  // People who reply to a link by mentioning Medley want that link to be answered.
  const isAboutOther = isMentioned && own.length === 0;
  const other = message.referenced_message ?? undefined;
  const found = isAboutOther && other !== undefined ? allLinksIn(other, other.message_snapshots) : own;
  const isForMedley = direct || found.length > 0 || parseShortForm(text) !== undefined;
  return isForMedley ? draftOf(message, { text, direct, found, unfurled }, context) : undefined;
}

/** The links of a message. Quoted and forwarded ones are marked, as the chat's settings may exclude them. */
function linksIn(text: string, unfurled: readonly PastedLink[], message: Created): readonly PastedLink[] {
  const own = findMarkdownLinks(text);
  const urls = new Set(own.map(({ url }) => url));
  const forwarded = message.message_snapshots.flatMap(parts =>
    parts.content === '' ? allLinksIn(parts) : findMarkdownLinks(parts.content),
  );
  const others = [...unfurled, ...forwarded].filter(({ url }) => !urls.has(url));
  return [...own, ...others.map(link => ({ ...link, quoted: true }))];
}

interface Said {
  readonly text: string;
  readonly direct: boolean;
  readonly found: readonly PastedLink[];
  /** The links that Discord shows a preview for. */
  readonly unfurled: readonly PastedLink[];
}

async function draftOf(
  message: Created,
  { text, direct, found, unfurled }: Said,
  { dispatcher, log, gateway: { client, readsMessages } }: DiscordContext,
): Promise<NewRequest<MessageReplyTo> | undefined> {
  const { author, member } = message;
  const channelId = message.channel_id;
  const guildId = message.guild_id ?? undefined;
  const guild = guildId === undefined ? undefined : client?.guilds.cache.get(guildId);
  const channel = guild?.channels.cache.get(channelId);
  const rights = rightsIn(channel, readsMessages);
  if (!rights.send) {
    log.debug({ channel: channelId }, 'discord: no right to answer here');
    return undefined;
  }
  const chat = chatIn(channelId, guildId === undefined ? 'private' : 'group', guildId, channel);
  const user = {
    id: author.id,
    rateKey: author.id,
    locales: guild ? [guild.preferredLocale] : [],
    isChatAdmin: guildId === undefined || isGuildAdmin(guild, author.id, member?.roles ?? []),
  };
  // If Medley is not addressed, only links and short forms are read: another command may be another bot's.
  const said: TextMessage = {
    caller: callerOf({ platform: 'discord', chat, user }, { roleIds: member?.roles ?? [] }),
    text: direct ? text : '',
    ...(!direct && { line: text }),
    direct,
    links: found,
  };
  const ask = await dispatcher.read(said);
  if (ask === undefined) return undefined;
  const answered = ask.kind === 'links' ? new Set(ask.what.map(({ url }) => url)) : new Set<string>();

  /** True when hiding the message's embeds would hide only embeds of answered links. */
  async function isOnlyLinks(): Promise<boolean> {
    // A forum post's first message has the post's id. Its embed is the post's picture, so it is not hidden.
    if (message.id === channelId) return false;
    if (ask?.kind !== 'links' || unfurled.length !== found.length) return false;
    if (found.length === 1) return true;
    const asks = await Promise.all(found.map(link => dispatcher.read({ ...said, links: [link] })));
    return asks.every(each => each?.kind === 'links' && each.what.every(({ url }) => answered.has(url)));
  }

  const replyTo: MessageReplyTo = {
    kind: 'message',
    channelId,
    messageId: message.id,
    flags: message.flags ?? 0,
    fileBytes: uploadBytesIn(guild),
    rights,
    isOnlyLinks: await isOnlyLinks(),
  };
  return { eventId: message.id, chat, user, replyTo, ...ask };
}

/** True when a message may be meant for Medley. This check is cheap, as it is made for each message of each server. */
export function mayMatter(data: unknown, ownId: string | undefined): boolean {
  if (!isRecord(data)) return true;
  const { content, guild_id: guildId } = data;
  // Without the privileged intent most messages have no text; a message that only forwards another never has any.
  if (content === '') return Array.isArray(data.message_snapshots) && data.message_snapshots.length > 0;
  if (typeof content !== 'string' || typeof guildId !== 'string') return true;
  // The id of Medley's own role differs from server to server, so every mention of a role is looked at.
  if (content.includes('/') || content.includes('<@&')) return true;
  if (ownId !== undefined && content.includes(ownId)) return true;
  return parseShortForm(content) !== undefined;
}

/**
 * A text without mentions of Medley, and whether there were any. Discord's apps often offer the role that Discord made for
 * Medley in place of Medley itself, since both have the same name.
 */
function spokenText({ content, guild_id: guildId }: Created, client: DiscordContext['gateway']['client']) {
  if (client === undefined) return { text: content, isMentioned: false };
  const { id } = client.user;
  const guild = content.includes('<@&') ? client.guilds.cache.get(guildId ?? '') : undefined;
  const role = guild?.roles.botRoleFor(id);
  const mentions = [`<@${id}>`, `<@!${id}>`, ...(role ? [`<@&${role.id}>`] : [])];
  const text = mentions.reduce((left, mention) => left.replaceAll(mention, ' '), content);
  return { text: text.trim(), isMentioned: text !== content };
}

/** The most links that are read from one message. */
const MAX_LINKS = 20;
/** The most characters that are read; no message of Discord is longer. */
const MAX_CHARS = 6_000;
const BLANK = ' ';

/**
 * The addresses that Discord shows as links in a message, in order, and which of them are in `||spoilers||`. Addresses
 * in code, in quotes and in `<...>` (for which Discord shows no preview) are left out. An address without a scheme
 * counts only if it has a path. Takes linear time.
 */
export function findMarkdownLinks(text: string): readonly PastedLink[] {
  return addressedLinks(withoutQuotes(withoutCode(text.slice(0, MAX_CHARS))));
}

/**
 * The links of a message that a person points at, by a reply or the message's menu: those shown as links, else those in
 * quotes, code, embeds, components and forwards. The words of an embed with an address, or beside a link button, are
 * not searched, because these words and their links may come from the page at that address.
 * @param forwarded the messages that this message forwards
 */
export function allLinksIn(
  { content, embeds, components }: Parts,
  forwarded: readonly Parts[] = [],
): readonly PastedLink[] {
  const shown = findMarkdownLinks(content);
  if (shown.length > 0) return shown;
  const embedded = embeds.map(({ url, description }) => url ?? description);
  const json = `${JSON.stringify(components)}`;
  const parts = json.matchAll(json.includes('"style":5') ? /"url":"(https:[^"]+)"/g : /"content":"((?:[^"\\]|\\.)+)"/g);
  const all = [content, ...embedded, ...Array.from(parts, ([, part]) => part)];
  const found = findMarkdownLinks(all.join('\n').replace(/[<>`]/g, ' '));
  return found.length > 0 ? found : forwarded.flatMap(each => allLinksIn(each));
}

/** Matches `<https://...>`, by which people suppress a link's preview. */
const SUPPRESSED = /<https?:\/\/[^\s<>]*>/gi;

function addressedLinks(text: string): readonly PastedLink[] {
  const found = new Map<string, PastedLink>();
  const parts = text.replace(SUPPRESSED, BLANK).replaceAll('\\|', BLANK).split('||');
  for (const [index, part] of parts.entries()) {
    // Every second part is between two `||`; behind an odd last `||`, which is plain text, there is no spoiler.
    const spoiler = index % 2 === 1 && index < parts.length - 1;
    for (const url of addressesIn(part)) {
      if (found.size >= MAX_LINKS && !found.has(url)) continue;
      found.set(url, { url, spoiler: spoiler || (found.get(url)?.spoiler ?? false) });
    }
  }
  return [...found.values()];
}

/** Leaves out code: everything from a run of backticks to the next run of the same length. An unclosed run is text. */
function withoutCode(text: string): string {
  const runs = [...text.matchAll(/\\`|`+/g)].filter(([run]) => run !== '\\`');
  // A run of more than three backticks means the same as a run of three.
  const kindOf = (run: string) => Math.min(run.length, 3);
  let kept = '';
  let from = 0;
  for (let open = runs.shift(); open !== undefined; open = runs.shift()) {
    const [opening] = open;
    const end = runs.findIndex(([run]) => kindOf(run) === kindOf(opening));
    const close = runs[end];
    if (close === undefined) continue;
    kept += text.slice(from, open.index) + BLANK;
    from = close.index + close[0].length;
    runs.splice(0, end + 1);
  }
  return kept + text.slice(from);
}

/** Leaves out quotes: the line behind `> `, and everything behind `>>> `. */
function withoutQuotes(text: string): string {
  const quote = /^[ \t]{0,8}>>>[ \t]/m.exec(text);
  const shown = quote ? text.slice(0, quote.index) : text;
  return shown.replace(/^[ \t]{0,8}>[ \t].*$/gm, BLANK);
}

/** Matches an address with a scheme anywhere; a game's address of a map or one without a scheme only begins a word. */
const ADDRESS =
  /https?:\/\/[^\s<>"`|\\]+|(?<!\S)osu:\/\/(?:b|s|dl?)\/\d{1,12}|(?<![^\s([])(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24}(?::443)?\/[^\s<>"`|\\]+/gi;

/** Matches the place between addresses that follow each other directly, as in `https://a,https://b`. */
const BETWEEN = /(?<=[^=?&/])(?=https?:\/\/)/i;

/** Matches an underscore that begins italic or underlined text. */
const OPENING_UNDERSCORE = /(?<![^\s*~(])_/;

function addressesIn(text: string): readonly string[] {
  const opening = text.search(OPENING_UNDERSCORE);
  return [...text.matchAll(ADDRESS)].flatMap(({ 0: match, index }) => {
    const markup = opening === -1 || index < opening ? MARKUP : `${MARKUP}_`;
    return match.split(BETWEEN).map(address => trimmed(address, markup));
  });
}

/** Punctuation and markup that is no part of an address when it stands at its end. */
const MARKUP = '.,;:!?\'"*~]}\u2019\u201d';

/**
 * Cuts punctuation and markup off an address. A closing bracket stays if it was opened inside the address. A closing
 * underscore stays, as names may end with one, unless another one before the address began italic text.
 */
function trimmed(address: string, markup: string): string {
  let end = address.length;
  let open = address.split('(').length - address.split(')').length;
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? '';
    if (last === ')' && open < 0) open += 1;
    else if (!markup.includes(last)) break;
  }
  return address.slice(0, end);
}

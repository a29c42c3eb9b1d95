import * as z from 'zod';
import { createEditedLinks } from '../../../bot/answer/read.ts';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { PastedLink, TextMessage } from '../../../bot/contract/request.ts';
import { callerOf } from '../../../bot/contract/request.ts';
import { parseShortForm } from '../../../bot/contract/short-forms.ts';
import { stableId } from '../api/ids.ts';
import { type ChannelAddress, isAgeRestricted, isGuildAdmin, rightsIn, uploadBytesIn } from '../api/permissions.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { isRecord } from './dispatches.ts';
import { findMarkdownLinks, findUnfurledLinks } from './markdown-links.ts';

const Created = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.string().nullish(),
  content: z.string(),
  type: z.number().default(0),
  flags: z.number().nullish(),
  author: z.object({ id: z.string(), bot: z.boolean().nullish(), system: z.boolean().nullish() }),
  webhook_id: z.string().nullish(),
  /** The messages that were forwarded. */
  message_snapshots: z
    .array(z.object({ message: z.object({ content: z.string().catch('') }) }))
    .nullish()
    .catch(undefined),
  member: z.object({ roles: z.array(z.string()).catch([]) }).nullish(),
});
type Created = z.infer<typeof Created>;

const Updated = z.object({ id: z.string(), flags: z.number().nullish() });

/** The types of messages that people write: messages and replies. */
const WRITTEN: readonly number[] = [0, 19];

/** Reads a MESSAGE_UPDATE of a message that has embeds; undefined for others. @throws ZodError for what is no message */
export function readUpdate(data: unknown): { messageId: string; flags: number } | undefined {
  // Most updates are of no interest; they end here without being checked further.
  if (!isRecord(data) || !Array.isArray(data.embeds) || data.embeds.length === 0) return undefined;
  const { id, flags } = Updated.parse(data);
  return { messageId: id, flags: flags ?? 0 };
}

/**
 * Reads the request in a MESSAGE_CREATE; undefined at once for nearly all that are not meant for Medley, and later for the others.
 * @throws ZodError for what is no message
 */
export function readMessage(
  data: unknown,
  context: DiscordContext,
): Promise<NewRequest<DiscordReplyTo> | undefined> | undefined {
  const ownId = context.client()?.user.id;
  if (!mayMatter(data, ownId)) return undefined;
  const message = Created.parse(data);
  if (!isWrittenByPerson(message, ownId)) return undefined;
  const { text, isMentioned } = spokenText(message.content, ownId);
  const direct = isMentioned || !message.guild_id;
  const found = linksIn(text, message);
  const isForMedley = direct || found.length > 0 || parseShortForm(text) !== undefined;
  return isForMedley ? draftOf(message, { text, direct, found }, context) : undefined;
}

/** Links that are quoted or forwarded are marked: the settings of the chat say whether they are answered. */
function linksIn(text: string, { message_snapshots: snapshots }: Created): readonly PastedLink[] {
  const own = findMarkdownLinks(text);
  const urls = new Set(own.map(({ url }) => url));
  const forwarded = (snapshots ?? []).flatMap(({ message }) => findMarkdownLinks(message.content));
  const others = [...findUnfurledLinks(text), ...forwarded].filter(({ url }) => !urls.has(url));
  return [...own, ...others.map(link => ({ ...link, quoted: true }))];
}

interface Said {
  readonly text: string;
  readonly direct: boolean;
  readonly found: readonly PastedLink[];
}

async function draftOf(
  message: Created,
  { text, direct, found }: Said,
  { dispatcher, log, client: connected, readsMessages }: DiscordContext,
): Promise<NewRequest<DiscordReplyTo> | undefined> {
  const { author, member } = message;
  const place: ChannelAddress = { guildId: message.guild_id ?? undefined, channelId: message.channel_id };
  const { guildId, channelId } = place;
  const client = connected();
  const rights = rightsIn(client, place, readsMessages());
  if (!rights.send) {
    log.debug({ channel: channelId }, 'discord: no right to answer here');
    return undefined;
  }
  const guild = guildId === undefined ? undefined : client?.guilds.cache.get(guildId);
  const channel = guild?.channels.cache.get(channelId);
  const parentId = channel?.isThread() === true ? (channel.parentId ?? undefined) : undefined;
  const chat = {
    id: channelId,
    kind: guildId === undefined ? ('private' as const) : ('group' as const),
    ...(guildId !== undefined && { groupId: guildId }),
    ...(parentId !== undefined && { parentId }),
    ...(isAgeRestricted(channel) && { isAgeRestricted: true }),
  };
  const user = {
    id: author.id,
    rateKey: author.id,
    locales: guild ? [guild.preferredLocale] : [],
    isChatAdmin: guildId === undefined || isGuildAdmin(client, guildId, author.id, member?.roles ?? []),
  };
  // Without being asked, only links and short forms are read: a line that looks like a command may be another bot's.
  const said: TextMessage = {
    caller: callerOf({ platform: 'discord', chat, user }),
    text: direct ? text : '',
    ...(!direct && { line: text }),
    direct,
    links: found,
  };
  const ask = await dispatcher.read(said);
  if (ask === undefined) return undefined;
  const answered = ask.kind === 'links' ? new Set(ask.what.map(({ url }) => url)) : new Set<string>();

  /** Other addresses would lose their embed too. */
  async function isOnlyLinks(): Promise<boolean> {
    if (ask?.kind !== 'links' || findUnfurledLinks(text).length !== found.length) return false;
    if (found.length === 1) return true;
    const asks = await Promise.all(found.map(link => dispatcher.read({ ...said, links: [link] })));
    return asks.every(each => each?.kind === 'links' && each.what.every(({ url }) => answered.has(url)));
  }

  const replyTo: DiscordReplyTo = {
    kind: 'message',
    channelId,
    messageId: message.id,
    flags: message.flags ?? 0,
    fileBytes: uploadBytesIn(client, place),
    rights,
    isOnlyLinks: await isOnlyLinks(),
  };
  return { eventId: message.id, chat, user, replyTo, ...ask };
}

/** This check is cheap, because nearly every message of every server ends here. */
export function mayMatter(data: unknown, ownId: string | undefined): boolean {
  if (!isRecord(data)) return true;
  const { content, guild_id: guildId } = data;
  // Without the privileged intent most messages come empty; so do those that forward another.
  if (content === '') return Array.isArray(data.message_snapshots) && data.message_snapshots.length > 0;
  if (typeof content !== 'string' || typeof guildId !== 'string') return true;
  if (content.includes('/') || (ownId !== undefined && content.includes(ownId))) return true;
  return parseShortForm(content) !== undefined;
}

function isWrittenByPerson({ author, webhook_id: webhookId, type }: Created, ownId: string | undefined): boolean {
  const isOther = author.bot !== true && author.system !== true && author.id !== ownId;
  return isOther && (webhookId ?? undefined) === undefined && WRITTEN.includes(type);
}

/** Removes the mentions of Medley from a text, and says whether there was one. */
function spokenText(
  content: string,
  ownId: string | undefined,
): { readonly text: string; readonly isMentioned: boolean } {
  if (ownId === undefined) return { text: content, isMentioned: false };
  const text = content.replaceAll(`<@${ownId}>`, ' ').replaceAll(`<@!${ownId}>`, ' ');
  return { text: text.trim(), isMentioned: text !== content };
}

/** Reads links that an edit adds to a message. */
export interface EditReader {
  /** Reads the request in an edit; undefined when it adds no link. @throws ZodError for what is no message */
  read(data: unknown): Promise<NewRequest<DiscordReplyTo> | undefined>;
  /** Remembers what was accepted, so that an edit of it is known. */
  accepted(draft: NewRequest<DiscordReplyTo>): void;
}

export function createEditReader(context: DiscordContext): EditReader {
  const answered = createEditedLinks(context);

  return {
    async read(data) {
      const draft = await readMessage(data, context);
      if (draft?.kind !== 'links' || draft.replyTo.kind !== 'message') return undefined;
      const { messageId } = draft.replyTo;
      const { links, isKnown } = answered.added(messageId, draft.what);
      if (!isKnown) return draft;
      if (links.length === 0) return undefined;
      const eventId = stableId([messageId, ...links.map(({ url }) => url)].join(' '));
      // The answer to the links before is not known here, so the embeds of the message stay.
      const replyTo = { ...draft.replyTo, isOnlyLinks: false, editId: eventId };
      return { ...draft, what: links, replyTo, eventId };
    },
    accepted(draft) {
      if (draft.replyTo.kind === 'message') answered.accepted(draft.replyTo.messageId, draft);
    },
  };
}

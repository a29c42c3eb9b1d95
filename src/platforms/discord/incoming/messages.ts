import { z } from 'zod';
import type { Caller } from '../../../bot/command.ts';
import type { PastedLink } from '../../../bot/dispatch/invocation.ts';
import type { DiscordContext } from '../context.ts';
import { diagnosisOf, isGuildAdmin, type Place, rightsIn, uploadBytesIn } from '../permissions.ts';
import { findMarkdownLinks, findUnfurledLinks } from '../render/markdown-links.ts';
import { callerOf, type MessageTarget } from './job-payload.ts';
import type { MessageWork } from './message-answers.ts';

const Created = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.string().nullish(),
  content: z.string(),
  type: z.number().default(0),
  flags: z.number().nullish(),
  author: z.object({ id: z.string(), bot: z.boolean().nullish(), system: z.boolean().nullish() }),
  webhook_id: z.string().nullish(),
  member: z.object({ roles: z.array(z.string()).catch([]) }).nullish(),
});
type Created = z.infer<typeof Created>;

const Updated = z.object({
  id: z.string(),
  flags: z.number().nullish(),
  embeds: z.array(z.unknown()).nullish(),
});

/** Written by a person: as such, or as a reply. */
const WRITTEN: readonly number[] = [0, 19];

/** What a MESSAGE_UPDATE says of embeds. */
export function readUpdate(data: unknown): { messageId: string; flags: number; hasEmbeds: boolean } | undefined {
  // Most updates are of no interest; they end here without being checked further.
  if (!isRecord(data) || !Array.isArray(data.embeds) || data.embeds.length === 0) return undefined;
  const { id, flags, embeds } = Updated.parse(data);
  return { messageId: id, flags: flags ?? 0, hasEmbeds: (embeds ?? []).length > 0 };
}

export interface IncomingMessages {
  /**
   * The work that a MESSAGE_CREATE asks for, accepted as a job; undefined at once for all that are not meant for Medley, and later for
   * one that was accepted before.
   * @throws ZodError for what is no message
   */
  accept(data: unknown): Promise<MessageWork | undefined> | undefined;
}

export function createIncomingMessages(desk: DiscordContext, ownId: () => string | undefined): IncomingMessages {
  const { dispatcher, jobs, log } = desk;

  return {
    accept(data) {
      if (!mayMatter(data, ownId())) return undefined;
      const message = Created.parse(data);
      if (!isWrittenByPerson(message, ownId())) return undefined;
      const { text, isMentioned } = spokenText(message.content, ownId());
      const direct = isMentioned || !message.guild_id;
      const found = findMarkdownLinks(text);
      if (found.length === 0 && !direct) return undefined;
      return workOf(message, { text, direct, found });
    },
  };

  async function workOf(message: Created, said: Said): Promise<MessageWork | undefined> {
    const { text, direct, found } = said;
    const place: Place = { guildId: message.guild_id ?? undefined, channelId: message.channel_id };
    const rights = rightsIn(desk.client(), place);
    if (!rights.send) {
      log.debug({ channel: place.channelId }, 'discord: no right to answer here');
      return undefined;
    }
    const target: MessageTarget = {
      kind: 'message',
      channelId: place.channelId,
      ...(place.guildId !== undefined && { guildId: place.guildId }),
      isPrivate: place.guildId === undefined,
      locales: localesIn(place),
      spoilers: [],
      fileBytes: uploadBytesIn(desk.client(), place),
      messageId: message.id,
      flags: message.flags ?? 0,
      direct,
      canReply: rights.reply,
      canAttach: rights.attach,
      isOnlyLinks: false,
    };
    const caller = callerIn(message, target);
    // Without being asked, only links are read: a line that looks like a command may be another bot's.
    const asked = { kind: 'text' as const, caller, text: direct ? text : '', direct, links: found };
    const links = await dispatcher.linksOf(asked);
    if (links.length === 0 && !direct) return undefined;
    const spoilers = links.map(({ spoiler }) => spoiler);
    const kept = { ...target, spoilers, isOnlyLinks: await isOnlyLinks(asked, text) };
    const jobId = `discord:${message.id}`;
    const job = { id: jobId, platform: 'discord' as const, userId: message.author.id, chatId: target.channelId };
    if (!jobs.accept({ ...job, links: links.map(({ url }) => url), target: JSON.stringify(kept) })) return undefined;
    return { jobId, caller, target: kept, text: asked.text, links: links.length > 0 ? links : found };
  }

  /** Other addresses would lose their embed too. */
  async function isOnlyLinks(asked: Asked, text: string): Promise<boolean> {
    const answered = await Promise.all(asked.links.map(link => dispatcher.linksOf({ ...asked, links: [link] })));
    return answered.every(links => links.length > 0) && findUnfurledLinks(text).length === asked.links.length;
  }

  function callerIn({ author, member }: Created, target: MessageTarget): Caller {
    const { guildId } = target;
    const place = { guildId, channelId: target.channelId };
    return {
      ...callerOf({ userId: author.id }, target),
      isChatAdmin: guildId === undefined || isGuildAdmin(desk.client(), guildId, author.id, member?.roles ?? []),
      diagnose: () => diagnosisOf(rightsIn(desk.client(), place), desk.readsMessages()),
    };
  }

  function localesIn({ guildId }: Place): string[] {
    const guild = guildId === undefined ? undefined : desk.client()?.guilds.cache.get(guildId);
    return guild ? [guild.preferredLocale] : [];
  }
}

interface Said {
  readonly text: string;
  readonly direct: boolean;
  readonly found: readonly PastedLink[];
}

interface Asked {
  readonly kind: 'text';
  readonly caller: Caller;
  readonly text: string;
  readonly direct: boolean;
  readonly links: readonly PastedLink[];
}

/** Cheap: nearly every message of every server ends here. */
function mayMatter(data: unknown, ownId: string | undefined): boolean {
  if (!isRecord(data)) throw new TypeError('a message without content');
  const { content, guild_id: guildId } = data;
  // Without the privileged intent most messages come empty.
  if (content === '') return false;
  if (typeof content !== 'string' || typeof guildId !== 'string') return true;
  return content.includes('/') || (ownId !== undefined && content.includes(ownId));
}

function isWrittenByPerson({ author, webhook_id: webhookId, type }: Created, ownId: string | undefined): boolean {
  const isOther = author.bot !== true && author.system !== true && author.id !== ownId;
  return isOther && (webhookId ?? undefined) === undefined && WRITTEN.includes(type);
}

/** What was said without the mention of Medley, and whether there was one. */
function spokenText(
  content: string,
  ownId: string | undefined,
): { readonly text: string; readonly isMentioned: boolean } {
  if (ownId === undefined) return { text: content, isMentioned: false };
  const text = content.replaceAll(`<@${ownId}>`, ' ').replaceAll(`<@!${ownId}>`, ' ');
  return { text: text.trim(), isMentioned: text !== content };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

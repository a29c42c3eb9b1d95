import { type Channel, type Client, OAuth2Scopes, PermissionFlagsBits, type PermissionsBitField } from 'discord.js';
import type { PermissionCheck } from '../../../bot/contract/request.ts';
import { BOOSTED_UPLOAD_BYTES, DEFAULT_UPLOAD_BYTES } from './limits.ts';
import type { DiscordReplyTo, Rights } from './reply-to.ts';

/** The permissions that Medley asks for when it is invited to a server. */
export const WANTED_PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.ManageMessages;

/** The address that adds Medley to a server or an account. */
export function inviteUrl(applicationId: string): string {
  const url = new URL('https://discord.com/oauth2/authorize');
  url.searchParams.set('client_id', applicationId);
  url.searchParams.set('scope', [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '));
  url.searchParams.set('permissions', WANTED_PERMISSIONS.toString());
  return url.href;
}

/** A channel and its server; a private chat has no server. */
export interface ChannelAddress {
  readonly guildId: string | undefined;
  readonly channelId: string;
}

const ALL = { send: true, attach: true, reply: true, manage: true };

/** Medley's permissions in a channel; unknown ones count as granted. In private chats there are no embeds of others. */
export function rightsIn(
  client: Client | undefined,
  { guildId, channelId }: ChannelAddress,
  readsMessages: boolean,
): Rights {
  const channel = guildId === undefined ? undefined : client?.guilds.cache.get(guildId)?.channels.cache.get(channelId);
  const me = channel?.guild.members.me;
  if (!channel || !me) return { ...ALL, manage: false, content: readsMessages };
  return rightsOf(channel.permissionsFor(me), channel.isThread(), readsMessages);
}

export function rightsOf(
  permissions: Readonly<PermissionsBitField>,
  isThread: boolean,
  readsMessages: boolean,
): Rights {
  const write = isThread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  return {
    send: permissions.has(PermissionFlagsBits.ViewChannel) && permissions.has(write),
    attach: permissions.has(PermissionFlagsBits.AttachFiles),
    reply: permissions.has(PermissionFlagsBits.ReadMessageHistory),
    manage: permissions.has(PermissionFlagsBits.ManageMessages),
    content: readsMessages,
  };
}

/** True when a channel, or the channel of a thread, is age-restricted; an unknown channel is not. */
export function isAgeRestricted(channel: Channel | null | undefined): boolean {
  const own = channel?.isThread() === true ? channel.parent : channel;
  return own !== null && own !== undefined && 'nsfw' in own && own.nsfw === true;
}

export function diagnosisOf(to: DiscordReplyTo): readonly PermissionCheck[] {
  if (to.kind === 'interaction' && to.personal !== undefined)
    return [{ key: 'useExternalApps', ok: to.personal.isAllowed }];
  return [
    { key: 'sendMessages', ok: to.rights.send },
    { key: 'attachFiles', ok: to.rights.attach },
    { key: 'readHistory', ok: to.rights.reply },
    { key: 'manageMessages', ok: to.rights.manage },
    { key: 'messageContent', ok: to.rights.content },
  ];
}

/** The size limit of a file in a channel. Boosts raise it for a server, and some servers state it (seen in 2026-08). */
export function uploadBytesIn(client: Client | undefined, { guildId }: ChannelAddress): number {
  const guild = guildId === undefined ? undefined : client?.guilds.cache.get(guildId);
  if (guild === undefined) return DEFAULT_UPLOAD_BYTES;
  const features: readonly string[] = guild.features;
  if (features.includes('MAX_FILE_SIZE_100_MB') || guild.premiumTier === 3) return BOOSTED_UPLOAD_BYTES.third;
  if (features.includes('MAX_FILE_SIZE_50_MB') || guild.premiumTier === 2) return BOOSTED_UPLOAD_BYTES.second;
  return DEFAULT_UPLOAD_BYTES;
}

/** True when a person with these roles may change the server's settings. */
export function isGuildAdmin(
  client: Client | undefined,
  guildId: string,
  userId: string,
  roleIds: readonly string[],
): boolean {
  const guild = client?.guilds.cache.get(guildId);
  if (!guild) return false;
  // Everybody in a server has the role whose id is the server's own.
  return (
    guild.ownerId === userId ||
    [guildId, ...roleIds].some(
      id => guild.roles.cache.get(id)?.permissions.has(PermissionFlagsBits.ManageGuild) === true,
    )
  );
}

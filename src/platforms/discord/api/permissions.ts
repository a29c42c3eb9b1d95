import {
  type Channel,
  ChannelType,
  type Guild,
  type GuildBasedChannel,
  OAuth2Scopes,
  PermissionFlagsBits,
  type PermissionsBitField,
} from 'discord.js';
import type { PermissionCheck, Request } from '../../../bot/contract/request.ts';
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

/**
 * Medley's permissions in a channel. In a private chat, or in a channel that is not known, all are assumed except for
 * the one to hide the embeds of other people's messages, which no bot has in private chats.
 */
export function rightsIn(channel: GuildBasedChannel | undefined, readsMessages: boolean): Rights {
  const me = channel?.guild.members.me;
  if (!channel || !me) return { send: true, attach: true, reply: true, manage: false, content: readsMessages };
  return rightsOf(channel.permissionsFor(me), channel, readsMessages);
}

export function rightsOf(
  permissions: Readonly<PermissionsBitField>,
  channel: Channel | null,
  readsMessages: boolean,
): Rights {
  const thread = channel?.isThread() === true ? channel : undefined;
  const write = thread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  // In a voice channel Discord allows nothing without the permission to connect (its documentation, 2026-11).
  const isVoice = channel?.type === ChannelType.GuildVoice || channel?.type === ChannelType.GuildStageVoice;
  const mayConnect = !isVoice || permissions.has(PermissionFlagsBits.Connect);
  const mayEnter = permissions.has(PermissionFlagsBits.ViewChannel) && mayConnect;
  const isLocked = thread?.locked === true && !permissions.has(PermissionFlagsBits.ManageThreads);
  return {
    send: !isLocked && mayEnter && permissions.has(write),
    ...(!mayConnect && { connect: false }),
    attach: permissions.has(PermissionFlagsBits.AttachFiles),
    reply: permissions.has(PermissionFlagsBits.ReadMessageHistory),
    manage: permissions.has(PermissionFlagsBits.ManageMessages),
    content: readsMessages,
  };
}

/** The chat of a message or an interaction; `channel` says whether it is a thread or age-restricted. */
export function chatIn(
  id: string,
  kind: Request['chat']['kind'],
  groupId: string | undefined,
  channel: Channel | null | undefined,
): Request['chat'] {
  const thread = channel?.isThread() === true ? channel : undefined;
  const own = thread === undefined ? channel : thread.parent;
  return {
    id,
    kind,
    ...(groupId !== undefined && { groupId }),
    ...(typeof thread?.parentId === 'string' && { parentId: thread.parentId }),
    ...(own && 'nsfw' in own && own.nsfw === true && { isAgeRestricted: true }),
  };
}

export function diagnosisOf(to: DiscordReplyTo): readonly PermissionCheck[] {
  if (to.kind === 'interaction' && to.personal !== undefined)
    return [{ key: 'useExternalApps', ok: to.personal.isAllowed }];
  return [
    { key: to.rights.connect === false ? 'connect' : 'sendMessages', ok: to.rights.send },
    { key: 'attachFiles', ok: to.rights.attach },
    { key: 'readHistory', ok: to.rights.reply },
    { key: 'manageMessages', ok: to.rights.manage },
    { key: 'messageContent', ok: to.rights.content },
  ];
}

/** True when a person with these roles may manage the server, and so change Medley's settings for it. */
export function isGuildAdmin(guild: Guild | undefined, userId: string, roleIds: readonly string[]): boolean {
  if (!guild) return false;
  // Everybody in a server has the role whose id is the server's own.
  const roles = [guild.id, ...roleIds].map(id => guild.roles.cache.get(id));
  return (
    guild.ownerId === userId || roles.some(role => role?.permissions.has(PermissionFlagsBits.ManageGuild) === true)
  );
}

/**
 * The size limit of a file in a server. Boosts raise it, and so do features that some servers have (seen in 2026-08).
 */
export function uploadBytesIn(guild: Guild | undefined): number {
  if (guild === undefined) return DEFAULT_UPLOAD_BYTES;
  const features: readonly string[] = guild.features;
  if (features.includes('MAX_FILE_SIZE_100_MB') || guild.premiumTier === 3) return BOOSTED_UPLOAD_BYTES.third;
  if (features.includes('MAX_FILE_SIZE_50_MB') || guild.premiumTier === 2) return BOOSTED_UPLOAD_BYTES.second;
  return DEFAULT_UPLOAD_BYTES;
}

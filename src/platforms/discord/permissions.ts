import { type Client, PermissionFlagsBits, type PermissionsBitField } from 'discord.js';
import type { PermissionCheck } from '../../bot/settings/permission-check.ts';
import { DEFAULT_UPLOAD_BYTES, guildUploadBytes } from './limits.ts';

/** What Medley asks for when it is invited to a server. */
export const WANTED_PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.ManageMessages;

/** Where a message stands. */
export interface Place {
  readonly guildId: string | undefined;
  readonly channelId: string;
}

export interface Rights {
  readonly send: boolean;
  readonly attach: boolean;
  /** To reply to a message, Discord wants its history to be readable. */
  readonly reply: boolean;
  /** To hide embeds of other people's messages. */
  readonly manage: boolean;
}

const ALL: Rights = { send: true, attach: true, reply: true, manage: true };

/** What Medley may do in one place; what is not known is tried. In private chats there is nobody's embed to hide. */
export function rightsIn(client: Client | undefined, { guildId, channelId }: Place): Rights {
  if (guildId === undefined) return { ...ALL, manage: false };
  const channel = client?.guilds.cache.get(guildId)?.channels.cache.get(channelId);
  const me = channel?.guild.members.me;
  if (!channel || !me) return { ...ALL, manage: false };
  return rightsOf(channel.permissionsFor(me), channel.isThread());
}

export function rightsOf(permissions: Readonly<PermissionsBitField>, isThread: boolean): Rights {
  const write = isThread ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  return {
    send: permissions.has(PermissionFlagsBits.ViewChannel) && permissions.has(write),
    attach: permissions.has(PermissionFlagsBits.AttachFiles),
    reply: permissions.has(PermissionFlagsBits.ReadMessageHistory),
    manage: permissions.has(PermissionFlagsBits.ManageMessages),
  };
}

export function diagnosisOf(rights: Rights, readsMessages: boolean): readonly PermissionCheck[] {
  return [
    { key: 'sendMessages', ok: rights.send },
    { key: 'attachFiles', ok: rights.attach },
    { key: 'readHistory', ok: rights.reply },
    { key: 'manageMessages', ok: rights.manage },
    { key: 'messageContent', ok: readsMessages },
  ];
}

/** Largest file of a message there. */
export function uploadBytesIn(client: Client | undefined, { guildId }: Place): number {
  const guild = guildId === undefined ? undefined : client?.guilds.cache.get(guildId);
  return guild ? guildUploadBytes(guild) : DEFAULT_UPLOAD_BYTES;
}

/** Whether a person with these roles may change the settings of the server. */
export function isGuildAdmin(
  client: Client | undefined,
  guildId: string,
  userId: string,
  roleIds: readonly string[],
): boolean {
  const guild = client?.guilds.cache.get(guildId);
  if (!guild) return false;
  // Everyone has the role that is called like the server.
  return (
    guild.ownerId === userId ||
    [guildId, ...roleIds].some(
      id => guild.roles.cache.get(id)?.permissions.has(PermissionFlagsBits.ManageGuild) === true,
    )
  );
}

import { PermissionFlagsBits } from 'discord.js';
import type { Clock } from './clock.ts';
import { Refusal } from './records.ts';
import { guildWire, memberWire, roleWire, userWire, type Wire } from './wire.ts';

const MIB = 1024 * 1024;
const DEFAULT_PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ManageMessages |
  PermissionFlagsBits.UseExternalEmojis |
  PermissionFlagsBits.UseApplicationCommands;
const EVERYTHING = (1n << 53n) - 1n;

export interface ChannelOptions {
  readonly id?: string;
  readonly name?: string;
  /** 0 text (default), 2 voice, 5 announcement, 11 public thread, 15 forum ... */
  readonly type?: number;
  /** The bot's permissions here, where they differ from the guild's. */
  readonly permissions?: bigint;
  /** Of a thread. */
  readonly parentId?: string;
  /** Age-restricted. */
  readonly nsfw?: boolean;
  /** Of a thread in which only those who manage threads may write. */
  readonly locked?: boolean;
}

export interface GuildOptions {
  readonly id?: string;
  readonly name?: string;
  /** 0-3; 2 allows files of 50 MiB, 3 of 100 MiB. */
  readonly premiumTier?: number;
  readonly features?: readonly string[];
  /** Of the role that Discord makes for the bot. */
  readonly botRoleId?: string;
  /** The bot's. Members have none but what an interaction says. */
  readonly permissions?: bigint;
  readonly channels?: readonly ChannelOptions[];
}

export interface Channel {
  readonly id: string;
  readonly guildId: string | undefined;
  readonly type: number;
  readonly name: string;
  readonly parentId: string | undefined;
  readonly nsfw: boolean;
  readonly locked: boolean;
  readonly permissions: bigint;
  /** Of a direct conversation. */
  readonly recipientId: string | undefined;
  /** Largest file in bytes. */
  readonly uploadLimit: number;
}

interface Guild {
  readonly id: string;
  readonly wire: Wire;
}

export interface Places {
  addGuild(options: GuildOptions): { readonly id: string; readonly channelId: string; readonly wire: Wire };
  removeGuild(id: string): void;
  guilds(): readonly Guild[];
  guild(id: string): Guild | undefined;
  firstChannel(guildId: string): Channel;
  find(channelId: string): Channel | undefined;
  /** @throws {Refusal} 10003 */
  channel(channelId: string): Channel;
  /** The conversation with this user, opened when there is none. */
  direct(userId: string): Channel;
}

export function createPlaces(clock: Clock, botUserId: string): Places {
  const guilds = new Map<string, Guild>();
  const channels = new Map<string, Channel>();
  const directs = new Map<string, Channel>();

  function channel(id: string): Channel {
    const found = channels.get(id);
    if (found === undefined) throw new Refusal(404, 10003, 'Unknown Channel');
    return found;
  }

  return {
    addGuild(options) {
      const id = options.id ?? clock.snowflake();
      const permissions = options.permissions ?? DEFAULT_PERMISSIONS;
      const uploadLimit = guildUploadLimit(options.premiumTier ?? 0, options.features ?? []);
      const made = (options.channels ?? [{}]).map((each, place) => ({
        id: each.id ?? clock.snowflake(),
        guildId: id,
        type: each.type ?? 0,
        name: each.name ?? `channel-${place + 1}`,
        parentId: each.parentId,
        nsfw: each.nsfw ?? false,
        locked: each.locked ?? false,
        permissions: each.permissions ?? permissions,
        recipientId: undefined,
        uploadLimit,
      }));
      for (const each of made) channels.set(each.id, each);
      const botRole = {
        ...roleWire(options.botRoleId ?? clock.snowflake(), 'Medley', permissions, 1),
        managed: true,
        tags: { bot_id: botUserId },
      };
      const wires = made.map(each => channelWire(each, each.permissions === permissions ? undefined : botUserId));
      const wire = guildWire({
        id,
        name: options.name ?? `Guild ${id.slice(-4)}`,
        ownerId: clock.snowflake(),
        premiumTier: options.premiumTier ?? 0,
        features: options.features ?? [],
        roles: [roleWire(id, '@everyone', 0n, 0), botRole],
        members: [memberWire(userWire(botUserId, true), [botRole.id])],
        channels: wires.filter((_, place) => !isThread(made[place]?.type ?? 0)),
        threads: wires.filter((_, place) => isThread(made[place]?.type ?? 0)),
      });
      guilds.set(id, { id, wire });
      const [first] = made;
      if (first === undefined) throw new Error('a guild without a channel');
      return { id, channelId: first.id, wire };
    },
    removeGuild(id) {
      guilds.delete(id);
      for (const each of channels.values()) if (each.guildId === id) channels.delete(each.id);
    },
    guilds: () => [...guilds.values()],
    guild: id => guilds.get(id),
    firstChannel(guildId) {
      const found = [...channels.values()].find(each => each.guildId === guildId);
      if (found === undefined) throw new Error(`no guild ${guildId}: addGuild first`);
      return found;
    },
    find: id => channels.get(id),
    channel,
    direct(userId) {
      const known = directs.get(userId);
      if (known !== undefined) return known;
      const opened = {
        id: clock.snowflake(),
        guildId: undefined,
        type: 1,
        name: '',
        parentId: undefined,
        nsfw: false,
        locked: false,
        permissions: EVERYTHING,
        recipientId: userId,
        uploadLimit: 10 * MIB,
      };
      directs.set(userId, opened);
      channels.set(opened.id, opened);
      return opened;
    },
  };
}

/** Default 10 MiB, boosted 50 and 100 MiB (Discord's documentation, 2026-08). */
function guildUploadLimit(premiumTier: number, features: readonly string[]): number {
  if (premiumTier >= 3 || features.includes('MAX_FILE_SIZE_100_MB')) return 100 * MIB;
  if (premiumTier === 2 || features.includes('MAX_FILE_SIZE_50_MB')) return 50 * MIB;
  return 10 * MIB;
}

export const isThread = (type: number) => type >= 10 && type <= 12;

/** @param overwriteFor the user whose permissions here are written out, when they differ from the guild's. */
export function channelWire(channel: Channel, overwriteFor?: string): Wire {
  if (channel.recipientId !== undefined) {
    return { id: channel.id, type: channel.type, last_message_id: null, recipients: [userWire(channel.recipientId)] };
  }
  const overwrites =
    overwriteFor === undefined
      ? []
      : [
          {
            id: overwriteFor,
            type: 1,
            allow: channel.permissions.toString(),
            deny: (EVERYTHING & ~channel.permissions).toString(),
          },
        ];
  return {
    id: channel.id,
    guild_id: channel.guildId,
    type: channel.type,
    name: channel.name,
    position: 0,
    permission_overwrites: overwrites,
    parent_id: channel.parentId ?? null,
    nsfw: channel.nsfw,
    rate_limit_per_user: 0,
    topic: null,
    last_message_id: null,
    ...(isThread(channel.type)
      ? {
          thread_metadata: {
            archived: false,
            auto_archive_duration: 1440,
            archive_timestamp: '2024-01-02T03:04:05.000000+00:00',
            locked: channel.locked,
          },
          message_count: 0,
          member_count: 1,
        }
      : {}),
  };
}

/** @throws {Refusal} 50001 or 50013 */
export function demand(channel: Channel, permission: bigint): void {
  const has = (wanted: bigint) =>
    (channel.permissions & PermissionFlagsBits.Administrator) !== 0n || (channel.permissions & wanted) === wanted;
  if (!has(PermissionFlagsBits.ViewChannel)) throw new Refusal(403, 50001, 'Missing Access');
  if (!has(permission)) throw new Refusal(403, 50013, 'Missing Permissions');
}

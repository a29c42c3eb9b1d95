import type { APIGuildMember, APIRole, APIUser } from 'discord.js';
import type { ReceivedFile } from './records.ts';

export type Wire = Record<string, unknown>;

const NO_FLAGS: number = 0;
const JOINED_AT = '2024-01-02T03:04:05.000000+00:00';

export function userWire(id: string, bot = false): APIUser {
  const username = `${bot ? 'bot' : 'user'}_${id.slice(-6)}`;
  return { id, username, discriminator: '0', global_name: bot ? null : `User ${id.slice(-6)}`, avatar: null, bot };
}

export function memberWire(user: APIUser, roles: readonly string[]): APIGuildMember {
  return { user, roles: [...roles], joined_at: JOINED_AT, deaf: false, mute: false, flags: NO_FLAGS };
}

export function roleWire(id: string, name: string, permissions: bigint, position: number): APIRole {
  return {
    id,
    name,
    permissions: permissions.toString(),
    position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: false,
    mentionable: false,
    flags: NO_FLAGS,
  };
}

export interface GuildShape {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly premiumTier: number;
  readonly features: readonly string[];
  readonly roles: readonly APIRole[];
  readonly members: readonly APIGuildMember[];
  readonly channels: readonly Wire[];
  readonly threads: readonly Wire[];
}

export function guildWire(guild: GuildShape): Wire {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    vanity_url_code: null,
    premium_tier: guild.premiumTier,
    premium_subscription_count: 0,
    preferred_locale: 'en-US',
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null,
    features: guild.features,
    roles: guild.roles,
    emojis: [],
    stickers: [],
    joined_at: JOINED_AT,
    large: false,
    unavailable: false,
    member_count: guild.members.length,
    voice_states: [],
    members: guild.members,
    channels: guild.channels,
    threads: guild.threads,
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** An attachment as Discord describes it once it holds the file. */
export function attachmentWire(cdnUrl: string, channelId: string, id: string, file: ReceivedFile): Wire {
  const url = `${cdnUrl}/attachments/${channelId}/${id}/${file.name}?ex=0&is=0&hm=0`;
  const picture = /^(?:image|video)\//.test(file.contentType) ? { width: 640, height: 360 } : {};
  return {
    id,
    filename: file.name,
    size: file.bytes,
    url,
    proxy_url: url,
    content_type: file.contentType,
    ...picture,
  };
}

import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  type Client,
  Events,
  InteractionType,
  Locale,
  type SimpleShardingStrategy,
  SnowflakeUtil,
} from 'discord.js';
import { EDITABLE_MS } from '../../../bot/answer/read.ts';
import type { Logger } from '../../../infra/log.ts';
import { DEFAULT_UPLOAD_BYTES } from '../api/limits.ts';
import { WANTED_PERMISSIONS } from '../api/permissions.ts';
import type { GatewaySession } from './sessions.ts';

export interface GuardOptions {
  /** Called with each event of the shards' manager before any other listener. */
  readonly onEvent: (event: string, value: unknown) => void;
  readonly handlers: MessageHandlers;
  /** True when a message may be meant for Medley; while the client is not ready, other messages are dropped. */
  readonly isOfInterest: (message: unknown) => boolean;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

export interface SessionHandler {
  /** Called when a session begins, with an object whose sequence number is kept up to date; with null when it ends. */
  onSession(shardId: number, session: GatewaySession | null): void;
}

/** Handlers that get the data (`d`) of an event unchanged. */
export interface MessageHandlers {
  onMessage(data: unknown): void;
  onMessageUpdate(data: unknown): void;
  /** Called before discord.js gets the interaction, because it drops the channel of a server that Medley is not in. */
  onInteractionData(data: unknown): void;
}

/** Handles an event (dispatch) as if it had come over the connection of the shard `shardId`. Never throws. */
export type Hear = (dispatch: unknown, shardId: number) => void;

/** Events that discord.js must get before it is ready. */
const EARLY: ReadonlySet<string> = new Set(['READY', 'RESUMED', 'GUILD_CREATE', 'GUILD_DELETE']);
/** How many events of each kind may wait for the client to be ready. */
const MAX_WAITING = 5_000;

/**
 * Filters the events on their way from the connection to discord.js: an event that discord.js cannot read would end the
 * process, by an unhandled rejection or in a timer. Messages go to Medley alone, because discord.js would spend most of
 * its time on making objects of messages without links.
 */
export function guardDispatches(
  manager: ShardManager,
  client: Client,
  { handlers, isOfInterest, onEvent, log }: GuardOptions,
): Hear {
  const emit: (event: string, ...values: unknown[]) => boolean = manager.emit.bind(manager);
  const waiting: (() => void)[] = [];
  const counts = { asked: 0, changed: 0, lost: 0 };

  /** Keeps an event until the client is ready. There is one limit for requests, and one for changes of servers. */
  function wait(dispatch: Dispatch, handle: () => void): void {
    const kind = kindOf(dispatch, isOfInterest);
    if (kind === undefined) return;
    counts[kind] += 1;
    if (counts[kind] <= MAX_WAITING) waiting.push(handle);
    else counts.lost += 1;
  }

  function pass(event: string, values: unknown[]): boolean {
    onEvent(event, values[0]);
    const dispatch = event === 'dispatch' ? dispatchOf(values[0]) : undefined;
    if (dispatch && !EARLY.has(dispatch.type) && !client.isReady()) {
      wait(dispatch, () => pass(event, values));
      return true;
    }
    try {
      if (dispatch?.type === 'MESSAGE_CREATE') handlers.onMessage(dispatch.data);
      else if (dispatch?.type === 'MESSAGE_UPDATE') handlers.onMessageUpdate(dispatch.data);
      else {
        if (dispatch?.type === 'INTERACTION_CREATE') {
          handlers.onInteractionData(dispatch.data);
          completeInteraction(dispatch.data, client);
        }
        return emit(event, ...values);
      }
    } catch (error) {
      log.error({ err: error, type: dispatch?.type ?? event }, 'discord: a dispatch could not be handled');
    }
    return true;
  }

  client.once(Events.ClientReady, () => {
    if (counts.lost > 0) log.warn({ count: counts.lost }, 'discord: too much was heard before all shards were ready');
    for (const handle of waiting.splice(0)) handle();
  });
  manager.emit = (event: string | symbol, ...values: unknown[]) => pass(String(event), values);
  return (data, shardId) => void pass('dispatch', [{ data, shardId }]);
}

/** The reason to keep an event: a person `asked` something, or a server `changed`; undefined if it is not needed. */
function kindOf({ type, data }: Dispatch, isOfInterest: GuardOptions['isOfInterest']): 'asked' | 'changed' | undefined {
  if (type === 'INTERACTION_CREATE') return 'asked';
  const isSaid = type === 'MESSAGE_CREATE' || (type === 'MESSAGE_UPDATE' && isEdit(data, Date.now()));
  if (isSaid) return isOfInterest(data) ? 'asked' : undefined;
  return type.startsWith('MESSAGE_') ? undefined : 'changed';
}

/**
 * Adds the fields that Discord's interactions did not have in their first years. Servers that imitate Discord, such as
 * those of tests, may leave them out, and discord.js then drops the interaction or throws.
 */
function completeInteraction(data: unknown, client: Client): void {
  if (!isRecord(data)) return;
  const { data: command, guild_id: guildId, channel_id: id, app_permissions: stated, type } = data;
  const owners = typeof guildId === 'string' ? { [ApplicationIntegrationType.GuildInstall]: guildId } : {};
  const place = typeof id === 'string' && {
    channel: { id },
    app_permissions: stated ?? ownPermissionsIn(id, client),
  };
  Object.assign(data, { ...LATER_FIELDS, ...place, authorizing_integration_owners: owners, ...data });
  const isCommand =
    type === InteractionType.ApplicationCommand || type === InteractionType.ApplicationCommandAutocomplete;
  if (isCommand && isRecord(command)) Object.assign(command, { type: ApplicationCommandType.ChatInput, ...command });
}

/**
 * Medley's permissions in a channel, as a number in a text. In an unknown channel, they are the permissions that Medley
 * asks for when it is invited.
 */
function ownPermissionsIn(channelId: string, client: Client): string {
  const channel = client.channels.cache.get(channelId);
  if (channel === undefined || channel.isDMBased() || channel.guild.members.me === null) return `${WANTED_PERMISSIONS}`;
  return `${channel.permissionsFor(channel.guild.members.me).bitfield}`;
}

const LATER_FIELDS = { entitlements: [], locale: Locale.EnglishUS, attachment_size_limit: DEFAULT_UPLOAD_BYTES };

interface Dispatch {
  readonly type: string;
  readonly data: unknown;
}

function dispatchOf(value: unknown): Dispatch | undefined {
  if (!isRecord(value) || !isRecord(value.data)) return undefined;
  const { t, d } = value.data;
  return typeof t === 'string' ? { type: t, data: d } : undefined;
}

/** The manager of @discordjs/ws, whose type discord.js does not export. */
export type ShardManager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/**
 * Makes @discordjs/ws resume a session after a network failure; by itself it would begin a new session, although only
 * Discord ends sessions. While a session's own address cannot be reached, every second attempt uses the general
 * address.
 * @param gatewayUrl the general address, at which sessions begin
 * @returns a function that must see every event of the manager before anything else does
 */
export function keepSessions(
  { options }: ShardManager,
  gatewayUrl: () => string | null,
  handlers: SessionHandler,
): (event: string, value: unknown) => void {
  const keep = options.updateSessionInfo.bind(options);
  const sessions = new Map<number, { readonly own: GatewaySession; isElsewhere: boolean }>();
  /**
   * The shards that Discord has greeted on their present connection. If such a shard loses its session, Discord has
   * ended the session; otherwise the network has failed, and the session can still be resumed.
   */
  const spoken = new Set<number>();

  function forget(shardId: number): ReturnType<typeof keep> {
    const known = sessions.get(shardId);
    if (spoken.delete(shardId) || known === undefined) {
      sessions.delete(shardId);
      handlers.onSession(shardId, null);
      return keep(shardId, null);
    }
    known.isElsewhere = !known.isElsewhere;
    const resumeURL = known.isElsewhere ? (gatewayUrl() ?? known.own.resumeURL) : known.own.resumeURL;
    return keep(shardId, { ...known.own, resumeURL });
  }

  options.updateSessionInfo = (shardId, heard) => {
    if (heard === null) return forget(shardId);
    const known = sessions.get(shardId);
    const isNew = known?.own.sessionId !== heard.sessionId;
    const session = isNew ? { own: { ...heard }, isElsewhere: false } : known;
    session.own.sequence = heard.sequence;
    session.isElsewhere = false;
    sessions.set(shardId, session);
    if (isNew) handlers.onSession(shardId, session.own);
    return keep(shardId, session.own);
  };

  return (event, value) => {
    if (!isRecord(value) || typeof value.shardId !== 'number') return;
    if (event === 'hello') spoken.add(value.shardId);
    else if (event === 'closed') {
      const code = Number(value.code);
      // All other close codes come from the network or a proxy.
      const isSaidByDiscord = code === 1000 || (code >= 4000 && code < 4200);
      if (!isSaidByDiscord) spoken.delete(value.shardId);
    }
  };
}

/** True when a MESSAGE_UPDATE may be a person's recent edit; Discord sends it also when it adds embeds. */
export function isEdit(data: unknown, now: number): boolean {
  if (!isRecord(data) || typeof data.edited_timestamp !== 'string' || !isRecord(data.author)) return false;
  const { id } = data;
  return typeof id === 'string' && /^\d+$/.test(id) && now - SnowflakeUtil.timestampFrom(id) < EDITABLE_MS;
}

/** True for an object, which is the first check of data from the gateway. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The sizes of discord.js's caches: only servers, channels, roles and Medley itself, for its permissions, are kept. */
export const CACHES = {
  ApplicationCommandManager: 0,
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: { maxSize: 0, keepOverLimit: isSelf },
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadMemberManager: 0,
  UserManager: { maxSize: 0, keepOverLimit: isSelf },
  VoiceStateManager: 0,
};

function isSelf({ id, client }: { readonly id: string; readonly client: Client }): boolean {
  return id === client.user?.id;
}

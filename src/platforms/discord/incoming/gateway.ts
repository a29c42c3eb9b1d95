import {
  Client,
  CloseCodes,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayCloseCodes,
  GatewayIntentBits,
  type Interaction,
  Options,
  SimpleShardingStrategy,
} from 'discord.js';
import type { Logger } from '../../../infra/log.ts';
import { TIMES } from '../limits.ts';
import type { GatewaySession } from './sessions.ts';

export type ShardChoice = 'auto' | { readonly ids: readonly number[]; readonly total: number };

export interface GatewayHandlers {
  /** Before anything else of that client. */
  onReady(client: Client<true>): void;
  /** The `d` of MESSAGE_CREATE and MESSAGE_UPDATE as they came. */
  onMessage(data: unknown): void;
  onMessageUpdate(data: unknown): void;
  onInteraction(interaction: Interaction): void;
  onGuild(guildId: string, isMember: boolean): void;
  /** How far was heard on a shard; null when its session is over. */
  onSession(shardId: number, session: GatewaySession | null): void;
}

export interface Gateway {
  readonly client: Client<true>;
  /** As if it had come over the connection of that shard. Never throws. */
  hear(dispatch: unknown, shardId: number): void;
  /** Leaves in a way that the sessions can be taken up again. */
  leave(): Promise<void>;
}

export interface ConnectOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly shards: ShardChoice;
  /** Whether the privileged intent is asked for. */
  readonly messageContent: boolean;
  readonly handlers: GatewayHandlers;
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
  /** The connection is gone for good; discord.js mends all others by itself. */
  readonly onLost: (why: GatewayFailure) => void;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/**
 * `token`: Discord does not know it. `intents`: one is not granted. `settings`: someone must change them before Discord will have it.
 */
export type GatewayProblem = 'token' | 'intents' | 'settings' | 'unreachable';

export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';
  readonly problem: GatewayProblem;

  constructor(problem: GatewayProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/**
 * With a client of discord.js that is ready: all guilds are known.
 * @throws GatewayFailure; the client is gone then
 */
export async function connectGateway(options: ConnectOptions): Promise<Gateway> {
  const { token, shards, log } = options;
  let connections: Connections | undefined;
  const client = createClient(options, made => {
    connections = made;
  });
  const count = shards === 'auto' ? 16 : shards.ids.length;
  // Nothing in discord.js ends a login that hears nothing.
  const timeout = AbortSignal.timeout(TIMES.login + count * TIMES.loginPerShard);
  const ended = AbortSignal.any([options.signal, timeout]);
  try {
    ended.throwIfAborted();
    const ready = await new Promise<Client<true>>((resolve, reject) => {
      ended.addEventListener('abort', () => reject(new GatewayFailure('unreachable', 'the login took too long')));
      client.once(Events.ClientReady, ready => {
        client.on(Events.ShardDisconnect, ({ code }) => options.onLost(closeFailure(code)));
        options.handlers.onReady(ready);
        resolve(ready);
      });
      client.on(Events.ShardDisconnect, ({ code }) => reject(closeFailure(code)));
      client.login(token).catch((error: unknown) => reject(loginFailure(error)));
    });
    return {
      client: ready,
      hear: (dispatch, shardId) => connections?.hear(dispatch, shardId),
      async leave() {
        // discord.js itself would close with 1000, which ends them.
        if (connections !== undefined) {
          connections.manager.options.updateSessionInfo = () => undefined;
          ready.removeAllListeners(Events.ShardReconnecting);
          await connections.manager.destroy({ code: CloseCodes.Resuming });
        }
        await ready.destroy();
      },
    };
  } catch (error) {
    await client.destroy().catch((cause: unknown) => log.warn({ err: cause }, 'discord: a client could not be closed'));
    throw error;
  }
}

function createClient(
  { apiUrl, shards, messageContent, handlers, log }: ConnectOptions,
  onConnections: (connections: Connections) => void,
): Client {
  const client: Client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      ...(messageContent ? [GatewayIntentBits.MessageContent] : []),
    ],
    ...(shards === 'auto' ? { shards: 'auto' as const } : { shards: [...shards.ids], shardCount: shards.total }),
    rest: { ...(apiUrl !== undefined && { api: apiUrl }), timeout: TIMES.request },
    makeCache: Options.cacheWithLimits(CACHES),
    enforceNonce: true,
    allowedMentions: { parse: [], repliedUser: false },
    ws: {
      buildStrategy(manager) {
        onConnections({ manager, hear: guard(manager, client, handlers, log) });
        return new SimpleShardingStrategy(manager);
      },
    },
  });
  client.on(Events.InteractionCreate, interaction => handlers.onInteraction(interaction));
  client.on(Events.GuildCreate, guild => handlers.onGuild(guild.id, true));
  client.on(Events.GuildDelete, guild => handlers.onGuild(guild.id, false));
  client.on(Events.Error, error => log.error({ err: error }, 'discord: client error'));
  client.on(Events.ShardError, (error, shard) => log.warn({ err: error, shard }, 'discord: connection error'));
  client.on(Events.ShardReconnecting, shard => log.info({ shard }, 'discord: reconnecting'));
  client.on(Events.ShardResume, (shard, events) => log.info({ shard, events }, 'discord: resumed'));
  client.on(Events.Invalidated, () => log.warn({}, 'discord: session invalidated'));
  client.on(Events.Warn, message => log.warn({ message }, 'discord: warning'));
  return client;
}

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

interface Connections extends Pick<Gateway, 'hear'> {
  readonly manager: Manager;
}

/** Events that come before discord.js is ready and are kept for it. */
const EARLY: ReadonlySet<string> = new Set(['READY', 'RESUMED', 'GUILD_CREATE', 'GUILD_DELETE']);
const MAX_WAITING = 5_000;

/**
 * Stands between the connection and discord.js. A dispatch it cannot read would end the process: it throws out of a promise without an owner,
 * or out of a timer when it was queued before the client is ready. And messages go to Medley alone: building objects of those
 * that hold no link would be most of its work.
 */
function guard(
  manager: Manager,
  client: Client,
  handlers: GatewayHandlers,
  log: ConnectOptions['log'],
): Gateway['hear'] {
  const emit: (event: string, ...values: unknown[]) => boolean = manager.emit.bind(manager);
  const waiting: (() => void)[] = [];

  function pass(event: string, values: unknown[]): boolean {
    const dispatch = event === 'dispatch' ? dispatchOf(values[0]) : undefined;
    if (dispatch && !EARLY.has(dispatch.type) && !client.isReady()) {
      if (waiting.length < MAX_WAITING) waiting.push(() => pass(event, values));
      return true;
    }
    try {
      if (dispatch?.type === 'MESSAGE_CREATE') handlers.onMessage(dispatch.data);
      else if (dispatch?.type === 'MESSAGE_UPDATE') handlers.onMessageUpdate(dispatch.data);
      else return emit(event, ...values);
    } catch (error) {
      log.error({ err: error, type: dispatch?.type ?? event }, 'discord: a dispatch could not be handled');
    }
    return true;
  }

  const { options } = manager;
  const keep = options.updateSessionInfo.bind(options);
  options.updateSessionInfo = (shardId, session) => {
    handlers.onSession(shardId, session);
    return keep(shardId, session);
  };
  client.once(Events.ClientReady, () => {
    for (const handle of waiting.splice(0)) handle();
  });
  manager.emit = (event: string | symbol, ...values: unknown[]) => pass(String(event), values);
  return (data, shardId) => void pass('dispatch', [{ data, shardId }]);
}

interface Dispatch {
  readonly type: string;
  readonly data: unknown;
}

function dispatchOf(value: unknown): Dispatch | undefined {
  if (!isRecord(value) || !isRecord(value.data)) return undefined;
  const { t, d } = value.data;
  return typeof t === 'string' ? { type: t, data: d } : undefined;
}

/** Of what came over the gateway, before it is looked at closer. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Only what permissions are made of is kept: guilds, channels, roles, and Medley itself. */
const CACHES = {
  ApplicationCommandManager: 0,
  ApplicationEmojiManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  EntitlementManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: { maxSize: 0, keepOverLimit: (member: { id: string; client: Client }) => isSelf(member) },
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadMemberManager: 0,
  UserManager: { maxSize: 0, keepOverLimit: (user: { id: string; client: Client }) => isSelf(user) },
  VoiceStateManager: 0,
};

function isSelf({ id, client }: { readonly id: string; readonly client: Client }): boolean {
  return id === client.user?.id;
}

function loginFailure(error: unknown): GatewayFailure {
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
    return new GatewayFailure(
      'token',
      'Discord does not know this token: copy it again from the Bot page of the application',
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new GatewayFailure('unreachable', `Discord cannot be reached: ${reason}`);
}

const CLOSES: Readonly<Partial<Record<number, readonly [GatewayProblem, string]>>> = {
  [GatewayCloseCodes.AuthenticationFailed]: ['token', 'Discord no longer accepts the token'],
  [GatewayCloseCodes.InvalidShard]: ['settings', 'DISCORD_SHARDS names shards that do not exist'],
  [GatewayCloseCodes.ShardingRequired]: [
    'settings',
    'the bot is in too many servers for these shards: set DISCORD_SHARDS to auto',
  ],
  [GatewayCloseCodes.InvalidAPIVersion]: ['settings', 'Discord no longer offers this version of its API'],
  [GatewayCloseCodes.InvalidIntents]: ['settings', 'Discord does not know an intent'],
  [GatewayCloseCodes.DisallowedIntents]: ['intents', 'the message content intent is not granted'],
};

function closeFailure(code: number): GatewayFailure {
  const [problem, message] = CLOSES[code] ?? ['unreachable', `the connection was closed with ${code}`];
  return new GatewayFailure(problem, message);
}

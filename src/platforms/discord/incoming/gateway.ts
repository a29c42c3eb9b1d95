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
  SimpleIdentifyThrottler,
  SimpleShardingStrategy,
} from 'discord.js';
import type { Logger } from '../../../infra/log.ts';
import { TIMES } from '../api/limits.ts';
import {
  CACHES,
  type GuardOptions,
  guardDispatches,
  type Hear,
  keepSessions,
  type MessageHandlers,
  type SessionHandler,
  type ShardManager,
} from './dispatches.ts';

export type ShardChoice = 'auto' | { readonly ids: readonly number[]; readonly total: number };

export interface GatewayHandlers extends MessageHandlers, SessionHandler {
  /** Called with the ready client before any other of these handlers. */
  onReady(client: Client<true>): void;
  onInteraction(interaction: Interaction): void;
  onGuild(guildId: string, isMember: boolean): void;
}

export interface Gateway {
  readonly client: Client<true>;
  readonly hear: Hear;
  /** Disconnects so that the sessions can be resumed. */
  leave(): Promise<void>;
}

export interface GatewayOptions extends Pick<GuardOptions, 'isOfInterest'> {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly shards: ShardChoice;
  /** True to ask for the privileged intent "message content", without which messages of servers come without text. */
  readonly messageContent: boolean;
  readonly handlers: GatewayHandlers;
  /** Aborts the attempt to connect. */
  readonly signal: AbortSignal;
  /** How long to wait for each further shard to become ready. Default: a minute. */
  readonly patienceMs?: number;
  /** Called when the connection is lost for good. After any other loss discord.js reconnects by itself. */
  readonly onLost: (why: GatewayFailure) => void;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/**
 * Why there is no connection. `token`: Discord refuses the token; `intents`: Discord does not grant an intent;
 * `settings`: the operator must change a setting; `limit`: Discord allows no more new sessions for now; `unreachable`:
 * any other failure.
 */
export type GatewayProblem = 'token' | 'intents' | 'settings' | 'limit' | 'unreachable';

export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';
  readonly problem: GatewayProblem;

  constructor(problem: GatewayProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/**
 * Connects; resolves when the client of discord.js is ready, so that all servers are known.
 * @throws GatewayFailure; the client is then destroyed
 */
export async function connectGateway(options: GatewayOptions): Promise<Gateway> {
  const { token, log } = options;
  let connections: Connections | undefined;
  const client = createClient(options, made => {
    connections = made;
  });
  const stall = stallOf(client, options.patienceMs ?? TIMES.login);
  const ended = AbortSignal.any([options.signal, stall.signal]);
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
        // discord.js itself would close with code 1000, which ends the sessions, so the connections are closed here.
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
  } finally {
    stall.release();
  }
}

/** A signal that aborts when no further shard became ready for `patienceMs`; discord.js would wait for ever. */
function stallOf(client: Client, patienceMs: number): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const ready = new Set<number>();
  const timer = setTimeout(() => controller.abort(), patienceMs);
  client.on(Events.ShardReady, shard => {
    if (!ready.has(shard) && !controller.signal.aborted) timer.refresh();
    ready.add(shard);
  });
  return { signal: controller.signal, release: () => clearTimeout(timer) };
}

function createClient(
  { apiUrl, shards, messageContent, handlers, isOfInterest, log }: GatewayOptions,
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
      async buildIdentifyThrottler(manager) {
        const { session_start_limit: limit } = await manager.fetchGatewayInformation();
        return new AbortableThrottler(limit.max_concurrency);
      },
      buildStrategy(manager) {
        const onEvent = keepSessions(manager, () => client.ws.gateway, handlers);
        onConnections({ manager, hear: guardDispatches(manager, client, { handlers, isOfInterest, onEvent, log }) });
        return new BudgetedSharding(manager);
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

interface Connections extends Pick<Gateway, 'hear'> {
  readonly manager: ShardManager;
}

/** Starts no shards if Discord allows too few new sessions: a bot that begins too many gets its token reset. */
class BudgetedSharding extends SimpleShardingStrategy {
  readonly #manager: ShardManager;

  constructor(manager: ShardManager) {
    super(manager);
    this.#manager = manager;
  }

  /** Starts shards. @throws GatewayFailure `limit` when Discord allows fewer new sessions than there are shards */
  override async spawn(shardIds: number[]): Promise<void> {
    const { session_start_limit: limit } = await this.#manager.fetchGatewayInformation();
    if (limit.remaining < shardIds.length) {
      const until = new Date(Date.now() + limit.reset_after).toISOString();
      throw new GatewayFailure(
        'limit',
        `Discord lets this bot begin ${limit.remaining} more of ${limit.total} sessions until ${until}, and its shards need ${shardIds.length}: it connects by itself after that`,
      );
    }
    await super.spawn(shardIds);
  }
}

/** Rejects if the connection closed while it waited to identify, so that discord.js does not identify twice later. */
export class AbortableThrottler extends SimpleIdentifyThrottler {
  override async waitForIdentify(shardId: number, signal: AbortSignal): Promise<void> {
    await super.waitForIdentify(shardId, signal);
    signal.throwIfAborted();
  }
}

function loginFailure(error: unknown): GatewayFailure {
  if (error instanceof GatewayFailure) return error;
  if (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) {
    return new GatewayFailure(
      'token',
      'Discord does not know this token: copy it again from the Bot page of the application',
    );
  }
  // discord.js does not check what it receives, so a proxy's page in place of Discord's answer causes a TypeError.
  if (error instanceof TypeError)
    return new GatewayFailure('unreachable', 'what answers is not Discord: check the network and DISCORD_API_URL');
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

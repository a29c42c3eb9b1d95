import { setMaxListeners } from 'node:events';
import { type Client, REST, type RESTOptions } from 'discord.js';
import { Agent } from 'undici-for-discord';
import type { Dispatcher } from '../../bot/dispatch/dispatcher.ts';
import type { Job, Jobs } from '../../bot/runtime/jobs.ts';
import type { SettingsStore } from '../../bot/settings/settings.ts';
import type { Logger } from '../../infra/log.ts';
import type { Delivery } from '../../media/delivery/delivery.ts';
import type { Platform } from '../platform.ts';
import type { DiscordContext } from './context.ts';
import { connectGateway, GatewayFailure, type GatewayHandlers, type ShardChoice } from './incoming/gateway.ts';
import { listen } from './incoming/listen.ts';
import { createSturdyJobs } from './incoming/resilient-jobs.ts';
import { applicationIdOf, inviteUrl } from './invite.ts';
import { TIMES } from './limits.ts';
import { createSender, isLongRateLimit } from './outgoing/send.ts';
import { createEmbedSuppression } from './outgoing/suppress.ts';
import { commandPayloads, createCommandIndex, registerCommands } from './register.ts';

export interface DiscordPlatformOptions {
  readonly token: string;
  /** Without a version, e.g. `https://discord.com/api`. */
  readonly apiUrl?: string | undefined;
  readonly shards: ShardChoice;
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'linksOf' | 'translator' | 'suggestOption' | 'commandSpecs'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  readonly settings: Pick<SettingsStore, 'chat' | 'markChatLeft'>;
  readonly jobs: Jobs;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now?: () => number;
  /** How long running answers may take after `stop()`. */
  readonly drainMs?: number;
}

export interface DiscordPlatform extends Platform {
  readonly id: 'discord';
  /** Where Medley is added to a server or an account. */
  inviteUrl(): string;
}

/** Waits between attempts to connect, in milliseconds; the last one repeats. */
const RETRIES = [1_000, 5_000, 15_000, 60_000] as const;

/** Medley on Discord. */
export function createDiscordPlatform(options: DiscordPlatformOptions): DiscordPlatform {
  const { token, apiUrl, dispatcher, delivery, settings, log, now = Date.now } = options;
  const jobs = createSturdyJobs(options.jobs, log);
  const stopping = new AbortController();
  const aborting = new AbortController();
  // Every answer under way listens to it.
  setMaxListeners(0, aborting.signal);
  // Its life is not the connection's: what is under way is still answered when that is gone.
  // Named, not the process' global one: that belongs to whichever undici was loaded first, and on one of another major version
  // than discord.js brings (6) every upload fails with "action is not a function" (undici 7.30, seen 2026-11).
  const agent = new Agent();
  const rest = createRest();
  const restOnce = createRest({ retries: 0 });
  const sender = createSender({ rest, restOnce, applicationId: () => applicationId });
  const desk: DiscordContext = {
    dispatcher,
    delivery,
    settings,
    jobs,
    sender,
    suppression: createEmbedSuppression({ sender, now }),
    log,
    now,
    signal: aborting.signal,
    client: () => client,
    readsMessages: () => messageContent,
  };
  const specs = dispatcher.commandSpecs;
  const listener = listen({ desk, index: createCommandIndex(specs), settings, ownId: () => client?.user.id });
  const handlers: GatewayHandlers = {
    ...listener,
    onReady(ready) {
      client = ready;
      applicationId = ready.application.id;
      // The library drops it after any 401, were it only a proxy's.
      rest.setToken(token);
      noteGuilds(ready);
    },
  };
  let client: Client<true> | undefined;
  let kept: readonly Job[] = [];
  let applicationId = applicationIdOf(token) ?? '0';
  let messageContent = true;
  let supervising: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  /** No event tells which servers took Medley back while it was away. */
  function noteGuilds({ guilds }: Client<true>): void {
    for (const id of guilds.cache.keys()) listener.onGuild(id, true);
  }

  function createRest(more: Partial<RESTOptions> = {}): REST {
    const made = new REST({
      agent,
      ...(apiUrl !== undefined && { api: apiUrl }),
      timeout: TIMES.library,
      invalidRequestWarningInterval: 500,
      rejectOnRateLimit: isLongRateLimit,
      ...more,
    }).setToken(token);
    made.on('invalidRequestWarning', ({ count }) => log.warn({ count }, 'discord: many requests are refused'));
    return made;
  }

  async function connect(): Promise<void> {
    try {
      await attempt();
    } catch (error) {
      if (!(error instanceof GatewayFailure) || error.problem !== 'intents' || !messageContent) throw error;
      messageContent = false;
      log.warn(
        {},
        'discord: the Message Content intent is off, so links in servers are only seen when Medley is mentioned; switch it on under Bot in the Developer Portal. Commands and private chats work without it',
      );
      await attempt();
    }
  }

  function attempt(): Promise<Client<true>> {
    return connectGateway({
      token,
      apiUrl,
      shards: options.shards,
      messageContent,
      handlers,
      onLost,
      signal: stopping.signal,
      log,
    });
  }

  function onLost(failure: GatewayFailure): void {
    if (stopping.signal.aborted) return;
    const lost = client;
    client = undefined;
    supervising = (async () => {
      await lost?.destroy();
      if (failure.problem === 'refused') log.error({ err: failure }, 'discord: the connection is lost for good');
      else await reconnect(failure);
    })().catch((error: unknown) => log.error({ err: error }, 'discord: the connection could not be made anew'));
  }

  /** Until it succeeds, Discord refuses for good, or Medley stops. */
  async function reconnect(first: unknown): Promise<void> {
    let reason = first;
    for (let tries = 0; !stopping.signal.aborted; tries += 1) {
      const waitMs = RETRIES[Math.min(tries, RETRIES.length - 1)] ?? 60_000;
      log.warn({ err: reason, waitMs }, 'discord: not connected');
      await pause(waitMs, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        await connect();
        await afterConnect();
        return;
      } catch (error) {
        if (error instanceof GatewayFailure && error.problem === 'refused') throw error;
        reason = error;
      }
    }
  }

  async function afterConnect(): Promise<void> {
    // A stop may have come while the connection was made.
    if (stopping.signal.aborted) {
      await client?.destroy();
      return;
    }
    listener.resume(kept);
    kept = [];
    if (isFirstShard(options.shards)) await register();
  }

  async function register(): Promise<void> {
    try {
      const hasChanged = await registerCommands(rest, applicationId, commandPayloads(specs));
      if (hasChanged) log.info({}, 'discord: commands were registered');
    } catch (error) {
      log.error({ err: error }, 'discord: commands could not be registered');
    }
  }

  async function finished(): Promise<void> {
    const outcomes = await Promise.allSettled([client?.destroy(), listener.drain(), supervising]);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'discord: something could not be ended');
  }

  async function stopAll(): Promise<void> {
    stopping.abort();
    listener.close();
    const drainMs = options.drainMs ?? TIMES.drain;
    const hurry = setTimeout(() => aborting.abort(), drainMs);
    // Whoever does not heed the signal is left behind, and so is a connection that does not say goodbye.
    const late = new AbortController();
    await Promise.race([finished(), pause(drainMs + TIMES.close, late.signal)]);
    late.abort();
    clearTimeout(hurry);
    aborting.abort();
    for (const each of [rest, restOnce]) {
      each.clearHashSweeper();
      each.clearHandlerSweeper();
    }
    await agent.destroy();
  }

  return {
    id: 'discord',
    /**
     * When Discord cannot be reached, it goes on trying aside and the others are served.
     * @throws GatewayFailure when Discord refuses the token or the shards
     */
    async start() {
      kept = jobs.pending('discord');
      try {
        await connect();
        await afterConnect();
      } catch (error) {
        if (!(error instanceof GatewayFailure) || error.problem === 'refused') throw error;
        supervising = reconnect(error).catch((cause: unknown) => log.error({ err: cause }, 'discord: not connected'));
      }
    },
    stop() {
      stopped ??= stopAll();
      return stopped;
    },
    inviteUrl: () => inviteUrl(applicationId),
  };
}

/** Commands are the application's, not a shard's: one process registers them. */
function isFirstShard(shards: ShardChoice): boolean {
  return shards === 'auto' || shards.ids.includes(0);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

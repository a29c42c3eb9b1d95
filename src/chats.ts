import type { FastifyInstance } from 'fastify';
import { soleListener } from './bot/runtime/connection.ts';
import { Runtime } from './bot/runtime/runtime.ts';
import { createTracking } from './bot/tracking/tracking.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import type { Logger } from './infra/log.ts';
import { createEmbeddedQueue } from './infra/queue/embedded-queue.ts';
import { createLeaseHolder, createRedisLease } from './infra/redis/redis-task-lease.ts';
import { openStore } from './infra/store/store.ts';
import { createSentFiles } from './media/delivery/sent-files.ts';
import type { RuntimePlatform } from './platforms/platform.ts';
import { createWebExamples } from './platforms/web/examples.ts';
import { createWebPlatform } from './platforms/web/platform.ts';

export type Chats = Awaited<ReturnType<typeof createChats>>;

/** Creates the chat platforms for which a token is configured, and the runtime that answers on them. */
export async function createChats(config: Config, core: Core, log: Logger) {
  const { roles, requestsAtOnce } = config;
  const { storage, dispatcher, metrics } = core;
  const works = roles.has('worker');
  const hears = (platform: string) =>
    roles.has(platform === 'telegram' && webhookOf(config) !== undefined ? 'web' : 'gateway');
  const isNeeded = (platform: string) => works || hears(platform);
  const platforms = [
    ...(isNeeded('discord') ? await createDiscord(config, core, log) : []),
    ...(isNeeded('telegram') ? await createTelegram(config, core, log) : []),
  ];
  const runtime = new Runtime({
    platforms,
    queue: storage.queue,
    spare: storage.spare,
    records: storage.records,
    dispatcher,
    log,
    hears,
    works,
    concurrency: requestsAtOnce,
    watch: { onOutcome: metrics.countRequest, onAccepted: metrics.countAcceptance },
  });

  core.watchChats(() => runtime.status());

  const { shared } = storage;
  const trackingLease =
    works && shared !== undefined
      ? createLeaseHolder(createRedisLease({ redis: shared.redis, name: 'tracking' }))
      : undefined;
  const isSole = () => trackingLease === undefined || trackingLease.isOurs();
  const tracking = createTracking({ services: core.services, post: runtime.post, isSole, log });

  let starting: Promise<void> | undefined;

  return {
    /** Registers the platforms' HTTP routes; to be called before the server listens. */
    async register(server: FastifyInstance): Promise<void> {
      for (const { plugin } of platforms) if (plugin !== undefined) await server.register(plugin);
    },
    /** Starts the platforms in the background, so that one that cannot be reached does not delay the others. */
    start(): void {
      if (works) tracking.start();
      starting = runtime.start().catch(error => log.error({ err: error }, 'the chats could not start'));
    },
    status: () => runtime.status(),
    /** The states of the platforms. Unlike `status`, it works while the queue is away. */
    platforms: () => runtime.platforms(),
    /** Sends a private message to each of OWNER_IDS whose platform supports that. Never rejects. */
    async tellOwners(text: string): Promise<void> {
      for (const { platform: name, id } of config.owners) {
        const platform = platforms.find(each => each.id === name);
        await platform
          ?.tell?.(id, text)
          .catch(error => log.warn({ platform: name, err: error }, 'an owner was not told'));
      }
    },
    /** Accepts no new requests and lets running ones finish. */
    async stop(): Promise<void> {
      await Promise.all([tracking.stop(), trackingLease?.end(), runtime.stop()]);
      await starting;
    },
  };
}

// A platform's library is loaded only when the platform has a token.

async function createDiscord({ discord }: Config, core: Core, log: Logger): Promise<readonly RuntimePlatform[]> {
  if (discord === undefined) return [];
  const { storage, dispatcher, delivery } = core;
  const { settings, actions } = core.services;
  const { createDiscordPlatform } = await import('./platforms/discord/platform.ts');
  const parts = { dispatcher, delivery, settings, tagOf: actions.tagOf, records: storage.records, log };
  const platform = createDiscordPlatform({ ...discord, ...parts });
  return [heardOnce(platform, core, `${discord.token} ${JSON.stringify(discord.shards)}`)];
}

async function createTelegram(config: Config, core: Core, log: Logger): Promise<readonly RuntimePlatform[]> {
  const { telegram } = config;
  if (telegram === undefined) return [];
  const { storage, dispatcher, delivery } = core;
  const { settings } = core.services;
  const { createTelegramPlatform } = await import('./platforms/telegram/platform.ts');
  const { token, apiUrl } = telegram;
  const webhook = webhookOf(config);
  const sentFiles = createSentFiles({
    records: storage.records,
    onFailure: error => log.warn({ err: error }, 'the files that Telegram holds could not be looked up or noted'),
  });
  const parts = { dispatcher, delivery, settings, sentFiles, records: storage.records, log };
  const platform = createTelegramPlatform({ token, apiUrl, webhook, ...parts });
  // With a webhook any process may receive an update, so no lease is needed.
  return [webhook === undefined ? heardOnce(platform, core, token) : platform];
}

function webhookOf({ telegram, publicUrl }: Config) {
  const secret = telegram?.webhookSecret;
  return secret === undefined || publicUrl === undefined ? undefined : { secret, publicUrl };
}

/** How many requests of the web chat run at once: many, because commands have a limit of their own. */
const WEB_CONCURRENCY = 256;
/** How many ids of finished requests the web chat's queue keeps: few, since only its pages can repeat a request. */
const WEB_MARKS = 1_000;

/**
 * The web chat, with a runtime of its own. A request runs in the process that has the page's socket and is useless
 * without that socket, so its queue is in memory.
 */
export function createWebChat(config: Config, core: Core, log: Logger) {
  const { publicUrl, webExamples } = config;
  const { dispatcher, descriptors: sites, extractor, tunnel, metrics, encodesMp3 } = core;
  const isPost = (url: string) => extractor.sourceOf(url) !== undefined;
  const platform = createWebPlatform({
    ...{ dispatcher, tunnel, encodesMp3, sites, publicUrl, log },
    examples: createWebExamples(webExamples, isPost),
  });
  const store = openStore(':memory:');
  const queue = createEmbeddedQueue({ store, log, limits: { marks: WEB_MARKS } });
  const watch = { onOutcome: metrics.countRequest };
  const runtime = new Runtime({ platforms: [platform], queue, dispatcher, log, concurrency: WEB_CONCURRENCY, watch });
  return {
    plugin: platform.plugin,
    /** Lets the web chat accept connections from now on. */
    start: () => runtime.start(),
    /** Accepts no new requests and lets running ones finish. */
    async stop(): Promise<void> {
      await runtime.stop();
      await queue.close();
      store.close();
    },
  };
}

/**
 * Lets one of the processes that would hear the same events receive them, while the other processes stand by.
 * @param account is the same for processes that hear the same events: the token, and for Discord the shards
 */
function heardOnce(platform: RuntimePlatform, { storage }: Core, account: string): RuntimePlatform {
  if (storage.shared === undefined) return platform;
  const { redis } = storage.shared;
  return soleListener(platform, createRedisLease({ redis, name: `${platform.id} ${account}` }));
}

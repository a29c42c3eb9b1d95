import type { FastifyInstance } from 'fastify';
import { createRuntime, type RuntimeStatus } from './bot/runtime/runtime.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import type { Logger } from './infra/log.ts';
import { createSentFiles } from './media/delivery/sent-files.ts';
import type { RuntimePlatform } from './platforms/platform.ts';

/** The chat platforms that have a token, on one runtime. */
export interface Chats {
  /** Routes of theirs, to be registered before the server listens. */
  register(server: FastifyInstance): Promise<void>;
  /** Begins in the background: a platform that cannot start must not take the others with it. */
  start(): void;
  status(): Promise<RuntimeStatus>;
  /** A private message to each of OWNER_IDS whose platform can send one. Never rejects. */
  tellOwners(text: string): Promise<void>;
  /** Takes nothing new and lets what runs finish. */
  stop(): Promise<void>;
}

export async function createChats(config: Config, core: Core, log: Logger): Promise<Chats> {
  const { roles } = config;
  const { storage, dispatcher, metrics } = core;
  const platforms = [...(await createDiscord(config, core, log)), ...(await createTelegram(config, core, log))];
  const runtime = createRuntime({
    platforms,
    queue: storage.queue,
    spare: storage.spare,
    dispatcher,
    log,
    hears: () => roles.has('gateway'),
    works: roles.has('worker'),
    watch: {
      onOutcome: metrics.countRequest,
      onAccepted(platform, acceptance) {
        if (acceptance === 'refused') metrics.countRefusal(`queue-${platform}`);
      },
    },
  });

  return {
    async register(server) {
      for (const { plugin } of platforms) if (plugin !== undefined) await server.register(plugin);
    },
    start() {
      runtime.start().catch(error => log.error({ err: error }, 'the chats could not start'));
    },
    status: () => runtime.status(),
    async tellOwners(text) {
      for (const { platform: name, id } of config.owners) {
        const platform = platforms.find(each => each.id === name);
        await platform
          ?.tell?.(id, text)
          .catch(error => log.warn({ platform: name, err: error }, 'an owner was not told'));
      }
    },
    stop: () => runtime.stop(),
  };
}

// The library of a platform without a token is not even loaded.

async function createDiscord({ discord }: Config, core: Core, log: Logger): Promise<readonly RuntimePlatform[]> {
  const { dispatcher, delivery, settings } = core;
  if (discord === undefined) return [];
  const { createDiscordPlatform } = await import('./platforms/discord/platform.ts');
  return [createDiscordPlatform({ ...discord, dispatcher, delivery, settings, log })];
}

async function createTelegram(
  { telegram, publicUrl }: Config,
  core: Core,
  log: Logger,
): Promise<readonly RuntimePlatform[]> {
  if (telegram === undefined) return [];
  const { storage, dispatcher, delivery, settings } = core;
  const { createTelegramPlatform } = await import('./platforms/telegram/platform.ts');
  const { token, apiUrl, webhookSecret } = telegram;
  const webhook =
    webhookSecret === undefined || publicUrl === undefined ? undefined : { secret: webhookSecret, publicUrl };
  const sentFiles = createSentFiles({
    records: storage.records,
    onFailure: error => log.warn({ err: error }, 'the files that Telegram holds could not be looked up or noted'),
  });
  const parts = { dispatcher, delivery, settings, sentFiles, log };
  return [createTelegramPlatform({ token, apiUrl, webhook, ...parts })];
}

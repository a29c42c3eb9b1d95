import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Telegraf } from 'telegraf';
import type { Dispatcher } from '../../bot/dispatch/dispatcher.ts';
import type { Jobs } from '../../bot/runtime/jobs.ts';
import type { SettingsStore } from '../../bot/settings/settings.ts';
import type { Logger } from '../../infra/log.ts';
import type { Delivery } from '../../media/delivery/delivery.ts';
import type { SentFiles } from '../../media/delivery/sent-files.ts';
import type { Platform } from '../platform.ts';
import { createPress } from './incoming/callback-query.ts';
import { createChatAccess } from './incoming/chat-access.ts';
import { createChatQueue } from './incoming/chat-queue.ts';
import { createQuestionIds } from './incoming/job-payload.ts';
import { createListener } from './incoming/listen.ts';
import { createPolling, isTokenRefused, TOKEN_REFUSED } from './incoming/polling.ts';
import { ALLOWED_UPDATES } from './incoming/updates.ts';
import { createWebhook } from './incoming/webhook.ts';
import { createInline } from './inline/inline.ts';
import { TELEGRAM_LIMITS, type TelegramLimits } from './limits.ts';
import { createAnswer } from './outgoing/answer.ts';
import { createBotApi } from './outgoing/bot-api.ts';
import { BotApiError } from './outgoing/bot-api-error.ts';
import { createDeleteButton } from './outgoing/delete-button.ts';
import { createEditMessage } from './outgoing/edit-message.ts';
import { createFileCandidates } from './outgoing/file-candidates.ts';
import { createLimitNotices } from './outgoing/limit-notices.ts';
import { createMessageApi } from './outgoing/message-api.ts';
import type { Me } from './outgoing/methods.ts';
import { createPacing } from './outgoing/pacing.ts';
import { createPhotos } from './outgoing/photos.ts';
import { createSender } from './outgoing/send.ts';
import { registerCommands } from './register.ts';

export interface TelegramPlatformOptions {
  readonly token: string;
  /** Root of a Bot API server of one's own, which takes larger files. Default: Telegram's. */
  readonly apiUrl?: string | undefined;
  /** Updates are pushed to `publicUrl` instead of polled for; `plugin` must be registered then. */
  readonly webhook?: { readonly secret: string; readonly publicUrl: string } | undefined;
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'linksOf' | 'browse' | 'translator' | 'commandSpecs'>;
  readonly delivery: Pick<Delivery, 'deliver' | 'remoteFile'>;
  readonly sentFiles: SentFiles;
  readonly settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>;
  readonly jobs: Jobs;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<TelegramLimits>;
  readonly now?: () => number;
}

export interface TelegramPlatform extends Platform {
  readonly id: 'telegram';
  /** Begins to listen. @throws Error with what to do when the token is refused; while Telegram is out of reach it keeps trying. */
  start(): Promise<void>;
  /** The webhook's route, to be registered on the server before it listens; absent while polling. */
  readonly plugin: ((server: FastifyInstance) => Promise<void>) | undefined;
}

const DEFAULT_API = 'https://api.telegram.org/';
const WEBHOOK_CONNECTIONS = 40;

export function createTelegramPlatform(options: TelegramPlatformOptions): TelegramPlatform {
  const { token, dispatcher, delivery, sentFiles, settings, jobs, log, now = Date.now } = options;
  const limits: TelegramLimits = { ...TELEGRAM_LIMITS, ...options.limits };
  const apiRoot = new URL(options.apiUrl?.replace(/\/?$/, '/') ?? DEFAULT_API).href;
  // Answers to a webhook's own request are lost without a word when they fail.
  const bot = new Telegraf(token, { telegram: { apiRoot, webhookReply: false } });
  const api = createBotApi({ telegram: bot.telegram, limits });
  const pacing = createPacing({ limits, now });
  const work = createChatQueue(limits);
  const quick = createChatQueue(limits);
  const stopping = new AbortController();
  let me: Me | undefined;
  let hasResumed = false;
  let connecting: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  const files = {
    delivery,
    sentFiles,
    holder: `telegram:${token.split(':', 1)[0]}`,
    limits,
    isLocalServer: apiRoot !== DEFAULT_API,
  };
  const access = createChatAccess(api, self);
  const posting = createMessageApi({ api, pacing, settings, limits, log, now });
  const photos = createPhotos({ api, posting, limits, log });
  const sender = createSender({ ...files, posting, photos });
  const deleteButton = createDeleteButton(token);
  const restate = createEditMessage({ api, photos });
  const { translator } = dispatcher;
  const limitNotices = createLimitNotices({ api, sender, limits, log, now, stopping: stopping.signal });
  const shared = { api, dispatcher, sender, restate, access, deleteButton, translator, limits, log, now };
  const listener = createListener({
    ...shared,
    answer: createAnswer({ ...shared, jobs, limitNotices }),
    press: createPress(shared),
    inline: createInline({ ...shared, ladder: item => createFileCandidates(item, false, files) }),
    work,
    quick,
    jobs,
    questionIds: createQuestionIds(token),
    settings,
    username: () => self().username,
  });
  const polling = createPolling({ bot, limits, log, now });
  const webhook = options.webhook && createWebhook({ token, ...options.webhook, take });

  bot.use(context => listener.handle(context.update));
  bot.catch(error => log.error({ err: error instanceof Error ? error.message : 'unknown' }, 'telegraf failed'));

  function self(): Me {
    if (me === undefined) throw new Error('Telegram has not said who this bot is');
    return me;
  }

  async function take(update: unknown): Promise<boolean> {
    if (me === undefined || stopping.signal.aborted) return false;
    await listener.handle(update);
    return true;
  }

  /** @throws BotApiError */
  async function connect(): Promise<void> {
    const { signal } = stopping;
    me = await api.call('getMe', {}, { signal, attempts: 1 });
    bot.botInfo = { ...me, is_bot: true };
    // Before anything new is taken, and once: what is under way already would be answered again.
    if (!hasResumed) resume();
    hasResumed = true;
    if (webhook !== undefined && options.webhook !== undefined) {
      const { secret } = options.webhook;
      const push = { url: webhook.url, secret_token: secret, max_connections: WEBHOOK_CONNECTIONS };
      await api.call('setWebhook', { ...push, allowed_updates: [...ALLOWED_UPDATES] }, { signal });
    }
    if (webhook === undefined) polling.start();
    warn(me);
    registerCommands(api, dispatcher, signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ err: error }, 'the menu of commands could not be set');
    });
  }

  /** New questions are answered even when the store cannot tell of old ones. */
  function resume(): void {
    try {
      listener.resume();
    } catch (error) {
      log.error({ err: error }, 'what an earlier process left could not be taken up');
    }
  }

  function warn(bot: Me): void {
    if (!bot.can_read_all_group_messages) {
      log.warn(
        { bot: bot.username },
        'privacy mode is on: in groups, pasted links are seen only where the bot is an admin. Turn it off with /setprivacy in @BotFather and add the bot to its groups again',
      );
    }
    if (!bot.supports_inline_queries) {
      log.info({ bot: bot.username }, 'inline mode is off: /setinline and /setinlinefeedback in @BotFather turn it on');
    }
  }

  /** Goes on in the background, so that the other faces need not wait for Telegram. */
  async function keepConnecting(): Promise<void> {
    for (let failures = 1; !stopping.signal.aborted; failures += 1) {
      const waitMs = Math.min(limits.backoffMs * 2 ** (failures - 1), limits.maxBackoffMs);
      await pause(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      const failure = await connect().then(
        () => undefined,
        (error: unknown) => error ?? new Error('unknown failure'),
      );
      if (failure === undefined || stopping.signal.aborted) return;
      const isOver = isRefused(failure);
      log[isOver ? 'error' : 'warn']({ err: failure }, isOver ? TOKEN_REFUSED : OUT_OF_REACH);
      if (isOver) return;
    }
  }

  async function stop(): Promise<void> {
    stopping.abort(new Error('Medley stops'));
    // What was fetched already is taken before the doors close.
    await polling.stop();
    const quiet = Promise.all([work.close(limits.drainMs), quick.close(limits.drainMs), connecting]);
    const over = new AbortController();
    // Whoever does not heed its signal is left behind.
    const late = pause(limits.drainMs + limits.closeMs, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([quiet, late]);
    over.abort();
  }

  return {
    id: 'telegram',
    plugin: webhook?.plugin,
    async start() {
      try {
        await connect();
      } catch (error) {
        if (error instanceof BotApiError && isTokenRefused(error.code))
          throw new Error(TOKEN_REFUSED, { cause: error });
        log.warn({ err: error }, OUT_OF_REACH);
        connecting = keepConnecting();
      }
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

const OUT_OF_REACH = 'Telegram is out of reach; trying again';

function isRefused(error: unknown): boolean {
  return error instanceof BotApiError && isTokenRefused(error.code);
}

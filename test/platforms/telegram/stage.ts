import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Beatmaps } from '../../../src/beatmaps/beatmaps.ts';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { createDispatcher, type Dispatcher } from '../../../src/bot/answer/answer.ts';
import type { RequestOutcome } from '../../../src/bot/contract/chat-platform.ts';
import type { Command } from '../../../src/bot/contract/command.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import type { SettingsStore } from '../../../src/bot/contract/settings.ts';
import { Runtime, type RuntimeOptions } from '../../../src/bot/runtime/runtime.ts';
import { createButtonTokens } from '../../../src/bot/stores/buttons.ts';
import { createChatMemory } from '../../../src/bot/stores/chat-memory.ts';
import { createOptOuts } from '../../../src/bot/stores/exclusions.ts';
import { createSettingsStore } from '../../../src/bot/stores/settings-store.ts';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createOverrides } from '../../../src/infra/http/host-list.ts';
import { createHttpClient } from '../../../src/infra/http/http-client.ts';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import type { Queue, QueueLimits } from '../../../src/infra/queue/queue.ts';
import type { RecordStore } from '../../../src/infra/store/records.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createDelivery, type Delivery, type PublicAddresses } from '../../../src/media/delivery/delivery.ts';
import { createSentFiles, type SentFiles } from '../../../src/media/delivery/sent-files.ts';
import { createExtractor } from '../../../src/media/extract/extractor.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import type { Post } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import type { RuntimePlatform } from '../../../src/platforms/platform.ts';
import type { TelegramLimits } from '../../../src/platforms/telegram/api/limits.ts';
import type { TelegramReplyTo } from '../../../src/platforms/telegram/api/reply-to.ts';
import { createTelegramPlatform } from '../../../src/platforms/telegram/platform.ts';
import { commandList } from '../../bot/command-list.ts';
import { memoryLimiter, RATINGS_OF_NOTHING } from '../../bot/sample.ts';
import { fakeBeatmaps } from '../../fakes/beatmaps.ts';
import { createRecordingLog, type RecordingLog } from '../../fakes/log.ts';
import { fakeRecommend } from '../../fakes/recommend.ts';
import { createFakeTelegram, type FakeTelegram, type FakeTelegramOptions } from '../../fakes/telegram.ts';
import { embeddedRecords } from '../../records.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { createGate, type Gate } from './gate.ts';

export const REEL = 'https://www.instagram.com/reel/DYnightsky7/';
/** Where the reel's answer leads. */
export const ORIGINAL = 'https://www.instagram.com/p/DYnightsky7/';
export const CAROUSEL = 'https://www.instagram.com/p/DWlightkeep/';
export const PHOTO = 'https://www.instagram.com/p/DXtramshed1/';
export const SILENT = 'https://www.instagram.com/reel/DZsilentsky/';
export const WORDY = 'https://www.instagram.com/reel/DZmanywords/';
/** Comes in two sizes. */
export const WATCH = 'https://www.facebook.com/watch/?v=731904415522087';
export const PRIVATE = 'https://www.instagram.com/p/DXprivatebo/';

export const SARI = { id: 512, first_name: 'Sari', language_code: 'en' };
export const BUDI = { id: 513, first_name: 'Budi', language_code: 'id' };
export const GROUP = { id: -1_001_000_000_001, type: 'supergroup', title: 'Harbour' } as const;
export const FORUM = { id: -1_001_000_000_002, type: 'supergroup', title: 'Quay', is_forum: true } as const;

export interface StageOptions {
  readonly limits?: Partial<TelegramLimits>;
  readonly telegram?: FakeTelegramOptions;
  /** Whether Telegram can fetch from the CDN by itself. Default false, so that files are uploaded. */
  readonly canFetch?: boolean;
  readonly webhook?: { readonly secret: string; readonly publicUrl: string };
  readonly userLimit?: number;
  /** Default a minute. */
  readonly userWindowMs?: number;
  /** Default: Medley's own. */
  readonly commands?: readonly Command[];
  /** Default: knows one of everything. */
  readonly beatmaps?: Beatmaps;
  /** Gives what is laid over every post of the sites; if it throws, the site fails with that. */
  readonly post?: () => Partial<Post>;
  /** In place of what is made for the stage. */
  readonly services?: Partial<Services>;
  /** Default: Medley's own. */
  readonly delivery?: (folder: string) => Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'>;
  /** Where people can reach Medley. */
  readonly addresses?: PublicAddresses;
  /** Of the runtime. Default: what runs may take 2 s after `stop()`. */
  readonly runtime?: Partial<RuntimeOptions>;
  readonly queue?: Partial<QueueLimits>;
  /** What the runtime has in place of the real queue. */
  readonly queueOver?: (queue: Queue) => Queue;
  /** Before the platform starts. */
  readonly prepare?: (fake: FakeTelegram) => void;
  readonly start?: boolean;
}

export interface Stage {
  readonly fake: FakeTelegram;
  /** On the way to it. */
  readonly gate: Gate;
  readonly sandbox: Sandbox;
  readonly dispatcher: Dispatcher;
  readonly delivery: Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'>;
  readonly settings: SettingsStore;
  readonly sentFiles: SentFiles;
  readonly records: RecordStore;
  readonly log: RecordingLog;
  /** Of the process that runs now. */
  readonly platform: RuntimePlatform<TelegramReplyTo>;
  readonly runtime: Runtime;
  readonly queue: Queue;
  /** How requests ended. */
  readonly outcomes: readonly RequestOutcome[];
  /** Another process over the same store, after that before has stopped as on SIGTERM. */
  restart(): Promise<void>;
  /** Another process over the same store, when that before is gone as after SIGKILL: what it still does reaches the store no more. */
  crash(): Promise<void>;
  /** Until nothing is left to do. */
  settled(): Promise<void>;
  /** Requests of the bot with that method, in order. */
  calls(method: string | RegExp): FakeTelegram['requests'];
}

/** Medley's own core, a real runtime on a real queue, and the real telegraf between the sandbox and a Telegram on loopback. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const sandbox = await createSandbox();
  const fake = await createFakeTelegram({
    resolve: url =>
      options.canFetch === true && /\.(cdninstagram\.com|fbcdn\.net|ppy\.sh)\//.test(url) ? sandbox.origin : undefined,
    ...options.telegram,
  });
  const gate = await createGate(fake.apiUrl);
  const folder = mkdtempSync(join(tmpdir(), 'medley-telegram-'));
  const log = createRecordingLog();
  const overrides = sandbox.overrides.split(',').map(entry => {
    const [host = '', origin = ''] = entry.split('=');
    return { host, origin };
  });
  const http = createHttpClient({ overrides: createOverrides(overrides) });
  const store = openStore(':memory:');
  const records = embeddedRecords(store);
  const settings = createSettingsStore({ records });
  const sentFiles = createSentFiles({ records, onFailure: () => undefined });
  const extractor = createExtractor({
    sources: sourceDescriptors.map(source => source.create({ http, log })),
    cache: createMemoryCache<Post>({ maxEntries: 100 }),
    shortLinks: createMemoryCache<string>({ maxEntries: 100 }),
    log,
  });
  const realDelivery = createDelivery({
    http,
    mediaHosts: extractor.mediaHosts,
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    tempDir: folder,
    refresh: (post, signal) => extractor.refresh(post, signal),
    addresses: options.addresses,
    log,
  });
  const delivery = options.delivery?.(folder) ?? realDelivery;
  const dispatcher = createDispatcher({
    commands: options.commands ?? commandList,
    services: {
      extractor: {
        ...extractor,
        async extract(...asked) {
          const found = await extractor.extract(...asked);
          return { ...found, post: { ...found.post, ...options.post?.() } };
        },
      },
      sites: sourceDescriptors,
      beatmaps: options.beatmaps ?? fakeBeatmaps().beatmaps,
      settings,
      optOuts: createOptOuts({ records, key: randomBytes(32) }),
      memory: createChatMemory({ records, onFailure: () => undefined }),
      ratings: RATINGS_OF_NOTHING,
      recommend: fakeRecommend().recommend,
      recommendationHistory: createRecommendationHistory({ records }),
      actions: createButtonTokens({ key: randomBytes(32), records, onFailure: () => undefined }),
      requests: { forgetUser: async () => undefined },
      version: '1.2.3',
      ...options.services,
    },
    limiter: memoryLimiter(Date.now),
    userLimit: { units: options.userLimit ?? 1_000, windowMs: options.userWindowMs ?? 60_000 },
    log,
  });

  const outcomes: RequestOutcome[] = [];

  function createProcess() {
    let isDead = false;
    const platform = createTelegramPlatform({
      token: fake.token,
      apiUrl: gate.url,
      webhook: options.webhook,
      dispatcher,
      delivery,
      sentFiles,
      settings,
      records,
      log,
      ...(options.limits && { limits: options.limits }),
    });
    const queue = createEmbeddedQueue({ store, log, ...(options.queue && { limits: options.queue }) });
    const runtime = new Runtime({
      platforms: [platform],
      queue: mortal(options.queueOver?.(queue) ?? queue, () => isDead),
      records,
      dispatcher,
      log,
      drainMs: 2_000,
      // A machine that stands still is not to be spoken of.
      statusMs: 60_000,
      watch: { onOutcome: (_, outcome) => void outcomes.push(outcome) },
      ...options.runtime,
    });
    async function stop(): Promise<void> {
      await runtime.stop();
      await queue.close();
    }
    async function kill(): Promise<void> {
      isDead = true;
      await queue.close();
      dying.push(runtime.stop());
    }
    return { platform, queue, runtime, stop, kill };
  }

  const dying: Promise<void>[] = [];
  let current = createProcess();
  onTestFinished(async () => {
    await current.stop();
    await Promise.all(dying);
    await fake.close();
    await realDelivery.close();
    await http.close();
    await sandbox.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  options.prepare?.(fake);
  if (options.start !== false) {
    await current.runtime.start();
    if (options.webhook === undefined) await fake.waitFor(() => fake.isPolled || undefined);
  }

  async function begin(): Promise<void> {
    current = createProcess();
    await current.runtime.start();
  }

  return {
    fake,
    gate,
    sandbox,
    dispatcher,
    delivery,
    settings,
    sentFiles,
    records,
    log,
    outcomes,
    get platform() {
      return current.platform;
    },
    get runtime() {
      return current.runtime;
    },
    get queue() {
      return current.queue;
    },
    async restart() {
      await current.stop();
      await begin();
    },
    async crash() {
      await current.kill();
      await begin();
    },
    async settled() {
      await expect.poll(() => current.queue.stats(), { interval: 10 }).toMatchObject({ waiting: 0, running: 0 });
    },
    calls: method =>
      fake.requests.filter(call => (typeof method === 'string' ? call.method === method : method.test(call.method))),
  };
}

/** A queue as a process sees it that may be dead: nothing that it still tries comes about, or comes back. */
function mortal(queue: Queue, isDead: () => boolean): Queue {
  const never = new Promise<never>(() => undefined);
  return {
    ...queue,
    add: entry => (isDead() ? never : queue.add(entry)),
    work: (handler, options) =>
      queue.work(claim => handler({ ...claim, save: payload => (isDead() ? never : claim.save(payload)) }), options),
  };
}

/** SHA-256, in hexadecimal, of a file of the sandbox. */
export function sha256Of(name: string): string {
  const body = readFileSync(new URL(`../../fixtures/media/${name}`, import.meta.url));
  return createHash('sha256').update(body).digest('hex');
}

/** The bot's messages in a chat that still stand there. */
export function answersIn(fake: FakeTelegram, chatId: number) {
  return [...fake.messages.values()].filter(message => message.byBot && message.chatId === chatId && !message.deleted);
}

/** Those of them that are files, once there are so many. */
export function filesIn(fake: FakeTelegram, chatId: number, count: number) {
  const files = answersIn(fake, chatId).filter(({ file }) => file !== undefined);
  return files.length === count ? files : undefined;
}

/** What stands on the buttons under a message, in order, and what they send back. */
export function buttonsOf({ replyMarkup }: { readonly replyMarkup: unknown }) {
  const { inline_keyboard: rows } = Keyboard.parse(replyMarkup ?? {});
  return rows.flat().map(({ text, callback_data: data, url }) => ({ text, data, url }));
}

const Keyboard = z.object({
  inline_keyboard: z
    .array(z.array(z.object({ text: z.string(), callback_data: z.string().optional(), url: z.string().optional() })))
    .default([]),
});

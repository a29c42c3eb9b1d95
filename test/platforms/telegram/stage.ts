import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Beatmaps } from '../../../src/beatmaps/beatmaps.ts';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { createButtonTokens } from '../../../src/bot/buttons/button-token.ts';
import type { Command } from '../../../src/bot/command.ts';
import { createDispatcher, type Dispatcher } from '../../../src/bot/dispatch/dispatcher.ts';
import { createChatMemory } from '../../../src/bot/memory/chat-memory.ts';
import { createJobs, type Jobs } from '../../../src/bot/runtime/jobs.ts';
import { createSettingsStore, type SettingsStore } from '../../../src/bot/settings/settings.ts';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createHttpClient } from '../../../src/infra/http/http-client.ts';
import { createOverrides } from '../../../src/infra/http/overrides.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createDelivery, type Delivery, type PublicAddresses } from '../../../src/media/delivery/delivery.ts';
import { createSentFiles, type SentFiles } from '../../../src/media/delivery/sent-files.ts';
import { createExtractor } from '../../../src/media/extract/extractor.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import type { Post } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import type { TelegramLimits } from '../../../src/platforms/telegram/limits.ts';
import { createTelegramPlatform, type TelegramPlatform } from '../../../src/platforms/telegram/platform.ts';
import { commandList } from '../../bot/command-list.ts';
import { memoryLimiter, RATINGS_OF_NOTHING } from '../../bot/sample.ts';
import { fakeBeatmaps } from '../../fakes/beatmaps.ts';
import { createRecordingLog, type RecordingLog } from '../../fakes/log.ts';
import { fakeRecommend } from '../../fakes/recommend.ts';
import { createFakeTelegram, type FakeTelegram, type FakeTelegramOptions } from '../../fakes/telegram.ts';
import { embeddedRecords } from '../../records.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

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
  /** Default: Medley's own. */
  readonly commands?: readonly Command[];
  /** Default: knows one of everything. */
  readonly beatmaps?: Beatmaps;
  /** Where people can reach Medley. */
  readonly addresses?: PublicAddresses;
  /** Before the platform starts. */
  readonly prepare?: (fake: FakeTelegram) => void;
  readonly start?: boolean;
}

export interface Stage {
  readonly fake: FakeTelegram;
  readonly sandbox: Sandbox;
  readonly dispatcher: Dispatcher;
  readonly settings: SettingsStore;
  readonly jobs: Jobs;
  readonly sentFiles: SentFiles;
  readonly log: RecordingLog;
  readonly platform: TelegramPlatform;
  /** Another process over the same store: the platform of the one before is stopped without mercy. */
  restart(): Promise<TelegramPlatform>;
  /** Requests of the bot with that method, in order. */
  calls(method: string | RegExp): FakeTelegram['requests'];
}

/** The bot's own core and the real telegraf between the sandbox and a Telegram on loopback. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const sandbox = await createSandbox();
  const fake = await createFakeTelegram({
    resolve: url =>
      options.canFetch === true && /\.(cdninstagram\.com|fbcdn\.net|ppy\.sh)\//.test(url) ? sandbox.origin : undefined,
    ...options.telegram,
  });
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
  const jobs = createJobs({ store });
  const sentFiles = createSentFiles({ records, onFailure: () => undefined });
  const extractor = createExtractor({
    sources: sourceDescriptors.map(source => source.create({ http, log })),
    cache: createMemoryCache<Post>({ maxEntries: 100 }),
    shortLinks: createMemoryCache<string>({ maxEntries: 100 }),
    log,
  });
  const delivery: Delivery = createDelivery({
    http,
    mediaHosts: extractor.mediaHosts,
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    tempDir: folder,
    refresh: (post, signal) => extractor.refresh(post, signal),
    addresses: options.addresses,
    log,
  });
  const dispatcher = createDispatcher({
    commands: options.commands ?? commandList,
    services: {
      extractor,
      beatmaps: options.beatmaps ?? fakeBeatmaps().beatmaps,
      settings,
      memory: createChatMemory({ records, onFailure: () => undefined }),
      ratings: RATINGS_OF_NOTHING,
      recommend: fakeRecommend().recommend,
      recommendationHistory: createRecommendationHistory({ records }),
      actions: createButtonTokens({ key: randomBytes(32), records, onFailure: () => undefined }),
      jobs,
      version: '1.2.3',
    },
    limiter: memoryLimiter(Date.now),
    userLimit: { units: options.userLimit ?? 1_000, windowMs: 60_000 },
    log,
  });

  function createPlatform(limits: Partial<TelegramLimits> = {}): TelegramPlatform {
    return createTelegramPlatform({
      token: fake.token,
      apiUrl: fake.apiUrl,
      webhook: options.webhook,
      dispatcher,
      delivery,
      sentFiles,
      settings,
      jobs,
      log,
      limits: { spacingMs: 0, backoffMs: 20, maxBackoffMs: 200, ...options.limits, ...limits },
    });
  }

  let platform = createPlatform();
  onTestFinished(async () => {
    await platform.stop();
    await fake.close();
    await delivery.close();
    await http.close();
    await sandbox.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  options.prepare?.(fake);
  if (options.start !== false) {
    await platform.start();
    if (options.webhook === undefined) await fake.waitFor(() => fake.isPolled || undefined);
  }

  return {
    fake,
    sandbox,
    dispatcher,
    settings,
    jobs,
    sentFiles,
    log,
    get platform() {
      return platform;
    },
    async restart() {
      await platform.stop();
      platform = createPlatform();
      await platform.start();
      return platform;
    },
    calls: method =>
      fake.requests.filter(call => (typeof method === 'string' ? call.method === method : method.test(call.method))),
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

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { fastify } from 'fastify';
import type { Beatmaps } from '../../../src/beatmaps/beatmaps.ts';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { createDispatcher, type Dispatcher } from '../../../src/bot/answer/answer.ts';
import type { Command } from '../../../src/bot/contract/command.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import { Runtime } from '../../../src/bot/runtime/runtime.ts';
import { createButtonTokens } from '../../../src/bot/stores/buttons.ts';
import { createChatMemory } from '../../../src/bot/stores/chat-memory.ts';
import { createOptOuts } from '../../../src/bot/stores/exclusions.ts';
import { createSettingsStore } from '../../../src/bot/stores/settings-store.ts';
import { AppError } from '../../../src/errors.ts';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import { createMemoryRateLimiter, type RateLimiter } from '../../../src/infra/rate-limit/rate-limit.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import type { Extractor } from '../../../src/media/extract/extractor.ts';
import type { Post } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import type { WebExample } from '../../../src/platforms/web/page/base/protocol.ts';
import { createWebPlatform } from '../../../src/platforms/web/platform.ts';
import type { WebLimits } from '../../../src/platforms/web/protocol/limits.ts';
import { commandList } from '../../bot/command-list.ts';
import { RATINGS_OF_NOTHING } from '../../bot/sample.ts';
import { fakeBeatmaps } from '../../fakes/beatmaps.ts';
import { fakeRecommend } from '../../fakes/recommend.ts';
import { embeddedRecords } from '../../records.ts';
import { findingDispatcher } from './found.ts';
import { carousel, photo, post, reel, sizes, tram } from './posts.ts';

/** What the upstream says of a link: a post, a failure, or nothing until `Stage.release`. */
export type Scene = Post | AppError | 'waits';

const SCENES: Readonly<Record<string, Scene>> = {
  'https://www.instagram.com/reel/SeaLight_01/': reel,
  'https://www.instagram.com/reel/Sizes/': sizes,
  'https://www.instagram.com/p/FiveThings/': carousel,
  'https://www.facebook.com/watch/?v=1234567890': tram,
  'https://www.instagram.com/p/Sensitive/': post({
    id: 'Sensitive',
    sensitive: true,
    items: [photo('photo-dusk.jpg', 'A heron at dusk'), photo('photo-fern.jpg', 'A fern')],
  }),
  'https://www.instagram.com/reel/Waits/': 'waits',
  'https://www.instagram.com/reel/Private/': new AppError('private', 'private'),
  'https://www.instagram.com/reel/Silent/': new AppError('upstream_unavailable', 'silent'),
  'https://www.instagram.com/reel/Limited/': new AppError('upstream_rate_limited', 'limited', {
    retryAfterMs: 600_000,
  }),
  'https://www.instagram.com/reel/Broken/': post({
    id: 'Broken',
    items: reel.items.map(item => ({
      ...item,
      thumbnailUrl: null,
      variants: item.variants.map(each => ({ ...each, url: 'https://cdn.test/missing.mp4' })),
    })),
  }),
};

export interface StageOptions {
  readonly pageFolder?: string;
  readonly limits?: Partial<WebLimits> & { readonly drainMs?: number };
  readonly publicUrl?: string;
  readonly examples?: readonly WebExample[];
  readonly port?: number;
  /** Default: one that knows one of everything. */
  readonly beatmaps?: Beatmaps;
  /** In place of what is made for the stage. */
  readonly services?: Partial<Services>;
  /** Default: Medley's own. */
  readonly commands?: readonly Command[];
  /** What one visitor may ask for in a minute. Default: as much as they like. */
  readonly units?: number;
  /** In place of that minute. */
  readonly windowMs?: number;
  /** Stands in for the bot's own dispatcher where a test scripts it. */
  readonly dispatcher?: Partial<Dispatcher>;
}

export interface Stage {
  readonly origin: string;
  readonly port: number;
  /** Links the upstream was asked for, in order. */
  readonly asked: readonly string[];
  /** What was logged as a warning or worse. */
  readonly logged: readonly string[];
  /** Answers everything that waits with the reel. */
  release(): void;
  /** Stops the chat, and not the server. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

const FILES = ['media', 'osu'].map(name => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url)));

/** The web chat on a real server: the bot's own dispatcher over a scripted upstream, files from the fixtures. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const asked: string[] = [];
  const logged: string[] = [];
  const waiting = new Set<() => void>();
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_: object, message: string) => void logged.push(message),
    error: (_: object, message: string) => void logged.push(message),
  };
  const store = openStore(':memory:');
  const records = embeddedRecords(store);
  const dispatcher = createDispatcher({
    commands: options.commands ?? commandList,
    services: {
      extractor: createExtractor(asked, waiting),
      sites: sourceDescriptors,
      beatmaps: options.beatmaps ?? fakeBeatmaps().beatmaps,
      settings: createSettingsStore({ records }),
      optOuts: createOptOuts({ records, key: randomBytes(32) }),
      memory: createChatMemory({ records, onFailure: () => undefined, canPost: platform => platform !== 'web' }),
      ratings: RATINGS_OF_NOTHING,
      recommend: fakeRecommend().recommend,
      recommendationHistory: createRecommendationHistory({ records }),
      actions: createButtonTokens({ key: randomBytes(32), records, onFailure: () => undefined }),
      requests: { forgetUser: async () => undefined },
      version: '0.0.0',
      ...options.services,
    },
    limiter: options.units === undefined ? OPEN_LIMITER : createMemoryRateLimiter(),
    userLimit: { units: options.units ?? 1_000, windowMs: options.windowMs ?? 60_000 },
    log,
  });
  const { examples } = options;
  const { drainMs, ...limits } = options.limits ?? {};
  const scripted = { ...dispatcher, ...findingDispatcher(dispatcher), ...options.dispatcher };
  const platform = createWebPlatform({
    dispatcher: scripted,
    tunnel: {
      carries: url => url.startsWith('https://cdn.test/'),
      address: file => `/media/${new URL(file.url).pathname.slice(1)}`,
    },
    log,
    sites: sourceDescriptors.slice(0, 2),
    ...(examples ? { examples: () => examples } : {}),
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.pageFolder === undefined ? {} : { pageFolder: options.pageFolder }),
    limits,
  });
  const memory = openStore(':memory:');
  const queue = createEmbeddedQueue({ store: memory, log });
  const drain = drainMs === undefined ? {} : { drainMs };
  const runtime = new Runtime({ platforms: [platform], queue, dispatcher: scripted, log, ...drain });
  // A browser holds connections open on which it has asked nothing yet.
  const server = fastify({ forceCloseConnections: true });
  await server.register(fastifyStatic, { root: FILES, prefix: '/media/', index: false });
  server.get('/api/ping', () => ({ ok: true }));
  await server.register(platform.plugin);
  await runtime.start();
  const origin = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return {
    origin,
    port: Number(new URL(origin).port),
    asked,
    logged,
    release: () => {
      for (const go of waiting) go();
    },
    stop: () => runtime.stop(),
    async close() {
      await Promise.all([runtime.stop(), server.close()]);
      await queue.close();
      memory.close();
      store.close();
    },
  };
}

/** `.../reel/Numbered_7/` is a reel of its own for each number. */
function numbered(link: string): Scene | undefined {
  const [, id] = /\/reel\/(Numbered_\d+)\/$/.exec(link) ?? [];
  return id === undefined ? undefined : { ...reel, id, url: `https://www.instagram.com/p/${id}/` };
}

function createExtractor(asked: string[], waiting: Set<() => void>): Extractor {
  return {
    async extract(link, { signal } = {}) {
      asked.push(link);
      const scene = SCENES[link] ?? numbered(link);
      if (scene === undefined) throw new AppError('unsupported_link', 'unknown link');
      if (scene instanceof AppError) throw scene;
      if (scene !== 'waits') return { post: scene, itemIndex: null, from: 'load' };
      await new Promise<void>((resolve, reject) => {
        waiting.add(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return { post: reel, itemIndex: null, from: 'load' };
    },
    find: async () => reel,
    refresh: async () => reel,
    findLinks: text => [...new Set(text.match(/https:\/\/www\.(?:instagram|facebook)\.com\/[^\s]+/g))],
    sourceOf: () => 'instagram',
    postKey: () => undefined,
    mediaHosts: ['cdn.test'],
  };
}

const OPEN_LIMITER: RateLimiter = {
  consume: async ({ limit }) => ({ allowed: true, limit, remaining: limit, resetAt: 0 }),
};

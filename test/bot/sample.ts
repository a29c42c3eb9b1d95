import { createRatings } from '../../src/beatmaps/rating/ratings.ts';
import { createRecommendationHistory } from '../../src/beatmaps/recommend/recommendation-history.ts';
import type { Caller } from '../../src/bot/contract/request.ts';
import type { Services } from '../../src/bot/contract/services.ts';
import { createButtonTokens } from '../../src/bot/stores/buttons.ts';
import { createChatMemory } from '../../src/bot/stores/chat-memory.ts';
import { createOptOuts } from '../../src/bot/stores/exclusions.ts';
import { createSettingsStore } from '../../src/bot/stores/settings-store.ts';
import { AppError } from '../../src/errors.ts';
import type { RateLimiter } from '../../src/infra/rate-limit/rate-limit.ts';
import { openStore, type Store } from '../../src/infra/store/store.ts';
import type { Extraction, ExtractOptions } from '../../src/media/extract/extractor.ts';
import { type MediaItem, NO_STATS, type Post, type Variant } from '../../src/media/post.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import { fakeBeatmaps } from '../fakes/beatmaps.ts';
import { fakeRecommend } from '../fakes/recommend.ts';
import { embeddedRecords } from '../records.ts';

/** Made-up people and posts; every builder takes what differs. */
export function sampleVariant(change: Partial<Variant> = {}): Variant {
  return {
    url: 'https://scontent.cdninstagram.com/v/sample.mp4',
    mime: 'video/mp4',
    width: 720,
    height: 1280,
    bitrate: null,
    bytes: null,
    codecs: null,
    hasAudio: true,
    hasVideo: true,
    adaptive: false,
    expiresAt: null,
    ...change,
  };
}

export function sampleItem(change: Partial<MediaItem> = {}): MediaItem {
  return {
    kind: 'video',
    position: 0,
    width: 720,
    height: 1280,
    durationMs: 12_000,
    thumbnailUrl: null,
    alt: null,
    variants: [sampleVariant()],
    ...change,
  };
}

export function photo(change: Partial<MediaItem> = {}): MediaItem {
  const variant = sampleVariant({ mime: 'image/jpeg', hasAudio: false, hasVideo: false });
  return sampleItem({ kind: 'image', durationMs: null, variants: [variant], ...change });
}

/** The items in the places that they are listed in, but for those that have a place of their own. */
function inPlaces(items: Post['items']): Post['items'] {
  return items.map((item, index) => ({ ...item, position: item.position || index }));
}

export function samplePost({ items = [sampleItem()], ...change }: Partial<Post> = {}): Post {
  return {
    source: 'instagram',
    id: 'AbCdEfGhIjK',
    url: 'https://www.instagram.com/p/AbCdEfGhIjK/',
    author: { id: '1', username: 'tari.senja', name: 'Tari Senja', verified: true, avatarUrl: null },
    title: null,
    caption: 'Evening light over the harbour',
    hashtags: [],
    mentions: [],
    publishedAt: Date.UTC(2026, 4, 3),
    stats: { ...NO_STATS, likes: 1234, comments: 1 },
    items: inPlaces(items),
    missingItems: 0,
    quoted: null,
    sensitive: false,
    coverUrl: null,
    fetchedAt: 0,
    expiresAt: null,
    strategy: 'sample',
    ...change,
  };
}

export function sampleCaller(change: Partial<Caller> = {}): Caller {
  return {
    platform: 'web',
    userId: 'sari',
    chatId: 'room',
    chatKind: 'private',
    isChatAdmin: false,
    rateKey: 'sari',
    locales: ['en'],
    ...change,
  };
}

export function link(id: string): string {
  return `https://www.instagram.com/p/${id}/`;
}

export interface FakeExtractor {
  readonly services: Services['extractor'];
  /** Links asked for, in order. */
  readonly asked: string[];
}

/** Knows addresses of the form that `link` makes; `answer` decides about each. */
export function fakeExtractor(
  answer: (id: string, options: ExtractOptions) => Promise<Post> | Post = id => samplePost({ id, url: link(id) }),
): FakeExtractor {
  const asked: string[] = [];
  return {
    asked,
    services: {
      async extract(address, options = {}): Promise<Extraction> {
        asked.push(address);
        const match = /^https:\/\/www\.instagram\.com\/p\/(\w+)\/(?:\?img_index=(\d+))?$/.exec(address);
        if (!match?.[1]) throw new AppError('unsupported_link', 'no post', { params: { what: 'profile' } });
        const post = await answer(match[1], options);
        return { post, itemIndex: match[2] === undefined ? null : Number(match[2]) - 1, from: 'load' };
      },
      find: () => Promise.reject(new Error('nobody looks for this here')),
      refresh: () => Promise.reject(new Error('nobody asks for this here')),
      findLinks: text => [
        ...new Set(
          [...text.matchAll(/(?:https?:\/\/)?(?:www\.)?instagram\.com\/p\/(\w+)\/?/g)].map(([, id = '']) => link(id)),
        ),
      ],
      postKey: address => {
        const id = /\/p\/(\w+)/.exec(address)?.[1];
        return id === undefined ? undefined : `instagram:${id}`;
      },
      sourceOf: address => (/facebook\.com/.test(address) ? 'facebook' : 'instagram'),
      mediaHosts: [],
    },
  };
}

export interface SampleServices extends Services {
  /** `PLATFORM:USER` whose requests were to be forgotten. */
  readonly forgotten: readonly string[];
}

/** The real stores, in memory. */
export function sampleServices(
  extractor: FakeExtractor = fakeExtractor(),
  store: Store = openStore(':memory:'),
): SampleServices {
  const records = embeddedRecords(store);
  const forgotten: string[] = [];
  return {
    extractor: extractor.services,
    sites: sourceDescriptors,
    beatmaps: fakeBeatmaps().beatmaps,
    settings: createSettingsStore({ records }),
    optOuts: createOptOuts({ records, key: Buffer.alloc(32, 5) }),
    memory: createChatMemory({ records, onFailure: () => undefined }),
    ratings: RATINGS_OF_NOTHING,
    recommend: fakeRecommend().recommend,
    recommendationHistory: createRecommendationHistory({ records }),
    actions: createButtonTokens({ key: Buffer.alloc(32, 7), records, onFailure: () => undefined }),
    requests: { forgetUser: async owner => void forgotten.push(owner) },
    forgotten,
    version: '1.2.3',
  };
}

/** Neither osu! nor a library can be asked. */
export const RATINGS_OF_NOTHING = createRatings({ official: { of: async () => undefined }, difficulty: undefined });

/** Counts in memory, by the contract of RateLimiter. */
export function memoryLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, { used: number; resetAt: number }>();
  return {
    async consume({ name, limit, windowMs }, key, cost = 1) {
      const id = `${name} ${key}`;
      const known = buckets.get(id);
      const bucket = known && known.resetAt > now() ? known : { used: 0, resetAt: now() + windowMs };
      buckets.set(id, bucket);
      const allowed = bucket.used + cost <= limit;
      if (allowed) bucket.used += cost;
      return { allowed, limit, remaining: limit - bucket.used, resetAt: bucket.resetAt };
    },
  };
}

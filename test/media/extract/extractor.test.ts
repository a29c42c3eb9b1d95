import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/errors.ts';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createExtractor } from '../../../src/media/extract/extractor.ts';
import type { MediaSource, PostRef } from '../../../src/media/extract/source.ts';
import { CoverOnlyError } from '../../../src/media/extract/strategy-failures.ts';
import { type MediaItem, NO_STATS, type Post } from '../../../src/media/post.ts';
import { matchFacebookLink } from '../../../src/media/sources/facebook/link.ts';
import { instagramRefOf, matchInstagramLink } from '../../../src/media/sources/instagram/link.ts';
import { silentLog } from '../../fakes/instagram-upstream.ts';
import { makePost } from '../../fakes/post.ts';

const MINUTE = 60_000;
const CODE = 'DXeh-kYiIge';
const INSTAGRAM = `https://www.instagram.com/p/${CODE}/`;
const REEL = 'https://www.facebook.com/reel/433712053064866';
const SHARE = 'https://www.facebook.com/share/v/1AbCdEfGh/';
const item: MediaItem = {
  kind: 'video',
  position: 0,
  width: 1,
  height: 1,
  durationMs: null,
  thumbnailUrl: null,
  alt: null,
  variants: [],
};

interface Given {
  readonly canFetchStories?: boolean;
  readonly fetch?: (ref: PostRef, signal: AbortSignal) => Promise<Partial<Post>>;
  readonly resolve?: ((url: string, signal: AbortSignal) => Promise<string>) | undefined;
  readonly deadlineMs?: number;
}

/** Both sites' real links over upstreams that a test plays. */
function setUp(given: Given = {}) {
  const clock = { now: Date.UTC(2026, 9, 1) };
  const fetched: string[] = [];
  const resolved: string[] = [];
  const matched: string[] = [];
  const source = (id: Post['source'], match: MediaSource['match'], refOf: MediaSource['refOf']): MediaSource => ({
    id,
    match(address) {
      const found = match(address);
      // A host alone is looked at to tell addresses from words.
      if (found !== undefined && address.pathname !== '/') matched.push(address.href);
      return found;
    },
    refOf,
    strategies: [],
    examples: [],
    canFetchStories: given.canFetchStories ?? false,
    mediaHosts: ['fbcdn.net', `${id}.example`],
    async resolveShort(url, { signal }) {
      resolved.push(url);
      return (given.resolve ?? (async () => REEL))(url, signal);
    },
    async fetch(ref, { signal }) {
      fetched.push(`${ref.source}:${ref.id}`);
      const post = await given.fetch?.(ref, signal);
      return {
        source: ref.source,
        id: ref.id,
        url: ref.url,
        author: { id: null, username: null, name: null, verified: null, avatarUrl: null },
        title: null,
        caption: null,
        hashtags: [],
        mentions: [],
        publishedAt: null,
        stats: NO_STATS,
        items: [item, item],
        missingItems: 0,
        quoted: null,
        sensitive: false,
        coverUrl: null,
        fetchedAt: clock.now,
        expiresAt: null,
        strategy: 'played',
        ...post,
      };
    },
  });
  const now = () => clock.now;
  const extractor = createExtractor({
    sources: [
      source('instagram', matchInstagramLink, instagramRefOf),
      source('facebook', matchFacebookLink, () => undefined),
    ],
    cache: createMemoryCache<Post>({ maxEntries: 100, now }),
    shortLinks: createMemoryCache<string>({ maxEntries: 100, now }),
    log: silentLog,
    now,
    ...(given.deadlineMs === undefined ? {} : { deadlineMs: given.deadlineMs }),
  });
  return { extractor, clock, fetched, resolved, matched };
}

const failing =
  (code: ErrorCode, options = {}) =>
  () =>
    Promise.reject(new AppError(code, 'played', options));

describe('extract: from a link to a post', () => {
  it.each([
    [INSTAGRAM, `instagram:${CODE}`],
    [`instagram.com/reel/${CODE}?igsh=x`, `instagram:${CODE}`],
    [`https//www.instagram.com/p/${CODE}`, `instagram:${CODE}`],
    [`https://l.instagram.com/?u=${encodeURIComponent(INSTAGRAM)}&e=x`, `instagram:${CODE}`],
    [`https://l.facebook.com/l.php?u=${encodeURIComponent(INSTAGRAM)}`, `instagram:${CODE}`],
    [
      `https://l.facebook.com/l.php?u=${encodeURIComponent(`https://l.instagram.com/?u=${encodeURIComponent(REEL)}`)}`,
      'facebook:433712053064866',
    ],
    [SHARE, 'facebook:433712053064866'],
    [`https://lm.facebook.com/l.php?u=${encodeURIComponent(SHARE)}`, 'facebook:433712053064866'],
  ])('%s', async (link, key) => {
    const { extractor, fetched } = setUp();
    const { post, from } = await extractor.extract(link);
    expect(`${post.source}:${post.id}`).toBe(key);
    expect(from).toBe('load');
    expect(fetched).toEqual([key]);
  });

  it('matches a link once on its way from a message to its post, however it is written', async () => {
    const { extractor, matched } = setUp();
    const [link = ''] = extractor.findLinks(`look: ${INSTAGRAM}?img_index=2&igsh=x !`);
    expect(matched).toHaveLength(1);
    expect(extractor.findLinks(link)).toEqual([link]);
    expect(extractor.sourceOf(link)).toBe('instagram');
    expect((await extractor.extract(link)).itemIndex).toBe(1);
    expect(matched).toHaveLength(1);
  });

  it('says which item the link points at, when it exists', async () => {
    const { extractor } = setUp();
    const indexOf = async (query: string) => (await extractor.extract(`${INSTAGRAM}${query}`)).itemIndex;
    expect([await indexOf('?img_index=2'), await indexOf('?img_index=3'), await indexOf('')]).toEqual([1, null, null]);
  });

  it.each<[string, ErrorCode, Record<string, unknown>]>([
    ['', 'invalid_request', { hint: 'notLink' }],
    ['hello', 'invalid_request', { hint: 'notLink' }],
    ['https://user@www.instagram.com/p/x', 'invalid_request', { hint: 'notLink' }],
    ['https://127.0.0.1/p/x', 'invalid_request', { hint: 'notLink' }],
    ['https://example.com/p/x', 'unsupported_link', { what: 'site' }],
    ['https://instagram.com.evil.example/p/x', 'unsupported_link', { what: 'site' }],
    ['https://www.instagram.com/someone/', 'unsupported_link', { what: 'profile' }],
    ['https://www.facebook.com/events/1', 'unsupported_link', { what: 'event' }],
    ['https://l.facebook.com/l.php?u=http%3A%2F%2F169.254.169.254%2F', 'unsupported_link', { what: 'site' }],
    ['https://l.facebook.com/l.php?u=nothing', 'unsupported_link', { what: 'site' }],
    ['https://www.facebook.com/stories/100064000000005/', 'login_required', { what: 'story' }],
    ['https://www.instagram.com/stories/someone/3881689364048676894/', 'login_required', { what: 'story' }],
  ])('refuses %j with %s, without a request', async (link, code, params) => {
    const { extractor, fetched, resolved } = setUp();
    await expect(extractor.extract(link)).rejects.toMatchObject({ name: 'AppError', code, params });
    expect([...fetched, ...resolved]).toEqual([]);
  });

  it('unwraps at most three wrappers', async () => {
    const wrap = (link: string, times: number): string =>
      times === 0 ? link : wrap(`https://l.facebook.com/l.php?u=${encodeURIComponent(link)}`, times - 1);
    const { extractor } = setUp();
    expect((await extractor.extract(wrap(REEL, 3))).post.id).toBe('433712053064866');
    await expect(extractor.extract(wrap(REEL, 4))).rejects.toMatchObject({ code: 'unsupported_link' });
  });

  it('takes stories when they can be asked for', async () => {
    const { extractor } = setUp({ canFetchStories: true });
    const { post } = await extractor.extract('https://www.instagram.com/stories/someone/3881689364048676894/');
    expect(post.source).toBe('instagram');
  });

  it('keeps to the one source that is wanted', async () => {
    const { extractor, resolved } = setUp();
    const refused = { code: 'unsupported_link' };
    await expect(extractor.extract(REEL, { only: 'instagram' })).rejects.toMatchObject(refused);
    await expect(extractor.extract(SHARE, { only: 'instagram' })).rejects.toMatchObject(refused);
    expect(resolved).toEqual([]);
    expect((await extractor.extract(REEL, { only: 'facebook' })).post.source).toBe('facebook');
  });
});

describe('extract: short links', () => {
  it('asks once a day', async () => {
    const { extractor, clock, resolved } = setUp();
    await extractor.extract(SHARE);
    clock.now += 23 * 60 * MINUTE;
    await extractor.extract(SHARE);
    expect(resolved).toEqual([SHARE]);
    clock.now += 61 * MINUTE;
    await extractor.extract(SHARE);
    expect(resolved).toEqual([SHARE, SHARE]);
  });

  it.each<[string, Given['resolve'], ErrorCode]>([
    ['other short links only', async () => SHARE, 'upstream_changed'],
    ['another site', async () => 'https://evil.example/', 'unsupported_link'],
    ['a profile', async () => 'https://www.facebook.com/someone', 'unsupported_link'],
    ['a login', failing('login_required'), 'login_required'],
  ])('fails when it leads to %s', async (_, resolve, code) => {
    const { extractor, fetched } = setUp({ resolve });
    await expect(extractor.extract(SHARE)).rejects.toMatchObject({ code });
    expect(fetched).toEqual([]);
  });
});

describe('extract: what is remembered', () => {
  it('shares one fetch and keeps the post for half an hour, whatever the form of the link', async () => {
    const { extractor, clock, fetched } = setUp();
    await Promise.all([extractor.extract(INSTAGRAM), extractor.extract(`instagram.com/reel/${CODE}`)]);
    clock.now += 29 * MINUTE;
    expect((await extractor.extract(INSTAGRAM)).from).toBe('cache');
    expect(fetched).toHaveLength(1);
    clock.now += 2 * MINUTE;
    expect((await extractor.extract(INSTAGRAM)).from).toBe('load');
  });

  it('never keeps a post as long as its addresses live, and expired ones not at all', async () => {
    let expiresAt = Date.UTC(2026, 9, 1) + 15 * MINUTE;
    const { extractor, clock, fetched } = setUp({ fetch: async () => ({ expiresAt }) });
    await extractor.extract(INSTAGRAM);
    clock.now += 9 * MINUTE;
    expect((await extractor.extract(INSTAGRAM)).from).toBe('cache');
    clock.now += 2 * MINUTE;
    expiresAt = 0;
    expect((await extractor.extract(INSTAGRAM)).from).toBe('load');
    expect((await extractor.extract(INSTAGRAM)).from).toBe('load');
    expect(fetched).toHaveLength(3);
  });

  it('answers from an older post when the upstream fails, while its addresses live', async () => {
    let isDown = false;
    const expiresAt = Date.UTC(2026, 9, 1) + 120 * MINUTE;
    const { extractor, clock } = setUp({
      fetch: () => (isDown ? failing('upstream_unavailable')() : Promise.resolve({ expiresAt })),
    });
    await extractor.extract(INSTAGRAM);
    isDown = true;
    clock.now += 60 * MINUTE;
    expect((await extractor.extract(INSTAGRAM)).from).toBe('stale');
    clock.now += 56 * MINUTE;
    await expect(extractor.extract(INSTAGRAM)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it.each(['not_found', 'private', 'age_restricted', 'region_blocked'] as const)(
    'shows no older post after %s',
    async code => {
      let isGone = false;
      const { extractor, clock } = setUp({ fetch: () => (isGone ? failing(code)() : Promise.resolve({})) });
      await extractor.extract(INSTAGRAM);
      isGone = true;
      clock.now += 31 * MINUTE;
      await expect(extractor.extract(INSTAGRAM)).rejects.toMatchObject({ code });
      await expect(extractor.extract(INSTAGRAM)).rejects.toMatchObject({ code });
    },
  );

  it.each<[ErrorCode, number, object]>([
    ['not_found', MINUTE, {}],
    ['private', MINUTE, {}],
    ['login_required', MINUTE / 2, {}],
    ['age_restricted', 10 * MINUTE, {}],
    ['region_blocked', 10 * MINUTE, {}],
    ['upstream_rate_limited', 20_000, {}],
    ['upstream_rate_limited', 90_000, { retryAfterMs: 90_000 }],
    ['upstream_rate_limited', 5 * MINUTE, { retryAfterMs: 3_600_000 }],
    ['upstream_unavailable', 5_000, {}],
    ['upstream_changed', 10_000, {}],
    ['timeout', 5_000, {}],
  ])('remembers %s for %d ms', async (code, ms, options) => {
    const { extractor, clock, fetched } = setUp({ fetch: failing(code, options) });
    const fails = () => expect(extractor.extract(INSTAGRAM)).rejects.toMatchObject({ code });
    await fails();
    clock.now += ms - 1;
    await fails();
    expect(fetched).toHaveLength(1);
    clock.now += 1;
    await fails();
    expect(fetched).toHaveLength(2);
  });
});

describe('extract: what is incomplete', () => {
  const cover = makePost({
    id: CODE,
    url: INSTAGRAM,
    items: [],
    missingItems: 1,
    coverUrl: 'https://a.fbcdn.net/c.jpg',
  });
  const onlyCover = new CoverOnlyError(new AppError('login_required', 'walled', { retryAfterMs: 7 }), cover);

  it('a post of which only the cover is known comes with the reason, and is no answer where files are needed', async () => {
    const { extractor, fetched } = setUp({ fetch: () => Promise.reject(onlyCover) });
    const { post, reason, itemIndex } = await extractor.extract(`${INSTAGRAM}?img_index=1`);
    expect([post, reason, itemIndex]).toEqual([cover, onlyCover, null]);
    await expect(extractor.extract(INSTAGRAM, { readable: true })).rejects.toMatchObject({
      code: 'login_required',
      retryAfterMs: 7,
    });
    expect(fetched).toHaveLength(1);
  });

  it('a cover never takes the place of an older whole post', async () => {
    let isBroken = false;
    const { extractor, clock } = setUp({ fetch: async () => (isBroken ? Promise.reject(onlyCover) : {}) });
    await extractor.extract(INSTAGRAM);
    isBroken = true;
    clock.now += 45 * MINUTE;
    expect(await extractor.extract(INSTAGRAM)).toMatchObject({ from: 'stale', post: { missingItems: 0 } });
    await expect(extractor.refresh(cover)).rejects.toMatchObject({ code: 'login_required' });
    expect(await extractor.extract(INSTAGRAM)).toMatchObject({ from: 'stale' });
  });

  it('a post with items missing is asked for again soon', async () => {
    const { extractor, clock, fetched } = setUp({ fetch: async () => ({ missingItems: 2 }) });
    await extractor.extract(INSTAGRAM);
    clock.now += MINUTE;
    expect((await extractor.extract(INSTAGRAM)).from).toBe('cache');
    clock.now += 2 * MINUTE;
    await extractor.extract(INSTAGRAM);
    expect(fetched).toHaveLength(2);
  });
});

describe('extract: time', () => {
  const hang = (_: unknown, signal: AbortSignal) =>
    new Promise<never>((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('ends with its deadline, short links included', async () => {
    const { extractor } = setUp({ fetch: hang, resolve: hang, deadlineMs: 100 });
    await expect(extractor.extract(INSTAGRAM)).rejects.toMatchObject({ code: 'timeout' });
    await expect(extractor.extract(SHARE)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('ends for a caller who gives up, and not for the other', async () => {
    let release = (_: Partial<Post>) => {};
    const { extractor, fetched } = setUp({ fetch: () => new Promise(resolve => (release = resolve)) });
    const caller = new AbortController();
    const first = extractor.extract(INSTAGRAM, { signal: caller.signal });
    const second = extractor.extract(INSTAGRAM);
    await new Promise(resolve => setImmediate(resolve));
    caller.abort();
    await expect(first).rejects.toMatchObject({ name: 'AppError', code: 'timeout' });
    release({});
    expect((await second).post.id).toBe(CODE);
    expect(fetched).toHaveLength(1);
  });
});

describe('find', () => {
  it('gives the post of an id as it is kept, and asks its site only where it is not', async () => {
    const { extractor, clock, fetched } = setUp();
    const { post } = await extractor.extract(INSTAGRAM);
    expect(await extractor.find(post)).toEqual(post);
    expect(fetched).toHaveLength(1);
    clock.now += 45 * MINUTE;
    expect((await extractor.find(post)).id).toBe(post.id);
    expect(fetched).toHaveLength(2);
    await expect(extractor.find({ source: 'elsewhere', id: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('refresh', () => {
  it('asks past the cache, at most once a minute, and keeps the answer', async () => {
    let title = 'old';
    const { extractor, clock, fetched } = setUp({ fetch: async () => ({ title }) });
    const { post } = await extractor.extract(REEL);
    title = 'new';
    expect((await extractor.refresh(post)).title).toBe('new');
    title = 'newer';
    expect((await Promise.all([extractor.refresh(post), extractor.refresh(post)])).map(one => one.title)).toEqual([
      'new',
      'new',
    ]);
    expect((await extractor.extract(REEL)).post.title).toBe('new');
    expect(fetched).toHaveLength(2);
    clock.now += MINUTE;
    expect((await extractor.refresh(post)).title).toBe('newer');
  });

  it('keeps a post that shows when its site fails later', async () => {
    let isAway = false;
    const { extractor, clock } = setUp({ fetch: () => (isAway ? failing('timeout')() : Promise.resolve({})) });
    await extractor.refresh((await extractor.extract(REEL)).post);
    isAway = true;
    clock.now += 45 * MINUTE;
    expect((await extractor.extract(REEL)).from).toBe('stale');
  });

  it('knows a post of another run by its id, and refuses what is none', async () => {
    const { extractor, fetched } = setUp();
    expect((await extractor.refresh({ source: 'instagram', id: CODE })).id).toBe(CODE);
    await expect(extractor.refresh({ source: 'facebook', id: '../x' })).rejects.toMatchObject({ code: 'not_found' });
    expect(fetched).toEqual([`instagram:${CODE}`]);
  });

  it('forgets a post that is gone', async () => {
    let isGone = false;
    const { extractor } = setUp({ fetch: () => (isGone ? failing('not_found')() : Promise.resolve({})) });
    const { post } = await extractor.extract(REEL);
    isGone = true;
    await expect(extractor.refresh(post)).rejects.toMatchObject({ code: 'not_found' });
    await expect(extractor.extract(REEL)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('postKey', () => {
  it('is the same for every spelling of a link, and there is none where the link alone names no post', () => {
    const { extractor, fetched } = setUp();
    for (const link of [
      `https://www.instagram.com/reel/${CODE}/`,
      `https://www.instagram.com/p/${CODE}/?img_index=2`,
      `instagram.com/someone/reel/${CODE}`,
    ]) {
      expect(extractor.postKey(link)).toBe(`instagram:${CODE}`);
    }
    for (const link of ['https://www.instagram.com/someone/', 'https://example.com/x', 'telegram:7', 'words']) {
      expect(extractor.postKey(link)).toBeUndefined();
    }
    expect(extractor.postKey('https://www.facebook.com/share/v/1AbCdEfGh/')).toBeUndefined();
    expect(fetched).toEqual([]);
  });
});

describe('findLinks', () => {
  it('gives canonical links of posts, in order, without repeats and without the rest of the text', () => {
    const { extractor } = setUp();
    const text = `a www.instagram.com/someone/reel/${CODE}/?igsh=secret b ${REEL}?s=1&fs=e (instagram.com/p/${CODE})
      https://m.facebook.com/share/v/1AbCdEfGh?mibextid=x <https://www.facebook.com/reel/999> \`instagram.com/p/abc\`
      https://www.instagram.com/someone https://example.com/p/x https://www.instagram.com/p/${CODE}/?img_index=2
      https://l.facebook.com/l.php?u=${encodeURIComponent('https://www.facebook.com/reel/888')}`;
    expect(extractor.findLinks(text)).toEqual([
      INSTAGRAM,
      REEL,
      SHARE,
      `${INSTAGRAM}?img_index=2`,
      'https://www.facebook.com/reel/888',
    ]);
  });

  it('finds what extract accepts, and never throws', async () => {
    const { extractor } = setUp({ canFetchStories: true });
    const piece = fc.constantFrom(
      INSTAGRAM,
      REEL,
      SHARE,
      'https://l.facebook.com/l.php?u=',
      'instagram.com/',
      ' ',
      '%',
      '@',
      '//',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(piece, fc.string({ maxLength: 4 }))).map(one => one.join('')),
        async text => {
          for (const link of extractor.findLinks(text)) await extractor.extract(link);
          const error = await extractor.extract(text).catch((one: unknown) => one);
          if (error instanceof Error) expect(error).toBeInstanceOf(AppError);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('names the hosts of media once', () => {
    expect(setUp().extractor.mediaHosts).toEqual(['fbcdn.net', 'instagram.example', 'facebook.example']);
  });
});

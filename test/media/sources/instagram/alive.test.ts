/** Instagram as the sandbox plays it, where some of the ways to ask it are dead. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError, type ErrorCode } from '../../../../src/errors.ts';
import { parseCookiesFile } from '../../../../src/media/extract/cookies-file.ts';
import { CoverOnlyError } from '../../../../src/media/extract/strategy-failures.ts';
import { type Post, playableVariants } from '../../../../src/media/post.ts';
import { instagram } from '../../../../src/media/sources/instagram/descriptor.ts';
import { openAccounts } from '../../../fakes/accounts.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import type { EndpointGroup, Fault } from '../../../sandbox/faults.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';
import { type InstagramPost, WORLD } from '../../../sandbox/world.ts';
import { refOf } from './fixture.ts';

const POSTS = { reel: 'DVclaybowl1', photo: 'DXtramshed1', carousel: 'DWlightkeep' } as const;
type Kind = keyof typeof POSTS;
const KINDS: readonly Kind[] = ['reel', 'photo', 'carousel'];

const COOKIES = parseCookiesFile(
  ['sessionid\tmade-up-session', 'csrftoken\taccount-csrf']
    .map(pair => `.instagram.com\tTRUE\t/\tTRUE\t0\t${pair}`)
    .join('\n'),
);

/** Strategies that can carry media, and what has to live for each. */
const WAYS: readonly (readonly [strategy: string, alive: readonly EndpointGroup[]])[] = [
  ['shortcode-query/plain', ['instagram.graphql-shortcode.plain']],
  ['media-id-query/browser', ['instagram.graphql-media-id', 'instagram.home']],
  ['page/crawler', ['instagram.page.search']],
  ['embed/crawler', ['instagram.embed.crawler']],
  ['page/browser', ['instagram.page.browser', 'instagram.home']],
  ['shortcode-query/browser', ['instagram.graphql-shortcode.hintless', 'instagram.home']],
  ['media-info', ['instagram.media-info']],
];

function inWorld(code: string): InstagramPost {
  const post = WORLD.instagram.find(one => one.code === code);
  if (post === undefined) throw new Error(`the world has no ${code}`);
  return post;
}

async function setUp({ hasBrowser = true, overrides = {}, hasAccount = true } = {}) {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const real = createTestClient({ 'www.instagram.com': sandbox.origin });
  const http = hasBrowser ? real : { ...real, hasBrowserTransport: false };
  const source = instagram.create({
    http,
    log: silentLog,
    ...(hasAccount && { accounts: openAccounts('sessionid', COOKIES) }),
    upstreamConstants: overrides,
  });
  const fetch = (code: string): Promise<Post> => source.fetch(refOf(code), { signal: AbortSignal.timeout(50_000) });
  const failure = async (code: string): Promise<AppError> => {
    const error = await fetch(code).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`);
    return error;
  };
  /** Lets all of the site die but these. */
  const leave = (alive: readonly EndpointGroup[], death: Fault = 'login') => {
    sandbox.faults.set('instagram.*', death);
    for (const one of alive) sandbox.faults.clear(one);
  };
  return { sandbox, source, fetch, failure, leave };
}

function print(line: string): void {
  process.stdout.write(`  ${line}\n`);
}

/** The kind of each item; not all ways say the pixels of the original. */
function content(post: Post): readonly string[] {
  return post.items.map(item => {
    const tracks = new Set(item.variants.filter(({ adaptive }) => adaptive).map(({ hasVideo }) => hasVideo));
    if (playableVariants(item).length === 0 && tracks.size < 2) throw new Error('an item without a file that plays');
    return item.kind;
  });
}

describe('one way alone alive', () => {
  it.each(WAYS)('%s brings reel, photo and carousel', async (strategy, alive) => {
    const counts: string[] = [];
    for (const kind of KINDS) {
      const { sandbox, fetch, leave } = await setUp();
      leave(alive);
      const { code, author, caption, media } = inWorld(POSTS[kind]);
      const post = await fetch(code);
      expect(post.strategy).toBe(strategy);
      expect(content(post)).toEqual(media.map(one => one.kind));
      expect(post).toMatchObject({ missingItems: 0, caption, author: { username: author.username } });
      counts.push(`${kind} ${sandbox.requests.length}`);
      expect(sandbox.requests.length).toBeLessThanOrEqual(16);
    }
    print(`${strategy.padEnd(24)} requests: ${counts.join(', ')}`);
  });

  it.each<Fault>(['status:404', 'status:500', 'html', 'empty', 'garbage', 'reset', 'retry-after:60', 'redirect-loop'])(
    'the embed, with all others dead by %s',
    async death => {
      // That a query knows no such post is the site's own word.
      if (death === 'null') return;
      const { fetch, leave } = await setUp({ hasAccount: false });
      leave(['instagram.embed.crawler'], death);
      expect((await fetch(POSTS.carousel)).strategy).toBe('embed/crawler');
    },
  );

  it('the page brings all to a browser’s headers, also without the browser transport', async () => {
    for (const kind of KINDS) {
      const { sandbox, fetch, leave } = await setUp({ hasBrowser: false, hasAccount: false });
      leave(['instagram.page.browser', 'instagram.home']);
      const post = await fetch(POSTS[kind]);
      expect(post.strategy).toBe('page/browser');
      expect(content(post)).toEqual(inWorld(POSTS[kind]).media.map(one => one.kind));
      expect(sandbox.requests.length).toBeLessThanOrEqual(16);
    }
  });

  it('oEmbed knows author and cover, and says that the rest is missing', async () => {
    for (const kind of KINDS) {
      const { sandbox, failure, leave } = await setUp();
      leave(['instagram.oembed']);
      const { code, author, caption } = inWorld(POSTS[kind]);
      const error = await failure(code);
      if (!(error instanceof CoverOnlyError)) throw error;
      expect(error.code).toBe('login_required');
      expect(error.post).toMatchObject({
        items: [],
        caption,
        author: { id: author.id, username: author.username, name: author.name },
        strategy: 'oembed',
      });
      expect(error.post.missingItems).toBeGreaterThanOrEqual(1);
      expect(error.post.coverUrl).toMatch(/^https:\/\/scontent.*cdninstagram\.com\/.*\.jpg\?/);
      print(`oembed                   requests: ${kind} ${sandbox.requests.length}`);
    }
  });
});

describe('all ways alive', () => {
  it.each([
    ['with the browser transport', true],
    ['without it', false],
  ])('a cold post costs one request, %s', async (name, hasBrowser) => {
    const { sandbox, fetch } = await setUp({ hasBrowser });
    const counts: number[] = [];
    for (const post of WORLD.instagram.filter(({ state }) => state === 'public')) {
      sandbox.clearRequests();
      expect(content(await fetch(post.code))).toEqual(post.media.map(one => one.kind));
      counts.push(sandbox.requests.length);
    }
    print(`all alive ${name}: ${counts.join(', ')} requests`);
    expect(counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]).toBe(1);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });

  it.each(['hang', 'stall', 'drip'] as const)('a first choice that answers with %s is not waited for', async fault => {
    const { sandbox, fetch } = await setUp();
    sandbox.faults.set('instagram.graphql-shortcode.plain', fault);
    const startedAt = performance.now();
    const post = await fetch(POSTS.reel);
    const took = Math.round(performance.now() - startedAt);
    print(`first choice answers with ${fault}: ${post.strategy} after ${took} ms, ${sandbox.requests.length} requests`);
    expect(content(post)).toEqual(['video']);
    expect(took).toBeLessThan(30_000);
  });

  it('a dead first choice costs nothing once that is known', async () => {
    const { sandbox, fetch } = await setUp({ hasAccount: false });
    sandbox.faults.set('instagram.graphql-shortcode', 'html');
    const counts: number[] = [];
    for (let post = 0; post < 8; post += 1) {
      sandbox.clearRequests();
      await fetch(POSTS.photo);
      counts.push(sandbox.requests.length);
    }
    print(`first choice dead, requests for one post after another: ${counts.join(', ')}`);
    expect(counts.slice(5)).toEqual([1, 1, 1]);
  });

  it.each<[string, ErrorCode, number]>([
    ['DXkilnfire1', 'age_restricted', 9],
    ['DXregionone', 'region_blocked', 9],
    ['DXprivatebo', 'private', 9],
    ['DXgonepost1', 'not_found', 1],
    ['DXtoomany42', 'upstream_rate_limited', 16],
  ])('%s is %s', async (code, expected, atMost) => {
    const { sandbox, failure } = await setUp({ hasAccount: false });
    expect((await failure(code)).code).toBe(expected);
    print(`${expected.padEnd(22)} requests: ${sandbox.requests.length}`);
    expect(sandbox.requests.length).toBeLessThanOrEqual(atMost);
  });
});

describe('a wrong caller', () => {
  const reel = POSTS.reel;
  it.each<[string, Readonly<Record<string, string>>]>([
    ['a browser by shortcode', { 'instagram.shortcode-query/plain.userAgent': 'Mozilla/5.0 (X11) Chrome/149.0' }],
    ['a visitor by shortcode', { 'instagram.shortcode-query/plain.session': 'home' }],
    ['a program by media id', { 'instagram.media-id-query/browser.transport': 'plain' }],
    ['a stranger by media id', { 'instagram.media-id-query/browser.session': 'none' }],
    ['a browser for the embed', { 'instagram.embed/crawler.userAgent': 'Mozilla/5.0 (X11) Chrome/149.0' }],
    ['a program for the page', { 'instagram.page/crawler.userAgent': 'curl/8.5.0' }],
  ])('%s gets nothing', async (_, overrides) => {
    const [key = ''] = Object.keys(overrides);
    const strategy = key.slice('instagram.'.length, key.lastIndexOf('.'));
    const wrong = await setUp({ overrides });
    const right = await setUp();
    const ask = ({ source }: typeof wrong) => {
      const found = source.strategies.find(one => one.name === strategy);
      if (found === undefined) throw new Error(`no strategy ${strategy}`);
      return found.run(refOf(reel), AbortSignal.timeout(50_000));
    };
    await expect(ask(wrong)).rejects.toBeInstanceOf(AppError);
    expect((await ask(right)).items).toHaveLength(1);
  });
});

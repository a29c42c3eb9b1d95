/** Facebook as the sandbox plays it, where some of the ways to ask it are dead. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { PostRef } from '../../../../src/media/extract/source.ts';
import { type Post, playableVariants } from '../../../../src/media/post.ts';
import { facebook } from '../../../../src/media/sources/facebook/descriptor.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import type { EndpointGroup } from '../../../sandbox/faults.ts';
import { createSandbox, type SandboxOptions } from '../../../sandbox/sandbox.ts';
import { WORLD } from '../../../sandbox/world.ts';
import { refOf } from './fixture.ts';

const LINKS = {
  reel: 'https://www.facebook.com/reel/1184420716302551',
  watch: 'https://www.facebook.com/watch/?v=731904415522087',
  video: 'https://www.facebook.com/keeper.of.skerrow/videos/731904415522087/',
  photo: 'https://www.facebook.com/photo/?fbid=122108744930184',
  photos:
    'https://www.facebook.com/keeper.of.skerrow/posts/pfbid02SandboxSkerrowEveningsThreeInARowAbCdEfGhJkLmNpQrStUvWxYz',
  group: 'https://www.facebook.com/groups/potters.of.the.north/posts/3344556677889900',
} as const;
type Link = keyof typeof LINKS;

const IDS: Readonly<Record<Link, string>> = {
  reel: '1184420716302551',
  watch: '731904415522087',
  video: '731904415522087',
  photo: '122108744930184',
  photos: '1022334455667788',
  group: '3344556677889900',
};

/** Kind and size of each item, as the world has them. */
function expected(link: Link): readonly string[] {
  const post = WORLD.facebook.find(({ id }) => id === IDS[link]);
  if (post === undefined) throw new Error(`the world has no ${link}`);
  return post.media.map(({ kind, width, height }) => `${kind} ${width}x${height}`);
}

/** Ways that can carry media, the endpoint each asks, and the links it is for. */
const WAYS: readonly (readonly [strategy: string, endpoint: EndpointGroup, links: readonly Link[]])[] = [
  ['reel-page/browser', 'facebook.page.reel.browser', ['reel', 'watch', 'video']],
  ['reel-page/plain', 'facebook.page.reel.plain', ['reel', 'watch', 'video']],
  ['embed/crawler', 'facebook.embed.crawler', ['reel', 'watch', 'video']],
  ['embed/plain', 'facebook.embed.plain', ['reel', 'watch', 'video']],
  ['reel-page/search', 'facebook.page.reel.search', ['reel', 'watch', 'video']],
  ['photo-page/browser', 'facebook.page.photo.browser', ['photo']],
  ['photo-page/plain', 'facebook.page.photo.plain', ['photo']],
  ['photo-php/plain', 'facebook.page.photo-php.plain', ['photo']],
  ['post-page/browser', 'facebook.page.post.browser', ['photos', 'group']],
  ['post-page/plain', 'facebook.page.post.plain', ['photos', 'group']],
  ['group-page/plain', 'facebook.page.group.plain', ['group']],
  ['post-page/search', 'facebook.page.post.search', ['photos', 'group']],
];

interface Options extends SandboxOptions {
  readonly hasBrowser?: boolean;
  /** As UPSTREAM_CONSTANTS has them. */
  readonly overrides?: Readonly<Record<string, string>>;
}

async function setUp(options: Options = {}) {
  const { hasBrowser = true, overrides = {}, ...sandboxOptions } = options;
  const sandbox = await createSandbox(sandboxOptions);
  onTestFinished(() => sandbox.close());
  const real = createTestClient({ 'www.facebook.com': sandbox.origin, 'graph.facebook.com': sandbox.origin });
  const http = hasBrowser ? real : { ...real, hasBrowserTransport: false };
  const source = facebook.create({ http, log: silentLog, upstreamConstants: overrides });
  const fetch = (link: Link): Promise<Post> =>
    source.fetch(refOf(LINKS[link]), { signal: AbortSignal.timeout(50_000) });
  const failure = async (ref: PostRef): Promise<AppError> => {
    const error = await source.fetch(ref, { signal: AbortSignal.timeout(50_000) }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`);
    return error;
  };
  return { sandbox, source, fetch, failure };
}

function content(post: Post): readonly string[] {
  return post.items.map(item => {
    if (playableVariants(item).length === 0) throw new Error('an item without a file that plays');
    return `${item.kind} ${item.width}x${item.height}`;
  });
}

describe('one way alone alive', () => {
  it.each(WAYS)('%s brings what it is for', async (strategy, endpoint, links) => {
    for (const link of links) {
      const { sandbox, fetch } = await setUp();
      sandbox.faults.set('facebook.*', 'login');
      sandbox.faults.clear(endpoint);
      const post = await fetch(link);
      const requests = sandbox.requests.length;
      process.stdout.write(
        `${strategy.padEnd(19)} ${link.padEnd(6)} ${requests} requests: ${content(post).join(', ')}\n`,
      );
      expect(post.strategy).toBe(strategy);
      expect(content(post)).toEqual(expected(link));
      expect(post.missingItems).toBe(0);
      // Each way once, and the oracle.
      expect(requests).toBeLessThanOrEqual(8);
    }
  });

  it("never gives another video's files, which /watch and /videos hold", async () => {
    const { sandbox, failure } = await setUp();
    sandbox.faults.set('facebook.*', 'login');
    sandbox.faults.clear('facebook.page.watch');
    sandbox.faults.clear('facebook.page.video');
    expect((await failure(refOf(LINKS.watch))).code).toBe('login_required');
  });
});

describe('a wrong caller', () => {
  const plain = ['reel-page/plain', 'embed/plain', 'watch-page/plain'];
  it.each([
    ['unknown user agents', { userAgent: 'curl/8', crawlerUserAgent: 'curl/8', searchUserAgent: 'curl/8' }],
    ['a browser that sends no headers of one', Object.fromEntries(plain.map(name => [`${name}.headers`, '{}']))],
  ])('brings nothing: %s', async (_, wrong) => {
    const overrides = Object.fromEntries(Object.entries(wrong).map(([key, value]) => [`facebook.${key}`, value]));
    const { sandbox, failure } = await setUp({ hasBrowser: false, overrides });
    sandbox.faults.set('facebook.embed.crawler', 'login');
    sandbox.faults.set('facebook.page.reel.search', 'login');
    expect(['login_required', 'upstream_changed']).toContain((await failure(refOf(LINKS.reel))).code);
  });
});

describe('all ways alive', () => {
  it.each([
    ['with the browser transport', true],
    ['without it', false],
  ])('a cold post costs one request, %s', async (name, hasBrowser) => {
    const { sandbox, fetch } = await setUp({ hasBrowser });
    const counts: number[] = [];
    for (const link of ['reel', 'watch', 'video', 'photo', 'photos', 'group'] as const) {
      sandbox.clearRequests();
      const post = await fetch(link);
      expect(content(post)).toEqual(expected(link));
      expect(post.author.name).not.toBeNull();
      counts.push(sandbox.requests.length);
    }
    process.stdout.write(`all alive ${name}: ${counts.join(', ')} requests\n`);
    const median = [...counts].sort((a, b) => a - b)[Math.floor(counts.length / 2)];
    expect(median).toBe(1);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });

  it('does not wait for a first choice that hangs', async () => {
    const { sandbox, fetch } = await setUp();
    sandbox.faults.set('facebook.page.reel.browser', 'hang');
    const startedAt = Date.now();
    const post = await fetch('reel');
    const tookMs = Date.now() - startedAt;
    process.stdout.write(`the first choice hangs: ${post.strategy} after ${tookMs} ms\n`);
    expect(content(post)).toEqual(expected('reel'));
    expect(tookMs).toBeLessThan(30_000);
  });

  it('asks no page again after its Retry-After', async () => {
    const { sandbox, fetch } = await setUp({ hasBrowser: false });
    sandbox.faults.set('facebook.page', 'retry-after:5');
    const startedAt = Date.now();
    expect((await fetch('reel')).strategy).toBe('embed/crawler');
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    expect(sandbox.count('facebook.page')).toBe(1);
  });
});

describe('from a data centre', () => {
  it('brings videos by the player, and posts of pages', async () => {
    const { sandbox, fetch } = await setUp({ isDataCentre: true });
    const reel = await fetch('reel');
    expect([reel.strategy, content(reel)]).toEqual(['embed/crawler', expected('reel')]);
    process.stdout.write(`from a data centre: reel by ${reel.strategy}, ${sandbox.requests.length} requests\n`);
    expect((await fetch('photos')).strategy).toBe('post-page/browser');
  });

  it('says that a public photo is behind a wall of its own', async () => {
    const { sandbox, failure } = await setUp({ isDataCentre: true });
    const error = await failure(refOf(LINKS.photo));
    expect(error).toMatchObject({ code: 'login_required', params: { what: 'wall' } });
    expect(sandbox.count('facebook.oembed')).toBe(1);
  });

  it('does not say so of a post that only friends can see', async () => {
    const { failure } = await setUp({ isDataCentre: true });
    const error = await failure(refOf('https://www.facebook.com/reel/555000111222333'));
    expect(error.code).toBe('login_required');
    expect(error.params.what).toBeUndefined();
  });
});

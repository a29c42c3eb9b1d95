import { expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { actFor, workContext } from '../../../src/infra/concurrency/running-work.ts';
import { createOutgoing } from '../../../src/infra/http/outgoing.ts';
import { createMemoryRateLimiter } from '../../../src/infra/rate-limit/rate-limit.ts';
import { openSite } from '../../../src/media/extract/site-breaker.ts';
import type { PostRef } from '../../../src/media/extract/source.ts';
import { createStrategyChain } from '../../../src/media/extract/strategy-chain.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { makePhoto, makePost } from '../../fakes/post.ts';

const EXAMPLE = 'https://toy.example/t/example';
const HOURS = 3_600_000;
const STRATEGIES = ['query/plain', 'page/crawler'];
const PROXIES = ['http://a.test:8080', 'socks5://b.test:1080'];

function refOf(id: string): PostRef {
  return { source: 'toy', id, form: 't', url: `https://toy.example/t/${id}`, itemIndex: null, parts: {} };
}

/** A site that refuses some addresses, and who was asked by which. */
function setUp(refused: Set<string>) {
  let now = Date.now();
  let limiter = createMemoryRateLimiter();
  const asked: string[] = [];
  const log = createRecordingLog();
  const outgoing = createOutgoing({
    proxies: PROXIES.map(url => ({ url })),
    sources: [{ id: 'toy', hosts: ['toy.example', 'cdn.example'] }],
  });
  const strategies = STRATEGIES.map(name => ({
    name,
    isAvailable: () => true,
    async run({ id, url }: PostRef) {
      const by = workContext().outgoing ?? 'none';
      asked.push(`${id} ${by}`);
      if (refused.has(by)) throw new AppError('login_required', 'the login page', { params: { refused: 1 } });
      return makePost({ source: 'toy', id, url, items: [makePhoto()], strategy: name });
    },
  }));
  const { source } = openSite({
    descriptor: { id: 'toy', name: 'Toybox', example: EXAMPLE },
    outgoing,
    limiter: { ...limiter, consume: (...args) => limiter.consume(...args) },
    log,
    now: () => now,
    create: cooldowns => ({
      id: 'toy',
      match: ({ pathname }) => ({ kind: 'post', ref: refOf(pathname.replace('/t/', '')) }),
      refOf,
      resolveShort: async url => url,
      fetch: createStrategyChain({ source: 'toy', strategies, cooldowns, log, now: () => now }),
      strategies,
      examples: [EXAMPLE],
      canFetchStories: false,
      mediaHosts: [],
    }),
  });
  let people = 0;
  return {
    asked,
    outgoing,
    /** Lets minutes pass, so that the windows of the rate limits end. */
    pass(ms: number) {
      now += ms;
      limiter = createMemoryRateLimiter();
    },
    /** By someone else each time. */
    async ask(id: string) {
      people += 1;
      const fetched = actFor(`person ${people}`, () =>
        source.fetch(refOf(id), { signal: AbortSignal.timeout(20_000) }),
      );
      return fetched.then(
        () => 'post',
        (error: unknown) => (error instanceof AppError ? error.code : 'internal'),
      );
    },
  };
}

async function untilLeft({ ask }: ReturnType<typeof setUp>): Promise<void> {
  await expect.poll(() => ask('more')).toBe('post');
}

it('keeps to one address as long as the site answers there, for its media too', async () => {
  const { ask, asked, outgoing } = setUp(new Set());
  for (const id of ['1', '2', '3']) expect(await ask(id)).toBe('post');
  expect(asked).toEqual(['1', '2', '3'].map(id => `${id} ${PROXIES[0]}`));
  expect(outgoing.of('cdn.example').proxyUrl).toBe(PROXIES[0]);
});

it('goes on by the next address where the site refuses one, and keeps to that', async () => {
  const site = setUp(new Set([PROXIES[0] ?? '']));
  await untilLeft(site);
  site.asked.length = 0;
  expect(await site.ask('x')).toBe('post');
  expect(site.asked).toEqual([`x ${PROXIES[1]}`]);
  expect(site.outgoing.of('cdn.example').proxyUrl).toBe(PROXIES[1]);
});

it('tries an address that was left with the public example every ten minutes, and takes it again when the other is refused', async () => {
  const refused = new Set([PROXIES[0] ?? '']);
  const site = setUp(refused);
  await untilLeft(site);
  site.asked.length = 0;
  site.pass(9 * 60_000);
  await site.ask('early');
  expect(site.asked.filter(each => each.startsWith('example'))).toEqual([]);
  refused.clear();
  site.pass(2 * 60_000);
  await site.ask('late');
  await expect.poll(() => site.asked).toContain(`example ${PROXIES[0]}`);
  refused.add(PROXIES[1] ?? '');
  await untilLeft(site);
  site.asked.length = 0;
  expect(await site.ask('y')).toBe('post');
  expect(site.asked).toEqual([`y ${PROXIES[0]}`]);
});

it('asks for the public example once where an address that had answered again is refused again', async () => {
  const [first = '', second = ''] = PROXIES;
  const refused = new Set([first]);
  const site = setUp(refused);
  await untilLeft(site);
  refused.clear();
  site.pass(11 * 60_000);
  await site.ask('late');
  await expect.poll(() => site.asked).toContain(`example ${first}`);
  refused.add(second);
  await untilLeft(site);
  refused.delete(second);
  site.pass(11 * 60_000);
  await site.ask('later');
  site.pass(11 * 60_000);
  refused.add(first);
  site.asked.length = 0;
  await untilLeft(site);
  await site.ask('z');
  expect(site.asked.filter(each => each === `example ${first}`)).toHaveLength(STRATEGIES.length);
});

it('asks each as rarely as its breaker lets it where all are refused, and stays where it is answered', async () => {
  const refused = new Set(PROXIES);
  const site = setUp(refused);
  await expect
    .poll(async () => [await site.ask('a'), site.outgoing.of('toy.example').proxyUrl])
    .toEqual(['upstream_rate_limited', PROXIES[1]]);
  for (let turn = 0; turn < 20; turn += 1) await site.ask('b');
  site.asked.length = 0;
  for (let turn = 0; turn < 20; turn += 1) await site.ask('c');
  expect(site.asked.length).toBeLessThanOrEqual(PROXIES.length);
  refused.delete(PROXIES[1] ?? '');
  site.pass(HOURS);
  await expect.poll(() => site.ask('d'), { timeout: 15_000 }).toBe('post');
  site.asked.length = 0;
  expect(await site.ask('e')).toBe('post');
  expect(site.asked).toEqual([`e ${PROXIES[1]}`]);
}, 30_000);

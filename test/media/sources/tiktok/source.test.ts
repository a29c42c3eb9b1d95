/** TikTok as the sandbox plays it: every post, every refusal, and the headers that its files want. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ErrorCode } from '../../../../src/errors.ts';
import { tiktok } from '../../../../src/media/sources/tiktok/descriptor.ts';
import { tiktokRefOf } from '../../../../src/media/sources/tiktok/link.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import { noHttp } from '../../../fakes/no-http.ts';
import type { Fault } from '../../../sandbox/faults.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';

const CDN = 'v16-webapp-prime.tiktok.com';
const OLDER_CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';

async function setUp(upstreamConstants: Readonly<Record<string, string>> = {}) {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const hosts = ['www.tiktok.com', 'vm.tiktok.com', 'vt.tiktok.com', CDN];
  const client = createTestClient(Object.fromEntries(hosts.map(host => [host, sandbox.origin])));
  const source = tiktok.create({
    http: { ...client, hasBrowserTransport: false },
    log: silentLog,
    upstreamConstants,
  });
  const signal = AbortSignal.timeout(30_000);
  const fetch = async (id: string) => {
    const ref = tiktokRefOf(id);
    if (ref === undefined) throw new Error(`${id} is no id`);
    return source.fetch(ref, { signal });
  };
  return { sandbox, client, source, signal, fetch };
}

describe.each(['tiktok.page', 'tiktok.embed'] as const)('without %s', dead => {
  it.each([
    ['7560000000000000011', ['video']],
    ['7560000000000000022', ['image', 'image', 'image', 'audio']],
  ])('%s has %j', async (id, kinds) => {
    const { sandbox, fetch } = await setUp();
    sandbox.faults.set(dead, 'status:500');
    const post = await fetch(id);
    expect([post.items.map(({ kind }) => kind), post.missingItems]).toEqual([kinds, 0]);
    expect(post).toMatchObject({ author: { username: 'mara.turns.clay' }, stats: { likes: 3_233, plays: 61_400 } });
  });
});

it('gives files the headers that their host wants, and no file to those without', async () => {
  const { client, fetch } = await setUp();
  const [file] = (await fetch('7560000000000000011')).items[0]?.variants ?? [];
  expect(file).toMatchObject({ codecs: 'avc1', width: 720, height: 1280 });
  expect(file?.headers).toEqual({
    referer: 'https://www.tiktok.com/',
    cookie: expect.stringMatching(/^tt_chain_token=\S+$/),
    'user-agent': expect.stringContaining('Chrome/149'),
  });
  const ask = (headers: Readonly<Record<string, string>>) =>
    client.request({ url: file?.url ?? '', hosts: [CDN], headers });
  expect((await ask({ ...file?.headers })).status).toBe(200);
  expect((await ask({})).status).toBe(403);
  expect((await ask({ referer: 'https://www.tiktok.com/' })).status).toBe(403);
});

it.each([
  ['page/plain', 'Chrome/140'],
  ['page/firefox', 'Firefox/143'],
])('requests files with the user agent that got the page: %s', async (name, agent) => {
  const { source, signal } = await setUp({ 'tiktok.userAgent': OLDER_CHROME });
  const [ref, strategy] = [tiktokRefOf('7560000000000000011'), source.strategies.find(one => one.name === name)];
  const post = ref && (await strategy?.run(ref, signal));
  expect(post?.items[0]?.variants[0]?.headers?.['user-agent']).toContain(agent);
});

describe('a post that is not shown', () => {
  it.each<readonly [string, ErrorCode]>([
    ['7560000000000000033', 'not_found'],
    ['7560000000000000044', 'private'],
    ['7560000000000000055', 'age_restricted'],
    ['7560000000000000066', 'region_blocked'],
  ])('%s is %s', async (id, code) => {
    const { fetch } = await setUp();
    await expect(fetch(id)).rejects.toMatchObject({ code });
  });

  it.each<readonly [Fault, ErrorCode]>([
    ['status:429', 'upstream_rate_limited'],
    ['status:503', 'upstream_unavailable'],
    ['status:403', 'upstream_rate_limited'],
    ['empty', 'upstream_changed'],
    ['redirect-off-site', 'upstream_changed'],
    ['redirect-private', 'upstream_changed'],
  ])('by %s is said to be %s', async (fault, code) => {
    const { sandbox, fetch } = await setUp();
    sandbox.faults.set('tiktok.*', fault);
    await expect(fetch('7560000000000000011')).rejects.toMatchObject({ code });
  });

  it('for a number alone is not called gone while the other way does not answer', async () => {
    const { sandbox, fetch } = await setUp();
    sandbox.faults.set('tiktok.embed', 'status:503');
    await expect(fetch('7560000000000000033')).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

describe('a challenge', () => {
  const refused = {
    'tiktok.userAgent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36',
  };

  it('is not solved: its endpoint rests, and people are told to wait', async () => {
    const { sandbox, fetch } = await setUp({ ...refused, 'tiktok.firefoxUserAgent': refused['tiktok.userAgent'] });
    await expect(fetch('7560000000000000011')).rejects.toMatchObject({ code: 'upstream_rate_limited' });
    const asked = sandbox.requests.length;
    expect(asked).toBeLessThanOrEqual(3);
    await expect(fetch('7560000000000000022')).rejects.toMatchObject({ code: 'upstream_rate_limited' });
    expect(sandbox.requests.length).toBe(asked);
  });

  it('of one way leaves the other', async () => {
    const { fetch } = await setUp({ 'tiktok.page/plain.userAgent': refused['tiktok.userAgent'] });
    expect((await fetch('7560000000000000011')).items).toHaveLength(1);
  });
});

describe('a short link', () => {
  it.each([
    [
      'https://vm.tiktok.com/ZMsandbowl/',
      'https://www.tiktok.com/@mara.turns.clay/video/7560000000000000011?_r=1&_t=sandbox',
    ],
    [
      'https://vt.tiktok.com/ZSsandbowl/',
      'https://www.tiktok.com/@mara.turns.clay/photo/7560000000000000022?_r=1&_t=sandbox',
    ],
    [
      'https://www.tiktok.com/t/ZTsandbowl/',
      expect.stringContaining('/login?redirect_url=https%3A%2F%2Fwww.tiktok.com%2F%40mara'),
    ],
  ])('%s leads to its post', async (link, target) => {
    const { source, signal } = await setUp();
    expect(await source.resolveShort(link, { signal })).toEqual(target);
  });

  it('that leads nowhere is gone, and off the site it is not followed', async () => {
    const { sandbox, source, signal } = await setUp();
    const resolve = () => source.resolveShort('https://vm.tiktok.com/ZMnothing/', { signal });
    await expect(resolve()).rejects.toMatchObject({ code: 'not_found' });
    sandbox.faults.set('tiktok.short', 'redirect-off-site');
    await expect(resolve()).rejects.toMatchObject({ code: 'unsupported_link' });
  });
});

it('names every wrong constant', () => {
  const wrong = { 'tiktok.userAgent': '', 'tiktok.embed/plain.session': 'account', 'tiktok.docId': '1' };
  for (const key of Object.keys(wrong))
    expect(() => tiktok.create({ http: noHttp(), log: silentLog, upstreamConstants: wrong })).toThrow(key);
});

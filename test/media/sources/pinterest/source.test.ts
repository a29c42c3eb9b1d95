/** Pinterest as the sandbox plays it. */
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import type { HttpClient } from '../../../../src/infra/http/http-client.ts';
import { pinterest } from '../../../../src/media/sources/pinterest/descriptor.ts';
import { matchPinterestLink, pinterestRefOf } from '../../../../src/media/sources/pinterest/link.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';

const HOSTS = ['www.pinterest.com', 'api.pinterest.com', 'v1.pinimg.com', 'i.pinimg.com'];

async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const client = createTestClient(Object.fromEntries(HOSTS.map(host => [host, sandbox.origin])));
  const source = pinterest.create({ http: { ...client, hasBrowserTransport: false }, log: silentLog });
  const signal = AbortSignal.timeout(30_000);
  const fetch = async (id: string) => {
    const ref = pinterestRefOf(id);
    if (ref === undefined) throw new Error('no id');
    return source.fetch(ref, { signal });
  };
  return { sandbox, source, signal, fetch };
}

it.each(['pinterest.query', 'pinterest.page'] as const)('every pin comes without %s', async dead => {
  const { sandbox, fetch } = await setUp();
  sandbox.faults.set(dead, 'status:500');
  for (const [last, kinds] of [
    ['1', ['video']],
    ['2', ['image']],
    ['3', ['video', 'image']],
    ['4', ['image', 'image', 'image']],
    ['5', ['video']],
  ] as const) {
    const post = await fetch(`42460507115000010${last}`);
    expect(post).toMatchObject({ author: { username: 'maraturnsclay' }, caption: null, stats: { saves: 87 } });
    expect(post.items.map(({ kind }) => kind)).toEqual(kinds);
    expect(post.items.flatMap(({ variants }) => variants.map(({ mime }) => mime))).not.toContain(
      'application/vnd.apple.mpegurl',
    );
  }
});

it('the other places of a file are no longer asked when one has it', async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const client = createTestClient(Object.fromEntries(HOSTS.map(host => [host, sandbox.origin])));
  const pending = new Set<string>();
  const http: HttpClient = {
    ...client,
    hasBrowserTransport: false,
    async request(request) {
      const url = String(request.url);
      if (request.method !== 'HEAD' || url.includes('/mc/720p/')) return client.request(request);
      pending.add(url);
      if (request.signal !== undefined) await once(request.signal, 'abort');
      pending.delete(url);
      throw new Error('given up');
    },
  };
  const ref = pinterestRefOf('424605071150000105');
  const source = pinterest.create({ http, log: silentLog });
  const post = ref && (await source.fetch(ref, { signal: AbortSignal.timeout(30_000) }));
  expect(post?.items[0]?.variants[0]?.url).toContain('/mc/720p/');
  expect([...pending]).toEqual([]);
});

it('a pin that is gone is said to be, and a video without any file has changed', async () => {
  const { sandbox, fetch } = await setUp();
  await expect(fetch('424605071150000999')).rejects.toMatchObject({ code: 'not_found' });
  sandbox.faults.set('pinterest.cdn', 'status:403');
  await expect(fetch('424605071150000105')).rejects.toMatchObject({ code: 'upstream_changed' });
});

it('a short link leads to its pin, or nowhere', async () => {
  const { sandbox, source, signal } = await setUp();
  const match = matchPinterestLink(new URL('https://pin.it/SandBowl1'));
  const resolve = () => source.resolveShort(match?.kind === 'short' ? match.url : '', { signal });
  expect(await resolve()).toContain('/pin/424605071150000102/');
  sandbox.faults.set('pinterest.short', 'redirect-off-site');
  await expect(resolve()).rejects.toMatchObject({ code: 'unsupported_link' });
});

it.each([
  'https://www.pinterest.com/pin/424605071150000101/',
  'https://id.pinterest.com/pin/424605071150000101/sent/?invite_code=a',
  'https://www.pinterest.co.uk/pin/a-bowl-for-the-shore--424605071150000101/',
  'https://pinterest.com.au/pin/424605071150000101',
])('%s names the pin', link => {
  expect(matchPinterestLink(new URL(link))).toMatchObject({ kind: 'post', ref: { id: '424605071150000101' } });
});

it.each([
  ['https://www.pinterest.com/', { kind: 'unsupported', what: 'page' }],
  ['https://www.pinterest.com/pin/create/button/', { kind: 'unsupported', what: 'page' }],
  ['https://www.pinterest.com/maraturnsclay/', { kind: 'unsupported', what: 'profile' }],
  ['https://pint.it/SandBowl1', { kind: 'short', key: 'pin.it/SandBowl1' }],
  ['https://pinterest.evil.example/pin/1/', undefined],
  ['https://notpinterest.com/pin/1/', undefined],
])('%s is %j', (link, right) => {
  const match = matchPinterestLink(new URL(link));
  if (right === undefined) expect(match).toBeUndefined();
  else expect(match).toMatchObject(right);
});

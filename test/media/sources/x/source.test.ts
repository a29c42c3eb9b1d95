/** X as the sandbox plays it, as it should be and with some of its ways dead. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { x } from '../../../../src/media/sources/x/descriptor.ts';
import { xRefOf } from '../../../../src/media/sources/x/link.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';

const HOSTS = ['cdn.syndication.twimg.com', 'api.x.com', 't.co'];
const POST = { video: '1980000000000000101', quote: '1980000000000000105', long: '1980000000000000106' } as const;

async function setUp({ constants = {} }: { readonly constants?: Readonly<Record<string, string>> } = {}) {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  let time = Date.UTC(2026, 10, 1);
  const http = createTestClient(Object.fromEntries(HOSTS.map(host => [host, sandbox.origin])));
  const source = x.create({ http, log: silentLog, upstreamConstants: constants, now: () => time });
  const fetch = async (id: string) => {
    const ref = xRefOf(id);
    if (ref === undefined) throw new Error('no id');
    return source.fetch(ref, { signal: AbortSignal.timeout(50_000) });
  };
  const failure = async (id: string) =>
    fetch(id).then(
      () => 'gave a post',
      (error: AppError) => error.code,
    );
  const pass = (ms: number) => {
    time += ms;
  };
  return { sandbox, source, fetch, failure, pass };
}

describe('a post', () => {
  it('comes by syndication, in one request', async () => {
    const { sandbox, fetch } = await setUp();
    expect(await fetch(POST.video)).toMatchObject({
      strategy: 'syndication',
      caption: 'The swell this morning & the whole rock shook #skerrow',
      author: { username: 'skerrow_light', verified: true },
      items: [{ kind: 'video', variants: [{ width: 720, height: 1280 }, { width: 360 }] }],
    });
    expect(sandbox.requests).toHaveLength(1);
  });

  it('comes by the query where syndication is dead, one guest for all', async () => {
    const { sandbox, fetch, pass } = await setUp();
    sandbox.faults.set('x.syndication', 'status:500');
    const posts = await Promise.all(['101', '102', '103', '104'].map(end => fetch(`1980000000000000${end}`)));
    expect(posts.map(post => [post.strategy, post.items.length])).toEqual(
      [1, 4, 1, 0].map(count => ['guest-query', count]),
    );
    expect(sandbox.count('x.activate')).toBe(1);
    pass(3_600_001);
    await fetch(POST.quote);
    expect(sandbox.count('x.activate')).toBe(2);
  });

  it('replaces a guest that is not taken any more, once', async () => {
    const { sandbox, fetch, pass } = await setUp();
    sandbox.faults.set('x.syndication', 'status:500');
    await fetch(POST.video);
    pass(120_000);
    sandbox.faults.set('x.query', 'status:403', 1);
    expect(await fetch(POST.quote)).toMatchObject({ quoted: { id: POST.video, items: [{ kind: 'video' }] } });
    expect(sandbox.count('x.activate')).toBe(2);
  });

  it('has all of a long text by the query, else its beginning', async () => {
    const { sandbox, fetch, pass } = await setUp();
    expect((await fetch(POST.long)).caption).toMatch(/^Why the lamp turns: .{500,}moved by a finger\.$/s);
    sandbox.faults.set('x.query', 'status:429');
    pass(1);
    const cut = await fetch(POST.long);
    expect(cut).toMatchObject({ strategy: 'syndication', items: [{ kind: 'image' }] });
    expect(cut.caption).toMatch(/…$/);
    // The limit is kept: the query is left alone.
    const asked = sandbox.count('x.query');
    await fetch(POST.long);
    expect(sandbox.count('x.query')).toBe(asked);
  });

  it('is refused in the words of its site', async () => {
    const { failure } = await setUp();
    expect(await Promise.all(['108', '109', '110', '111'].map(end => failure(`1980000000000000${end}`)))).toEqual([
      'login_required',
      'private',
      'not_found',
      'not_found',
    ]);
    expect(await failure('1980000000000000998')).toBe('not_found');
  });

  it('is said to be limited, blocked or changed where both ways are', async () => {
    for (const [fault, code] of [
      ['status:429', 'upstream_rate_limited'],
      ['status:403', 'upstream_rate_limited'],
      ['shape-changed', 'upstream_changed'],
      ['garbage', 'upstream_changed'],
      ['status:503', 'upstream_unavailable'],
    ] as const) {
      const { sandbox, failure } = await setUp();
      sandbox.faults.set('x.*', fault);
      expect(await failure(POST.video), fault).toBe(code);
    }
  });

  it('is asked for by ids that can be replaced', async () => {
    const { sandbox, failure } = await setUp({ constants: { 'x.queryId': 'AnotherQueryId000' } });
    sandbox.faults.set('x.syndication', 'status:500');
    expect(await failure(POST.video)).not.toBe('gave a post');
    expect(sandbox.requests.map(({ path }) => path).join()).toContain('/graphql/AnotherQueryId000/TweetResultByRestId');
    await expect(setUp({ constants: { 'x.queryid': 'a' } })).rejects.toThrow('x.queryid');
  });
});

describe('a short link', () => {
  it('is read and not followed', async () => {
    const { sandbox, source } = await setUp();
    const { signal } = new AbortController();
    expect(await source.resolveShort('https://t.co/SandSea101', { signal })).toBe(
      'https://twitter.com/skerrow_light/status/1980000000000000101?s=20',
    );
    expect(sandbox.requests).toHaveLength(1);
    await expect(source.resolveShort('https://t.co/Nothing', { signal })).rejects.toMatchObject({ code: 'not_found' });
    sandbox.faults.set('x.short-link', 'redirect-private');
    const target = await source.resolveShort('https://t.co/SandSea101', { signal });
    expect(source.match(new URL(target))).toBeUndefined();
  });
});

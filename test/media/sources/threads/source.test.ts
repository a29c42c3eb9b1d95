/** Threads as the sandbox plays it: every post, every refusal, and what is asked for it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ErrorCode } from '../../../../src/errors.ts';
import { threads } from '../../../../src/media/sources/threads/descriptor.ts';
import { threadsRefOf } from '../../../../src/media/sources/threads/link.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import { noHttp } from '../../../fakes/no-http.ts';
import type { Fault } from '../../../sandbox/faults.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';

async function setUp(upstreamConstants: Readonly<Record<string, string>> = {}) {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const http = { ...createTestClient({ 'www.threads.com': sandbox.origin }), hasBrowserTransport: false };
  const source = threads.create({ http, log: silentLog, upstreamConstants });
  const signal = AbortSignal.timeout(30_000);
  const fetch = async (code: string) => {
    const ref = threadsRefOf(code);
    if (ref === undefined) throw new Error(`${code} is no code`);
    return source.fetch(ref, { signal });
  };
  return { sandbox, source, signal, fetch };
}

const POSTS = [
  ['DTtramshed1', ['video']],
  ['DTkilnfull1', ['image', 'video', 'image']],
  ['DTwordsonly', []],
  ['DTquotes_it', []],
  ['DTreplyhere', ['image']],
  ['DTreelshare', ['video']],
] as const;

describe.each(['threads.page', 'threads.embed'] as const)('without %s', dead => {
  it.each(POSTS)('%s has %j', async (code, kinds) => {
    const { sandbox, fetch } = await setUp();
    sandbox.faults.set(dead, 'status:500');
    const post = await fetch(code);
    expect(post.items.map(({ kind }) => kind)).toEqual(kinds);
    expect(post.missingItems).toBe(0);
    expect(post.author.username).toMatch(/^(?:mara\.turns\.clay|ostvik\.tram\.museum)$/);
    expect(post.quoted?.author.username).toBe(code === 'DTquotes_it' ? 'ostvik.tram.museum' : undefined);
  });
});

describe('a caller of the embed', () => {
  it('with the version of a browser in its name gets a shell, and another is asked', async () => {
    const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';
    const { sandbox, fetch } = await setUp({ 'threads.userAgent': chrome });
    sandbox.faults.set('threads.page', 'status:500');
    expect((await fetch('DTtramshed1')).strategy).toBe('embed/crawler');
  });
});

describe('a post that is not shown', () => {
  it('is gone when embed and page say so', async () => {
    const { sandbox, fetch } = await setUp();
    await expect(fetch('DTisgone_00')).rejects.toMatchObject({ code: 'not_found', params: { what: 'hidden' } });
    expect(sandbox.requests.length).toBeLessThanOrEqual(3);
  });

  it.each<readonly [Fault, ErrorCode]>([
    ['status:429', 'upstream_rate_limited'],
    ['status:503', 'upstream_unavailable'],
    ['status:403', 'upstream_rate_limited'],
    ['empty', 'upstream_rate_limited'],
    ['redirect-off-site', 'upstream_changed'],
    ['redirect-private', 'upstream_changed'],
  ])('by %s is said to be %s', async (fault, code) => {
    const { sandbox, fetch } = await setUp();
    sandbox.faults.set('threads.*', fault);
    await expect(fetch('DTtramshed1')).rejects.toMatchObject({ code });
  });
});

describe('a share link', () => {
  it.each([
    ['BAsandBowl1', 'https://www.threads.com/@mara.turns.clay/post/DTkilnfull1?xmt=AQ'],
    ['BAsandHome2', expect.stringContaining('injected_media_ids')],
  ])('%s leads to its post', async (token, target) => {
    const { source, signal } = await setUp();
    expect(await source.resolveShort(`https://www.threads.com/share/${token}`, { signal })).toEqual(target);
  });

  it('that leads nowhere is gone, and off the site it is not followed', async () => {
    const { sandbox, source, signal } = await setUp();
    const resolve = () => source.resolveShort('https://www.threads.com/share/BAnothing9', { signal });
    await expect(resolve()).rejects.toMatchObject({ code: 'not_found' });
    sandbox.faults.set('threads.share', 'redirect-off-site');
    await expect(resolve()).rejects.toMatchObject({ code: 'unsupported_link' });
  });
});

it('names every wrong constant', () => {
  const wrong = { 'threads.userAgent': '', 'threads.embed/plain.session': 'account', 'threads.docId': '1' };
  for (const key of Object.keys(wrong))
    expect(() => threads.create({ http: noHttp(), log: silentLog, upstreamConstants: wrong })).toThrow(key);
});

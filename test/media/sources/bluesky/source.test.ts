/** Bluesky as the sandbox plays it, as it should be and with some of its ways dead. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AppError } from '../../../../src/errors.ts';
import { PLAYLIST_MIME } from '../../../../src/media/post.ts';
import { bluesky } from '../../../../src/media/sources/bluesky/descriptor.ts';
import { blueskyRefOf } from '../../../../src/media/sources/bluesky/link.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { silentLog } from '../../../fakes/instagram-upstream.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';

const HOSTS = ['public.api.bsky.app', 'plc.directory', 'video.bsky.app', 'amanita.us-east.host.bsky.network'];
const KEEPER = 'skerrow.bsky.social';

async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const http = createTestClient(Object.fromEntries(HOSTS.map(host => [host, sandbox.origin])));
  const source = bluesky.create({ http, log: silentLog });
  const fetch = async (id: string) => {
    const ref = blueskyRefOf(id);
    if (ref === undefined) throw new Error('no id');
    return source.fetch(ref, { signal: AbortSignal.timeout(50_000) });
  };
  const failure = async (id: string) =>
    fetch(id).then(
      () => 'gave a post',
      (error: AppError) => error.code,
    );
  return { sandbox, fetch, failure };
}

const summary = (variants: readonly { readonly mime: string; readonly width: number | null }[] = []) =>
  variants.map(({ mime, width }) => [mime, width]);

describe('a post', () => {
  it('has its video as it was posted, from a server of Bluesky, and the renditions of the CDN', async () => {
    const { sandbox, fetch } = await setUp();
    const post = await fetch(`${KEEPER}_3sandvideo222`);
    expect(post).toMatchObject({ strategy: 'thread', author: { username: KEEPER }, hashtags: ['#skerrow'] });
    expect(summary(post.items[0]?.variants)).toEqual([
      ['video/mp4', 720],
      [PLAYLIST_MIME, 720],
      [PLAYLIST_MIME, 360],
    ]);
    expect(post.items[0]?.variants[0]?.url).toContain(
      'https://amanita.us-east.host.bsky.network/xrpc/com.atproto.sync.getBlob?did=did',
    );
    await fetch(`${KEEPER}_3sandvideo222`);
    // Where someone's files are kept is asked for once.
    expect(sandbox.count('bluesky.identity')).toBe(1);
  });

  it('that is kept elsewhere comes by the CDN, and that server is never asked', async () => {
    const { sandbox, fetch } = await setUp();
    const post = await fetch('mara-turns.example_3sandelse2222');
    expect(summary(post.items[0]?.variants)).toEqual([
      [PLAYLIST_MIME, 1280],
      [PLAYLIST_MIME, 640],
    ]);
    expect(sandbox.requests.map(({ host }) => host).filter(host => !HOSTS.includes(host))).toEqual([]);
  });

  it('has what of its files can be found, and is named after the reason where none can', async () => {
    const { sandbox, fetch, failure } = await setUp();
    sandbox.faults.set('bluesky.identity', 'status:500');
    expect(summary((await fetch(`${KEEPER}_3sandvideo222`)).items[0]?.variants)).toHaveLength(2);
    sandbox.faults.clear();
    sandbox.faults.set('bluesky.cdn', 'hang');
    expect(summary((await fetch(`${KEEPER}_3sandvideo222`)).items[0]?.variants)).toEqual([['video/mp4', 720]]);
    sandbox.faults.set('bluesky.cdn', 'status:500');
    expect(summary((await fetch(`${KEEPER}_3sandvideo222`)).items[0]?.variants)).toEqual([['video/mp4', 720]]);
    expect(await failure('mara-turns.example_3sandelse2222')).toBe('upstream_changed');
    const quoting = await fetch(`${KEEPER}_3sandquote222`);
    expect(quoting).toMatchObject({ items: [{ kind: 'image' }], quoted: { items: [{ kind: 'video' }] } });
  });

  it('comes by its id where the thread is dead', async () => {
    const { sandbox, fetch, failure } = await setUp();
    sandbox.faults.set('bluesky.thread', 'status:502');
    const post = await fetch(`${KEEPER}_3sandgallery2`);
    expect(post).toMatchObject({ strategy: 'posts', items: { length: 3 } });
    expect(await fetch(`${KEEPER}_3sandwords222`)).toMatchObject({ items: [], caption: 'Fog signal tested.' });
    expect(await fetch(`${KEEPER}_3sandlabel222`)).toMatchObject({ sensitive: true });
    expect(await failure('nobody.example_3sandgallery2')).not.toBe('gave a post');
  });

  it('is refused in the words of its site', async () => {
    const { failure } = await setUp();
    const keys = ['3sandblock222', '3sandgone2222', '3sandtaken222', '3sandnothing2'];
    expect(await Promise.all(keys.map(key => failure(`${KEEPER}_${key}`)))).toEqual([
      'login_required',
      'not_found',
      'not_found',
      'not_found',
    ]);
    expect(await failure('omar.bsky.social_3sandmember22')).toBe('login_required');
  });

  it('is said to be limited or changed where both ways are', async () => {
    for (const [fault, code] of [
      ['status:429', 'upstream_rate_limited'],
      ['shape-changed', 'upstream_changed'],
      ['garbage', 'upstream_changed'],
      ['status:503', 'upstream_unavailable'],
    ] as const) {
      const { sandbox, failure } = await setUp();
      sandbox.faults.set('bluesky.*', fault);
      expect(await failure(`${KEEPER}_3sandphotos22`), fault).toBe(code);
    }
  });
});

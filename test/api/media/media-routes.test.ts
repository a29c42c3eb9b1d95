import { EventEmitter, once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorAnswer } from '../../../src/api/errors.ts';
import { fbDownloadAnswer, igDownloadAnswer } from '../../../src/api/media/post-schema.ts';
import { AppError } from '../../../src/errors.ts';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createHttpClient } from '../../../src/infra/http/http-client.ts';
import { createExtractor, type Extraction, type ExtractOptions } from '../../../src/media/extract/extractor.ts';
import { type Post, postSchema, postSchemaOf } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import type { TunnelFile } from '../../../src/media/tunnel/tunnel-token.ts';
import { createApiServer } from '../../fakes/api-server.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { makeItem, makePhoto, makePost, makeQuoted, makeVariant } from '../../fakes/post.ts';

const REEL = encodeURIComponent('https://www.instagram.com/reel/C9TestReef01/');

function answering(post = makePost(), from: Extraction['from'] = 'load') {
  return async (): Promise<Extraction> => ({ post, itemIndex: null, from });
}

function failing(error: Error) {
  return async (): Promise<Extraction> => {
    throw error;
  };
}

/** The real one, which never gets as far as to ask anybody. */
function offlineExtractor() {
  const log = createRecordingLog();
  const http = createHttpClient({ lookup: () => Promise.reject(new Error('no host is asked')) });
  onTestFinished(() => http.close());
  const { extract, sourceOf } = createExtractor({
    sources: sourceDescriptors.map(source => source.create({ http, log })),
    cache: createMemoryCache<Post>({ maxEntries: 1 }),
    shortLinks: createMemoryCache<string>({ maxEntries: 1 }),
    log,
  });
  return { extract, sourceOf };
}

describe('GET /api/igdownload', () => {
  it('answers exactly the documented fields', async () => {
    const post = makePost({
      stats: { ...makePost().stats, likes: 12, comments: 0, crosspostPlays: 7, authorFollowers: 900 },
      items: [
        makeItem(),
        makePhoto(),
        makeItem({ kind: 'audio', variants: [makeVariant({ mime: 'audio/mp4', hasVideo: false })] }),
      ],
    });
    const { app } = await createApiServer({ extract: answering(post) });
    const response = await app.inject(`/api/igdownload?url=${REEL}`);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json()).toStrictEqual({
      status: 200,
      creator: 'Tester',
      result: {
        response: {
          status: true,
          profile: {
            id: '771122',
            full_name: 'Ines Okafor',
            username: 'kelp.forest',
            is_verified: false,
            profile_pic_url: 'https://scontent.cdninstagram.com/v/ines.jpg?oe=7F000000',
          },
          caption: {
            hashtags: ['#reef'],
            created_at: 1_760_000_000,
            mentions: ['@bluehour.club'],
            text: 'First dive of the year #reef @bluehour.club',
          },
          statistics: {
            comment_count: 0,
            fb_like_count: null,
            fb_play_count: 7,
            like_count: 12,
            play_count: null,
            save_count: null,
            share_count: null,
            user_follower_count: 900,
            user_media_count: null,
            view_count: null,
          },
          data: [
            {
              type: 'video',
              height: 1280,
              width: 720,
              thumb: 'https://scontent.cdninstagram.com/v/reef.jpg?oe=7F000000',
              url: 'https://scontent.cdninstagram.com/o1/v/reef.mp4?oe=7F000000',
            },
            {
              type: 'image',
              height: 1350,
              width: 1080,
              thumb: 'https://scontent.cdninstagram.com/v/pier.jpg?oe=7F000000',
              url: 'https://scontent.cdninstagram.com/v/pier.jpg?oe=7F000000',
            },
          ],
        },
      },
    });
    expect(igDownloadAnswer.safeParse(response.json()).success).toBe(true);
  });

  it('asks for Instagram only and leaves the choice of an item to others', async () => {
    const calls: [string, ExtractOptions | undefined][] = [];
    const post = makePost({ items: [makePhoto(), makePhoto(), makePhoto()] });
    const { app } = await createApiServer({
      extract: async (link, options) => {
        calls.push([link, options]);
        return { post, itemIndex: 1, from: 'load' };
      },
    });
    const link = 'https://www.instagram.com/p/C9TestReef01/?img_index=2';
    const response = await app.inject(`/api/igdownload?url=${encodeURIComponent(link)}`);
    expect(response.json().result.response.data).toHaveLength(3);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.[0]).toBe(link);
    expect(calls[0]?.[1]?.only).toBe('instagram');
  });

  it.each([
    ['missing', ''],
    ['empty', '?url='],
    ['repeated', `?url=${REEL}&url=${REEL}`],
    ['over-long', `?url=https://www.instagram.com/p/${'a'.repeat(8192)}`],
  ])('answers 400 with what to send when url is %s', async (_, query) => {
    const { app } = await createApiServer();
    const response = await app.inject(`/api/igdownload${query}`);
    expect(response.statusCode).toBe(400);
    const body = errorAnswer.parse(response.json());
    expect(body).toMatchObject({ status: 400, creator: 'Tester', error: { code: 'invalid_request' } });
    expect(body.error.message).toContain('"url"');
    expect(body.error.message).toContain('/api/igdownload?url=https%3A%2F%2F');
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('says what to send when the link is no address at all', async () => {
    const { app } = await createApiServer({ extract: failing(new AppError('invalid_request', 'not an address')) });
    const response = await app.inject('/api/igdownload?url=hello');
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain('Example: /api/igdownload?url=');
  });

  it('takes a link of 8 KB, and says how long one may be', async () => {
    const { app } = await createApiServer();
    const link = 'https://www.instagram.com/p/C1a2B3c4D5e/?igsh='.padEnd(8_192, '%2F');
    expect((await app.inject(`/api/igdownload?url=${encodeURIComponent(link)}`)).statusCode).toBe(200);
    const longer = await app.inject(`/api/igdownload?url=${encodeURIComponent(`${link}a`)}`);
    expect(longer.statusCode).toBe(400);
    expect(longer.json().error.message).toContain('at most 8192 characters');
  });
});

describe('an address of this server', () => {
  const track = makeVariant({ url: 'https://video.xx.fbcdn.net/v.mp4', adaptive: true, hasAudio: false });
  const audio = makeVariant({
    url: 'https://video.xx.fbcdn.net/a.m4a',
    mime: 'audio/mp4',
    adaptive: true,
    hasVideo: false,
  });
  const post = makePost({ items: [makeItem({ width: 2160, height: 3840, variants: [track, audio] })] });

  async function setUp(publicUrl?: string) {
    const files: TunnelFile[] = [];
    const clock = { now: 1_770_000_000_000 };
    const tunnel = { address: (file: TunnelFile) => `/media/token${files.push(file)}` };
    const { app } = await createApiServer({
      extract: answering(post, 'cache'),
      tunnel,
      now: () => clock.now,
      ...(publicUrl === undefined ? {} : { publicUrl }),
    });
    const ask = async (path: 'igdownload' | 'fbdownload', host = 'medley.test:8080') => {
      const { headers, json } = await app.inject({ url: `/api/${path}?url=${REEL}`, headers: { host } });
      return { headers, body: json() };
    };
    return { files, clock, ask };
  }

  it('is given where there are two tracks alone, at the host that was asked', async () => {
    const { files, ask } = await setUp();
    const { body, headers } = await ask('igdownload');
    expect(igDownloadAnswer.safeParse(body).success).toBe(true);
    expect(body.result.response.data).toMatchObject([
      { type: 'video', width: 720, height: 1280, url: 'http://medley.test:8080/media/token1' },
    ]);
    expect(headers['cache-control']).toBe('private, max-age=300');
    expect(files).toMatchObject([{ index: 0, url: track.url, tracks: { video: track.url, audio: audio.url } }]);
    const { body: video } = await ask('fbdownload');
    expect(video.data).toMatchObject({ hd_url: 'http://medley.test:8080/media/token2' });
    expect(video.data.sd_url).toBe(video.data.hd_url);
  });

  it('is at PUBLIC_URL when that is set, for every cache', async () => {
    const { ask } = await setUp('https://medley.example');
    const { body, headers } = await ask('igdownload', 'medley:3000');
    expect(body.result.response.data[0].url).toBe('https://medley.example/media/token1');
    expect(headers['cache-control']).toBe('public, max-age=300');
  });

  it('stays the same for half of its life, for each who asks at the same host', async () => {
    const { clock, ask } = await setUp();
    const first = await ask('igdownload');
    clock.now += 2 * 3_600_000;
    expect((await ask('igdownload')).headers.etag).toBe(first.headers.etag);
    const other = await ask('igdownload', 'other.test');
    expect(other.body.result.response.data[0].url).toBe('http://other.test/media/token2');
    clock.now += 2 * 3_600_000;
    expect((await ask('igdownload', 'other.test')).headers.etag).toBe(other.headers.etag);
    clock.now += 2 * 3_600_000;
    expect((await ask('igdownload', 'other.test')).body.result.response.data[0].url).toMatch(/token3$/);
  });
});

describe('GET /api/fbdownload', () => {
  const reel = makePost({ source: 'facebook', id: '1234567', title: 'Splicing a rope' });

  it('answers exactly the documented fields', async () => {
    const item = makeItem({
      durationMs: 67_400,
      variants: [
        makeVariant({ url: 'https://video.xx.fbcdn.net/hd.mp4', width: 1280, height: 720 }),
        makeVariant({ url: 'https://video.xx.fbcdn.net/sd.mp4', width: 640, height: 360 }),
        makeVariant({
          url: 'https://video.xx.fbcdn.net/dash.mp4',
          width: 1920,
          height: 1080,
          adaptive: true,
          hasAudio: false,
        }),
      ],
    });
    const { app } = await createApiServer({ extract: answering({ ...reel, items: [makePhoto(), item] }) });
    const response = await app.inject(`/api/fbdownload?url=${REEL}`);
    expect(response.json()).toStrictEqual({
      status: 200,
      creator: 'Tester',
      data: {
        status: true,
        title: 'Splicing a rope',
        durasi: '1:07',
        hd_url: 'https://video.xx.fbcdn.net/hd.mp4',
        sd_url: 'https://video.xx.fbcdn.net/sd.mp4',
      },
    });
    expect(fbDownloadAnswer.safeParse(response.json()).success).toBe(true);
  });

  it('answers 404 for a post without a video', async () => {
    const { app } = await createApiServer({ extract: answering({ ...reel, items: [makePhoto()] }) });
    const response = await app.inject(`/api/fbdownload?url=${REEL}`);
    expect(response.statusCode).toBe(404);
    expect(response.json().error).toEqual({ code: 'not_found', message: 'This post has no video.' });
  });

  it.each([
    ['igdownload', 'https://www.facebook.com/reel/1234567890123456', 'fbdownload'],
    ['igdownload', 'https://fb.watch/aB3xY9z1/', 'fbdownload'],
    ['igdownload', 'https://www.facebook.com/share/r/19ExAmple/', 'fbdownload'],
    ['fbdownload', 'https://www.instagram.com/reel/C9TestReef01/', 'igdownload'],
    ['fbdownload', 'https://instagram.com:443/p/C9TestReef01/?igsh=abc', 'igdownload'],
    [
      'fbdownload',
      'https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.instagram.com%2Fp%2FC9TestReef01%2F',
      'igdownload',
    ],
  ])('answers 400 at %s for %s, and names the endpoint for it', async (path, link, other) => {
    const { app } = await createApiServer(offlineExtractor());
    const response = await app.inject(`/api/${path}?url=${encodeURIComponent(link)}`);
    expect(response.statusCode).toBe(400);
    const { code, message } = response.json().error;
    expect(code).toBe('unsupported_link');
    expect(message).toContain(`For this link, ask /api/${other}.`);
  });

  it.each([
    ['igdownload', 'https://www.instagram.com/some.person/'],
    ['fbdownload', 'https://www.facebook.com/some.person'],
    ['igdownload', 'https://example.com/reel/1'],
  ])('answers 400 at %s for %s, and names no other endpoint', async (path, link) => {
    const { app } = await createApiServer(offlineExtractor());
    const response = await app.inject(`/api/${path}?url=${encodeURIComponent(link)}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.code).toBe('unsupported_link');
    expect(response.json().error.message).not.toContain('/api/');
  });
});

describe('an unknown parameter', () => {
  it.each(['igdownload', 'fbdownload', 'post'])('is refused by /api/%s, which names the known ones', async path => {
    const { app } = await createApiServer({ extract: answering() });
    const response = await app.inject(`/api/${path}?url=${REEL}&ur1=x`);
    expect(response.statusCode).toBe(400);
    expect(errorAnswer.parse(response.json()).error).toEqual({
      code: 'invalid_request',
      message: `"ur1" is no parameter of /api/${path}. It takes: url.`,
    });
  });

  it('is said to belong to the link that came as it is, when it stands behind one', async () => {
    const { app } = await createApiServer({ extract: answering() });
    const response = await app.inject('/api/post?url=https://www.instagram.com/reel/DVclaybowl1/?img_index=2&igsh=x');
    expect(response.json().error.message).toBe(
      '"igsh" is no parameter of /api/post. It takes: url. What belongs to a link has to be percent-encoded with it.',
    );
  });
});

describe('GET /api/post', () => {
  it('says which sites it takes links of', async () => {
    const { app } = await createApiServer(offlineExtractor());
    const response = await app.inject('/api/post?url=https://a.example/1');
    const names = sourceDescriptors.map(({ name }) => name);
    expect(response.json().error.message).toBe(
      `This link is not supported here. Send the link of a public post of ${names.slice(0, -1).join(', ')}, or ${names.at(-1)}.`,
    );
  });

  it('answers the whole post as it is', async () => {
    const post = makePost({ items: [makeItem(), makePhoto()] });
    const { app } = await createApiServer({ extract: answering(post) });
    const response = await app.inject(`/api/post?url=${REEL}`);
    expect(response.json()).toStrictEqual(JSON.parse(JSON.stringify(post)));
    expect(postSchema.safeParse(response.json()).success).toBe(true);
  });
});

describe('caching', () => {
  it.each([
    ['cache', 'HIT'],
    ['load', 'MISS'],
    ['stale', 'STALE'],
  ] as const)('says of an answer from %s: %s', async (from, word) => {
    const { app } = await createApiServer({ extract: answering(makePost(), from) });
    expect((await app.inject(`/api/post?url=${REEL}`)).headers['x-cache']).toBe(word);
  });

  it('answers 304 to a tag it gave, and 200 to another', async () => {
    const { app } = await createApiServer();
    const first = await app.inject(`/api/igdownload?url=${REEL}`);
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    const ask = (tag: string) => app.inject({ url: `/api/igdownload?url=${REEL}`, headers: { 'if-none-match': tag } });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask(tag);
      expect(again.statusCode).toBe(304);
      expect(again.body).toBe('');
      expect(again.headers.etag).toBe(etag);
      expect(again.headers['x-ratelimit-limit']).toBeDefined();
    }
    expect((await ask('"other"')).statusCode).toBe(200);
  });

  it.each([2_000, 20_000])('says to every cache that a long answer depends on its encoding (%i words)', async words => {
    const { app } = await createApiServer({ extract: answering(makePost({ caption: 'clay '.repeat(words) })) });
    for (const encoding of ['identity', 'br', 'gzip']) {
      const ask = (headers: object) =>
        app.inject({ url: `/api/post?url=${REEL}`, headers: { 'accept-encoding': encoding, ...headers } });
      const { headers } = await ask({});
      expect(headers.vary).toBe('accept-encoding');
      const again = await ask({ 'if-none-match': String(headers.etag) });
      expect([again.statusCode, again.headers.vary]).toEqual([304, 'accept-encoding']);
    }
  });

  it('gives the two shapes of one post different tags', async () => {
    const { app } = await createApiServer();
    const [ig, post] = await Promise.all([
      app.inject(`/api/igdownload?url=${REEL}`),
      app.inject(`/api/post?url=${REEL}`),
    ]);
    expect(ig.headers.etag).not.toBe(post.headers.etag);
  });

  it('never lets an answer outlive the addresses in it', async () => {
    const now = 1_770_000_000_000;
    const extract = answering(makePost({ expiresAt: now + 90_500 }));
    const { app } = await createApiServer({ extract, now: () => now });
    const response = await app.inject(`/api/post?url=${REEL}`);
    expect(response.headers['cache-control']).toBe('public, max-age=90');
  });

  it('answers HEAD like GET, without the body', async () => {
    const { app } = await createApiServer();
    const [get, head] = await Promise.all([
      app.inject(`/api/igdownload?url=${REEL}`),
      app.inject({ method: 'HEAD', url: `/api/igdownload?url=${REEL}` }),
    ]);
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers.etag).toBe(get.headers.etag);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('failures', () => {
  it.each([
    ['private', 403],
    ['login_required', 403],
    ['age_restricted', 403],
    ['not_found', 404],
    ['too_large', 413],
    ['region_blocked', 451],
    ['internal', 500],
    ['upstream_changed', 502],
    ['upstream_unavailable', 503],
    ['upstream_rate_limited', 503],
    ['credentials_required', 503],
    ['timeout', 504],
  ] as const)('%s is %i in the envelope and on the wire', async (code, status) => {
    const error = new AppError(code, 'secret detail of the upstream', { cause: new Error('inner') });
    const { app } = await createApiServer({ extract: failing(error) });
    const response = await app.inject(`/api/post?url=${REEL}`);
    expect(response.statusCode).toBe(status);
    const body = errorAnswer.parse(response.json());
    expect(body).toMatchObject({ status, creator: 'Tester', error: { code } });
    expect(response.body).not.toContain('secret detail');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['access-control-allow-origin']).toBe('*');
  });

  it('passes on when to try again', async () => {
    const error = new AppError('upstream_rate_limited', 'slow down', { retryAfterMs: 61_200 });
    const { app } = await createApiServer({ extract: failing(error) });
    expect((await app.inject(`/api/post?url=${REEL}`)).headers['retry-after']).toBe('62');
  });

  it('hides what it does not know, logs it once, and serves the next request', async () => {
    let broken = true;
    const { app, log } = await createApiServer({
      extract: async () => {
        if (broken) throw new TypeError('undefined is not a post');
        return { post: makePost(), itemIndex: null, from: 'load' };
      },
    });
    const response = await app.inject(`/api/post?url=${REEL}`);
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('undefined is not a post');
    expect(log.at('error')).toHaveLength(1);
    expect(JSON.stringify(log.lines)).not.toContain('C9TestReef01');
    broken = false;
    expect((await app.inject(`/api/post?url=${REEL}`)).statusCode).toBe(200);
  });

  it('gives up the extraction when the client is gone', async () => {
    const steps = new EventEmitter();
    const [started, aborted] = [once(steps, 'started'), once(steps, 'aborted')];
    const server = await createApiServer({
      extract: (_link, options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener('abort', () => {
            steps.emit('aborted');
            reject(new AppError('timeout', 'given up'));
          });
          steps.emit('started');
        }),
    });
    const { origin } = await server.listen({ host: '127.0.0.1', port: 0 });
    const client = new AbortController();
    const asking = fetch(`${origin}/api/post?url=${REEL}`, { signal: client.signal });
    await started;
    client.abort();
    await expect(asking).rejects.toThrow();
    await aborted;
    expect(server.log.at()).toEqual([]);
  });
});

describe('a post whose files want headers', () => {
  const headers = { cookie: 'chain=Kestrel77', referer: 'https://www.toy.example/' };
  const guarded = makePost({ items: [makeItem({ variants: [makeVariant({ headers })] })] });
  const post = { ...guarded, quoted: makeQuoted({ items: guarded.items }) };

  it.each(['post', 'igdownload', 'fbdownload'])('is given at %s by addresses of ours, without them', async path => {
    const { app } = await createApiServer({ extract: async () => ({ post, itemIndex: null, from: 'load' }) });
    const response = await app.inject({ url: `/api/${path}?url=${REEL}`, headers: { host: 'us.example' } });
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('http://us.example/media/token');
    expect(response.body).not.toMatch(/Kestrel77|toy\.example|headers|reef\.mp4/);
    if (path === 'post') expect(postSchemaOf(['instagram']).parse(response.json())).toEqual(response.json());
  });
});

describe('a post of words alone', () => {
  const post = makePost({ items: [] });
  const extract = async (): Promise<Extraction> => ({ post, itemIndex: null, from: 'load' });

  it('has no files where files are listed, and is no video', async () => {
    const { app } = await createApiServer({ extract });
    const listed = await app.inject(`/api/igdownload?url=${REEL}`);
    expect([listed.statusCode, listed.json().result.response.data]).toEqual([200, []]);
    const video = await app.inject(`/api/fbdownload?url=${REEL}`);
    expect([video.statusCode, errorAnswer.parse(video.json()).error.code]).toEqual([404, 'not_found']);
    expect((await app.inject(`/api/post?url=${REEL}`)).json()).toMatchObject({ items: [], missingItems: 0 });
  });
});

describe('a post of which only the cover is known', () => {
  const post = makePost({ items: [], missingItems: 1, coverUrl: 'https://scontent.cdninstagram.com/v/reef.jpg' });
  const reason = new AppError('upstream_rate_limited', 'limited', { retryAfterMs: 90_000 });
  const extract = async (_: string, { readable }: ExtractOptions = {}): Promise<Extraction> => {
    if (readable) throw reason;
    return { post, itemIndex: null, from: 'load', reason };
  };

  it.each(['igdownload', 'fbdownload'])('is the reason why at %s', async path => {
    const { app } = await createApiServer({ extract });
    const response = await app.inject(`/api/${path}?url=${REEL}`);
    expect(response.statusCode).toBe(503);
    expect(errorAnswer.parse(response.json()).error.code).toBe('upstream_rate_limited');
    expect(response.headers['retry-after']).toBe('90');
  });

  it('is given whole, as incomplete, at post', async () => {
    const { app } = await createApiServer({ extract });
    const response = await app.inject(`/api/post?url=${REEL}`);
    expect(postSchema.parse(response.json())).toMatchObject({ items: [], missingItems: 1, coverUrl: post.coverUrl });
    expect(response.headers['cache-control']).toContain('max-age=30');
  });
});

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import type { Post } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { createTunnel, type Tunnel } from '../../../src/media/tunnel/tunnel.ts';
import type { TunnelFile, TunnelRequest } from '../../../src/media/tunnel/tunnel-token.ts';
import { ETAG, fileOf, serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { noMux } from '../../fakes/no-mux.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../fakes/post.ts';

const NOW = 1_770_000_000_000;
const HOST = 'scontent.cdninstagram.com';
const URL_NOW = `https://${HOST}/o1/v/reef.mp4?oe=AAAA`;
const URL_NEXT = `https://${HOST}/o1/v/reef.mp4?oe=BBBB`;

interface Setup {
  readonly tunnel: Tunnel;
  /** What the CDN was asked, in order. */
  readonly asked: IncomingMessage[];
  readonly refreshed: Pick<Post, 'source' | 'id'>[];
}

interface SetupOptions {
  readonly renewed?: Pick<Post, 'items'>;
  readonly now?: () => number;
  readonly key?: Buffer;
}

/** A tunnel over the real HTTP client to a CDN on loopback. */
async function setUp(listener: RequestListener, options: SetupOptions = {}): Promise<Setup> {
  const asked: IncomingMessage[] = [];
  const refreshed: Pick<Post, 'source' | 'id'>[] = [];
  const { origin } = await serveHttp((request, response) => {
    asked.push(request);
    listener(request, response);
  });
  const tunnel = createTunnel({
    key: options.key ?? randomBytes(32),
    http: createTestClient({ [HOST]: origin, 'video.xx.fbcdn.net': origin }),
    mediaHosts: ['cdninstagram.com', 'fbcdn.net'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    muxTracks: noMux,
    log: createRecordingLog(),
    refresh: async post => {
      refreshed.push(post);
      if (options.renewed === undefined) throw new AppError('not_found', 'the post is gone');
      return options.renewed;
    },
    now: options.now ?? (() => NOW),
  });
  return { tunnel, asked, refreshed };
}

function makeFile(changes: Partial<TunnelFile> = {}): TunnelFile {
  return {
    post: { source: 'instagram', id: 'C9TestReef01' },
    index: 0,
    url: URL_NOW,
    mime: 'video/mp4',
    fileName: 'medley-instagram-C9TestReef01.mp4',
    expiresAt: NOW + 60_000,
    ...changes,
  };
}

function tokenOf(tunnel: Tunnel, changes: Partial<TunnelFile> = {}): string {
  return tunnel.address(makeFile(changes)).slice('/media/'.length);
}

function makeRequest(changes: Partial<TunnelRequest> = {}): TunnelRequest {
  return { method: 'GET', range: undefined, ifRange: undefined, signal: new AbortController().signal, ...changes };
}

const FILE = fileOf(100_000);
const serving: RequestListener = (request, response) => serveFile(request, response, FILE);

describe('tokens', () => {
  it('say nothing of what they lead to and fit into an address', async () => {
    const { tunnel } = await setUp(serving);
    const long = `${URL_NOW}&_nc_x=${'k'.repeat(2_500)}`;
    const address = tunnel.address(makeFile({ url: long }));
    expect(address).toMatch(/^\/media\/[\w-]+$/);
    expect(Buffer.from(address.slice(7), 'base64url').toString('latin1')).not.toMatch(/cdninstagram|C9TestReef01/);
    expect(address.length).toBeLessThan(4_500);
    expect(tunnel.address(makeFile())).not.toBe(tunnel.address(makeFile()));
    const response = await tunnel.open(address.slice(7), makeRequest());
    response.body?.destroy();
    expect(response.status).toBe(200);
  });

  it('are refused once they are over', async () => {
    let now = NOW;
    const { tunnel, asked } = await setUp(serving, { now: () => now });
    const token = tokenOf(tunnel);
    now += 60_000;
    await expect(tunnel.open(token, makeRequest())).rejects.toMatchObject({ code: 'not_found' });
    expect(asked).toEqual([]);
  });

  it('are refused when one character differs, or the key', async () => {
    const { tunnel, asked } = await setUp(serving);
    const other = await setUp(serving);
    const token = tokenOf(tunnel);
    await expect(other.tunnel.open(token, makeRequest())).rejects.toMatchObject({ code: 'not_found' });
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 2), async at => {
        const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
        await expect(tunnel.open(changed, makeRequest())).rejects.toMatchObject({ code: 'not_found' });
      }),
    );
    expect(asked).toEqual([]);
  });

  it('that Medley did not make are refused, whatever they are', async () => {
    const { tunnel } = await setUp(serving);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String(), fc.constant('A'.repeat(20_000))), async token => {
        await expect(tunnel.open(token, makeRequest())).rejects.toMatchObject({ code: 'not_found' });
      }),
    );
  });
});

describe('a whole file', () => {
  it('is no file where the CDN packs it although asked not to', async () => {
    const { tunnel } = await setUp((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-encoding': 'gzip' }).end(gzipSync(FILE));
    });
    const opened = tunnel.open(tokenOf(tunnel), makeRequest());
    await expect(opened).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('comes with what the CDN says of it', async () => {
    const { tunnel, asked } = await setUp(serving);
    const { status, headers, body, fileName, expiresAt } = await tunnel.open(tokenOf(tunnel), makeRequest());
    expect(status).toBe(200);
    expect(headers).toEqual({
      'content-type': 'video/mp4',
      'content-length': '100000',
      'accept-ranges': 'bytes',
      etag: ETAG,
      'last-modified': 'Tue, 03 Mar 2026 10:00:00 GMT',
    });
    expect(body && (await buffer(body)).equals(FILE)).toBe(true);
    expect([fileName, expiresAt]).toEqual(['medley-instagram-C9TestReef01.mp4', NOW + 60_000]);
    expect(asked[0]?.headers).toMatchObject({ host: HOST, 'user-agent': 'Mozilla/5.0', 'accept-encoding': 'identity' });
    expect(asked[0]?.headers).not.toHaveProperty('range');
  });

  it('of Facebook is asked for under the name that is not slowed down', async () => {
    const { tunnel, asked } = await setUp(serving);
    const post = { source: 'facebook', id: '77' } as const;
    const url = 'https://video.xx.fbcdn.net/v/clip.mp4';
    const open = async (changes: Partial<TunnelFile>) =>
      (await tunnel.open(tokenOf(tunnel, { post, url, ...changes }), makeRequest())).body?.destroy();
    await open({});
    await open({ mime: 'image/jpeg' });
    expect(asked.map(({ headers }) => headers['user-agent'])).toEqual(['facebookexternalhit/1.1', 'Mozilla/5.0']);
  });

  it('keeps the type it was promised when the CDN names none, and takes the one it names', async () => {
    const types = ['', 'application/octet-stream', 'image/jpeg', 'video/mp4; codecs="avc1"'];
    const { tunnel } = await setUp((_request, response) => {
      response.writeHead(200, { 'content-type': types.shift() ?? '' }).end('x');
    });
    const open = async () => {
      const { headers, body, fileName } = await tunnel.open(
        tokenOf(tunnel, { mime: 'image/webp', fileName: 'pier.webp' }),
        makeRequest(),
      );
      body?.destroy();
      return [headers['content-type'], fileName];
    };
    expect(await open()).toEqual(['image/webp', 'pier.webp']);
    expect(await open()).toEqual(['image/webp', 'pier.webp']);
    expect(await open()).toEqual(['image/jpeg', 'pier.jpg']);
    expect(await open()).toEqual(['video/mp4', 'pier.mp4']);
  });

  it.each(['text/html; charset=utf-8', 'application/json', 'text/plain', 'image/svg+xml', 'application/x-mpegURL'])(
    'that turns out to be %s is no media',
    async type => {
      const { tunnel } = await setUp((_request, response) => {
        response.writeHead(200, { 'content-type': type }).end('<script>1</script>');
      });
      await expect(tunnel.open(tokenOf(tunnel), makeRequest())).rejects.toMatchObject({
        code: 'upstream_unavailable',
        message: expect.stringContaining('not media'),
      });
    },
  );
});

describe('parts', () => {
  it.each([
    ['bytes=0-99', 0, 100],
    ['bytes=99990-', 99_990, 100_000],
    ['bytes=-10', 99_990, 100_000],
    ['Bytes=500-600', 500, 601],
  ])('%s', async (range, start, end) => {
    const { tunnel } = await setUp(serving);
    const { status, headers, body } = await tunnel.open(tokenOf(tunnel), makeRequest({ range }));
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes ${start}-${end - 1}/100000`);
    expect(headers['content-length']).toBe(String(end - start));
    expect(body && (await buffer(body)).equals(FILE.subarray(start, end))).toBe(true);
  });

  it.each(['bytes=0-1,5-6', 'bytes=9-3', 'items=0-5', 'bytes=-', 'bytes=a-b', 'bytes=0-5\r\nx-evil: 1'])(
    'are not what %j asks for: the whole file comes',
    async range => {
      const { tunnel, asked } = await setUp(serving);
      const { status, body } = await tunnel.open(tokenOf(tunnel), makeRequest({ range }));
      body?.destroy();
      expect(status).toBe(200);
      expect(asked[0]?.headers).not.toHaveProperty('range');
    },
  );

  it('are given only of the version the client has', async () => {
    const { tunnel } = await setUp(serving);
    const status = async (ifRange: string) => {
      const response = await tunnel.open(tokenOf(tunnel), makeRequest({ range: 'bytes=5-9', ifRange }));
      response.body?.destroy();
      return response.status;
    };
    expect([await status(ETAG), await status('"older"')]).toEqual([206, 200]);
  });

  it('beyond the end are 416, with the size and no body', async () => {
    const { tunnel } = await setUp(serving);
    const response = await tunnel.open(tokenOf(tunnel), makeRequest({ range: 'bytes=200000-' }));
    expect(response).toMatchObject({ status: 416, headers: { 'content-range': 'bytes */100000' }, body: undefined });
  });

  it('that were not asked for are refused', async () => {
    const { tunnel } = await setUp((_request, response) => {
      response.writeHead(206, { 'content-type': 'video/mp4', 'content-range': 'bytes 0-0/9' }).end('x');
    });
    await expect(tunnel.open(tokenOf(tunnel), makeRequest())).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

describe('HEAD', () => {
  it('gives the size without the file', async () => {
    const { tunnel, asked } = await setUp(serving);
    const response = await tunnel.open(tokenOf(tunnel), makeRequest({ method: 'HEAD' }));
    expect(response).toMatchObject({ status: 200, headers: { 'content-length': '100000' }, body: undefined });
    expect(asked.map(request => request.method)).toEqual(['HEAD']);
  });

  it('is worked out from the first byte where the CDN refuses it', async () => {
    const { tunnel, asked } = await setUp((request, response) => {
      if (request.method === 'HEAD') response.writeHead(405).end();
      else serveFile(request, response, FILE);
    });
    const response = await tunnel.open(tokenOf(tunnel), makeRequest({ method: 'HEAD' }));
    expect(response).toMatchObject({ status: 200, headers: { 'content-length': '100000', 'accept-ranges': 'bytes' } });
    expect(response.headers).not.toHaveProperty('content-range');
    expect(asked.map(({ method, headers }) => [method, headers.range])).toEqual([
      ['HEAD', undefined],
      ['GET', 'bytes=0-0'],
    ]);
  });
});

describe('an address that expired early', () => {
  const expiring: RequestListener = (request, response) => {
    if (request.url?.includes('oe=AAAA'))
      response.writeHead(403, { 'content-type': 'text/plain' }).end('URL signature expired');
    else serveFile(request, response, FILE);
  };
  const renewed = makePost({ items: [makeItem({ variants: [makeVariant({ url: URL_NEXT })] })] });

  it('is asked for again once, and remembered', async () => {
    const { tunnel, asked, refreshed } = await setUp(expiring, { renewed });
    const token = tokenOf(tunnel);
    const first = await tunnel.open(token, makeRequest({ range: 'bytes=10-19' }));
    expect(first.status).toBe(206);
    expect(first.body && (await buffer(first.body)).equals(FILE.subarray(10, 20))).toBe(true);
    (await tunnel.open(token, makeRequest())).body?.destroy();
    expect(refreshed).toEqual([{ source: 'instagram', id: 'C9TestReef01' }]);
    expect(asked.map(({ url }) => url?.slice(-7))).toEqual(['oe=AAAA', 'oe=BBBB', 'oe=BBBB']);
  });

  it('serves HEAD too', async () => {
    const { tunnel } = await setUp(expiring, { renewed });
    const response = await tunnel.open(tokenOf(tunnel), makeRequest({ method: 'HEAD' }));
    expect(response).toMatchObject({ status: 200, headers: { 'content-length': '100000' } });
  });

  it('ends after one more try', async () => {
    const { tunnel, asked, refreshed } = await setUp((_request, response) => response.writeHead(403).end(), {
      renewed,
    });
    await expect(tunnel.open(tokenOf(tunnel), makeRequest())).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect([asked.length, refreshed.length]).toEqual([2, 1]);
  });

  it('is not tried again when the upstream knows no other', async () => {
    const same = makePost({ items: [makeItem({ variants: [makeVariant({ url: URL_NOW })] })] });
    const { tunnel, asked } = await setUp(expiring, { renewed: same });
    await expect(tunnel.open(tokenOf(tunnel), makeRequest())).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(asked).toHaveLength(1);
  });

  it('ends with what the upstream says of the post', async () => {
    const { tunnel } = await setUp(expiring);
    await expect(tunnel.open(tokenOf(tunnel), makeRequest())).rejects.toMatchObject({
      code: 'not_found',
      message: 'the post is gone',
    });
  });

  it('is never another item of the post', async () => {
    const { tunnel } = await setUp(expiring, { renewed: makePost({ items: [makePhoto()] }) });
    await expect(tunnel.open(tokenOf(tunnel, { index: 1 }), makeRequest())).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the CDN in trouble', () => {
  it.each([
    [404, 'not_found'],
    [410, 'not_found'],
    [429, 'upstream_rate_limited'],
    [500, 'upstream_unavailable'],
    [503, 'upstream_unavailable'],
    [204, 'upstream_unavailable'],
  ] as const)('%i is %s', async (status, code) => {
    const { tunnel } = await setUp(
      (_request, response) => {
        response.writeHead(status, { 'retry-after': '0' }).end();
      },
      { renewed: makePost({ items: [makeItem({ variants: [makeVariant({ url: URL_NEXT })] })] }) },
    );
    await expect(tunnel.open(tokenOf(tunnel), makeRequest())).rejects.toMatchObject({ code });
  });

  it('is never followed to another host', async () => {
    const { tunnel } = await setUp((_request, response) => {
      response.writeHead(302, { location: 'https://evil.example/x.mp4' }).end();
    });
    await expect(tunnel.open(tokenOf(tunnel), makeRequest())).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('serves no address outside its hosts, even in a token of its own', async () => {
    const { tunnel, asked } = await setUp(serving);
    for (const url of ['https://cdninstagram.com.evil.example/a.mp4', 'http://127.0.0.1/a.mp4', 'file:///etc/passwd']) {
      await expect(tunnel.open(tokenOf(tunnel, { url }), makeRequest())).rejects.toBeInstanceOf(AppError);
    }
    expect(asked).toEqual([]);
  });
});

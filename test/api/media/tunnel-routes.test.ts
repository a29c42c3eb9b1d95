import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { contentDisposition, tunnelRoutes } from '../../../src/api/media/tunnel-routes.ts';
import { createResponseStreams, type ResponseStreamsOptions } from '../../../src/infra/server/response-streams.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { createPlayerLinks } from '../../../src/media/tunnel/player-links.ts';
import { createTunnel } from '../../../src/media/tunnel/tunnel.ts';
import type { TunnelFile } from '../../../src/media/tunnel/tunnel-token.ts';
import { collectGarbage } from '../../collect-garbage.ts';
import { createApiServer } from '../../fakes/api-server.ts';
import { fileOf, serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { noMux } from '../../fakes/no-mux.ts';
import { makePost } from '../../fakes/post.ts';

const FILE = fileOf(50_000);
const MB = 1024 * 1024;

/** Medley between a client and a CDN, both real, on loopback. */
async function setUp(cdn: RequestListener, bounds: ResponseStreamsOptions = {}) {
  const server = await createApiServer({ trustProxy: ['loopback'] });
  const { origin } = await serveHttp(cdn);
  const key = randomBytes(32);
  const tunnel = createTunnel({
    key,
    http: createTestClient({ '*.cdninstagram.com': origin }),
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    refresh: async () => ({ items: [] }),
    muxTracks: noMux,
    log: server.log,
  });
  const playbacks = createPlayerLinks(key, tunnel, async () => makePost());
  const streams = createResponseStreams(bounds);
  await server.app.register(tunnelRoutes({ tunnel, playbacks, publicUrl: undefined, streams, log: server.log }));
  const address = (changes: Partial<TunnelFile> = {}) => tunnel.address(makeFile(changes));
  return { server, tunnel, address, streams };
}

async function listening(setup: {
  server: { listen: (where: { host: string; port: number }) => Promise<{ origin: string }> };
}) {
  return (await setup.server.listen({ host: '127.0.0.1', port: 0 })).origin;
}

function makeFile(changes: Partial<TunnelFile>): TunnelFile {
  return {
    post: { source: 'instagram', id: 'C9TestReef01' },
    index: 0,
    url: 'https://scontent.cdninstagram.com/v/reef.mp4?oe=7F000000',
    mime: 'video/mp4',
    fileName: 'medley-instagram-C9TestReef01.mp4',
    expiresAt: Date.now() + 3_600_000,
    ...changes,
  };
}

const serving: RequestListener = (request, response) => serveFile(request, response, FILE);

describe('GET /media/:token', () => {
  it('streams the file with headers that let it be shown, on pages of other origins too, and nothing else', async () => {
    const { server, address } = await setUp(serving);
    const response = await server.app.inject(address());
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload.equals(FILE)).toBe(true);
    expect(response.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '50000',
      'accept-ranges': 'bytes',
      'content-disposition':
        'inline; filename="medley-instagram-C9TestReef01.mp4"; filename*=UTF-8\'\'medley-instagram-C9TestReef01.mp4',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(response.headers['cache-control']).toMatch(/^private, max-age=3[56]\d\d$/);
    expect(response.headers['x-ratelimit-limit']).toBeUndefined();
  });

  it('saves it when asked to', async () => {
    const { server, address } = await setUp(serving);
    const saved = await server.app.inject(`${address()}?download=1`);
    expect(saved.headers['content-disposition']).toMatch(/^attachment; /);
    const shown = await server.app.inject(`${address()}?download=0`);
    expect(shown.headers['content-disposition']).toMatch(/^inline; /);
  });

  it('gives parts, sizes and refusals of parts', async () => {
    const { server, address } = await setUp(serving);
    const part = await server.app.inject({ url: address(), headers: { range: 'bytes=100-199' } });
    expect(part.statusCode).toBe(206);
    expect(part.headers['content-range']).toBe('bytes 100-199/50000');
    expect(part.rawPayload.equals(FILE.subarray(100, 200))).toBe(true);
    const head = await server.app.inject({ method: 'HEAD', url: address() });
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '50000', '']);
    const beyond = await server.app.inject({ url: address(), headers: { range: 'bytes=60000-' } });
    expect([beyond.statusCode, beyond.headers['content-range'], beyond.body]).toEqual([416, 'bytes */50000', '']);
  });

  it('refuses what is no token of ours in the envelope', async () => {
    const { server, address } = await setUp(serving);
    const tampered = address().replace(/.$/, last => (last === 'A' ? 'Q' : 'A'));
    for (const url of [
      '/media/abc',
      tampered.replace('/media/', '/media/A'),
      `/media/${'A'.repeat(13_000)}`,
      '/media/%ff',
    ]) {
      const response = await server.app.inject(url);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ status: 404, error: { code: 'not_found' } });
      expect(response.headers['cache-control']).toBe('no-store');
    }
  });

  it('says 503 when an mp4 turns out to be a page', async () => {
    const { server, address } = await setUp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>');
    });
    const response = await server.app.inject(address());
    expect(response.statusCode).toBe(503);
    expect(response.json().error.code).toBe('upstream_unavailable');
    expect(response.body).not.toContain('Log in');
  });

  it('answers other methods with 405', async () => {
    const { server, address } = await setUp(serving);
    const response = await server.app.inject({ method: 'POST', url: address() });
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('many files at once', () => {
  it('are 24 for one client; the next is told when to come back, and comes in when one has ended', async () => {
    const held: (() => void)[] = [];
    const { server, address } = await setUp((request, response) => {
      held.push(() => serveFile(request, response, FILE));
    });
    const flowing = Array.from({ length: 24 }, () => server.app.inject(address()));
    await expect.poll(() => held.length).toBe(24);
    const refused = await server.app.inject(address());
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    for (const answer of held) answer();
    for (const response of await Promise.all(flowing)) expect(response.statusCode).toBe(200);
    const next = server.app.inject(address());
    await expect.poll(() => held.length).toBe(25);
    held.at(-1)?.();
    expect((await next).statusCode).toBe(200);
  });
});

describe('the places of all clients', () => {
  const from = (client: string) => ({ headers: { 'x-forwarded-for': client } });

  it('are shared: who has few takes one of who has many, and is only refused when all have as few', async () => {
    const ends: string[] = [];
    const held: (() => void)[] = [];
    const cdn: RequestListener = (request, response) => {
      held.push(() => serveFile(request, response, FILE));
    };
    const { server, address, streams } = await setUp(cdn, { total: 4, perClient: 3, onEnd: end => ends.push(end) });
    const greedy = [1, 2, 3].map(() => server.app.inject({ url: address(), ...from('192.0.2.1') }).catch(() => 'cut'));
    await expect.poll(() => held.length).toBe(3);
    const second = server.app.inject({ url: address(), ...from('192.0.2.2') });
    await expect.poll(() => streams.count).toBe(4);
    const third = server.app.inject({ url: address(), ...from('192.0.2.3') });
    await expect.poll(() => ends).toEqual(['displaced']);
    expect(streams.count).toBe(4);
    const fourth = server.app.inject({ url: address(), ...from('192.0.2.4') });
    await expect.poll(() => ends).toEqual(['displaced', 'displaced']);
    const refused = await server.app.inject({ url: address(), ...from('192.0.2.5') });
    expect(refused.statusCode).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.json().error.message).toBe('This server is busy. Try again in a moment.');
    await expect.poll(() => held.length).toBe(6);
    for (const answer of held) answer();
    for (const response of await Promise.all([second, third, fourth])) expect(response.statusCode).toBe(200);
    await Promise.all(greedy);
    expect(streams.count).toBe(0);
  });
});

describe('a client that reads too slowly', () => {
  const slow = { windowMs: 300, minBytesPerSecond: 50_000 };

  it('is cut off, and the CDN let go', async () => {
    let closed: Promise<unknown> | undefined;
    const ends: string[] = [];
    const cdn: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 500 * MB });
      closed = once(response, 'close');
      endless().pipe(response);
    };
    const setup = await setUp(cdn, { ...slow, onEnd: end => ends.push(end) });
    const origin = await listening(setup);
    const idle = get(origin + setup.address());
    const [response] = await once(idle, 'response');
    response.on('error', () => undefined);
    const lost = new Promise(resolve => response.once('close', resolve));
    await expect(closed).resolves.toBeDefined();
    response.resume();
    await lost;
    expect(ends).toEqual(['slow']);
    expect(setup.streams.count).toBe(0);
    expect(setup.server.log.at()).toEqual([]);
  });

  it('is not one that waits for a slow CDN', async () => {
    const cdn: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 8 });
      let left = 8;
      const drip = setInterval(() => {
        response.write('a');
        left -= 1;
        if (left > 0) return;
        clearInterval(drip);
        response.end();
      }, 150);
    };
    const ends: string[] = [];
    const setup = await setUp(cdn, { ...slow, onEnd: end => ends.push(end) });
    const origin = await listening(setup);
    const response = await fetch(origin + setup.address());
    expect(await response.text()).toBe('aaaaaaaa');
    expect(ends).toEqual([]);
  });

  it('is another than one that reads for too long', async () => {
    const cdn: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 500 * MB });
      const drip = setInterval(() => response.write(Buffer.alloc(1_000)), 20);
      response.once('close', () => clearInterval(drip));
    };
    const ends: string[] = [];
    const setup = await setUp(cdn, {
      lifetimeMs: 4_000,
      windowMs: 200,
      minBytesPerSecond: 1,
      onEnd: end => ends.push(end),
    });
    const origin = await listening(setup);
    const response = await fetch(origin + setup.address());
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(ends).toEqual(['old']);
  });
});

describe('a stream that breaks off', () => {
  it('because the client left lets go of the CDN', async () => {
    let closed: Promise<unknown> | undefined;
    const setup = await setUp((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 500 * MB });
      closed = once(response, 'close');
      endless().pipe(response);
    });
    const origin = await listening(setup);
    const client = new AbortController();
    const response = await fetch(origin + setup.address(), { signal: client.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    client.abort();
    await expect(closed).resolves.toBeDefined();
    expect(setup.server.log.at()).toEqual([]);
  });

  it('because the CDN died never looks like a whole file', async () => {
    let die = (): unknown => undefined;
    const setup = await setUp((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      response.write(Buffer.alloc(100_000));
      die = () => response.destroy();
    });
    const origin = await listening(setup);
    const response = await fetch(origin + setup.address());
    expect(response.status).toBe(200);
    die();
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(setup.server.log.at('warn').map(line => line.message)).toEqual(['a media file broke off']);
    expect((await setup.server.app.inject('/healthz')).statusCode).toBe(200);
  });
});

describe('memory', () => {
  it('does not grow with the size of a file, nor with a client that does not read', async () => {
    const size = 400 * MB;
    const setup = await setUp((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': size });
      endless(size).pipe(response);
    });
    const origin = await listening(setup);
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    };

    // Not read at all for a while: the CDN has to wait, not our memory.
    const idle = get(origin + setup.address());
    await once(idle, 'response');
    await pause(1_000);
    watch();
    idle.destroy();

    const response = await fetch(origin + setup.address());
    let received = 0;
    let collectedAt = 0;
    for await (const chunk of response.body ?? []) {
      received += chunk.length;
      watch();
      // Left to itself, Node 24 lets up to 180 MB that nobody holds come together.
      if (received > collectedAt + 20 * MB) {
        collectGarbage();
        collectedAt = received;
      }
    }
    expect(received).toBe(size);
    // Three programs (CDN, Medley, client) share this process.
    expect(peak - before).toBeLessThan(120 * MB);
  });
});

describe('contentDisposition', () => {
  it('carries any name without breaking out of its header', () => {
    expect(contentDisposition('inline', 'a-b_c.mp4')).toBe(
      'inline; filename="a-b_c.mp4"; filename*=UTF-8\'\'a-b_c.mp4',
    );
    const odd = contentDisposition('attachment', 'día "1"\r\n(x)\'.mp4');
    expect(odd).not.toMatch(/[\r\n]/);
    expect(odd).toContain('filename="d_a__1____x__.mp4"');
    expect(odd).toContain("filename*=UTF-8''d%C3%ADa%20%221%22%0D%0A%28x%29%27.mp4");
  });
});

/** Bytes without end, or so many of them, made as they are read. */
function endless(bytes = Number.POSITIVE_INFINITY): Readable {
  const chunk = Buffer.alloc(64 * 1024, 7);
  let left = bytes;
  return new Readable({
    read() {
      const next = left >= chunk.length ? chunk : chunk.subarray(0, left);
      left -= next.length;
      this.push(next.length === 0 ? null : next);
    },
  });
}

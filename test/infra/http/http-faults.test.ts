import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { HttpClient, HttpRequest } from '../../../src/infra/http/http-client.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveTcp } from '../../fakes/loopback.ts';

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1';
const hosts = [host];

async function clientOfRaw(answer: (socket: Socket) => void): Promise<HttpClient> {
  const server = await serveTcp(socket => {
    socket.once('data', () => answer(socket));
  });
  return createTestClient({ [host]: server.origin });
}

function ask(client: HttpClient, more: Partial<HttpRequest> = {}): Promise<unknown> {
  return client.request({ url, hosts, retries: 0, timeoutMs: 5_000, ...more }).catch((error: unknown) => error);
}

describe('faults of an upstream', () => {
  it.each([
    ['nothing, then the end', ''],
    ['half a status line', 'HTTP/1.1 20'],
    ['half the headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['less than its content-length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'],
    ['chunks without an end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['chunks that are none', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nhello'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    [
      'an upgrade nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
    ],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'x-y: 0123456789\r\n'.repeat(5_000)}`],
    ['one endless header', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`],
    ['gzip that is none', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\ncontent-encoding: rot13\r\ncontent-length: 5\r\n\r\nhello'],
    [
      'codings without end',
      `HTTP/1.1 200 OK\r\ncontent-encoding: ${'gzip, '.repeat(900)}gzip\r\ncontent-length: 5\r\n\r\nhello`,
    ],
  ])('%s: an unavailable upstream with its cause', async (_what, answer) => {
    const client = await clientOfRaw(socket => socket.end(answer));
    const error = await ask(client);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'upstream_unavailable' });
  });

  it('truncated gzip: an unavailable upstream', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(10_000)).subarray(0, 30));
    });
    expect(await ask(createTestClient({ [host]: server.origin }))).toMatchObject({
      code: 'upstream_unavailable',
      cause: { code: 'Z_BUF_ERROR' },
    });
  });

  it('a reset in the middle of the body: an unavailable upstream', async () => {
    const client = await clientOfRaw(socket => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    expect(await ask(client)).toMatchObject({ code: 'upstream_unavailable', cause: expect.any(Error) });
  });

  it('nobody listening: an unavailable upstream', async () => {
    const server = await serveTcp(() => {});
    const client = createTestClient({ [host]: server.origin.replace(/\d+$/, '1') });
    expect(await ask(client)).toMatchObject({ code: 'upstream_unavailable', cause: { code: 'ECONNREFUSED' } });
  });

  it('a body that ends with the connection is whole', async () => {
    const client = await clientOfRaw(socket => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it'));
    expect(await ask(client)).toMatchObject({ status: 200, text: 'all of it' });
  });

  it.each([
    ['silence before the headers', ''],
    ['silence in the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
    ['silence in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
  ])('%s: a timeout by the deadline', async (_what, answer) => {
    const client = await clientOfRaw(socket => socket.write(answer));
    const error = await ask(client, { timeoutMs: 150 });
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('150 ms') });
  });

  it('a slow drip: a timeout by the deadline, however steady', async () => {
    const client = await clientOfRaw(socket => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const drip = setInterval(() => socket.write('1\r\nx\r\n'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await ask(client, { timeoutMs: 200 })).toMatchObject({ code: 'timeout' });
  });

  it('silence longer than a pause may be: a timeout before the deadline', async () => {
    const server = await serveTcp(socket => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    });
    const client = createTestClient({ [host]: server.origin }, { pauseTimeoutMs: 100 });
    const error = await ask(client, { timeoutMs: 60_000 });
    expect(error).toMatchObject({ code: 'timeout', cause: { code: 'UND_ERR_BODY_TIMEOUT' } });
  });

  it('a connection that takes too long to be made: a timeout before the deadline, for a POST repeated', async () => {
    const server = await serveTcp(() => {});
    const stuck = server.origin.replace('http:', 'https:');
    const client = createTestClient({ [host]: stuck }, { connectTimeoutMs: 100 });
    const error = await ask(client, { method: 'POST', retries: 1, timeoutMs: 60_000 });
    expect(error).toMatchObject({ code: 'timeout', cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } });
    expect(server.connections()).toBe(2);
  });

  it('no headers for longer than they may take: a timeout before the deadline', async () => {
    const server = await serveTcp(() => {});
    const client = createTestClient({ [host]: server.origin }, { headersTimeoutMs: 100 });
    const error = await ask(client, { timeoutMs: 60_000 });
    expect(error).toMatchObject({ code: 'timeout', cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
  });
});

describe('after a fault', () => {
  it('the next request works, on the same client', async () => {
    const faults = ['', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', 'nonsense\r\n\r\n'];
    let turn = 0;
    const server = await serveTcp(socket => {
      socket.once('data', () => {
        const fault = faults[turn % 2 === 0 ? turn / 2 : -1];
        turn++;
        socket.end(fault ?? 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    const client = createTestClient({ [host]: server.origin });
    for (const fault of faults) {
      expect(await ask(client), fault).toMatchObject({ code: 'upstream_unavailable' });
      expect(await ask(client), `after ${fault}`).toMatchObject({ status: 200, text: 'ok' });
    }
  });
});

describe('the byte cap', () => {
  it('stops an endless body', async () => {
    let sent = 0;
    let closed = false;
    const server = await serveHttp((_request, response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
      };
      response.on('drain', pour).on('close', () => {
        closed = true;
      });
      pour();
    });
    const client = createTestClient({ [host]: server.origin });
    expect(await ask(client, { maxBytes: 100_000 })).toMatchObject({ code: 'too_large' });
    await expect.poll(() => closed).toBe(true);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('refuses a length beyond it at once', async () => {
    const client = await clientOfRaw(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n'));
    expect(await ask(client, { maxBytes: 1_000, timeoutMs: 60_000 })).toMatchObject({ code: 'too_large' });
  });

  it('lets exactly as much through', async () => {
    const server = await serveHttp((_request, response) => response.end('x'.repeat(1_000)));
    const client = createTestClient({ [host]: server.origin });
    expect(await ask(client, { maxBytes: 1_000 })).toMatchObject({ status: 200 });
    expect(await ask(client, { maxBytes: 999 })).toMatchObject({ code: 'too_large' });
  });

  const zeros = Buffer.alloc(96 * 1024 * 1024);
  const gzipBomb = gzipSync(zeros);
  it.each([
    ['gzip', gzipBomb],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['gzip, gzip', gzipSync(gzipBomb)],
  ])('bounds what %s unpacks to, and the memory for it', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(200_000);
    const server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
    );
    const client = createTestClient({ [host]: server.origin });
    const before = process.memoryUsage().rss;
    expect(await ask(client, { maxBytes: 1_000_000 })).toMatchObject({ code: 'too_large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('counts tiny chunks by their bytes', async () => {
    const bytes = randomBytes(20_000).toString('hex');
    const server = await serveHttp((_request, response) => {
      for (const letter of bytes) response.write(letter);
      response.end();
    });
    const client = createTestClient({ [host]: server.origin });
    expect(await ask(client, { maxBytes: 40_000 })).toMatchObject({ text: bytes });
  });
});

describe('abort', () => {
  it('before the call, while it connects, waits or reads ends it at once with what the caller said', async () => {
    const server = await serveTcp(socket => {
      socket.once('data', data => {
        if (data.includes('/body')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
      });
    });
    const client = createTestClient({ [host]: server.origin });
    const stop = new AppError('not_found', 'the message is gone');
    for (const path of ['headers', 'body']) {
      for (const afterMs of [0, 1, 50]) {
        const abort = new AbortController();
        if (afterMs === 0) abort.abort(stop);
        else setTimeout(() => abort.abort(stop), afterMs);
        expect(await ask(client, { url: `https://${host}/${path}`, signal: abort.signal, timeoutMs: 60_000 })).toBe(
          stop,
        );
      }
    }
  });

  it('for another reason is a timeout with that cause', async () => {
    const server = await serveTcp(() => {});
    const reason = new Error('shutting down');
    expect(await ask(createTestClient({ [host]: server.origin }), { signal: AbortSignal.abort(reason) })).toMatchObject(
      {
        code: 'timeout',
        cause: reason,
      },
    );
    expect(server.connections()).toBe(0);
  });

  it('closes the connection it used', async () => {
    let closed = false;
    const server = await serveTcp(socket => {
      socket.on('close', () => {
        closed = true;
      });
    });
    const abort = new AbortController();
    const asked = ask(createTestClient({ [host]: server.origin }), { signal: abort.signal });
    await expect.poll(() => server.connections()).toBe(1);
    abort.abort();
    await asked;
    await expect.poll(() => closed).toBe(true);
  });
});

describe('what is wrong with the request itself', () => {
  it('is an internal error, not one of the upstream', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const client = createTestClient({ [host]: server.origin });
    expect(await ask(client, { headers: { 'x-bad': 'a\r\nb: c' } })).toMatchObject({ code: 'internal' });
    expect(await ask(client)).toMatchObject({ status: 200 });
  });
});

import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { HttpClientOptions, HttpRequest } from '../../src/infra/http/http-client.ts';
import { createTestClient } from '../fakes/http-client.ts';
import { type ServedListener, serveTcp } from '../fakes/loopback.ts';
import type { HttpTransportUnderTest } from './http-transport.ts';

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1';
const hosts = [host];
const BOMBS = packed(Buffer.alloc(96 * 1024 * 1024));

function packed(bytes: Buffer): [encoding: string, body: Buffer][] {
  const gzip = gzipSync(bytes);
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  return [
    ['gzip', gzip],
    ['br', brotli],
    ['gzip, gzip', gzipSync(gzip)],
  ];
}

/** What every transport makes of bytes too many, of time too long and of servers that misbehave. */
export function httpLimitsContract(name: string, { transport, serve }: HttpTransportUnderTest): void {
  type Ask = (more?: Partial<HttpRequest>) => Promise<unknown>;

  function asker(origin: string, options: HttpClientOptions = {}): Ask {
    const client = createTestClient({ [host]: origin }, options);
    return (more = {}) =>
      client
        .request({ url, hosts, transport, retries: 0, timeoutMs: 50_000, ...more })
        .catch((error: unknown) => error);
  }

  const askServed = async (listener: ServedListener, options?: HttpClientOptions): Promise<Ask> =>
    asker((await serve(listener)).origin, options);

  const askRaw = async (answer: (socket: Socket) => void): Promise<Ask> =>
    asker((await serveTcp(socket => socket.once('data', () => answer(socket)))).origin);

  describe(`a fault of an upstream over the ${name}`, () => {
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
        'an upgrade that was not asked for',
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
      ],
      ['endless headers', `HTTP/1.1 200 OK\r\n${'x-y: 0123456789\r\n'.repeat(50_000)}`],
      ['one endless header', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_000_000)}`],
      ['gzip that is none', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello'],
      ['an unknown coding', 'HTTP/1.1 200 OK\r\ncontent-encoding: rot13\r\ncontent-length: 5\r\n\r\nhello'],
      [
        'codings without end',
        `HTTP/1.1 200 OK\r\ncontent-encoding: ${'gzip, '.repeat(900)}gzip\r\ncontent-length: 5\r\n\r\nhello`,
      ],
    ])('%s: an unavailable upstream with its cause', async (_what, answer) => {
      const ask = await askRaw(socket => socket.end(answer));
      const error = await ask();
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: 'upstream_unavailable', params: {} });
    });

    it('truncated gzip: an unavailable upstream', async () => {
      const half = gzipSync('x'.repeat(10_000)).subarray(0, 30);
      const ask = await askServed((_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(half),
      );
      expect(await ask()).toMatchObject({ code: 'upstream_unavailable', cause: expect.any(Error) });
    });

    it('a reset in the middle of the body: an unavailable upstream', async () => {
      const ask = await askRaw(socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
      expect(await ask()).toMatchObject({ code: 'upstream_unavailable', cause: expect.any(Error) });
    });

    it('nothing that listens: an unavailable upstream', async () => {
      expect(await asker('http://127.0.0.1:1')()).toMatchObject({ code: 'upstream_unavailable' });
    });

    it('a body that ends with the connection is whole', async () => {
      const ask = await askRaw(socket => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it'));
      expect(await ask()).toMatchObject({ status: 200, text: 'all of it' });
    });

    it('leaves the next request as it is', async () => {
      const faults = ['', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', 'nonsense\r\n\r\n'];
      let count = 0;
      const server = await serveTcp(socket => {
        socket.once('data', () => {
          const fault = faults[count % 2 === 0 ? count / 2 : -1];
          count++;
          // Each request has a connection of its own: one that is kept may be found closed, which is another fault.
          socket.end(fault ?? 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
        });
      });
      const ask = asker(server.origin);
      for (const fault of faults) {
        expect(await ask(), fault).toMatchObject({ code: 'upstream_unavailable' });
        expect(await ask(), `after ${fault}`).toMatchObject({ status: 200, text: 'ok' });
      }
    });
  });

  describe(`time over the ${name}`, () => {
    it.each([
      ['silence before the headers', ''],
      ['silence in the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
      ['silence in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    ])('%s: a timeout by the deadline', async (_what, answer) => {
      const ask = await askRaw(socket => socket.write(answer));
      const error = await ask({ timeoutMs: 150 });
      expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('150 ms') });
    });

    it('a slow drip: a timeout by the deadline, however steady', async () => {
      const ask = await askServed((_request, response) => {
        const drip = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(drip));
      });
      expect(await ask({ timeoutMs: 200 })).toMatchObject({ code: 'timeout' });
    });

    it('silence longer than a pause may be: a timeout before the deadline', async () => {
      const ask = await askServed((_request, response) => response.write('half'), { pauseTimeoutMs: 200 });
      const startedAt = performance.now();
      expect(await ask({ timeoutMs: 60_000 })).toMatchObject({ code: 'timeout' });
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    });

    it('no headers for longer than they may take: a timeout before the deadline', async () => {
      const ask = await askServed(() => {}, { headersTimeoutMs: 200 });
      expect(await ask({ timeoutMs: 60_000 })).toMatchObject({ code: 'timeout' });
    });

    it('a connection that takes too long to be made: a timeout before the deadline, for a POST repeated', async () => {
      const server = await serveTcp(() => {});
      const ask = asker(server.origin.replace('http:', 'https:'), { connectTimeoutMs: 100 });
      const error = await ask({ method: 'POST', retries: 1, timeoutMs: 60_000 });
      expect(error).toMatchObject({ code: 'timeout', cause: expect.any(Error) });
      expect(server.connections()).toBe(2);
    });
  });

  describe(`the byte cap over the ${name}`, () => {
    const tooLarge = { code: 'too_large', params: { own: 1 } };

    it('stops an endless body', async () => {
      let sent = 0;
      let closed = false;
      const ask = await askServed((request, response) => {
        if (request.url === '/short') {
          response.write('short');
          response.end();
          return;
        }
        const pour = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
        };
        response.on('drain', pour);
        response.on('close', () => {
          closed = true;
        });
        pour();
      });
      expect(await ask({ maxBytes: 100_000 })).toMatchObject(tooLarge);
      // The browser transport lets go of it with a later body.
      await expect
        .poll(async () => {
          await ask({ url: `https://${host}/short` });
          return closed;
        })
        .toBe(true);
      expect(sent).toBeLessThan(64 * 1024 * 1024);
    });

    it('refuses a length beyond it at once', async () => {
      const ask = await askRaw(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4000001\r\n\r\n'));
      expect(await ask({ maxBytes: 4_000_000, timeoutMs: 60_000 })).toMatchObject(tooLarge);
    });

    it('lets exactly as much through', async () => {
      const ask = await askServed((_request, response) => response.end('x'.repeat(1_000)));
      expect(await ask({ maxBytes: 1_000 })).toMatchObject({ status: 200 });
      expect(await ask({ maxBytes: 999 })).toMatchObject(tooLarge);
    });

    it('is 16 MiB unless the request says otherwise', async () => {
      const limit = 16 * 1024 * 1024;
      const ask = await askServed((request, response) =>
        response.end(Buffer.alloc(request.url === '/more' ? limit + 1 : limit, 'x')),
      );
      expect(await ask()).toMatchObject({ bytes: expect.objectContaining({ length: limit }) });
      expect(await ask({ url: `https://${host}/more` })).toMatchObject(tooLarge);
    });

    it.each(BOMBS)('bounds what %s unpacks to, and the memory for it', async (encoding, bomb) => {
      expect(bomb.length).toBeLessThan(200_000);
      const ask = await askServed((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
      );
      const before = process.memoryUsage().rss;
      expect(await ask({ maxBytes: 1_000_000 })).toMatchObject(tooLarge);
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    });

    it('counts tiny chunks by their bytes', async () => {
      const bytes = randomBytes(20_000).toString('hex');
      const ask = await askServed((_request, response) => {
        for (const letter of bytes) response.write(letter);
        response.end();
      });
      expect(await ask({ maxBytes: 40_000 })).toMatchObject({ text: bytes });
    });
  });

  describe(`an abort over the ${name}`, () => {
    it('before the call, while it connects, waits or reads ends it at once with what the caller said', async () => {
      const server = await serve((request, response) => {
        if (request.url === '/body') response.write('half');
      });
      const ask = asker(server.origin);
      const stop = new AppError('not_found', 'the message is gone');
      for (const path of ['headers', 'body']) {
        for (const afterMs of [0, 1, 50]) {
          const abort = new AbortController();
          if (afterMs === 0) abort.abort(stop);
          else setTimeout(() => abort.abort(stop), afterMs);
          const asked = ask({ url: `https://${host}/${path}`, signal: abort.signal, timeoutMs: 60_000 });
          expect(await asked).toBe(stop);
        }
      }
    });

    it('for another reason is a timeout with that cause', async () => {
      const server = await serve((_request, response) => response.end());
      const reason = new Error('shutting down');
      const outcome = await asker(server.origin)({ signal: AbortSignal.abort(reason) });
      expect(outcome).toMatchObject({ code: 'timeout', cause: reason });
      expect(server.connections()).toBe(0);
    });

    it('ends the request at the server', async () => {
      let begun = false;
      let closed = false;
      const ask = await askServed((_request, response) => {
        begun = true;
        response.on('close', () => {
          closed = true;
        });
      });
      const abort = new AbortController();
      const asked = ask({ signal: abort.signal });
      await expect.poll(() => begun).toBe(true);
      abort.abort();
      await asked;
      await expect.poll(() => closed).toBe(true);
    });
  });

  describe(`what is wrong with a request itself, over the ${name}`, () => {
    it('is an internal error, not one of the upstream', async () => {
      const ask = await askServed((_request, response) => response.end());
      expect(await ask({ headers: { 'x-bad': 'a\r\nb: c' } })).toMatchObject({ code: 'internal' });
      expect(await ask()).toMatchObject({ status: 200 });
    });
  });
}

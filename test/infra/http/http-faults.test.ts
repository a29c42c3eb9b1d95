import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { HttpClient, HttpRequest } from '../../../src/infra/http/http-client.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveTcp } from '../../fakes/loopback.ts';

// What every transport makes of faults stands in test/contracts/http-limits.ts; these are the plain one's causes.

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1';
const hosts = [host];

function ask(client: HttpClient, more: Partial<HttpRequest> = {}): Promise<unknown> {
  return client.request({ url, hosts, retries: 0, timeoutMs: 5_000, ...more }).catch((error: unknown) => error);
}

describe('the cause of a failure', () => {
  it('is that of the decoder for truncated gzip', async () => {
    const half = gzipSync('x'.repeat(10_000)).subarray(0, 30);
    const server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(half),
    );
    expect(await ask(createTestClient({ [host]: server.origin }))).toMatchObject({
      code: 'upstream_unavailable',
      cause: { code: 'Z_BUF_ERROR' },
    });
  });

  it('is that of the socket when nothing listens', async () => {
    const client = createTestClient({ [host]: 'http://127.0.0.1:1' });
    expect(await ask(client)).toMatchObject({ code: 'upstream_unavailable', cause: { code: 'ECONNREFUSED' } });
  });

  it('distinguishes the timeouts', async () => {
    const silent = await serveTcp(() => {});
    const stuck = { [host]: silent.origin.replace('http:', 'https:') };
    const half = await serveTcp(socket => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    });
    const cases = [
      [createTestClient(stuck, { connectTimeoutMs: 100 }), 'UND_ERR_CONNECT_TIMEOUT'],
      [createTestClient({ [host]: silent.origin }, { headersTimeoutMs: 100 }), 'UND_ERR_HEADERS_TIMEOUT'],
      [createTestClient({ [host]: half.origin }, { pauseTimeoutMs: 100 }), 'UND_ERR_BODY_TIMEOUT'],
    ] as const;
    for (const [client, code] of cases) {
      expect(await ask(client, { timeoutMs: 60_000 })).toMatchObject({ code: 'timeout', cause: { code } });
    }
  });
});

describe('a declared length beyond the byte cap', () => {
  it('is refused before the body comes, however small', async () => {
    const server = await serveTcp(socket => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n'));
    });
    const client = createTestClient({ [host]: server.origin });
    expect(await ask(client, { maxBytes: 1_000, timeoutMs: 60_000 })).toMatchObject({ code: 'too_large' });
  });
});

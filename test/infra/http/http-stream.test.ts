import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveTcp } from '../../fakes/loopback.ts';

const host = 'video.cdn.test';
const url = 'https://video.cdn.test/v/1.mp4';
const hosts = ['*.cdn.test'];
const megabyte = Buffer.alloc(1024 * 1024, 'm');

describe('stream', () => {
  it('hands on the head, then the bytes as they are, asking for no coding', async () => {
    const server = await serveHttp((request, response) => {
      response.writeHead(206, {
        'content-range': 'bytes 0-3/10',
        'x-encoding': request.headers['accept-encoding'],
        'x-range': request.headers.range,
      });
      response.end('abcd');
    });
    const client = createTestClient({ [host]: server.origin });
    const { status, headers, body } = await client.stream({ url, hosts, headers: { range: 'bytes=0-3' }, maxBytes: 1 });
    expect(status).toBe(206);
    expect(headers).toMatchObject({
      'content-range': 'bytes 0-3/10',
      'x-encoding': 'identity',
      'x-range': 'bytes=0-3',
    });
    expect(await bytesOf(body)).toEqual(Buffer.from('abcd'));
  });

  it('refuses a body that is packed all the same, whose bytes are not the file’s', async () => {
    let coding = 'gzip';
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-encoding': coding }).end('abcd');
    });
    const client = createTestClient({ [host]: server.origin });
    for (coding of ['gzip', 'BR', 'identity, deflate', 'zstd']) {
      await expect(client.stream({ url, hosts }), coding).rejects.toMatchObject({ code: 'upstream_unavailable' });
    }
    // Stores of files also state there what is no coding.
    for (coding of ['identity', 'utf-8', 'aws-chunked', '']) {
      const { body } = await client.stream({ url, hosts });
      expect(await bytesOf(body), coding).toEqual(Buffer.from('abcd'));
    }
  });

  it('streams a HEAD as an empty body', async () => {
    const server = await serveHttp((_request, response) => response.writeHead(200, { 'content-length': 12345 }).end());
    const { headers, body } = await createTestClient({ [host]: server.origin }).stream({ url, hosts, method: 'HEAD' });
    expect(headers['content-length']).toBe('12345');
    expect(await bytesOf(body)).toEqual(Buffer.alloc(0));
  });

  it('follows redirects to its body', async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === '/next') response.end('end of /next');
      else response.writeHead(302, { location: '/next' }).end('moved');
    });
    const stream = await createTestClient({ [host]: server.origin }).stream({ url, hosts });
    expect(stream.url).toBe(`https://${host}/next`);
    expect(await bytesOf(stream.body)).toEqual(Buffer.from('end of /next'));
  });

  it('is destroyed by its signal also when all of it has come and is not read', async () => {
    const server = await serveHttp((_request, response) => response.end('all of it'));
    const stopping = new AbortController();
    const { body } = await createTestClient({ [host]: server.origin }).stream({ url, hosts, signal: stopping.signal });
    await new Promise(resolve => setTimeout(resolve, 100));
    stopping.abort();
    expect(body.destroyed).toBe(true);
    expect(body.errored).toMatchObject({ code: 'timeout' });
  });

  it('is for the plain transport alone', async () => {
    const asked = createTestClient({}).stream({ url, hosts, transport: 'browser' });
    await expect(asked).rejects.toMatchObject({ code: 'internal' });
  });

  it('lets the upstream wait for a slow reader instead of keeping the bytes', async () => {
    let sent = 0;
    const server = await serveHttp((_request, response) => {
      const pour = (): void => {
        while (sent < 256 && !response.destroyed) {
          sent++;
          if (!response.write(megabyte)) return;
        }
        if (sent === 256) response.end();
      };
      response.on('drain', pour);
      pour();
    });
    const { body } = await createTestClient({ [host]: server.origin }).stream({ url, hosts });
    await once(body, 'readable');
    await new Promise(resolve => setTimeout(resolve, 200));
    // What the sockets hold on both sides, and no more.
    expect(sent).toBeLessThan(64);
    expect(body.readableLength).toBeLessThan(1024 * 1024);
    let received = 0;
    await pipeline(
      body,
      new Writable({
        write(chunk, _encoding, done) {
          received += chunk.length;
          done();
        },
      }),
    );
    expect(received).toBe(256 * 1024 * 1024);
  });

  it('goes on longer than its timeout while bytes come', async () => {
    const server = await serveHttp((_request, response) => {
      let left = 9;
      const timer = setInterval(() => {
        if (left-- > 0) response.write('x');
        else {
          clearInterval(timer);
          response.end();
        }
      }, 400);
    });
    const { body } = await createTestClient({ [host]: server.origin }).stream({ url, hosts, timeoutMs: 3_000 });
    expect((await bytesOf(body)).toString()).toBe('x'.repeat(9));
  });

  it('fails when headers do not come in time', async () => {
    const server = await serveTcp(() => {});
    const client = createTestClient({ [host]: server.origin });
    await expect(client.stream({ url, hosts, timeoutMs: 100 })).rejects.toMatchObject({ code: 'timeout' });
  });

  it.each([
    ['silence', 'timeout', () => {}],
    ['a reset', 'upstream_unavailable', (socket: Socket) => socket.resetAndDestroy()],
    ['an early end', 'upstream_unavailable', (socket: Socket) => socket.end()],
  ])('fails the body by %s as %s', async (_what, code, afterwards) => {
    const server = await serveTcp(socket => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
        setTimeout(afterwards, 30, socket);
      });
    });
    const { body } = await createTestClient({ [host]: server.origin }).stream({
      url,
      hosts,
      timeoutMs: 3_000,
      retries: 0,
    });
    const error = await bytesOf(body).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code, cause: expect.any(Error) });
  });

  it('keeps a failure that comes before anyone reads for the reader, without ending the process', async () => {
    const server = await serveTcp(socket => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    });
    const { body } = await createTestClient({ [host]: server.origin }).stream({ url, hosts });
    await new Promise(resolve => setTimeout(resolve, 100));
    await expect(bytesOf(body)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('ends by the abort of the caller, with its reason', async () => {
    const { origin, closed } = await serveEndless();
    const abort = new AbortController();
    const { body } = await createTestClient({ [host]: origin }).stream({ url, hosts, signal: abort.signal });
    const stop = new AppError('too_large', 'enough');
    body.once('data', () => abort.abort(stop));
    await expect(bytesOf(body)).rejects.toBe(stop);
    await expect.poll(closed).toBe(true);
  });

  it('closes the connection when its body is destroyed', async () => {
    const { origin, closed } = await serveEndless();
    const { body } = await createTestClient({ [host]: origin }).stream({ url, hosts });
    await once(body, 'readable');
    body.destroy();
    await expect.poll(closed).toBe(true);
  });

  it('leaves the signal alone once it has ended', async () => {
    const server = await serveHttp((_request, response) => response.end('done'));
    const abort = new AbortController();
    const { body } = await createTestClient({ [host]: server.origin }).stream({ url, hosts, signal: abort.signal });
    expect((await bytesOf(body)).toString()).toBe('done');
    abort.abort();
    expect(body.errored).toBeNull();
  });
});

async function serveEndless() {
  let closed = false;
  const server = await serveHttp((_request, response) => {
    const pour = (): void => {
      while (!response.destroyed && response.write(megabyte.subarray(0, 16_384)));
    };
    response.on('drain', pour).on('close', () => {
      closed = true;
    });
    pour();
  });
  return { origin: server.origin, closed: () => closed };
}

async function bytesOf(body: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

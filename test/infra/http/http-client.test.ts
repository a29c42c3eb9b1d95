import { once } from 'node:events';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { HttpEvent } from '../../../src/infra/http/attempt.ts';
import { createCertificate } from '../../fakes/certificate.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveHttps } from '../../fakes/loopback.ts';

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1?a=b%20c';
const hosts = [host];

describe('request', () => {
  it('asks the stand-in with the original host and answers with the logical address', async () => {
    const server = await serveHttp((request, response) => {
      response.setHeader('X-One', ['a', 'b']);
      response.setHeader('set-cookie', ['secret=1']);
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }));
    });
    const client = createTestClient({ [host]: server.origin });
    const response = await client.request({
      url: `${url}#part`,
      hosts,
      headers: { 'X-Two': 'ö'.normalize('NFC') === 'ö' ? '2' : '' },
    });
    expect(response.status).toBe(200);
    expect(response.url).toBe(`${url}#part`);
    expect(response.headers).toMatchObject({ 'x-one': 'a, b' });
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(JSON.parse(response.text)).toEqual({
      method: 'GET',
      url: '/p/1?a=b%20c',
      headers: {
        host,
        connection: 'keep-alive',
        'x-two': '2',
        'user-agent': 'Medley',
        'accept-encoding': 'gzip, deflate, br',
      },
    });
  });

  it("lets the caller's headers win, but not those of the connection", async () => {
    const server = await serveHttp((request, response) => response.end(JSON.stringify(request.headers)));
    const client = createTestClient({ [host]: server.origin }, { userAgent: 'Something/1' });
    const asked = await client.request({ url, hosts });
    expect(JSON.parse(asked.text)).toMatchObject({ 'user-agent': 'Something/1' });
    const headers = { 'User-Agent': 'Else/2', 'Accept-Encoding': 'identity', Host: 'evil.test', Connection: 'close' };
    const response = await client.request({ url, hosts, headers });
    expect(JSON.parse(response.text)).toEqual({
      host,
      connection: 'keep-alive',
      'user-agent': 'Else/2',
      'accept-encoding': 'identity',
    });
  });

  it('posts a body', async () => {
    const server = await serveHttp(async (request, response) => {
      request.setEncoding('utf8');
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(`${request.method} ${request.headers['content-type']} ${request.headers['content-length']} ${body}`);
    });
    const client = createTestClient({ [host]: server.origin });
    const headers = { 'content-type': 'text/plain' };
    expect((await client.request({ url, hosts, method: 'POST', headers, body: 'grüße' })).text).toBe(
      'POST text/plain 7 grüße',
    );
    expect((await client.request({ url, hosts, method: 'POST' })).text).toBe('POST undefined 0 ');
  });

  it.each([204, 304, 400, 401, 403, 404, 410, 418, 429, 500, 503])('hands back status %d as a value', async status => {
    const server = await serveHttp((_request, response) => response.writeHead(status).end());
    const client = createTestClient({ [host]: server.origin });
    expect(await client.request({ url, hosts, retries: 0 })).toMatchObject({ status, text: '' });
  });

  it('asks for heads, whatever length they promise', async () => {
    const server = await serveHttp((request, response) => {
      response
        .writeHead(200, { 'content-length': 5_000_000_000, 'content-encoding': 'gzip', 'x-method': request.method })
        .end();
    });
    const client = createTestClient({ [host]: server.origin });
    const response = await client.request({ url, hosts, method: 'HEAD' });
    expect(response).toMatchObject({ status: 200, text: '' });
    expect(response.headers).toMatchObject({ 'content-length': '5000000000', 'x-method': 'HEAD' });
  });

  const text = 'añb🎵'.repeat(5_000);
  it.each([
    ['identity', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['GZIP, Br', brotliCompressSync(gzipSync(text))],
  ])('reads a %s body', async (encoding, body) => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      // In pieces which cut characters apart.
      for (let at = 0; at < body.length; at += 1_001) response.write(body.subarray(at, at + 1_001));
      response.end();
    });
    const client = createTestClient({ [host]: server.origin });
    expect((await client.request({ url, hosts })).text).toBe(text);
  });

  it('drops a byte order mark', async () => {
    const server = await serveHttp((_request, response) => response.end('\ufeff{"a":1}'));
    const client = createTestClient({ [host]: server.origin });
    expect(JSON.parse((await client.request({ url, hosts })).text)).toEqual({ a: 1 });
  });

  it('reads past early hints', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.end('late');
    });
    const client = createTestClient({ [host]: server.origin });
    expect(await client.request({ url, hosts })).toMatchObject({ status: 200, text: 'late' });
  });

  it('keeps connections and uses them again', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const client = createTestClient({ [host]: server.origin, 'm.photos.test': server.origin });
    for (let i = 0; i < 20; i++) await client.request({ url, hosts });
    await client.request({ url: 'https://m.photos.test/', hosts: ['m.photos.test'] });
    // A connection rests for one turn of the event loop between two requests, so there may be a second.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it('tells of every exchange', async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
      else request.socket.destroy();
    });
    const events: HttpEvent[] = [];
    const client = createTestClient({ [host]: server.origin }, { onRequest: event => events.push(event) });
    await expect(client.request({ url: `https://${host}/a`, hosts, retries: 0 })).rejects.toThrow(AppError);
    expect(events).toMatchObject([
      { host, status: 302, failure: undefined },
      { host, status: undefined, failure: { code: 'upstream_unavailable' } },
    ]);
  });

  it('speaks TLS with an https stand-in under its own name, and only with a certificate it trusts', async () => {
    const certificate = createCertificate(['localhost']);
    const server = await serveHttps(certificate, (request, response) => response.end(request.headers.host));
    const trusting = createTestClient({ [host]: server.origin }, { ca: certificate.cert });
    expect((await trusting.request({ url, hosts })).text).toBe(host);
    const doubting = createTestClient({ [host]: server.origin });
    await expect(doubting.request({ url, hosts })).rejects.toMatchObject({
      code: 'upstream_unavailable',
      cause: { code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) },
    });
  });
});

describe('close', () => {
  it('ends what runs with a typed error, refuses what comes, and leaves no connection', async () => {
    let open = 0;
    const server = await serveHttp((request, response) => {
      open++;
      request.socket.once('close', () => open--);
      if (request.url === '/stream') response.write('begun');
    });
    const client = createTestClient({ [host]: server.origin });
    const running = expect(client.request({ url, hosts })).rejects.toMatchObject({ code: 'upstream_unavailable' });
    const { body } = await client.stream({ url: `https://${host}/stream`, hosts });
    const failed = once(body, 'error');
    await expect.poll(() => open).toBe(2);
    await client.close();
    await running;
    expect((await failed)[0]).toMatchObject({ code: 'upstream_unavailable' });
    await expect(client.request({ url, hosts })).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await expect.poll(() => open).toBe(0);
  });
});

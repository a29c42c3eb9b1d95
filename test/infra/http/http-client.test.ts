import { once } from 'node:events';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCertificate } from '../../fakes/certificate.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveHttps } from '../../fakes/loopback.ts';

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1?a=b%20c';
const hosts = [host];

describe('request', () => {
  it('sends what Medley says of itself, and nothing else', async () => {
    const server = await serveHttp((request, response) => response.end(JSON.stringify(request.headers)));
    const client = createTestClient({ [host]: server.origin });
    expect(JSON.parse((await client.request({ url, hosts, headers: { 'X-Two': '2' } })).text)).toEqual({
      host,
      connection: 'keep-alive',
      'x-two': '2',
      'user-agent': 'Medley',
      'accept-encoding': 'gzip, deflate, br',
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

  it('posts nothing with its length', async () => {
    const server = await serveHttp((request, response) => response.end(request.headers['content-length']));
    expect((await createTestClient({ [host]: server.origin }).request({ url, hosts, method: 'POST' })).text).toBe('0');
  });

  it('reads a bare deflate body, which some servers mean by deflate', async () => {
    const text = 'añb'.repeat(5_000);
    const server = await serveHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateRawSync(text)),
    );
    expect((await createTestClient({ [host]: server.origin }).request({ url, hosts })).text).toBe(text);
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
    // A connection is not free at once after a request, so there may be a second.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it('speaks TLS with an https override under its own name, whose certificate is checked anywhere but on loopback', async () => {
    const certificate = createCertificate(['localhost']);
    const server = await serveHttps(certificate, (request, response) => response.end(request.headers.host));
    const unchecked = createTestClient({ [host]: server.origin });
    expect((await unchecked.request({ url, hosts })).text).toBe(host);
    // The same place by an address that is not called loopback.
    const elsewhere = { [host]: server.origin.replace('localhost', '0.0.0.0') };
    await expect(createTestClient(elsewhere).request({ url, hosts })).rejects.toMatchObject({
      code: 'upstream_unavailable',
      cause: { code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) },
    });
    const trusting = createTestClient(elsewhere, { ca: certificate.cert });
    await expect(trusting.request({ url, hosts })).rejects.toMatchObject({
      cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
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

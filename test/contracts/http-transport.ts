import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { CookieJar } from 'tough-cookie';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { HttpEvent } from '../../src/infra/http/exchange.ts';
import type { HttpClient, HttpClientOptions, HttpRequest } from '../../src/infra/http/http-client.ts';
import { createTestClient } from '../fakes/http-client.ts';
import type { Loopback, ServedListener, ServedRequest } from '../fakes/loopback.ts';

export interface HttpTransportUnderTest {
  readonly transport: NonNullable<HttpRequest['transport']>;
  serve(listener: ServedListener): Promise<Loopback>;
}

const hosts = ['www.photos.test', 'login.photos.test', 'share.other.test'];
const host = 'www.photos.test';
const url = 'https://www.photos.test/start';

interface Seen {
  readonly method: string | undefined;
  readonly host: string | undefined;
  readonly url: string | undefined;
  readonly headers: ServedRequest['headers'];
  readonly body: string;
}

/** What every transport promises of a request, of redirects and of cookies. */
export function httpTransportContract(name: string, { transport, serve }: HttpTransportUnderTest): void {
  /** Answers by path; everything asked is noted. */
  async function serveRoutes(routes: Readonly<Record<string, ServedListener>>, options: HttpClientOptions = {}) {
    const seen: Seen[] = [];
    const server = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { method, url, headers } = request;
      seen.push({ method, host: headers.host, url, headers, body });
      const route = routes[url ?? ''];
      if (route === undefined) response.end(`end of ${url}`);
      else route(request, response);
    });
    const client = createTestClient(Object.fromEntries(hosts.map(each => [each, server.origin])), options);
    return { seen, server, ask: asker(client) };
  }

  function asker({ request }: HttpClient) {
    return (more: Partial<HttpRequest> = {}) => request({ url, hosts, transport, ...more });
  }

  const to =
    (location: string, status = 302): ServedListener =>
    (_request, response) =>
      response.writeHead(status, { location }).end('moved');

  describe(`a request over the ${name}`, () => {
    it('asks the override with the original host and answers with the logical address', async () => {
      const { ask, seen } = await serveRoutes({
        '/p/1?a=b%20c': (_request, response) => {
          response.writeHead(200, { 'X-One': ['a', 'b'], 'set-cookie': ['secret=1'] });
          response.end('here');
        },
      });
      const address = `https://${host}/p/1?a=b%20c#part`;
      const response = await ask({ url: address, headers: { 'X-Two': '2', Accept: 'text/plain' } });
      expect(response).toMatchObject({ status: 200, url: address, text: 'here', headers: { 'x-one': 'a, b' } });
      expect(response.headers).not.toHaveProperty('set-cookie');
      expect(seen).toMatchObject([{ method: 'GET', host, url: '/p/1?a=b%20c', body: '' }]);
      expect(seen[0]?.headers).toMatchObject({ 'x-two': '2', accept: 'text/plain' });
    });

    it("lets the caller's headers win, but not those of the connection", async () => {
      const { ask, seen } = await serveRoutes({});
      const headers = { 'User-Agent': 'Else/2', 'Accept-Encoding': 'identity', Host: 'evil.test', Connection: 'close' };
      await ask({ headers });
      expect(seen[0]?.headers).toMatchObject({ 'user-agent': 'Else/2', 'accept-encoding': 'identity', host });
      expect(seen[0]?.headers.connection).not.toBe('close');
    });

    it('posts a body', async () => {
      const { ask, seen } = await serveRoutes({});
      await ask({ method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'grüße' });
      await ask({ method: 'POST' });
      expect(seen).toMatchObject([
        { method: 'POST', body: 'grüße', headers: { 'content-type': 'text/plain', 'content-length': '7' } },
        { method: 'POST', body: '' },
      ]);
      expect(seen[1]?.headers).not.toHaveProperty('content-type');
    });

    it.each([204, 304, 400, 401, 403, 404, 410, 418, 429, 500, 503])(
      'hands back status %d as a value',
      async status => {
        const { ask } = await serveRoutes({ '/start': (_request, response) => response.writeHead(status).end() });
        expect(await ask({ retries: 0 })).toMatchObject({ status, text: '' });
      },
    );

    it('asks for heads, redirected or not, whatever length they promise', async () => {
      const { ask, seen } = await serveRoutes({
        '/start': to('/next', 303),
        '/next': (_request, response) =>
          response.writeHead(200, { 'content-length': 5_000_000_000, 'content-encoding': 'gzip' }).end(),
      });
      const response = await ask({ method: 'HEAD' });
      expect(response).toMatchObject({ status: 200, text: '', headers: { 'content-length': '5000000000' } });
      expect(seen).toMatchObject([{ method: 'HEAD' }, { method: 'HEAD' }]);
    });

    const text = 'añb🎵'.repeat(5_000);
    it.each([
      ['identity', Buffer.from(text)],
      ['gzip', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['br', brotliCompressSync(text)],
      ['deflate', deflateSync(text)],
      ['GZIP, Br', brotliCompressSync(gzipSync(text))],
    ])('reads a %s body', async (encoding, body) => {
      const { ask } = await serveRoutes({
        '/start': (_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding });
          // In pieces which cut characters apart.
          for (let at = 0; at < body.length; at += 1_001) response.write(body.subarray(at, at + 1_001));
          response.end();
        },
      });
      expect((await ask()).text).toBe(text);
    });

    it('uses its connection again', async () => {
      const { ask, server } = await serveRoutes({});
      for (let i = 0; i < 20; i++) await ask();
      // One may be busy for a moment longer when the next request comes.
      expect(server.connections()).toBeLessThanOrEqual(2);
    });

    it('is reported, each exchange by itself', async () => {
      const events: HttpEvent[] = [];
      const routes: Record<string, ServedListener> = {
        '/start': to('/reset'),
        '/reset': request => request.socket.destroy(),
      };
      const { ask } = await serveRoutes(routes, { onRequest: event => events.push(event) });
      await expect(ask({ retries: 0 })).rejects.toThrow(AppError);
      expect(events).toMatchObject([
        { host, status: 302, failure: undefined, durationMs: expect.any(Number) },
        { host, status: undefined, failure: { code: 'upstream_unavailable' } },
      ]);
    });
  });

  describe(`redirects over the ${name}`, () => {
    it('are followed over relative, rooted and absolute addresses, by their logical hosts', async () => {
      const { ask, seen } = await serveRoutes({
        '/start': to('next?x=1'),
        '/next?x=1': to('//login.photos.test/over'),
        '/over': to('https://share.other.test/final', 308),
      });
      const response = await ask();
      expect(response).toMatchObject({ status: 200, url: 'https://share.other.test/final', text: 'end of /final' });
      expect(seen.map(({ host, url }) => `${host}${url}`)).toEqual([
        'www.photos.test/start',
        'www.photos.test/next?x=1',
        'login.photos.test/over',
        'share.other.test/final',
      ]);
    });

    it('are refused off the list, off https, off the port, to IP addresses and straight to an override', async () => {
      const places: Record<string, ServedListener> = {};
      const { ask, seen, server } = await serveRoutes(places);
      const locations = [
        'https://elsewhere.test/',
        'http://www.photos.test/',
        'https://www.photos.test:8443/',
        'https://127.0.0.1/',
        server.origin,
        `https://www.photos.test@127.0.0.1:${server.port}/`,
      ];
      for (const location of locations) {
        places['/start'] = to(location);
        await expect(ask(), location).rejects.toMatchObject({ code: 'forbidden' });
      }
      expect(seen).toHaveLength(locations.length);
    });

    it('to no address at all are a broken upstream', async () => {
      const { ask } = await serveRoutes({ '/start': to('https://[') });
      await expect(ask()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    });

    it('in a circle end after five', async () => {
      const { ask, seen } = await serveRoutes({ '/start': to('/again'), '/again': to('/start') });
      await expect(ask()).rejects.toMatchObject({ code: 'upstream_unavailable' });
      expect(seen).toHaveLength(6);
    });

    it('are handed back when none is wanted, and when they lead nowhere', async () => {
      const { ask } = await serveRoutes({
        '/start': to('/next'),
        '/nowhere': (_request, response) => response.writeHead(302).end('hm'),
        '/choice': to('/next', 300),
      });
      const unfollowed = { status: 302, url, text: 'moved', headers: { location: '/next' } };
      expect(await ask({ maxRedirects: 0 })).toMatchObject(unfollowed);
      expect(await ask({ url: `https://${host}/nowhere` })).toMatchObject({ status: 302, text: 'hm' });
      expect(await ask({ url: `https://${host}/choice` })).toMatchObject({ status: 300 });
    });

    it('are followed up to the number that is wanted', async () => {
      const { ask } = await serveRoutes({ '/start': to('/one'), '/one': to('/two') });
      expect(await ask({ maxRedirects: 2 })).toMatchObject({ url: 'https://www.photos.test/two' });
      await expect(ask({ maxRedirects: 1 })).rejects.toMatchObject({ code: 'upstream_unavailable' });
    });

    it.each([
      [301, 'GET', ''],
      [302, 'GET', ''],
      [303, 'GET', ''],
      [307, 'POST', 'a=1'],
      [308, 'POST', 'a=1'],
    ])('of a POST by %d become %s', async (status, method, body) => {
      const { ask, seen } = await serveRoutes({ '/start': to('/next', status) });
      const form = 'application/x-www-form-urlencoded';
      await ask({ method: 'POST', body: 'a=1', headers: { 'Content-Type': form } });
      expect(seen[1]).toMatchObject({ method, body });
      expect(seen[1]?.headers['content-type']).toBe(method === 'POST' ? form : undefined);
    });

    it('take credentials along within a host, never to another, nor back from there', async () => {
      const { ask, seen } = await serveRoutes({
        '/start': to('/next'),
        '/next': to('https://share.other.test/away'),
        '/away': to('https://www.photos.test/back'),
      });
      await ask({ headers: { Authorization: 'Bearer s3cret', Cookie: 'session=s3cret', 'X-App': 'kept' } });
      expect(seen.map(({ headers }) => [headers.authorization, headers.cookie, headers['x-app']])).toEqual([
        ['Bearer s3cret', 'session=s3cret', 'kept'],
        ['Bearer s3cret', 'session=s3cret', 'kept'],
        [undefined, undefined, 'kept'],
        [undefined, undefined, 'kept'],
      ]);
    });

    it('with an endless body are followed without reading it', async () => {
      const { ask } = await serveRoutes({
        '/start': (_request, response) => {
          response.writeHead(302, { location: '/next' });
          const pour = (): void => {
            while (!response.destroyed && response.write('x'.repeat(16_384)));
          };
          response.on('drain', pour);
          pour();
        },
      });
      expect(await ask({ maxBytes: 1_000 })).toMatchObject({ status: 200, text: 'end of /next' });
    });
  });

  describe(`a cookie jar over the ${name}`, () => {
    it('is filled and used with every step, each host by itself', async () => {
      const set =
        (location: string, ...cookies: string[]): ServedListener =>
        (_request, response) =>
          response.writeHead(302, { location, 'set-cookie': cookies }).end();
      const { ask, seen } = await serveRoutes({
        '/start': set(
          '/next',
          'own=1; Secure; HttpOnly',
          'wide=2; Domain=photos.test',
          'alien=3; Domain=other.test',
          '=;bro ken',
        ),
        '/next': set('https://login.photos.test/in', 'own=4'),
        '/in': set('https://share.other.test/out'),
      });
      const cookies = new CookieJar();
      await ask({ cookies, headers: { cookie: 'mine=0' } });
      expect(seen.map(({ headers }) => headers.cookie?.split('; ').sort())).toEqual([
        ['mine=0'],
        ['mine=0', 'own=1', 'wide=2'],
        ['wide=2'],
        undefined,
      ]);
      expect(await cookies.getCookieString('https://www.photos.test/')).toContain('own=4');
    });

    it('is the only one: a transport keeps no cookies of its own', async () => {
      const { ask, seen } = await serveRoutes({
        '/start': (_request, response) => response.writeHead(200, { 'set-cookie': ['own=1'] }).end(),
      });
      await ask();
      await ask();
      expect(seen.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
    });
  });
}

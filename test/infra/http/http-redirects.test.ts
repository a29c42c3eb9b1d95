import type { IncomingMessage, RequestListener } from 'node:http';
import { CookieJar } from 'tough-cookie';
import { describe, expect, it } from 'vitest';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';

const hosts = ['www.photos.test', 'login.photos.test', 'share.other.test'];
const url = 'https://www.photos.test/start';

interface Seen {
  readonly method: string | undefined;
  readonly host: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers by path; everything asked is noted. */
async function serveRoutes(routes: Readonly<Record<string, RequestListener>>) {
  const seen: Seen[] = [];
  const server = await serveHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method, host: request.headers.host, url: request.url, headers: request.headers, body });
    const route = routes[request.url ?? ''];
    if (route === undefined) response.end(`end of ${request.url}`);
    else route(request, response);
  });
  const client = createTestClient(Object.fromEntries(hosts.map(host => [host, server.origin])));
  return { seen, client, server };
}

function to(location: string, status = 302): RequestListener {
  return (_request, response) => response.writeHead(status, { location }).end('moved');
}

describe('redirects', () => {
  it('are followed over relative, rooted and absolute addresses, by their logical hosts', async () => {
    const { client, seen } = await serveRoutes({
      '/start': to('next?x=1'),
      '/next?x=1': to('//login.photos.test/over'),
      '/over': to('https://share.other.test/final', 308),
    });
    const response = await client.request({ url, hosts });
    expect(response).toMatchObject({ status: 200, url: 'https://share.other.test/final', text: 'end of /final' });
    expect(seen.map(({ host, url }) => `${host}${url}`)).toEqual([
      'www.photos.test/start',
      'www.photos.test/next?x=1',
      'login.photos.test/over',
      'share.other.test/final',
    ]);
  });

  it('are refused off the list, off https, off the port, to IP addresses and into the real place of a stand-in', async () => {
    const places: Record<string, RequestListener> = {};
    const { client, seen, server } = await serveRoutes(places);
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
      await expect(client.request({ url, hosts }), location).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(seen).toHaveLength(locations.length);
  });

  it('to no address at all are a broken upstream', async () => {
    const { client } = await serveRoutes({ '/start': to('https://[') });
    await expect(client.request({ url, hosts })).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('in a circle end after five', async () => {
    const { client, seen } = await serveRoutes({ '/start': to('/again'), '/again': to('/start') });
    await expect(client.request({ url, hosts })).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(seen).toHaveLength(6);
  });

  it('are handed back when none is wanted, and when they lead nowhere', async () => {
    const { client } = await serveRoutes({
      '/start': to('/next'),
      '/nowhere': (_request, response) => response.writeHead(302).end('hm'),
      '/choice': to('/next', 300),
    });
    expect(await client.request({ url, hosts, maxRedirects: 0 })).toMatchObject({
      status: 302,
      url,
      text: 'moved',
      headers: { location: '/next' },
    });
    expect(await client.request({ url: 'https://www.photos.test/nowhere', hosts })).toMatchObject({
      status: 302,
      text: 'hm',
    });
    expect(await client.request({ url: 'https://www.photos.test/choice', hosts })).toMatchObject({ status: 300 });
  });

  it('are followed up to the number that is wanted', async () => {
    const { client } = await serveRoutes({ '/start': to('/one'), '/one': to('/two') });
    expect(await client.request({ url, hosts, maxRedirects: 2 })).toMatchObject({ url: 'https://www.photos.test/two' });
    await expect(client.request({ url, hosts, maxRedirects: 1 })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'a=1'],
    [308, 'POST', 'a=1'],
  ])('of a POST by %d become %s', async (status, method, body) => {
    const { client, seen } = await serveRoutes({ '/start': to('/next', status) });
    await client.request({
      url,
      hosts,
      method: 'POST',
      body: 'a=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(seen[1]).toMatchObject({ method, body });
    expect(seen[1]?.headers['content-type']).toBe(method === 'POST' ? 'application/x-www-form-urlencoded' : undefined);
  });

  it('of a HEAD stay a HEAD', async () => {
    const { client, seen } = await serveRoutes({ '/start': to('/next', 303) });
    await client.request({ url, hosts, method: 'HEAD' });
    expect(seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });

  it('take credentials along within a host, never to another, nor back from there', async () => {
    const { client, seen } = await serveRoutes({
      '/start': to('/next'),
      '/next': to('https://share.other.test/away'),
      '/away': to('https://www.photos.test/back'),
    });
    await client.request({
      url,
      hosts,
      headers: { Authorization: 'Bearer s3cret', Cookie: 'session=s3cret', 'X-App': 'kept' },
    });
    expect(seen.map(({ headers }) => [headers.authorization, headers.cookie, headers['x-app']])).toEqual([
      ['Bearer s3cret', 'session=s3cret', 'kept'],
      ['Bearer s3cret', 'session=s3cret', 'kept'],
      [undefined, undefined, 'kept'],
      [undefined, undefined, 'kept'],
    ]);
  });

  it('fill and use the cookie jar hop by hop, each host its own', async () => {
    const set = (location: string, ...cookies: string[]): RequestListener => {
      return (_request, response) => response.writeHead(302, { location, 'set-cookie': cookies }).end();
    };
    const { client, seen } = await serveRoutes({
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
    await client.request({ url, hosts, cookies, headers: { cookie: 'mine=0' } });
    expect(seen.map(({ headers }) => headers.cookie?.split('; ').sort())).toEqual([
      ['mine=0'],
      ['mine=0', 'own=1', 'wide=2'],
      ['wide=2'],
      undefined,
    ]);
    expect(await cookies.getCookieString('https://www.photos.test/')).toContain('own=4');
  });

  it('with an endless body are followed without reading it', async () => {
    const { client } = await serveRoutes({
      '/start': (_request, response) => {
        response.writeHead(302, { location: '/next' });
        const pour = (): void => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
        };
        response.on('drain', pour);
        pour();
      },
    });
    expect(await client.request({ url, hosts, maxBytes: 1_000 })).toMatchObject({ status: 200, text: 'end of /next' });
  });

  it('lead a stream to its body', async () => {
    const { client } = await serveRoutes({ '/start': to('/next') });
    const stream = await client.stream({ url, hosts });
    expect(stream.url).toBe('https://www.photos.test/next');
    let text = '';
    for await (const chunk of stream.body) text += String(chunk);
    expect(text).toBe('end of /next');
  });
});

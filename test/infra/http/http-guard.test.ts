import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createOverrides, matchesHost, parseTarget } from '../../../src/infra/http/host-list.ts';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
} from '../../../src/infra/http/http-client.ts';
import { watchBrowserConnections } from '../../fakes/browser-watch.ts';
import { type ConnectionWatch, watchConnections } from '../../fakes/connection-watch.ts';
import { serveHttp, serveTcp } from '../../fakes/loopback.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';
import { ALLOWED_HOSTS, HOSTILE_ADDRESSES } from './hostile-addresses.ts';
import { PRIVATE_ADDRESSES } from './ip-addresses.ts';

vi.mock('wreq-js', async importOriginal => {
  const { watchPackage } = await import('../../fakes/browser-watch.ts');
  return watchPackage(await importOriginal());
});

describe('the guard of the plain transport', () => checkGuard('plain', watchConnections));

describe.skipIf(wreqMissing)(`the guard of the browser transport${wreqNote}`, () => {
  checkGuard('browser', watchBrowserConnections);
});

function checkGuard(transport: NonNullable<HttpRequest['transport']>, watchAll: () => ConnectionWatch): void {
  function createClient(options: HttpClientOptions): HttpClient {
    const client = createHttpClient(options);
    onTestFinished(() => client.close());
    return client;
  }

  describe('hostile addresses', () => {
    it('are many and distinct', () => {
      expect(new Set(HOSTILE_ADDRESSES.map(({ address }) => address)).size).toBe(HOSTILE_ADDRESSES.length);
      expect(HOSTILE_ADDRESSES.length).toBeGreaterThanOrEqual(150);
    });

    it('are watched by a watch that sees connections', async () => {
      const server = await serveHttp((_request, response) => response.end('hello'));
      const client = createClient({
        overrides: createOverrides([{ host: 'www.instagram.com', origin: server.origin }]),
      });
      const connections = watchAll();
      await client.request({ url: 'https://www.instagram.com/', hosts: ALLOWED_HOSTS, transport });
      expect(connections.attempts()).toEqual([`127.0.0.1:${server.port}`]);
    });

    it('are refused before a name is looked up or a socket opened', async () => {
      const lookedUp: string[] = [];
      const client = createClient({
        lookup: async host => {
          lookedUp.push(host);
          return [{ address: '127.0.0.1', family: 4 }];
        },
      });
      const connections = watchAll();
      const calls = transport === 'plain' ? [client.request, client.stream] : [client.request];
      for (const { why, address } of HOSTILE_ADDRESSES) {
        for (const call of calls) {
          const outcome = await call({ url: address, hosts: ALLOWED_HOSTS, transport }).catch(
            (error: unknown) => error,
          );
          expect(outcome, `${why}: ${address}`).toMatchObject({ code: 'forbidden' });
        }
      }
      expect(lookedUp).toEqual([]);
      expect(connections.attempts()).toEqual([]);
    });

    it('are refused as URL objects too', async () => {
      const client = createClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
      const connections = watchAll();
      for (const { address } of HOSTILE_ADDRESSES) {
        if (!URL.canParse(address)) continue;
        const url = new URL(address);
        // What the parser makes of some is the allowed host itself, and nothing of the disguise is left.
        if (
          url.protocol === 'https:' &&
          url.host !== '' &&
          !`${url.username}${url.password}` &&
          matchesHost(ALLOWED_HOSTS, url.host)
        )
          continue;
        await expect(client.request({ url, hosts: ALLOWED_HOSTS, transport }), address).rejects.toMatchObject({
          code: 'forbidden',
        });
      }
      expect(connections.attempts()).toEqual([]);
    });

    it('lead nowhere as redirects', async () => {
      let location = '';
      const server = await serveTcp(socket => {
        socket.on('data', () => {
          socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
        });
      });
      const client = createClient({
        overrides: createOverrides([{ host: 'www.instagram.com', origin: server.origin }]),
        lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      });
      const connections = watchAll();
      const sendable = HOSTILE_ADDRESSES.filter(({ address }) =>
        ['\r', '\n', '\0', '\u0001'].every(control => !address.includes(control)),
      );
      for (const { why, address } of sendable) {
        location = address;
        const outcome = await client
          .request({ url: 'https://www.instagram.com/start', hosts: ALLOWED_HOSTS, transport, retries: 0 })
          .catch((error: unknown) => error);
        if (transport === 'browser' && /[^\t -~]/.test(address)) {
          // Its package drops a header that is not plain ASCII: an answer that leads nowhere.
          expect(outcome, `${why}: ${address}`).toMatchObject({ status: 302 });
          expect(outcome, `${why}: ${address}`).not.toHaveProperty('headers.location');
          continue;
        }
        // A few are no addresses at all.
        expect(outcome, `${why}: ${address}`).toBeInstanceOf(AppError);
        expect(outcome, `${why}: ${address}`).toMatchObject({
          code: expect.stringMatching(/^(forbidden|upstream_unavailable)$/),
        });
      }
      expect(new Set(connections.attempts())).toEqual(new Set([`127.0.0.1:${server.port}`]));
      expect(sendable.length).toBeGreaterThanOrEqual(150);
    });
  });

  describe('an allowed name', () => {
    it.each(PRIVATE_ADDRESSES)('that resolves to %s is refused without a connection', async address => {
      const family = address.includes(':') ? 6 : 4;
      const client = createClient({ lookup: async () => [{ address, family }] });
      const connections = watchAll();
      await expect(
        client.request({ url: 'https://www.instagram.com/', hosts: ALLOWED_HOSTS, transport }),
      ).rejects.toMatchObject({
        code: 'forbidden',
      });
      expect(connections.attempts()).toEqual([]);
    });

    it('that resolves to a public and a private address is refused without a connection', async () => {
      const client = createClient({
        lookup: async () => [
          { address: '8.8.8.8', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ],
      });
      const connections = watchAll();
      await expect(
        client.request({ url: 'https://www.instagram.com/', hosts: ALLOWED_HOSTS, transport }),
      ).rejects.toMatchObject({
        code: 'forbidden',
      });
      expect(connections.attempts()).toEqual([]);
    });

    it('leaves nothing behind when refused, however many there are', async () => {
      const client = createClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
      for (let i = 0; i < 600; i++) {
        const refused = client.request({ url: `https://${i}.cdninstagram.com/`, hosts: ALLOWED_HOSTS });
        await expect(refused, `${i}`).rejects.toMatchObject({ code: 'forbidden' });
      }
    });

    it('that does not resolve is an unavailable upstream', async () => {
      const client = createClient({
        lookup: () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })),
      });
      await expect(
        client.request({ url: 'https://www.instagram.com/', hosts: ALLOWED_HOSTS, transport }),
      ).rejects.toMatchObject({
        code: 'upstream_unavailable',
        params: { what: 'offline' },
        cause: { code: 'ENOTFOUND' },
      });
    });

    it('is guarded although another host is overridden', async () => {
      const server = await serveHttp((_request, response) => response.end('inside'));
      const client = createClient({
        overrides: createOverrides([{ host: 'www.instagram.com', origin: server.origin }]),
        lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      });
      await expect(
        client.request({ url: 'https://www.facebook.com/', hosts: ALLOWED_HOSTS, transport }),
      ).rejects.toMatchObject({
        code: 'forbidden',
      });
      expect(server.connections()).toBe(0);
    });

    it('is still needed when the host is overridden', async () => {
      const server = await serveHttp((_request, response) => response.end('inside'));
      const client = createClient({ overrides: createOverrides([{ host: 'www.evil.test', origin: server.origin }]) });
      await expect(
        client.request({ url: 'https://www.evil.test/', hosts: ALLOWED_HOSTS, transport }),
      ).rejects.toMatchObject({
        code: 'forbidden',
      });
      expect(server.connections()).toBe(0);
    });
  });
}

describe('parseTarget', () => {
  it.each([
    ['https://www.instagram.com', 'https://www.instagram.com/'],
    ['HTTPS://WWW.Instagram.COM/p/x/?a=1#b', 'https://www.instagram.com/p/x/?a=1#b'],
    ['https://www.instagram.com:443/p/', 'https://www.instagram.com/p/'],
    ['https://www.instagram.com?x', 'https://www.instagram.com/?x'],
    ['https://a.b.cdninstagram.com/v/ä b', 'https://a.b.cdninstagram.com/v/%C3%A4%20b'],
  ])('accepts %s', (text, href) => {
    expect(parseTarget(text, undefined, ALLOWED_HOSTS).href).toBe(href);
  });

  it.each(['http://www.instagram.com/', ' https://www.instagram.com/', 'www.instagram.com/', '/p/x/', ''])(
    'wants an absolute https address: %j',
    text => {
      expect(() => parseTarget(text, undefined, ALLOWED_HOSTS)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    },
  );

  it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://8.8.8.8/'])(
    'refuses an IP address even when it is listed: %s',
    text => {
      const listed = [new URL(text).hostname];
      expect(() => parseTarget(text, undefined, listed)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    },
  );

  it('resolves redirects against the address that redirected', () => {
    const base = new URL('https://www.instagram.com/a/b?c');
    expect(parseTarget('../d', base, ALLOWED_HOSTS).href).toBe('https://www.instagram.com/d');
    expect(parseTarget('//fb.watch/x', base, ALLOWED_HOSTS).href).toBe('https://fb.watch/x');
    expect(() => parseTarget('//evil.test/x', base, ALLOWED_HOSTS)).toThrow('not allowed');
    expect(() => parseTarget('http://www.instagram.com/', base, ALLOWED_HOSTS)).toThrow('http:');
  });

  it('answers any text with an allowed https address or an AppError', () => {
    const piece = fc.constantFrom(
      'https:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '.',
      'www.instagram.com',
      'evil.test',
      '127.0.0.1',
      '\t',
      '%2e',
      'ı',
    );
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(piece, { maxLength: 8 }).map(parts => parts.join('')),
    );
    const base = fc.option(fc.constant(new URL('https://fb.watch/a')), { nil: undefined });
    fc.assert(
      fc.property(text, base, (address, from) => {
        try {
          const url = parseTarget(address, from, ALLOWED_HOSTS);
          expect(url.origin).toBe(`https://${url.hostname}`);
          expect(matchesHost(ALLOWED_HOSTS, url.hostname)).toBe(true);
          expect(url.username + url.password).toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

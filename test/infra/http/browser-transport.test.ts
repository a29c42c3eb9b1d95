import type { LookupAddress } from 'node:dns';
import { inspect } from 'node:util';
import { CookieJar } from 'tough-cookie';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type BrowserConnectionOptions, createBrowserPackage } from '../../../src/infra/http/browser-package.ts';
import type { HttpEvent } from '../../../src/infra/http/exchange.ts';
import { createOverrides } from '../../../src/infra/http/host-list.ts';
import { createHttpClient, type HttpClientOptions, type HttpRequest } from '../../../src/infra/http/http-client.ts';
import { createOutgoing } from '../../../src/infra/http/outgoing.ts';
import { createCertificate } from '../../fakes/certificate.ts';
import { type ServedListener, type ServedRequest, serveHttp2 } from '../../fakes/loopback.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1';
const hosts = [host, '*.cdn.test'];

const closers: Array<() => Promise<void>> = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function openClient(options: HttpClientOptions) {
  const client = createHttpClient(options);
  closers.push(() => client.close());
  return client;
}

describe('without the optional package', () => {
  it('a browser request fails before anything is asked or waited for', async () => {
    const events: HttpEvent[] = [];
    const lookup = vi.fn(async (): Promise<LookupAddress[]> => []);
    const client = openClient({
      browserPackage: createBrowserPackage({ isInstalled: () => false }),
      throttle: { default: { perSecond: 0.001, burst: 1, atOnce: 1 } },
      onRequest: event => events.push(event),
      lookup,
    });
    expect(client.hasBrowserTransport).toBe(false);
    for (let i = 0; i < 5; i++) {
      await expect(client.request({ url, hosts, transport: 'browser' })).rejects.toMatchObject({
        code: 'upstream_unavailable',
        params: { what: 'browserTransport' },
      });
    }
    expect(events).toEqual([]);
    expect(lookup).not.toHaveBeenCalled();
  });

  it('one that cannot be loaded counts as missing from then on, and the log says so once', async () => {
    const warn = vi.fn();
    const importPackage = vi.fn(() => Promise.reject(new Error('no build for this system')));
    const client = openClient({
      browserPackage: createBrowserPackage({ isInstalled: () => true, importPackage, log: { warn } }),
    });
    expect(client.hasBrowserTransport).toBe(true);
    const ask = () => client.request({ url, hosts, transport: 'browser' });
    const failure = { code: 'upstream_unavailable', params: { what: 'browserTransport' } };
    await Promise.all([ask, ask, ask].map(each => expect(each()).rejects.toMatchObject(failure)));
    await expect(ask()).rejects.toMatchObject(failure);
    expect(client.hasBrowserTransport).toBe(false);
    expect(importPackage).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

describe.skipIf(wreqMissing)(`a request of the browser transport${wreqNote}`, () => {
  const names = (raw: readonly string[]) => raw.filter((name, index) => index % 2 === 0 && name !== 'host');

  async function serveEcho(answer: ServedListener = (_request, response) => response.end('ok')) {
    const seen: ServedRequest[] = [];
    const server = await serveHttp2(createCertificate([host]), (request, response) => {
      seen.push(request);
      answer(request, response);
    });
    const client = openClient({ overrides: createOverrides([{ host, origin: server.origin }]), userAgent: 'Medley/1' });
    return {
      seen,
      ask: (more: Partial<HttpRequest> = {}) => client.request({ url, hosts, transport: 'browser', ...more }),
    };
  }

  it('says what the browser says of itself, in its order, unless the request names it', async () => {
    const { seen, ask } = await serveEcho();
    await ask();
    const cookies = new CookieJar();
    await cookies.setCookie('a=1', url);
    const headers = {
      'X-Own': '1',
      'User-Agent': 'Mozilla/5.0 (own)',
      'Accept-Language': 'en',
      'Sec-Fetch-Mode': 'cors',
    };
    await ask({ method: 'POST', body: 'a=b', headers, cookies });
    const own = [':method', ':authority', ':scheme', ':path'];
    const browser = [
      'sec-ch-ua',
      'sec-ch-ua-mobile',
      'sec-ch-ua-platform',
      'user-agent',
      'sec-fetch-dest',
      'sec-fetch-mode',
      'sec-fetch-site',
      'accept',
      'accept-encoding',
      'accept-language',
    ];
    expect(names(seen[0]?.rawHeaders ?? [])).toEqual([...own, ...browser, 'priority']);
    expect(seen[0]?.headers['user-agent']).toMatch(/^Mozilla\/5\.0 \(Windows NT 10\.0; .* Chrome\/\d+/);
    expect(names(seen[1]?.rawHeaders ?? [])).toEqual([
      ...own,
      ...browser,
      'x-own',
      'cookie',
      'priority',
      'content-length',
    ]);
    expect(seen[1]?.headers).toMatchObject({
      'user-agent': 'Mozilla/5.0 (own)',
      'accept-language': 'en',
      'sec-fetch-mode': 'cors',
      cookie: 'a=1',
    });
  });

  it('opens a page with its headers in the order of a navigation', async () => {
    const { seen, ask } = await serveEcho();
    const cookies = new CookieJar();
    await cookies.setCookie('a=1', url);
    const headers = {
      referer: 'https://www.photos.test/',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-user': '?1',
      'upgrade-insecure-requests': '1',
    };
    await ask({ headers, cookies });
    expect(names(seen[0]?.rawHeaders ?? []).slice(4)).toEqual([
      'sec-ch-ua',
      'sec-ch-ua-mobile',
      'sec-ch-ua-platform',
      'upgrade-insecure-requests',
      'user-agent',
      'accept',
      'sec-fetch-site',
      'sec-fetch-mode',
      'sec-fetch-user',
      'sec-fetch-dest',
      'referer',
      'accept-encoding',
      'accept-language',
      'cookie',
      'priority',
    ]);
  });

  it('reads what only a browser asks for: zstd', async () => {
    // A frame of one raw block (RFC 8878).
    const frame = Buffer.from('28b52ffd2005290000', 'hex');
    const { ask } = await serveEcho((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'zstd' }).end(Buffer.concat([frame, Buffer.from('hello')])),
    );
    expect((await ask()).text).toBe('hello');
  });

  it('fails without a word of its address or of a proxy', async () => {
    const secret = 'https://www.photos.test/p/s3cret?token=s3cret';
    const away = openClient({ overrides: createOverrides([{ host, origin: 'https://127.0.0.1:1' }]) });
    const proxied = openClient({
      outgoing: createOutgoing({ proxies: [{ url: 'http://ann:s3cret@127.0.0.1:1' }] }),
      lookup: async () => [{ address: '93.184.216.34', family: 4 }],
    });
    for (const client of [away, proxied]) {
      const asked = client.request({ url: secret, hosts, transport: 'browser', retries: 0 });
      const error = await asked.catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'upstream_unavailable', message: expect.stringContaining('refused') });
      expect(inspect(error, { depth: 9 })).not.toContain('s3cret');
    }
  });
});

describe.skipIf(wreqMissing)(`the connections of the browser transport${wreqNote}`, () => {
  /** The real package, but for the requests themselves: where they would go is not to be asked from a test. */
  function openWatched(addresses: () => readonly string[], options: HttpClientOptions = {}) {
    const created: BrowserConnectionOptions[] = [];
    const open = new Set<number>();
    const browserPackage = createBrowserPackage({
      async importPackage() {
        const original = await import('wreq-js');
        return {
          getEmulationHeaders: original.getEmulationHeaders,
          async createTransport(given) {
            const number = created.push(given ?? {});
            const transport = await original.createTransport(given);
            const close = transport.close.bind(transport);
            open.add(number);
            transport.close = async () => {
              open.delete(number);
              await close();
            };
            return transport;
          },
          fetch: () => Promise.reject(new TypeError('client error (Connect): connection refused (os error 111)')),
        };
      },
    });
    const lookup = async () => addresses().map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    const client = openClient({ browserPackage, lookup, ...options });
    const ask = (address = url) =>
      client.request({ url: address, hosts, transport: 'browser', retries: 0 }).catch((error: unknown) => error);
    return { created, open, client, ask };
  }

  it('are bound to the addresses that were checked, and shared while these stay the same', async () => {
    let addresses = ['93.184.216.34', '2606:4700:4700::1111'];
    const { created, ask } = openWatched(() => addresses);
    await ask();
    addresses = ['2606:4700:4700::1111', '93.184.216.34'];
    await ask();
    expect(created).toMatchObject([{ resolve: { [host]: ['93.184.216.34', '2606:4700:4700::1111'] } }]);
    expect(created[0]).not.toHaveProperty('insecure');
    addresses = ['93.184.216.35'];
    await ask();
    expect(created).toHaveLength(2);
    expect(created[1]).toMatchObject({ resolve: { [host]: ['93.184.216.35'] } });
  });

  it('are not used for a name that leads inside since', async () => {
    let addresses = ['93.184.216.34'];
    const { created, ask } = openWatched(() => addresses);
    expect(await ask()).toMatchObject({ code: 'upstream_unavailable' });
    addresses = ['93.184.216.34', '10.0.0.7'];
    expect(await ask()).toMatchObject({ code: 'forbidden' });
    expect(created).toHaveLength(1);
  });

  it('are at most 16, and closed in the end', async () => {
    const { created, open, client, ask } = openWatched(() => ['93.184.216.34']);
    for (let i = 0; i < 20; i++) await ask(`https://${i}.cdn.test/`);
    expect(created).toHaveLength(20);
    expect(open.size).toBe(16);
    await ask('https://19.cdn.test/');
    expect(created).toHaveLength(20);
    await client.close();
    expect(open.size).toBe(0);
  });

  it('check certificates anywhere but on loopback overrides', async () => {
    const overrides = createOverrides([
      { host, origin: 'https://127.0.0.1:9' },
      { host: 'a.cdn.test', origin: 'https://[::1]:9' },
      { host: 'b.cdn.test', origin: 'https://localhost:9' },
      { host: 'c.cdn.test', origin: 'http://127.0.0.1:9' },
      { host: 'd.cdn.test', origin: 'https://relay.example' },
    ]);
    const { created, ask } = openWatched(() => ['93.184.216.34'], { overrides });
    await ask();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await ask(`https://${name}.cdn.test/`);
    expect(created.map(({ resolve, insecure = false }) => ({ resolve, insecure }))).toEqual([
      { resolve: { [host]: ['127.0.0.1'] }, insecure: true },
      { resolve: { 'a.cdn.test': ['::1'] }, insecure: true },
      { resolve: { 'b.cdn.test': ['127.0.0.1', '::1'] }, insecure: true },
      { resolve: { 'c.cdn.test': ['127.0.0.1'] }, insecure: false },
      { resolve: undefined, insecure: false },
      { resolve: { 'e.cdn.test': ['93.184.216.34'] }, insecure: false },
    ]);
  });
});

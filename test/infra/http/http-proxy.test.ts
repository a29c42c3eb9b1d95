import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Departure, withContext } from '../../../src/infra/concurrency/running-work.ts';
import type { HttpClientOptions, HttpRequest } from '../../../src/infra/http/http-client.ts';
import { createOutgoing } from '../../../src/infra/http/outgoing.ts';
import { watchBrowserConnections } from '../../fakes/browser-watch.ts';
import { createCertificate } from '../../fakes/certificate.ts';
import { serveConnectProxy } from '../../fakes/connect-proxy.ts';
import { type ConnectionWatch, watchConnections } from '../../fakes/connection-watch.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveHttps, serveTcp } from '../../fakes/loopback.ts';
import { serveSocksProxy } from '../../fakes/socks-proxy.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';
import { ALLOWED_HOSTS, HOSTILE_ADDRESSES } from './hostile-addresses.ts';
import { PRIVATE_ADDRESSES } from './ip-addresses.ts';

const url = 'https://www.instagram.com/p/x/';
const hosts = ALLOWED_HOSTS;
const certificate = createCertificate(['www.instagram.com', 'www.facebook.com', 'graph.facebook.com']);
const outside: NonNullable<HttpClientOptions['lookup']> = async () => [{ address: '8.8.8.8', family: 4 }];
const by = (url: string) => createOutgoing({ proxies: [{ url }] });
const unknown: NonNullable<HttpClientOptions['lookup']> = () => Promise.reject(new Error('no name service'));

vi.mock('wreq-js', async importOriginal => {
  const { watchPackage } = await import('../../fakes/browser-watch.ts');
  return watchPackage(await importOriginal());
});

describe('over the plain transport', () => checkProxy('plain', watchConnections));

describe.skipIf(wreqMissing)(`over the browser transport${wreqNote}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'medley-ca-'));

  // It trusts what OpenSSL's own variable says, besides Mozilla's list.
  beforeAll(() => {
    writeFileSync(join(folder, 'ca.pem'), certificate.cert);
    vi.stubEnv('SSL_CERT_FILE', join(folder, 'ca.pem'));
  });

  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  checkProxy('browser', watchBrowserConnections);
});

function checkProxy(transport: NonNullable<HttpRequest['transport']>, watchAll: () => ConnectionWatch): void {
  describe('a proxy', () => {
    it('is asked to connect to the target, and nothing else is connected to', async () => {
      const server = await serveHttps(certificate, (request, response) =>
        response.end(`hello from ${request.headers.host}`),
      );
      const proxy = await serveConnectProxy({ tunnelTo: server.port });
      const client = createTestClient(
        {},
        { outgoing: by(proxy.origin.replace('//', '//ann:s%20cret@')), ca: certificate.cert, lookup: outside },
      );
      const watch = watchAll();
      expect((await client.request({ url, hosts, transport })).text).toBe('hello from www.instagram.com');
      const other = await client.request({ url: 'https://www.facebook.com/x', hosts, transport });
      expect(other.text).toBe('hello from www.facebook.com');
      expect(proxy.targets).toEqual(['www.instagram.com:443', 'www.facebook.com:443']);
      expect(proxy.authorization()).toBe(`Basic ${Buffer.from('ann:s cret').toString('base64')}`);
      // The proxy of this test lives in the same process, and so do its own connections.
      const attempts = watch.attempts().filter(attempt => attempt !== `127.0.0.1:${server.port}`);
      expect(new Set(attempts)).toEqual(new Set([`127.0.0.1:${proxy.port}`]));
    });

    it.each(PRIVATE_ADDRESSES)('is not asked for a name that resolves to %s', async address => {
      const proxy = await serveConnectProxy({ status: 502 });
      const family = address.includes(':') ? 6 : 4;
      const client = createTestClient({}, { outgoing: by(proxy.origin), lookup: async () => [{ address, family }] });
      await expect(client.request({ url, hosts, transport })).rejects.toMatchObject({ code: 'forbidden' });
      expect(proxy.connections()).toBe(0);
    });

    it('is not asked for hostile addresses', async () => {
      const proxy = await serveConnectProxy({ status: 502 });
      const client = createTestClient({}, { outgoing: by(proxy.origin), lookup: outside });
      for (const { address } of HOSTILE_ADDRESSES) {
        await expect(client.request({ url: address, hosts, transport }), address).rejects.toMatchObject({
          code: 'forbidden',
        });
      }
      expect(proxy.connections()).toBe(0);
    });

    it('decides about names that are unknown here', async () => {
      const server = await serveHttps(certificate, (_request, response) => response.end('known there'));
      const proxy = await serveConnectProxy({ tunnelTo: server.port });
      const client = createTestClient({}, { outgoing: by(proxy.origin), ca: certificate.cert, lookup: unknown });
      expect((await client.request({ url, hosts, transport })).text).toBe('known there');
    });

    it('decides about names that take too long here', async () => {
      const proxy = await serveConnectProxy({ status: 403 });
      const client = createTestClient({}, { outgoing: by(proxy.origin), lookup: () => new Promise(() => {}) });
      await expect(client.request({ url, hosts, transport, retries: 0 })).rejects.toMatchObject({
        code: 'upstream_unavailable',
      });
      expect(proxy.targets).toEqual(['www.instagram.com:443']);
    });

    it('is bypassed by overridden hosts', async () => {
      const proxy = await serveConnectProxy({ status: 502 });
      const server = await serveHttp((_request, response) => response.end('direct'));
      const client = createTestClient(
        { 'www.instagram.com': server.origin },
        { outgoing: by(proxy.origin), lookup: unknown },
      );
      expect((await client.request({ url, hosts, transport })).text).toBe('direct');
      expect(proxy.connections()).toBe(0);
    });

    it('that leads its tunnel to a server without the right certificate is found out', async () => {
      const impostor = createCertificate(['www.facebook.com']);
      const server = await serveHttps(impostor, (_request, response) => response.end('trust me'));
      const proxy = await serveConnectProxy({ tunnelTo: server.port });
      const client = createTestClient({}, { outgoing: by(proxy.origin), ca: impostor.cert, lookup: outside });
      await expect(client.request({ url, hosts, transport, retries: 0 })).rejects.toMatchObject({
        code: 'upstream_unavailable',
      });
    });

    it('may speak SOCKS5: it looks the target up itself, and knows who asks', async () => {
      const server = await serveHttps(certificate, (request, response) =>
        response.end(`hello from ${request.headers.host}`),
      );
      const proxy = await serveSocksProxy({ tunnelTo: server.port, wantsAccount: true });
      const outgoing = by(proxy.origin.replace('//', '//ann:s%20cret@'));
      const client = createTestClient({}, { outgoing, ca: certificate.cert, lookup: outside });
      expect((await client.request({ url, hosts, transport })).text).toBe('hello from www.instagram.com');
      expect(proxy.targets).toEqual(['www.instagram.com:443']);
      expect(proxy.account()).toBe('ann:s cret');
    });

    it('of SOCKS5 is not asked for a name that is not public, and its refusal names no password', async () => {
      const proxy = await serveSocksProxy({ reply: 2 });
      const outgoing = by(proxy.origin.replace('//', '//ann:s3cret@'));
      const inside = createTestClient({}, { outgoing, lookup: async () => [{ address: '10.0.0.7', family: 4 }] });
      await expect(inside.request({ url, hosts, transport })).rejects.toMatchObject({ code: 'forbidden' });
      expect(proxy.connections()).toBe(0);
      const client = createTestClient({}, { outgoing, lookup: outside });
      const failure = await client.request({ url, hosts, transport, retries: 0 }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'upstream_unavailable' });
      expect(inspect(failure, { depth: 9 })).not.toContain('s3cret');
    });

    it('is that of the source, of the host, or the one for all others', async () => {
      const server = await serveHttps(certificate, (_request, response) => response.end('ok'));
      const [ofSource, ofHost, forAll] = await Promise.all(
        [1, 2, 3].map(() => serveConnectProxy({ tunnelTo: server.port })),
      );
      const outgoing = createOutgoing({
        proxies: [
          { url: forAll?.origin ?? '' },
          { url: ofSource?.origin ?? '', source: 'one' },
          { url: ofHost?.origin ?? '', host: 'graph.facebook.com' },
        ],
        sources: [
          { id: 'one', hosts: ['www.instagram.com'] },
          { id: 'two', hosts: ['*.facebook.com'] },
        ],
      });
      const client = createTestClient({}, { outgoing, ca: certificate.cert, lookup: outside });
      for (const host of ['www.instagram.com', 'www.facebook.com', 'graph.facebook.com']) {
        await client.request({ url: `https://${host}/`, hosts: [host], transport, retries: 0 });
      }
      expect([ofSource, forAll, ofHost].map(proxy => proxy?.targets)).toEqual([
        ['www.instagram.com:443'],
        ['www.facebook.com:443'],
        ['graph.facebook.com:443'],
      ]);
    });

    it('of several is the one chosen last, but where the work is told by which to go', async () => {
      const server = await serveHttps(certificate, (_request, response) => response.end('ok'));
      const proxies = await Promise.all([1, 2].map(() => serveConnectProxy({ tunnelTo: server.port })));
      const outgoing = createOutgoing({
        proxies: proxies.map(({ origin }) => ({ url: origin })),
        sources: [{ id: 'one', hosts: ['www.instagram.com'] }],
      });
      const client = createTestClient({}, { outgoing, ca: certificate.cert, lookup: outside });
      const ask = () => client.request({ url, hosts, transport });
      const counts = () => proxies.map(({ targets }) => targets.length > 0);
      const [first, second] = outgoing.ofSource('one');
      await ask();
      expect(counts()).toEqual([true, false]);
      if (second === undefined) throw new Error('there are two');
      outgoing.choose('one', second);
      await withContext({ outgoing: first.name }, ask);
      expect(counts()).toEqual([true, false]);
      await ask();
      expect(counts()).toEqual([true, true]);
    });

    it('of the environment is nothing to Medley', async () => {
      const proxy = await serveConnectProxy({ status: 502 });
      const server = await serveHttp((_request, response) => response.end('direct'));
      for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
        vi.stubEnv(name, proxy.origin);
        onTestFinished(() => void vi.stubEnv(name, undefined));
      }
      const client = createTestClient({ 'www.instagram.com': server.origin });
      expect((await client.request({ url, hosts, transport })).text).toBe('direct');
      expect(proxy.connections()).toBe(0);
    });

    it('is asked no faster than the host may be', async () => {
      let underWay = 0;
      let most = 0;
      const server = await serveHttps(certificate, (_request, response) => {
        most = Math.max(most, ++underWay);
        setTimeout(() => {
          underWay--;
          response.end('ab');
        }, 20);
      });
      const proxy = await serveConnectProxy({ tunnelTo: server.port });
      const throttle = { default: { perSecond: 1_000, burst: 1_000, atOnce: 2 } };
      const client = createTestClient(
        {},
        { outgoing: by(proxy.origin), ca: certificate.cert, lookup: outside, throttle },
      );
      const asked = Array.from({ length: 8 }, () => client.request({ url, hosts, transport }));
      expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(Array(8).fill('ab'));
      expect(most).toBe(2);
    });

    it.each([403, 407, 500, 502])('that answers %d is an unavailable upstream', async status => {
      const proxy = await serveConnectProxy({ status });
      const client = createTestClient({}, { outgoing: by(proxy.origin), lookup: outside });
      await expect(client.request({ url, hosts, transport, retries: 0 })).rejects.toMatchObject({
        code: 'upstream_unavailable',
      });
    });

    it('that is away, or silent, is an unavailable upstream or a timeout', async () => {
      const away = createTestClient({}, { outgoing: by('http://127.0.0.1:1'), lookup: outside });
      await expect(away.request({ url, hosts, transport })).rejects.toMatchObject({ code: 'upstream_unavailable' });
      const silent = await serveTcp(() => {});
      const client = createTestClient({}, { outgoing: by(silent.origin), lookup: outside });
      await expect(client.request({ url, hosts, transport, timeoutMs: 200 })).rejects.toMatchObject({
        code: 'timeout',
      });
    });
  });
}

describe('the throttle', () => {
  it('holds for hosts that are not overridden, streams to their end included', async () => {
    let underWay = 0;
    let most = 0;
    const server = await serveHttps(certificate, (_request, response) => {
      most = Math.max(most, ++underWay);
      response.write('a');
      setTimeout(() => {
        underWay--;
        response.end('b');
      }, 20);
    });
    const proxy = await serveConnectProxy({ tunnelTo: server.port });
    const throttle = { default: { perSecond: 1_000, burst: 1_000, atOnce: 2 } };
    const client = createTestClient(
      {},
      { outgoing: by(proxy.origin), ca: certificate.cert, lookup: outside, throttle },
    );
    const texts = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        if (i % 2 === 0) return (await client.request({ url, hosts })).text;
        const { body } = await client.stream({ url, hosts });
        let text = '';
        for await (const chunk of body) text += String(chunk);
        return text;
      }),
    );
    expect(texts).toEqual(Array(8).fill('ab'));
    expect(most).toBe(2);
  });

  it('says to whom a request is made when it left', async () => {
    const server = await serveHttps(certificate, (_request, response) => response.end('a'));
    const proxy = await serveConnectProxy({ tunnelTo: server.port });
    const throttle = { default: { perSecond: 5, burst: 1, atOnce: 8 } };
    const client = createTestClient(
      {},
      { outgoing: by(proxy.origin), ca: certificate.cert, lookup: outside, throttle },
    );
    const startedAt = performance.now();
    const departures: readonly Departure[] = [{ at: startedAt }, { at: startedAt }];
    await Promise.all(departures.map(departure => withContext({ departure }, () => client.request({ url, hosts }))));
    const [first, second] = departures.map(({ at = 0 }) => at - startedAt);
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(150);
  });

  it('gives places back after failures, aborts and destroyed bodies', async () => {
    const server = await serveHttps(certificate, (request, response) => {
      if (request.url === '/reset') request.socket.destroy();
      else if (request.url === '/hang') return;
      else response.end('ok');
    });
    const proxy = await serveConnectProxy({ tunnelTo: server.port });
    const throttle = { default: { perSecond: 1_000, burst: 1_000, atOnce: 1 } };
    const client = createTestClient(
      {},
      { outgoing: by(proxy.origin), ca: certificate.cert, lookup: outside, throttle },
    );
    const at = (path: string): string => `https://www.instagram.com${path}`;
    await expect(client.request({ url: at('/reset'), hosts, retries: 0 })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    await expect(client.request({ url: at('/hang'), hosts, timeoutMs: 100 })).rejects.toMatchObject({
      code: 'timeout',
    });
    (await client.stream({ url: at('/ok'), hosts })).body.destroy();
    const hanging = expect(client.request({ url: at('/hang'), hosts, timeoutMs: 300 })).rejects.toMatchObject({
      code: 'timeout',
    });
    await expect(client.request({ url: at('/ok'), hosts, timeoutMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
    await hanging;
    expect(await client.request({ url: at('/ok'), hosts, timeoutMs: 30_000 })).toMatchObject({ text: 'ok' });
  });

  it('is lifted for overridden hosts', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const throttle = { default: { perSecond: 1, burst: 1, atOnce: 1 } };
    const client = createTestClient({ 'www.instagram.com': server.origin }, { throttle });
    const all = await Promise.all(Array.from({ length: 50 }, () => client.request({ url, hosts, timeoutMs: 30_000 })));
    expect(all).toHaveLength(50);
  });
});

import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../../../src/infra/http/http-client.ts';
import { createOutgoing } from '../../../src/infra/http/outgoing.ts';
import { createMemoryRateLimiter, type RateLimiter } from '../../../src/infra/rate-limit/rate-limit.ts';
import { createCertificate } from '../../fakes/certificate.ts';
import { serveConnectProxy } from '../../fakes/connect-proxy.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttps } from '../../fakes/loopback.ts';

const host = 'www.photos.test';
const url = `https://${host}/p/x/`;
const certificate = createCertificate([host]);
const outside = async () => [{ address: '8.8.8.8', family: 4 }];
const SITES = [{ id: 'photos', hosts: ['photos.test', '*.photos.test'] }];

describe('the name of an outgoing address', () => {
  it('tells accounts of one proxy apart and holds none of them', () => {
    const urls = ['http://ann:s3cret@a.test:8080', 'http://ben:s3cret@a.test:8080', 'socks5://a.test:8080'];
    const outgoing = createOutgoing({ proxies: urls.map(each => ({ url: each })), sources: SITES });
    const names = outgoing.ofSource('photos').map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/a\.test:8080/);
    expect(names.join(' ')).not.toMatch(/s3cret|ann|ben/);
  });

  it('is that of the machine where no proxy is asked', () => {
    expect(createOutgoing().of(host).name).toBe('direct');
    expect(createOutgoing({ localAddress: '192.0.2.7' }).of(host).name).toBe('192.0.2.7');
  });
});

describe('an address of this machine', () => {
  it('is where connections come from', async () => {
    // The system refuses to connect from loopback to anywhere else, and names both ends.
    const outgoing = createOutgoing({ localAddress: '127.8.7.6' });
    const client = createTestClient({}, { outgoing, lookup: outside });
    await expect(client.request({ url, hosts: [host], retries: 0 })).rejects.toThrow(/EINVAL.*Local \(127\.8\.7\.6:/);
  });

  it('of a prefix is a random one in it, the same for all hosts of a site', () => {
    const outgoing = createOutgoing({ localAddress: '2001:db8:1:2::/64', sources: SITES });
    const of = (name: string) => outgoing.of(name).localAddress?.(name) ?? '';
    const [first, again, other, third] = [host, 'photos.test', 'maps.test', 'other.test'].map(of);
    expect(again).toBe(first);
    expect(new Set([first, other, third]).size).toBe(3);
    for (const address of [first, other, third]) {
      expect(ipaddr.parse(address ?? '').match(ipaddr.parseCIDR('2001:db8:1:2::/64'))).toBe(true);
    }
  });
});

describe('the pace of a site', () => {
  /** Two processes, each with a client of its own. */
  async function openTwo(limiter: RateLimiter | undefined, proxyOf: (index: number) => number) {
    const server = await serveHttps(certificate, (_request, response) => response.end('ok'));
    const proxies = await Promise.all([0, 1].map(() => serveConnectProxy({ tunnelTo: server.port })));
    const rule = { perSecond: 4, burst: 8, atOnce: 16 };
    return [0, 1].map(index => {
      const outgoing = createOutgoing({ proxies: [{ url: proxies[proxyOf(index)]?.origin ?? '' }], sources: SITES });
      const throttle = { sites: SITES.map(site => ({ ...site, rule })) };
      return createTestClient({}, { outgoing, throttle, limiter, ca: certificate.cert, lookup: outside });
    });
  }

  /** A limiter whose windows outlast the test. */
  function createSlowLimiter() {
    const own = createMemoryRateLimiter();
    let calls = 0;
    const consume: RateLimiter['consume'] = (rule, key, cost) => {
      calls += 1;
      return own.consume({ ...rule, windowMs: 3_600_000 }, key, cost);
    };
    return { consume, calls: () => calls };
  }

  /** How many are answered of the 16 requests that two clients make at once, each being within its own pace. */
  async function countAnswered(clients: readonly HttpClient[], limiter: { calls(): number }, expected: number) {
    const stop = new AbortController();
    let answered = 0;
    const asked = clients.flatMap(client =>
      Array.from({ length: 8 }, async () => {
        await client.request({ url, hosts: [host], timeoutMs: 60_000, retries: 0, signal: stop.signal });
        answered += 1;
      }),
    );
    const settled = Promise.allSettled(asked);
    await expect.poll(() => [answered, limiter.calls() >= 16], { timeout: 20_000 }).toEqual([expected, true]);
    stop.abort();
    await settled;
    return answered;
  }

  it('holds for all processes with one outgoing address together', async () => {
    const limiter = createSlowLimiter();
    expect(await countAnswered(await openTwo(limiter, () => 0), limiter, 8)).toBe(8);
  });

  it('is one for each outgoing address', async () => {
    const limiter = createSlowLimiter();
    expect(await countAnswered(await openTwo(limiter, index => index), limiter, 16)).toBe(16);
  });

  it('is one for each process where nothing is shared', async () => {
    const clients = await openTwo(undefined, () => 0);
    expect(await countAnswered(clients, { calls: () => 16 }, 16)).toBe(16);
  });

  it('counts what is asked over all its hosts, and keeps to no other', async () => {
    const limiter = createMemoryRateLimiter();
    const taken: string[] = [];
    const counting: RateLimiter = {
      consume: (rule, key, cost) => {
        taken.push(key);
        return limiter.consume(rule, key, cost);
      },
    };
    const server = await serveHttps(certificate, (_request, response) => response.end('ok'));
    const proxy = await serveConnectProxy({ tunnelTo: server.port });
    const outgoing = createOutgoing({ proxies: [{ url: proxy.origin }], sources: SITES });
    const throttle = { sites: SITES.map(site => ({ ...site, rule: { perSecond: 4, burst: 8, atOnce: 16 } })) };
    const client = createTestClient({}, { outgoing, throttle, limiter: counting, lookup: outside });
    for (const name of [host, 'photos.test', 'maps.test']) {
      const asked = client.request({ url: `https://${name}/`, hosts: [name], retries: 0 });
      await expect(asked).rejects.toMatchObject({ code: 'upstream_unavailable' });
    }
    expect(taken).toHaveLength(2);
    expect(new Set(taken).size).toBe(1);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../errors.ts';
import { createLru } from '../cache/cache.ts';
import { workContext } from '../concurrency/running-work.ts';
import { matchesHost } from './host-list.ts';

/** An address from which a site sees Medley's requests come. */
export interface OutgoingAddress {
  /** Identifies the address in logs and in data that processes share; it contains no password. */
  readonly name: string;
  /** The proxy's address: `http:`, `https:` or `socks5:`, possibly with userinfo. Undefined: no proxy is used. */
  readonly proxyUrl?: string | undefined;
  /** Chooses the local address of this machine for a connection to the host. Undefined: the system chooses. */
  readonly localAddress?: ((host: string) => string) | undefined;
}

export interface ProxyRule {
  readonly url: string;
  /** If set, the proxy is for the hosts of this source alone. */
  readonly source?: string | undefined;
  /** If set, the proxy is for this host alone. */
  readonly host?: string | undefined;
}

export interface OutgoingOptions {
  readonly proxies?: readonly ProxyRule[] | undefined;
  /** An address of this machine, or a prefix such as `2001:db8:1:2::/64` routed to it, for hosts without a proxy. */
  readonly localAddress?: string | undefined;
  readonly sources?: readonly OutgoingSource[];
}

export interface OutgoingSource {
  readonly id: string;
  /** The source's hosts: exact names, or `*.suffix`. */
  readonly hosts: readonly string[];
}

export type Outgoing = ReturnType<typeof createOutgoing>;

/** How long a random address out of a prefix is kept for a site, since a site may tie cookies to it. */
const KEPT_MS = 30 * 60_000;
const MAX_KEPT = 1_000;

/** Chooses the outgoing address for a host: its own proxy, else its source's proxy, else the general one, else none. */
export function createOutgoing(options: OutgoingOptions = {}) {
  const { proxies = [], localAddress, sources = [] } = options;
  const direct: OutgoingAddress =
    localAddress === undefined
      ? { name: 'direct' }
      : { name: localAddress, localAddress: chooseLocally(localAddress, siteOf) };
  const byUrl = new Map(proxies.map(({ url }) => [url, { name: nameOf(url), proxyUrl: url }]));
  const chosen = new Map<string, OutgoingAddress>();

  function select(isMeant: (rule: ProxyRule) => boolean): readonly OutgoingAddress[] {
    return proxies.filter(isMeant).flatMap(({ url }) => byUrl.get(url) ?? []);
  }

  const forAll = select(({ source, host }) => source === undefined && host === undefined);

  function sourceOf(host: string): OutgoingSource | undefined {
    const owners = sources.filter(({ hosts }) => matchesHost(hosts, host));
    // If several sources share a CDN, the source that has proxies of its own is used.
    return owners.find(({ id }) => proxies.some(({ source }) => source === id)) ?? owners[0];
  }

  function siteOf(host: string): string {
    return sourceOf(host)?.id ?? host;
  }

  /** All addresses by which the hosts of a source can be asked, in the order of the configuration. */
  function ofSource(id: string): readonly [OutgoingAddress, ...OutgoingAddress[]] {
    const own = select(({ source }) => source === id);
    const [first = direct, ...others] = own.length > 0 ? own : forAll;
    return [first, ...others];
  }

  return {
    /**
     * The outgoing address for a host: the host's own proxy, else one of its source's addresses. Of these it is the one
     * that the running work uses, else the one chosen last, else the first.
     */
    of(host: string): OutgoingAddress {
      // Without proxies there is one address, so the sources' long lists of hosts need not be searched.
      if (proxies.length === 0) return direct;
      const [own] = select(rule => rule.host === host);
      if (own !== undefined) return own;
      const source = sourceOf(host);
      if (source === undefined) return forAll[0] ?? direct;
      const all = ofSource(source.id);
      const wanted = workContext().outgoing;
      return all.find(({ name }) => name === wanted) ?? chosen.get(source.id) ?? all[0];
    },
    ofSource,
    /** Sets the address by which the hosts of a source are asked from now on. */
    choose: (id: string, address: OutgoingAddress) => void chosen.set(id, address),
  };
}

/** @throws AppError `internal`, whose message is one sentence, when the configured local address cannot be used */
export async function assertLocalAddress(outgoing: Pick<Outgoing, 'of'>): Promise<void> {
  const host = outgoing.of('').localAddress?.('');
  if (host === undefined) return;
  const server = createServer();
  try {
    server.listen({ host, port: 0 });
    await once(server, 'listening');
  } catch (cause) {
    throw new AppError('internal', `UPSTREAM_LOCAL_ADDRESS: ${host} is no address of this machine`, { cause });
  } finally {
    server.close();
  }
}

/** Accounts of one proxy may leave by different addresses, so the name of each contains a hash of its account. */
function nameOf(proxyUrl: string): string {
  const { protocol, host, username } = new URL(proxyUrl);
  const account = username === '' ? '' : `#${createHash('sha256').update(username).digest('hex').slice(0, 8)}`;
  return `${protocol}//${host}${account}`;
}

function chooseLocally(range: string, siteOf: (host: string) => string): (host: string) => string {
  if (!range.includes('/')) return () => range;
  const kept = createLru<string, string>({ max: MAX_KEPT, ttl: KEPT_MS });
  return host => {
    const site = siteOf(host);
    const address = kept.get(site) ?? randomAddress(range);
    if (!kept.has(site)) kept.set(site, address);
    return address;
  };
}

function randomAddress(range: string): string {
  const [prefix, bits] = ipaddr.parseCIDR(range);
  const fixed = prefix.toByteArray();
  const random = randomBytes(fixed.length);
  const bytes = fixed.map((byte, index) => {
    const free = 0xff >> Math.min(8, Math.max(0, bits - 8 * index));
    return (byte & ~free) | ((random[index] ?? 0) & free);
  });
  return ipaddr.fromByteArray(bytes).toString();
}

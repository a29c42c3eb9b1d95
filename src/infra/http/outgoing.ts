import { createHash, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { createLru } from '../cache/cache.ts';
import { workContext } from '../concurrency/work-context.ts';
import { matchesHost } from './host-list.ts';

/** By which address a site sees us. */
export interface OutgoingAddress {
  /** Tells addresses apart in logs and in what processes share; no password is in it. */
  readonly name: string;
  /** `http:`, `https:` or `socks5:`, possibly with userinfo. */
  readonly proxyUrl?: string | undefined;
  /** The address of this machine that a connection to the host leaves by. Undefined: the system chooses. */
  readonly localAddress?: ((host: string) => string) | undefined;
}

export interface ProxyRule {
  readonly url: string;
  /** For the hosts of this source alone. */
  readonly source?: string | undefined;
  /** For this host alone. */
  readonly host?: string | undefined;
}

export interface OutgoingOptions {
  readonly proxies?: readonly ProxyRule[] | undefined;
  /** An address of this machine, or a prefix such as `2001:db8:1:2::/64` that leads to it. It counts where no proxy is asked. */
  readonly localAddress?: string | undefined;
  readonly sources?: readonly OutgoingSource[];
}

export interface OutgoingSource {
  readonly id: string;
  /** Exact, or `*.suffix`. */
  readonly hosts: readonly string[];
}

export type Outgoing = ReturnType<typeof createOutgoing>;

/** An address of a prefix is kept as long as a site may tie cookies to it. */
const KEPT_MS = 30 * 60_000;
const MAX_KEPT = 1_000;

/** The only place that decides by which address a host is asked: a rule of its own, else of its source, else one for all. */
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
    // Where several sources share a CDN, the one that has rules of its own counts.
    return owners.find(({ id }) => proxies.some(({ source }) => source === id)) ?? owners[0];
  }

  function siteOf(host: string): string {
    return sourceOf(host)?.id ?? host;
  }

  /** All by which the hosts of a source can be asked, in the order of the configuration. */
  function ofSource(id: string): readonly [OutgoingAddress, ...OutgoingAddress[]] {
    const own = select(({ source }) => source === id);
    const [first = direct, ...others] = own.length > 0 ? own : forAll;
    return [first, ...others];
  }

  return {
    /** By which it is asked now: as the running work was told, else as was chosen last. */
    of(host: string): OutgoingAddress {
      const [own] = select(rule => rule.host === host);
      if (own !== undefined) return own;
      const source = sourceOf(host);
      if (source === undefined) return forAll[0] ?? direct;
      const all = ofSource(source.id);
      const told = workContext().outgoing;
      return all.find(({ name }) => name === told) ?? chosen.get(source.id) ?? all[0];
    },
    ofSource,
    /** The hosts of the source are asked by that address from now on. */
    choose: (id: string, address: OutgoingAddress) => void chosen.set(id, address),
  };
}

/** One account of a proxy may leave by another address than the next. */
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

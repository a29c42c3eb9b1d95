import { type LookupAddress, lookup as lookupByCallback } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../errors.ts';
import { createLru } from '../cache/cache.ts';
import type { Deadline } from '../concurrency/abortable.ts';

/** Returns every address of a host name; rejects as `dns.lookup` does. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

const lookupSystem = promisify(lookupByCallback);

export const resolveBySystem: ResolveHost = host => lookupSystem(host, { all: true });

/** Azure's metadata and DNS service answers on a public address (docs of Azure, 168.63.129.16, as of 2026-08). */
const METADATA_ON_PUBLIC_ADDRESS = '168.63.129.16';

/**
 * True when an IP address is of the public internet: in no private, local, shared, tunnelled, reserved or test range.
 * False for text that only one of the parsers (Node's, ipaddr.js) takes for an address, such as one with a zone. Never
 * throws.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return parsed.kind() === 'ipv4' ? isPublicIpv4(parsed) : isPublicIpv6(parsed);
}

/** True when a host, as `URL.hostname` gives it, is this machine itself: 127.0.0.0/8, ::1 or localhost. */
export function isLoopbackHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return (
    host === 'localhost' ||
    (isIP(address) !== 0 && ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback')
  );
}

function isPublicIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && address.toString() !== METADATA_ON_PUBLIC_ADDRESS;
}

function isPublicIpv6(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const bytes = address.toByteArray();
  // An address of NAT64's well-known prefix 64:ff9b::/96 leads to the IPv4 host within it, so that host is checked.
  if (address.range() === 'rfc6052' && bytes.slice(4, 12).every(byte => byte === 0)) {
    return isPublicIpv4(new ipaddr.IPv4(bytes.slice(12)));
  }
  // Only 2000::/3 is global unicast, but ipaddr.js gives the range `unicast` to addresses such as ::127.0.0.1, too.
  return address.range() === 'unicast' && ((bytes[0] ?? 0) & 0xe0) === 0x20;
}

/** The error (`forbidden`) when any of a host's addresses is not public; undefined when all are. */
export function refuseNonPublic(host: string, addresses: readonly LookupAddress[]): AppError | undefined {
  const refused = addresses.find(({ address }) => !isPublicAddress(address));
  if (refused === undefined) return undefined;
  return new AppError('forbidden', `${host} resolves to ${refused.address}, which is not a public address`);
}

/**
 * A `lookup` for sockets which returns only checked addresses. The socket connects to exactly these addresses, so DNS
 * rebinding (the name has another address later) gains nothing. Sockets call it for names only: callers must refuse IP
 * addresses.
 */
export function createGuardedLookup(resolve: ResolveHost): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      found => {
        const refusal = refuseNonPublic(host, found);
        const usable =
          options.family === 4 || options.family === 6 ? found.filter(a => a.family === options.family) : found;
        const first = usable[0];
        if (refusal !== undefined) callback(refusal, '', 0);
        else if (first === undefined) callback(new Error(`${host} has no address`), '', 0);
        else if (options.all === true) callback(null, [...usable]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error('look-up failed', { cause: error }), '', 0),
    );
  };
}

const LOOKUP_MS = 1_000;
const VERDICT_MS = 60_000;

/**
 * Checks the target of a request that goes through a proxy; it is refused when its name resolves to an address that is
 * not public. Returns undefined when the host has passed within the last minute.
 */
export type TargetGuard = (host: string, deadline: Deadline) => Promise<void> | undefined;

export function createTargetGuard(resolve: ResolveHost): TargetGuard {
  const passed = createLru<string, true>({ max: 1_000, ttl: VERDICT_MS });

  async function check(host: string): Promise<void> {
    const tooSlow = pause(LOOKUP_MS, [], { ref: false });
    // With a proxy there may be no name service on this machine: an unresolved host name is left to the proxy.
    const found = await Promise.race([resolve(host).catch(() => []), tooSlow]);
    const refusal = refuseNonPublic(host, found);
    if (refusal !== undefined) throw refusal;
    passed.set(host, true);
  }

  return (host, deadline) => (passed.has(host) ? undefined : deadline.race(check(host)));
}

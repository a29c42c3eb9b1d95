import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key under which limits count a client: an IPv4 address whole (also one mapped into IPv6), an IPv6 address by its
 * /64, since one household or server has at least that many. Text that is not an address is its own key.
 */
export function clientKey(text: string): string {
  const ip = withoutPort(text);
  if (!ip.includes(':')) return ip;
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = address.toByteArray().fill(0, 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

/**
 * Removes the port from `1.2.3.4:5678` or `[2001:db8::1]:443`. With the port each connection would count as a client.
 */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text;
}

export function isLoopback(ip: string | undefined): boolean {
  return ip !== undefined && ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback';
}

/** @param list addresses, CIDRs or `loopback` */
export function createAddressList(list: readonly string[]): { has(ip: string): boolean } {
  const ranges = list.flatMap(entry => (entry === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [entry]));
  const subnets = ranges.map(range => {
    if (range.includes('/')) return ipaddr.parseCIDR(range);
    const address = ipaddr.process(range);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as const;
  });
  return {
    has(ip) {
      if (!ipaddr.isValid(ip)) return false;
      const address = ipaddr.process(ip);
      return subnets.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits));
    },
  };
}

/** The host in a `host:port` Host header; undefined when the header is malformed. */
function nameOf(host: string | undefined): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** True when a Host header names this machine itself. */
export function isLoopbackName(host: string | undefined): boolean {
  const name = nameOf(host);
  return name === 'localhost' || isLoopback(name);
}

/**
 * True when the Host header names this server: its public name, an address, or a name without a dot, such as a
 * container's. This stops DNS rebinding: a foreign page whose host name is made to resolve to this server sends
 * requests under that name.
 */
export function createHostGuard(publicUrl: string): (host: string | undefined) => boolean {
  const own = new URL(publicUrl).hostname.toLowerCase();
  return host => {
    // Only HTTP/1.0 has no Host header, and no browser speaks it, so no foreign page has sent this request.
    if (host === undefined) return true;
    const name = nameOf(host);
    return name !== undefined && (name === own || isIP(name) !== 0 || !name.includes('.'));
  };
}

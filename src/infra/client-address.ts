import ipaddr from 'ipaddr.js';

/**
 * Who a network address stands for in limits: IPv4 whole (mapped ones too), IPv6 by its /64, since one household or server
 * has at least that many. What is no address stands for itself.
 */
export function clientKey(ip: string): string {
  if (!ip.includes(':')) return ip;
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = address.toByteArray().fill(0, 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

export function isLoopback(ip: string | undefined): boolean {
  return ip !== undefined && ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback';
}

import ipaddr from 'ipaddr.js';

/**
 * Limits count an IPv4 address whole (a mapped one too) and an IPv6 address by its /64, since one household or server
 * has at least that many. Text that is no address stands for itself.
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

/** Some proxies forward `1.2.3.4:5678` or `[2001:db8::1]:443`: each connection would be a client of its own. */
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

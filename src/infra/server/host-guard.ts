import { isIP } from 'node:net';
import { isLoopback } from './client-address.ts';

/** `host:port` of a Host header without its port; undefined for what is none. */
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
 * True when a request may be answered under the name it was sent to: the public one, an address, or a name without a dot, such as that
 * of a container. A page of a foreign site whose name is made to lead here (DNS rebinding) comes under that name.
 */
export function createHostGuard(publicUrl: string): (host: string | undefined) => boolean {
  const own = new URL(publicUrl).hostname.toLowerCase();
  return host => {
    // HTTP/1.0 knows none, and no browser speaks that.
    if (host === undefined) return true;
    const name = nameOf(host);
    return name !== undefined && (name === own || isIP(name) !== 0 || !name.includes('.'));
  };
}

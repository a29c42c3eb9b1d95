import { isIP } from 'node:net';
import { AppError } from '../../errors.ts';

/** True when a lower-case host name matches one pattern: `example.com` exactly, `*.example.com` any subdomain of it. */
export function matchesHostPattern(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;
  const labels = host.length - pattern.length + 1;
  // An empty label (`.example.com`, `a..example.com`) is no subdomain.
  return labels > 0 && host.endsWith(pattern.slice(1)) && host[0] !== '.' && host[labels - 1] !== '.';
}

/** True when a lower-case host name, as `URL.hostname` gives it, is on the list. */
export function matchesHost(hosts: readonly string[], host: string): boolean {
  for (const pattern of hosts) if (matchesHostPattern(pattern, host)) return true;
  return false;
}

/** Patterns for a list of domains: each domain itself and all its subdomains. */
export function hostsBelow(suffixes: readonly string[]): readonly string[] {
  return suffixes.flatMap(host => [host, `*.${host}`]);
}

const NON_ASCII = /[^!-~]/;

/**
 * Parses the address of a request before it is sent. It must be https, with the default port, no userinfo, and a host
 * name (never an IP address) that is on the list and written as it will be read: no control characters, no backslashes,
 * no host that only becomes the allowed one by normalisation.
 * @param base the address that redirected to this one; relative addresses are resolved against it
 * @throws AppError `forbidden`; `upstream_unavailable` for a redirect that is no address at all
 */
export function parseTarget(address: string | URL, base: URL | undefined, hosts: readonly string[]): URL {
  const text = typeof address === 'string' ? address : address.href;
  if (hasForbiddenCharacter(text)) throw new AppError('forbidden', 'address holds a control character or backslash');
  const url = readUrl(text, base);
  const host = url.hostname;
  if (url.protocol !== 'https:') throw refusal(`scheme ${url.protocol} is not allowed`, host);
  if (url.username !== '' || url.password !== '') throw refusal('userinfo is not allowed', host);
  if (url.port !== '') throw refusal('port is not allowed', host);
  if (host.startsWith('[') || isIP(host) !== 0) throw refusal('an IP address is not allowed', host);
  if (!matchesHost(hosts, host)) throw refusal('host is not allowed', host);
  const isAbsolute = base === undefined || text.slice(0, 6).toLowerCase() === 'https:';
  if (isAbsolute && !isPlainlyWritten(text, host)) {
    throw refusal('host is written in a misleading way', host);
  }
  return url;
}

/** True when `parseTarget` accepts the address. */
export function isTarget(address: string, hosts: readonly string[]): boolean {
  try {
    parseTarget(address, undefined, hosts);
    return true;
  } catch {
    return false;
  }
}

function readUrl(text: string, base: URL | undefined): URL {
  try {
    return new URL(text, base);
  } catch (cause) {
    if (base === undefined) throw new AppError('forbidden', 'not an absolute address', { cause });
    throw new AppError('upstream_unavailable', `${base.hostname} redirects to what is no address`, { cause });
  }
}

function refusal(reason: string, host: string): AppError {
  return new AppError('forbidden', `${reason}: ${host.slice(0, 100)}`);
}

function hasForbiddenCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x5c || code === 0x7f) return true;
  }
  return false;
}

function isPlainlyWritten(text: string, host: string): boolean {
  const end = 8 + host.length;
  const written = text.slice(0, end);
  // Lower-casing turns a few letters, such as the Kelvin sign, into ASCII, so all but ASCII is refused first.
  if (NON_ASCII.test(written) || written.toLowerCase() !== `https://${host}`) return false;
  const next = text[end];
  return next === undefined || next === '/' || next === '?' || next === '#' || next === ':';
}

export interface Override {
  /** The overridden host: a lower-case name, or `*.suffix`, which does not include the suffix itself. */
  readonly host: string;
  /** The origin that is asked instead, such as `http://127.0.0.1:9001`. On loopback no certificate is checked. */
  readonly origin: string;
}

export type Overrides = ReturnType<typeof createOverrides>;

/** Origins that are asked instead of some hosts, such as a test server. The last entry for a host counts. */
export function createOverrides(list: readonly Override[]) {
  const isSuffix = ({ host }: Override) => Number(host.startsWith('*.'));
  // An exact name takes precedence over `*.suffix`, and a longer suffix over a shorter suffix.
  const sorted = list.toReversed().sort((a, b) => isSuffix(a) - isSuffix(b) || b.host.length - a.host.length);
  return {
    /** The origin that is asked instead of the host; undefined for a host that is not overridden. */
    find: (host: string) => sorted.find(override => matchesHostPattern(override.host, host))?.origin,
  };
}

import { isIP } from 'node:net';
import { closest, distance } from 'fastest-levenshtein';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';

// Each function in this file reads the text of a variable, and returns undefined for an invalid one.

export function whole(min: number, max: number) {
  return (text: string): number | undefined => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

export function oneOf<const T extends string>(words: readonly T[]) {
  return (text: string): T | undefined => words.find(word => word === text.toLowerCase());
}

/** Reads entries separated by commas; if `parse` refuses one of them, the whole list is invalid. */
export function list<T>(parse: (entry: string) => T | undefined) {
  return (text: string): T[] | undefined => {
    const values: T[] = [];
    for (const entry of text.split(',').map(part => part.trim())) {
      if (entry === '') continue;
      const value = parse(entry);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  };
}

/** Reads a host's name and lower-cases it. It stands for the host's subdomains too, so `www.` is left out. */
export function parseSiteHost(text: string): string | undefined {
  const host = text.toLowerCase().replace(/^www\./, '');
  return /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,6}[a-z]{2,63}$/.test(host) ? host : undefined;
}

export function parseSources(text: string): 'all' | string[] | undefined {
  const ids = list(id => /^[a-z][a-z\d]*$/.exec(id.toLowerCase())?.[0])(text);
  return ids?.join() === 'all' ? 'all' : nonEmpty(ids);
}

export function nonEmpty<T>(values: T[] | undefined): T[] | undefined {
  return values?.length === 0 ? undefined : values;
}

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** Names of variables that only the tests read. */
const TEST_NAMES: ReadonlySet<string> = new Set(['SPECS_DIR', 'REQUIRE_ALL']);

/** How many letters a misspelt name may differ by: none for a short name, which many other words resemble. */
function maxTypos({ length }: string): number {
  if (length < 5) return 0;
  return length < 8 ? 1 : 2;
}

/** Makes a sentence for each name that is probably a misspelt name of a known variable. */
export function misspeltNames(names: readonly string[], known: readonly string[]): readonly string[] {
  const strangers = names.filter(name => !known.includes(name) && !TEST_NAMES.has(name));
  return strangers.flatMap(name => {
    // Many bots read a name such as TELEGRAM_BOT_TOKEN, so names are compared without `_BOT`.
    const meant = name.toUpperCase().replace('_BOT_', '_');
    const near = closest(meant, [...known]);
    return distance(meant, near) <= maxTypos(near) ? [`${name} is not read; did you mean ${near}?`] : [];
  });
}

export function parseHost(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z0-9][a-z0-9.-]{0,252}$/i.test(text) ? text : undefined;
}

function parseUrl(text: string, protocols: readonly string[]): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isSound = protocols.includes(url.protocol) && url.hostname !== '' && url.hash === '';
  return isSound ? url : undefined;
}

export function parseBaseUrl(text: string): string | undefined {
  const url = parseUrl(text, ['http:', 'https:']);
  if (url === undefined || url.search !== '' || url.username !== '' || url.password !== '') return undefined;
  return url.origin + url.pathname.replace(/\/$/, '');
}

/** Reads a translation endpoint's address, perhaps with a key in the query; without a path it gets `/translate`. */
export function parseTranslateUrl(text: string): string | undefined {
  const url = parseUrl(text, ['http:', 'https:']);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname === '/' ? '/translate' : url.pathname}${url.search}`;
}

export function parseOrigin(text: string): string | undefined {
  const base = parseBaseUrl(text);
  return base !== undefined && new URL(base).origin === base ? base : undefined;
}

export function parseProxies(text: string) {
  const proxies = list(parseProxy)(text);
  const hosts = proxies?.flatMap(({ host }) => host ?? []) ?? [];
  return isUnique(hosts) ? nonEmpty(proxies) : undefined;
}

/** Reads a proxy's address, possibly with userinfo: for all requests, or only for requests to one site or host. */
function parseProxy(entry: string) {
  const [, source, host, address = ''] = /^(?:source:([a-z][a-z0-9-]*)=|([a-z0-9.-]+)=)?(.+)$/.exec(entry) ?? [];
  const url = parseUrl(address, ['http:', 'https:', 'socks5:']);
  if (url === undefined || !['', '/'].includes(url.pathname) || url.search !== '') return undefined;
  return { url: url.href, ...(source !== undefined && { source }), ...(host !== undefined && { host }) };
}

/**
 * Reads an IP address, or a prefix such as `2001:db8::/32` whose length is within the bounds for the address family.
 */
function parseNetwork(text: string, bounds: Readonly<Record<number, readonly [min: number, max: number]>>) {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || !ipaddr.isValid(address) || address.includes('%') || rest.length > 0) return undefined;
  const [min, max] = bounds[family] ?? [1, 0];
  return length === undefined || whole(min, max)(length) !== undefined ? text : undefined;
}

export function parseLocalAddress(text: string): string | undefined {
  return parseNetwork(text, { 6: [1, 127] });
}

/** Reads how often a site may be asked with one account: `8s,300/day`. */
export function parseAccountPace(text: string) {
  const [, seconds = '', times = ''] = /^(\d+)s\s*,\s*(\d+)\/day$/.exec(text) ?? [];
  const [every, perDay] = [whole(1, 86_400)(seconds), whole(1, 100_000)(times)];
  return every === undefined || perDay === undefined ? undefined : { everyMs: every * 1_000, perDay };
}

/**
 * Reads a Redis address. Its path may only be a database's number, because after an unescaped `/` in the password, the
 * host would be read as a path.
 */
export function parseRedisUrl(text: string): string | undefined {
  const url = parseUrl(text, ['redis:', 'rediss:']);
  return url !== undefined && /^\/?\d{0,5}$/.test(url.pathname) ? text : undefined;
}

/** Reads `auto`, or the numbers of this process's shards and of all shards: `0,1/4`. */
export function parseShards(text: string) {
  if (text === 'auto') return 'auto' as const;
  const [ids = '', count = '', ...rest] = text.split('/');
  const total = whole(1, 16_384)(count);
  if (total === undefined || rest.length > 0) return undefined;
  const shards = list(whole(0, total - 1))(ids);
  return shards !== undefined && shards.length > 0 && isUnique(shards) ? { ids: shards, total } : undefined;
}

export function parseOverrides(text: string) {
  const overrides = list(parseOverride)(text);
  return overrides !== undefined && isUnique(overrides.map(({ host }) => host)) ? overrides : undefined;
}

/** Reads a host in lower case, or `*.suffix` for its subdomains, and the server to ask instead. */
function parseOverride(entry: string) {
  const [host = '', ...rest] = entry.split('=');
  const origin = parseOrigin(rest.join('='));
  const isHost = host.length <= 255 && /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host);
  return isHost && origin !== undefined && isOverrideOrigin(new URL(origin)) ? { host, origin } : undefined;
}

/** Allows https only on loopback, because the server's certificate is not checked. */
function isOverrideOrigin({ protocol, hostname }: URL): boolean {
  if (protocol !== 'https:' || hostname === 'localhost') return true;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';
}

export function parseConstants(text: string): Record<string, string> | undefined {
  try {
    return z.record(z.string(), z.string()).safeParse(JSON.parse(text)).data;
  } catch {
    // The general error message for the variable is enough for a text that is not JSON.
    return undefined;
  }
}

export function parseApiKeys(text: string) {
  const keys = list(parseApiKey)(text);
  const areUnique =
    keys !== undefined && isUnique(keys.map(({ name }) => name)) && isUnique(keys.map(({ key }) => key));
  return areUnique ? keys : undefined;
}

function parseApiKey(entry: string) {
  const [name, key, limit, ...rest] = entry.split(':');
  const perHour = limit === 'unlimited' ? ('unlimited' as const) : whole(1, 2 ** 31 - 1)(limit ?? '');
  const isSound = /^[\w.-]{1,64}$/.test(name ?? '') && /^[\x21-\x7e]{16,200}$/.test(key ?? '') && rest.length === 0;
  return isSound && name !== undefined && key !== undefined && perHour !== undefined
    ? { name, key, perHour }
    : undefined;
}

export function parseProxyAddress(entry: string): string | undefined {
  return entry === 'loopback' ? entry : parseNetwork(entry, { 4: [0, 32], 6: [0, 128] });
}

export function parseUserLimit(text: string) {
  const [units, seconds, ...rest] = text.split('/').map(part => whole(1, 1_000_000)(part.trim()));
  if (units === undefined || seconds === undefined || rest.length > 0) return undefined;
  return { units, windowMs: seconds * 1_000 };
}

export function parseMediaKey(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

export function parseOwner(entry: string) {
  const [, platform, id] = /^(discord|telegram):(\d{1,20})$/.exec(entry) ?? [];
  return platform === undefined || id === undefined ? undefined : { platform, id };
}

/** Reads `KIND=LINK` or `KIND=/COMMAND`, an example for the web chat; the kind is a key of the texts about examples. */
export function parseWebExample(entry: string) {
  const [, kind, url] = /^([a-z][a-z-]{0,30})=(.+)$/.exec(entry) ?? [];
  if (kind === undefined || url === undefined) return undefined;
  const isCommand = /^\/[a-z]/.test(url);
  return isCommand || (URL.canParse(url) && new URL(url).protocol === 'https:') ? { kind, url } : undefined;
}

/** Where requests of some hosts go instead. */
export interface Overrides {
  /** Origin (`http://127.0.0.1:9001`) that stands in for the host; an exact name beats `*.suffix`, a longer suffix a shorter. */
  find(host: string): string | undefined;
}

const HOST_PATTERN = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

export const NO_OVERRIDES: Overrides = { find: () => undefined };

/**
 * Reads `UPSTREAM_OVERRIDES`: `host=http://127.0.0.1:9001,*.suffix=http://127.0.0.1:9002`. `*.suffix` does not include the bare
 * suffix.
 *
 * @throws Error with a reason a person can act on; addresses are not repeated in it
 */
export function parseOverrides(text: string): Overrides {
  const exact = new Map<string, string>();
  const suffixes = new Map<string, string>();
  for (const entry of text.split(',')) {
    const trimmed = entry.trim();
    if (trimmed === '') continue;
    const [host, origin] = parseEntry(trimmed);
    const table = host.startsWith('*.') ? suffixes : exact;
    const key = host.startsWith('*.') ? host.slice(1) : host;
    if (table.has(key)) throw new Error(`${host} is named twice`);
    table.set(key, origin);
  }
  if (exact.size === 0 && suffixes.size === 0) return NO_OVERRIDES;
  return { find: host => exact.get(host) ?? findBySuffix(suffixes, host) };
}

function findBySuffix(suffixes: ReadonlyMap<string, string>, host: string): string | undefined {
  if (suffixes.size === 0) return undefined;
  for (let dot = host.indexOf('.', 1); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    const origin = suffixes.get(host.slice(dot));
    if (origin !== undefined) return origin;
  }
  return undefined;
}

function parseEntry(entry: string): [host: string, origin: string] {
  const equals = entry.indexOf('=');
  if (equals === -1)
    throw new Error('every entry must be host=origin, such as www.instagram.com=http://127.0.0.1:9001');
  const host = entry.slice(0, equals).trim().toLowerCase();
  if (host.length > 255 || !HOST_PATTERN.test(host)) {
    throw new Error(`${JSON.stringify(host.slice(0, 80))} is not a host name or *.suffix`);
  }
  return [host, parseOrigin(host, entry.slice(equals + 1).trim())];
}

function parseOrigin(host: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '';
  if (!isOrigin)
    throw new Error(`${host} must point to an origin such as http://127.0.0.1:9001, without path or userinfo`);
  return url.origin;
}

export function createOverrides(entries: readonly { readonly host: string; readonly origin: string }[]): Overrides {
  return parseOverrides(entries.map(({ host, origin }) => `${host}=${origin}`).join(','));
}

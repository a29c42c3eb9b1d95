const MAX_ADDRESS_CHARS = 8_192;

function parseAddress(url: string): URL | null {
  return url.length <= MAX_ADDRESS_CHARS && URL.canParse(url) ? new URL(url) : null;
}

/** Addresses that `URL` would give back unchanged, which nearly all of the CDN's are; parsing them takes three times as long. */
const PLAIN = /^https:\/\/([a-z0-9.-]{1,200})\/[A-Za-z0-9\-._~!$&()*+,;=:@%/]*(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*)?$/;
/** Parts of a path that `URL` resolves, and host names that it checks further. */
const UNPLAIN: readonly string[] = ['/.', '/%2', '..', 'xn--'];

function isOn(host: string, hosts: readonly string[]): boolean {
  return hosts.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
}

/**
 * The address when it may be fetched and shown, else null: https, no user name and no port, on one of `hosts` or below it.
 */
export function mediaAddress(url: unknown, hosts: readonly string[]): string | null {
  if (typeof url !== 'string') return null;
  const host = url.length <= MAX_ADDRESS_CHARS ? PLAIN.exec(url)?.[1] : undefined;
  if (host !== undefined && !UNPLAIN.some(part => url.includes(part))) return isOn(host, hosts) ? url : null;
  const address = parseAddress(url);
  if (address === null || address.protocol !== 'https:') return null;
  if (address.username !== '' || address.password !== '' || address.port !== '') return null;
  if (!isOn(address.hostname, hosts)) return null;
  address.hash = '';
  return address.href;
}

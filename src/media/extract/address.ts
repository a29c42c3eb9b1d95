/** Links of the sites' own share buttons carry kilobytes of tracking. */
export const MAX_ADDRESS_CHARS = 8_192;
const MAX_HOST_CHARS = 253;
/** What a site's app links to in itself, by a scheme of its own: a name, perhaps a query, no path. */
const APP_LINK = /^(?!https?:)[a-z][a-z0-9]{1,30}:\/\/[a-z_]{1,30}\/?(?:\?[\x21-\x7e]*)?$/i;
/** `https://`, and `https//` as hurried fingers write it. */
const SCHEME = /^https?:?\/\//i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A name in letters: what could be a piece of an IPv4 address in any spelling is none. */
const TOP_LABEL = /^[a-z]{2,63}$/;
/** Blanks and controls of ASCII, and the backslash that browsers read as a slash. */
const FORBIDDEN = /[\s\\\p{Cc}\p{Zl}\p{Zp}]/u;

/** Where an address of the web begins to be more than its scheme and host. */
const HOST_END = /[/?#]/;
const OUTSIDE_ASCII = /\P{ASCII}/u;

/**
 * An address without what was written right behind it: an emoji, or words of another script. It ends before the first character outside
 * ASCII after its host, unless a further segment in ASCII follows, as behind a title: `/NAME/videos/フェリー/1`.
 */
export function withoutTail(address: string): string {
  const cut = beforeTail(address);
  return /\/[a-z0-9]/i.test(address.slice(cut.length)) ? address : cut;
}

/** The address up to the first character outside ASCII after its host, whatever follows. */
export function beforeTail(address: string): string {
  const scheme = SCHEME.exec(address)?.[0].length ?? 0;
  const host = address.slice(scheme).search(HOST_END);
  const from = host === -1 ? address.length : scheme + host;
  const at = address.slice(from).search(OUTSIDE_ASCII);
  return at === -1 ? address : address.slice(0, from + at);
}

/** Whether it is a plain ASCII name of two labels or more: no port, no user, no IP address, no `xn--`, no final dot. */
function isHostName(host: string): boolean {
  if (host.length > MAX_HOST_CHARS) return false;
  const labels = host.split('.');
  const top = labels.at(-1) ?? '';
  return (
    labels.length >= 2 && TOP_LABEL.test(top) && labels.every(label => LABEL.test(label) && !label.startsWith('xn--'))
  );
}

/**
 * The address that one pasted text is, or undefined. The scheme may be missing, `http` or mistyped as `https//`: only ids
 * are taken from it later. What was written right behind it is left out, see {@link withoutTail}. Whatever could disguise a host is
 * refused, not repaired: user names, ports but the default one, IP addresses, names of one label, unicode and punycode, backslashes,
 * blanks inside, a final dot, more than 8192 characters. An app's own link (`SCHEME://NAME?QUERY`) is given as it is.
 */
export function parseAddress(text: string): URL | undefined {
  if (text.length > 2 * MAX_ADDRESS_CHARS) return undefined;
  const trimmed = text.trim();
  if (trimmed.length === 0 || trimmed.length > MAX_ADDRESS_CHARS || FORBIDDEN.test(trimmed)) return undefined;
  const meant = withoutTail(trimmed);
  if (APP_LINK.test(meant)) return new URL(meant);
  const scheme = SCHEME.exec(meant)?.[0] ?? '';
  const rest = meant.slice(scheme.length);
  const end = rest.search(HOST_END);
  const host = withoutDefaultPort((end === -1 ? rest : rest.slice(0, end)).toLowerCase(), scheme);
  if (!isHostName(host)) return undefined;
  const url = `https://${host}${end === -1 ? '/' : rest.slice(end)}`;
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  return address.hostname === host ? address : undefined;
}

/** Some apps write out the port that the scheme means anyway. */
function withoutDefaultPort(host: string, scheme: string): string {
  const port = /^http:?\/\/$/i.test(scheme) ? ':80' : ':443';
  return host.endsWith(port) ? host.slice(0, -port.length) : host;
}

const MAX_CHARS = 2_048;
const MAX_HOST_CHARS = 253;
/** The app's own links: a name, perhaps a query, no path. */
const APP_LINK = /^instagram:\/\/[a-z_]{1,30}\/?(?:\?[\x21-\x7e]*)?$/i;
/** `https://`, and `https//` as hurried fingers write it. */
const SCHEME = /^https?:?\/\//i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A name in letters: what could be a piece of an IPv4 address in any spelling is none. */
const TOP_LABEL = /^[a-z]{2,63}$/;
/** Blanks and controls of ASCII, and the backslash that browsers read as a slash. */
const FORBIDDEN = /[\s\\\p{Cc}\p{Zl}\p{Zp}]/u;

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
 * are taken from it later. Whatever could disguise a host is refused, not repaired: user names, ports, IP addresses, names
 * of one label, unicode and punycode, backslashes, blanks inside, a final dot, more than 2048 characters.
 */
export function parseAddress(text: string): URL | undefined {
  if (text.length > 2 * MAX_CHARS) return undefined;
  const trimmed = text.trim();
  if (trimmed.length === 0 || trimmed.length > MAX_CHARS || FORBIDDEN.test(trimmed)) return undefined;
  if (APP_LINK.test(trimmed)) return new URL(trimmed);
  const scheme = SCHEME.exec(trimmed)?.[0] ?? '';
  const rest = trimmed.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const host = (end === -1 ? rest : rest.slice(0, end)).toLowerCase();
  if (!isHostName(host)) return undefined;
  const url = `https://${host}${end === -1 ? '/' : rest.slice(end)}`;
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  return address.hostname === host ? address : undefined;
}

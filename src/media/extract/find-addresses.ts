/** The longest address that is read: share buttons of the sites add kilobytes of tracking parameters. */
export const MAX_ADDRESS_CHARS = 8_192;
const MAX_HOST_CHARS = 253;
/** A link that opens a site's app, such as `toy://media?id=1`: the app's scheme, a name, perhaps a query, no path. */
const APP_LINK = /^(?!https?:)[a-z][a-z0-9]{1,30}:\/\/[a-z_]{1,30}\/?(?:\?[\x21-\x7e]*)?$/i;
/** The address of a record in the AT protocol. Its owner may be an id with colons, which `URL` refuses as a host. */
const AT_RECORD = /^at:\/\/([a-z0-9.:-]{1,260}\/[\w.-]{1,100}\/[\w~-]{1,64})\/?$/i;
/** The scheme `http://` or `https://`. People sometimes forget its colon. */
const SCHEME = /^https?:?\/\//i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A top-level domain has only letters. An IPv4 address always ends in a number, so it never matches. */
const TOP_LABEL = /^[a-z]{2,63}$/;
/** White space, control characters, and the backslash, which browsers treat as a slash. */
const FORBIDDEN = /[\s\\\p{Cc}\p{Zl}\p{Zp}]/u;

/** The characters that end the host in a web address. */
const HOST_END = /[/?#]/;
const OUTSIDE_ASCII = /\P{ASCII}/u;

/**
 * Cuts off text that was written right behind an address: an emoji, or words of another script. The cut is at the first
 * non-ASCII character after the host, unless an ASCII path segment follows it, such as the id in `/NAME/videos/フェリー/1`.
 */
function withoutTail(address: string): string {
  const cut = beforeTail(address);
  return /\/[a-z0-9]/i.test(address.slice(cut.length)) ? address : cut;
}

/** The address up to the first non-ASCII character after its host. */
function beforeTail(address: string): string {
  const scheme = SCHEME.exec(address)?.[0].length ?? 0;
  const host = address.slice(scheme).search(HOST_END);
  const from = host === -1 ? address.length : scheme + host;
  const at = address.slice(from).search(OUTSIDE_ASCII);
  return at === -1 ? address : address.slice(0, from + at);
}

/** Says whether a host is an ASCII name with at least two labels: no port, user, IP address, `xn--` or final dot. */
function isHostName(host: string): boolean {
  if (host.length > MAX_HOST_CHARS) return false;
  const labels = host.split('.');
  const top = labels.at(-1) ?? '';
  return (
    labels.length >= 2 && TOP_LABEL.test(top) && labels.every(label => LABEL.test(label) && !label.startsWith('xn--'))
  );
}

/**
 * Parses a pasted text as one address; undefined if it is none. The scheme may be missing, `http` or `https//`, because
 * only ids are taken from the address. Text right behind the address is cut off, see {@link withoutTail}. An address
 * that could disguise its host is refused: user names, unusual ports, IP addresses, names of one label, unicode and
 * punycode, backslashes, blanks, a final dot, over 8192 characters. An app's link (`SCHEME://NAME?QUERY`) is returned
 * unchanged, and the address of a record (`at://OWNER/KIND/KEY`) is returned as a path.
 */
export function parseAddress(text: string): URL | undefined {
  if (text.length > 2 * MAX_ADDRESS_CHARS) return undefined;
  const trimmed = text.trim();
  if (trimmed.length === 0 || trimmed.length > MAX_ADDRESS_CHARS || FORBIDDEN.test(trimmed)) return undefined;
  const meant = withoutTail(trimmed);
  if (APP_LINK.test(meant)) return new URL(meant);
  const record = AT_RECORD.exec(meant)?.[1];
  if (record !== undefined) return new URL(`at:/${record}`);
  const scheme = SCHEME.exec(meant)?.[0] ?? '';
  const rest = meant.slice(scheme.length);
  const end = rest.search(HOST_END);
  // Some apps add the scheme's default port to an address. It is removed.
  const port = /^http:?\/\/$/i.test(scheme) ? /:80$/ : /:443$/;
  const host = (end === -1 ? rest : rest.slice(0, end)).toLowerCase().replace(port, '');
  if (!isHostName(host)) return undefined;
  const url = `https://${host}${end === -1 ? '/' : rest.slice(end)}`;
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  return address.hostname === host ? address : undefined;
}

const MAX_LINKS = 20;
/** Only this many first characters of a text are searched: no chat message and no caption is longer. */
const MAX_CHARS = 100_000;
/** A word ends at a blank, a quote, full-width punctuation or an invisible mark. */
const TOKEN =
  /[^\s<>"\u201c\u201d\u00ab\u00bb`\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\u3001\u3002\u300c\u300d\u3010\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/gu;
/** The start of an address in a word: a scheme, also an app's. After `/ = ? & %` it belongs to another address. */
const START = /(?<![a-z0-9/=?&%])(?:https?\/\/|[a-z][a-z0-9]{1,30}:\/\/)/gi;
/** A host without a scheme, perhaps with the default port, followed by a path or a query. */
const BARE = /(?<![\p{L}\p{N}@./:_-])(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,63}(?=(?::443)?[/?])/iu;
const TRAILING = /[.,;:!?'*~|\u2026\u2019]$/u;
const BRACKETS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

/** Removes code between two equally long runs of backticks. A run without a partner stays. */
function withoutCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(match => ({ start: match.index, length: match[0].length }));
  const closing = new Map<number, number>();
  const nextOfLength = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i -= 1) {
    const length = runs[i]?.length ?? 0;
    const next = nextOfLength.get(length);
    if (next !== undefined) closing.set(i, next);
    nextOfLength.set(length, i);
  }
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < runs.length; i += 1) {
    const open = runs[i];
    const end = closing.get(i);
    const close = end === undefined ? undefined : runs[end];
    if (open === undefined || end === undefined || close === undefined) continue;
    parts.push(text.slice(from, open.start), ' ');
    from = close.start + close.length;
    i = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** An address in `<>`: chats show no preview of it, so its writer wants none. */
const SUPPRESSED = /<(?:https?\/\/|[a-z][a-z0-9]{1,30}:\/\/)[^\s<>]*>/gi;

/**
 * The address as its writer meant it: without the sentence's punctuation, without a closing bracket that was opened
 * before the address, and without final underscores if an underscore stands before it (`isUnderlined`).
 */
function trimEnd(raw: string, isUnderlined: boolean): string {
  const cut = raw.indexOf('](');
  let text = cut === -1 ? raw : raw.slice(0, cut);
  const open = new Map<string, number>();
  for (const [close, opening] of BRACKETS) open.set(close, text.split(opening).length - text.split(close).length);
  for (let last = text.at(-1); last !== undefined; last = text.at(-1)) {
    const surplus = open.get(last);
    if (surplus !== undefined && surplus < 0) open.set(last, surplus + 1);
    else if (!TRAILING.test(last) && !(isUnderlined && last === '_')) break;
    text = text.slice(0, -1);
  }
  return text;
}

/**
 * The possible readings of an address with non-ASCII text behind it: first with that text, which may be a title in the
 * address, then without it.
 */
function* readings(raw: string, isUnderlined: boolean): Generator<string> {
  const cut = beforeTail(raw);
  if (withoutTail(raw) !== cut) yield trimEnd(raw, isUnderlined);
  yield trimEnd(cut, isUnderlined);
}

/** The addresses in one word: one that begins with a host without a scheme, if any, then all that have a scheme. */
function* addressesOf(token: string): Generator<string> {
  const starts = [...token.matchAll(START)].map(match => match.index);
  const bare = token.slice(0, starts[0] ?? token.length);
  const host = bare.search(BARE);
  if (host !== -1) yield* readings(bare.slice(host), false);
  for (const [index, start] of starts.entries()) {
    yield* readings(token.slice(start, starts[index + 1] ?? token.length), token[start - 1] === '_');
  }
}

/**
 * Finds addresses that `isKnown` accepts in a text, with or without a scheme: in order, without repeats, at most 20.
 * `<link>`, `code` and fenced code are skipped; `[text](link)` gives the link. The time is linear in the text's length.
 */
export function findAddresses(text: string, isKnown: (address: URL) => boolean): readonly string[] {
  const found = new Set<string>();
  const plain = withoutCode(text.slice(0, MAX_CHARS)).replace(SUPPRESSED, ' ');
  for (const [token] of plain.matchAll(TOKEN)) {
    if (!token.includes('.') && !token.includes('//')) continue;
    for (const candidate of addressesOf(token)) {
      const address = parseAddress(candidate);
      if (address === undefined) continue;
      if (isKnown(address)) found.add(candidate);
      if (found.size === MAX_LINKS) return [...found];
    }
  }
  return [...found];
}

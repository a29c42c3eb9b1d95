/** Finds out what an address leads to, by a table of shapes of paths for each site. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';

/**
 * A path's shape (without outer slashes) and a reader of such paths. If the reader returns undefined, the next shape in
 * the table is tried.
 */
export type PathShape = readonly [
  RegExp,
  (found: readonly string[], query: URLSearchParams, host: string) => LinkMatch | undefined,
];

export function unsupported(what: string): LinkMatch {
  return { kind: 'unsupported', what };
}

export const PAGE = unsupported('page');

/** Shapes of pages that show no single post. Each kind of page has a pattern for the beginning of its paths. */
export function pagesOf(kinds: Readonly<Record<string, string>>): readonly PathShape[] {
  return Object.entries(kinds).map(([what, words]) => {
    return [new RegExp(`^(?:${words})(?:/|$)`, 'i'), () => unsupported(what)];
  });
}

/** The match of a page whose query contains another address; undefined when it contains none. */
export function wrapper(target: string | null | undefined): LinkMatch | undefined {
  return target ? { kind: 'wrapper', target } : undefined;
}

/** The match of a post's link. Without `ref`, the match of a page that shows no post. */
export function postMatch(ref: PostRef | undefined): LinkMatch {
  return ref === undefined ? PAGE : { kind: 'post', ref };
}

export function matchPath(shapes: readonly PathShape[], path: string, query: URLSearchParams, host = ''): LinkMatch {
  for (const [pattern, match] of shapes) {
    const found = pattern.exec(path);
    const meaning = found === null ? undefined : match(found, query, host);
    if (meaning !== undefined) return meaning;
  }
  return PAGE;
}

const MAX_SEGMENTS = 12;

/** The path of an address without empty segments. Long paths are cut. */
export function pathOf({ pathname }: URL): string {
  const segments = pathname.split('/', 2 * MAX_SEGMENTS).filter(segment => segment !== '');
  // In links copied from an app, `@` and `:` may be percent-encoded.
  return segments.slice(0, MAX_SEGMENTS).join('/').replace(/^%40/, '@').replace(/%3a/gi, ':');
}

/**
 * Makes a source's `match` from patterns of host names, each with the shapes of its paths. It returns undefined for
 * other hosts, never throws, and takes from an address only what the shapes allow.
 */
export function linkMatcher(hosts: readonly (readonly [RegExp, readonly PathShape[]])[]) {
  return (address: URL): LinkMatch | undefined => {
    const { protocol, hostname, searchParams } = address;
    const shapes = hosts.find(([pattern]) => pattern.test(hostname))?.[1];
    if (shapes === undefined || !/^https?:$/.test(protocol)) return undefined;
    return matchPath(shapes, pathOf(address), searchParams, hostname);
  };
}

/** Makes a function that reads a post's id from an address; it returns null for any other address. */
export function postIdBy(match: (address: URL) => LinkMatch | undefined) {
  return (address: unknown): string | null => {
    if (typeof address !== 'string' || address.length > 2_048 || !URL.canParse(address)) return null;
    const found = match(new URL(address));
    return found?.kind === 'post' ? found.ref.id : null;
  };
}

/** The digits of a shortcode, which is the media id, a 64-bit number, written in base64url. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The length of a public shortcode. Links of private accounts have a secret suffix after it. */
export const PUBLIC_CODE_LENGTH = 11;
const PRIVATE_SUFFIX_LENGTH = 28;
const CODE = /^[\w-]{1,11}$/;
const MEDIA_ID = /^\d{1,20}$/;
/** The moment at which the time in Instagram's and Threads' ids is 0, unix milliseconds. */
const ID_EPOCH_MS = 1_314_220_021_721n;

/** Splits off the suffix of 28 characters that a private account's links have (`C5_A1TQNPrYw4c2g…`). */
export function splitCode(text: string): { readonly code: string; readonly isPrivate: boolean } {
  const isPrivate = text.length > PRIVATE_SUFFIX_LENGTH;
  const code = isPrivate ? text.slice(0, -PRIVATE_SUFFIX_LENGTH) : text;
  return { code: code.slice(0, PUBLIC_CODE_LENGTH), isPrivate };
}

/** The media id (`pk`) of a shortcode in decimal; null when the text is not a shortcode of 1 to 11 digits. */
export function mediaIdOfCode(code: string): string | null {
  if (!CODE.test(code)) return null;
  const digits = [...code].map(digit => BigInt(ALPHABET.indexOf(digit)));
  return digits.reduce((id, digit) => id * 64n + digit, 0n).toString();
}

/** The shortcode of a media id in decimal; null when it is not a number of at most 20 digits. */
export function shortcodeOf(mediaId: string): string | null {
  if (!MEDIA_ID.test(mediaId)) return null;
  let id = BigInt(mediaId);
  let code = '';
  do {
    code = ALPHABET.charAt(Number(id % 64n)) + code;
    id /= 64n;
  } while (id > 0n);
  return code;
}

/**
 * The time in an id's upper 41 bits, unix milliseconds; null before 2011-08. It may be minutes earlier than the time
 * that the site shows.
 */
export function publishTimeOf(mediaId: string): number | null {
  if (!MEDIA_ID.test(mediaId)) return null;
  const sinceEpoch = BigInt(mediaId) >> 23n;
  return sinceEpoch > 0n ? Number(sinceEpoch + ID_EPOCH_MS) : null;
}

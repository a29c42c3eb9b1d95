/**
 * Parses and searches JSON that comes from outside. Everything is bounded, because such JSON may have many megabytes or
 * endless nesting.
 */
import type { Variant } from '../post.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at the end of a path of properties; undefined if the path leads nowhere. */
export function child(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) current = isJsonObject(current) ? current[key] : undefined;
  return current;
}

/** The most levels of nesting. The sites' pages have about 40; a text with millions would use up the memory. */
const MAX_NESTING = 1_000;
/** Texts shorter than this cannot nest deep enough to be a problem. */
const MIN_SCANNED_CHARS = 64 * 1024;

/** Says whether brackets nest deeper than `MAX_NESTING`, without parsing the text. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) inString = !inString;
    else if (inString) {
      if (code === 0x5c) index += 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_NESTING) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** The value of a JSON text, or undefined when it is not JSON or nests too deeply. */
export function parseJson(text: string): unknown {
  if (text.length > MIN_SCANNED_CHARS && isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** How many levels are searched, which bounds the recursion; the sites nest about 40. */
const MAX_DEPTH = 64;

/** The most objects and lists that may still be visited. Several searches can share one budget. */
export function createSearchBudget(nodes = 400_000) {
  return { nodes };
}

type SearchBudget = ReturnType<typeof createSearchBudget>;

/**
 * Calls `visit` for `root` and every object below it, parents first, in document order. `root` must come from parsed
 * JSON. Objects below level 64 or beyond the budget are left out.
 * @param enters called with each property before its value is searched; false skips the value
 */
export function visitObjects(
  root: unknown,
  visit: (object: JsonObject) => void,
  budget: SearchBudget = createSearchBudget(),
  enters?: (key: string, value: unknown) => boolean,
): void {
  const enterObject = (object: JsonObject, depth: number): void => {
    visit(object);
    // Unlike Object.keys, `for in` makes no list; objects from JSON have no inherited keys.
    for (const key in object) {
      const value = object[key];
      if (enters?.(key, value) !== false && isNested(value)) enter(value, depth);
    }
  };
  const enter = (value: object, depth: number): void => {
    if (depth > MAX_DEPTH || budget.nodes <= 0) return;
    budget.nodes -= 1;
    if (isJsonObject(value)) enterObject(value, depth + 1);
    else if (Array.isArray(value)) for (const element of value) if (isNested(element)) enter(element, depth + 1);
  };
  if (isNested(root)) enter(root, 0);
}

/** All objects in `root` with at least one of these properties, in the order of `visitObjects`. */
export function objectsWith(root: unknown, keys: readonly string[]): readonly JsonObject[] {
  const wanted = new Set(keys);
  const found: JsonObject[] = [];
  visitObjects(root, object => {
    for (const key in object) {
      if (!wanted.has(key)) continue;
      found.push(object);
      return;
    }
  });
  return found;
}

/**
 * All values of matching properties below `root`, outer ones first, in document order.
 * @param skip properties that are neither returned nor searched
 */
export function findValues(
  root: unknown,
  name: string | ((key: string) => boolean),
  { skip, budget }: { skip?: ReadonlySet<string>; budget?: SearchBudget } = {},
): readonly unknown[] {
  const found: unknown[] = [];
  const enters = (key: string, value: unknown) => {
    if (skip?.has(key)) return false;
    if (typeof name === 'string' ? key === name : name(key)) found.push(value);
    return true;
  };
  visitObjects(root, () => undefined, budget, enters);
  return found;
}

export type PixelSize = Pick<Variant, 'width' | 'height'>;

export const UNKNOWN_SIZE: PixelSize = { width: null, height: null };

/** The first value that `read` finds in the items; null when it finds none. */
export function firstOf<Item, Value>(
  items: readonly Item[],
  read: (item: Item) => Value | null | undefined,
): Value | null {
  for (const item of items) {
    const value = read(item);
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

const MAX_CAPTION_CHARS = 100_000;
/** Hashtags in a row, as in `#one#two`: letters of any script with their marks, digits and `_`, but no emoji. */
const HASHTAGS = /(?<![\p{L}\p{M}\p{N}_&/])(?:[#\uff03][\p{L}\p{M}\p{N}_]{1,150})+/gu;
/** A mention: ASCII letters, digits, `_` and single inner dots, at most 30; not the `@` of an e-mail address. */
const MENTION = /(?<![\p{L}\p{N}_.+-])[@\uff20]([A-Za-z0-9_](?:\.?[A-Za-z0-9_]){0,29})(?![A-Za-z0-9_])/gu;

function distinct(tags: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const tag of tags) {
    const key = tag.toLowerCase();
    if (!seen.has(key)) seen.set(key, tag);
  }
  return [...seen.values()];
}

/** The hashtags (`#`, not digits alone) and mentions (`@`) of a caption, in order, each once regardless of case. */
export function captionTags(caption: string | null): Record<'hashtags' | 'mentions', readonly string[]> {
  if (!caption) return { hashtags: [], mentions: [] };
  const text = caption.slice(0, MAX_CAPTION_CHARS);
  const words = [...text.matchAll(HASHTAGS)].flatMap(([row]) => row.split(/[#\uff03]/).slice(1));
  const names = [...text.matchAll(MENTION)].map(match => match[1] ?? '');
  return {
    hashtags: distinct(words.filter(word => /[^\p{N}\p{M}]/u.test(word)).map(word => `#${word}`)),
    mentions: distinct(names.map(name => `@${name}`)),
  };
}

const MAX_ADDRESS_CHARS = 8_192;

/**
 * Matches addresses that parsing with `URL` would not change, as most CDN addresses are. These are not parsed, because
 * matching takes only a third of the time that parsing takes.
 */
const PLAIN = /^https:\/\/([a-z0-9.-]{1,200})\/[A-Za-z0-9\-._~!$&()*+,;=:@%/]*(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*)?$/;
/**
 * An address with one of these texts is parsed with `URL` even if `PLAIN` matches it: parsing resolves `..` in its
 * path, or checks its punycode host name.
 */
const UNPLAIN: readonly string[] = ['/.', '/%2', '..', 'xn--'];

/** Says whether a host is one of `hosts` or a subdomain of one. */
export function isOn(host: string, hosts: readonly string[]): boolean {
  return hosts.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
}

/** Makes a function like `mediaAddress` for these hosts, which also refuses addresses that contain `except`. */
export function addressReader(hosts: readonly string[], except?: string) {
  return (value: unknown) => {
    const url = mediaAddress(value, hosts);
    return except !== undefined && url?.includes(except) ? null : url;
  };
}

/** The address if it may be fetched, else null. It must be https, without user or port, on or below one of `hosts`. */
export function mediaAddress(url: unknown, hosts: readonly string[]): string | null {
  if (typeof url !== 'string' || url.length > MAX_ADDRESS_CHARS) return null;
  const host = PLAIN.exec(url)?.[1];
  if (host !== undefined && !UNPLAIN.some(part => url.includes(part))) return isOn(host, hosts) ? url : null;
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address?.protocol !== 'https:') return null;
  if (address.username !== '' || address.password !== '' || address.port !== '') return null;
  if (!isOn(address.hostname, hosts)) return null;
  address.hash = '';
  return address.href;
}

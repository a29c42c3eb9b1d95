/**
 * Reads and searches JSON that comes from outside. Everything is bounded, because such JSON may have many megabytes or
 * endless nesting. The `read` functions return null for a value of the wrong kind, so that one odd field never loses
 * the post.
 */
import { NO_STATS, type Stats, type Variant } from '../post.ts';

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

const MAX_TEXT_CHARS = 1_000_000;

function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Reads a text. An empty text counts as absent, and gives null. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT_CHARS) : null;
}

/** Reads a count. The sites send -1 for a hidden count, which gives null. */
export function readCount(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

const MULTIPLES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9 };

/** Reads a count as people see it: `1,234` exactly, `4.7K` as 4700. `1.234` (of another language) gives null. */
export function readShownCount(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40) return readCount(value);
  const match = /^(\d{1,3}(?:,\d{3}){1,4}|\d{1,15}(?:\.\d{1,3}(?=\s?[KMB]))?)\s?([KMB]?)$/i.exec(value.trim());
  if (match === null) return null;
  const number = Number((match[1] ?? '').replaceAll(',', '')) * (MULTIPLES[(match[2] ?? '').toUpperCase()] ?? 1);
  return Number.isFinite(number) ? Math.round(number) : null;
}

/** Reads a number above zero, such as a width, a duration or a bit rate. */
export function readSize(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && number > 0 ? number : null;
}

export type PixelSize = Pick<Variant, 'width' | 'height'>;

export const UNKNOWN_SIZE: PixelSize = { width: null, height: null };

/** Reads a width and height from an object; each is null if the object does not state it. */
export function sizeOf(object: unknown, width = 'width', height = 'height'): PixelSize {
  return { width: readSize(child(object, width)), height: readSize(child(object, height)) };
}

/** For each count, the paths at which it may be, such as `views.count`. */
export type StatPaths = Readonly<Partial<Record<keyof Stats, string | readonly string[]>>>;

/** The counts of a post. Each is read by the first of its paths that leads to a count in any of the objects. */
export function readStats(objects: readonly unknown[], paths: StatPaths): Stats {
  const read = Object.entries(paths).map(([key, where]) => {
    const keys = [where].flat().map(path => path.split('.'));
    return [key, firstOf(keys, path => firstOf(objects, object => readCount(child(object, ...path))))] as const;
  });
  return { ...NO_STATS, ...Object.fromEntries(read) };
}

/** Reads seconds and returns milliseconds. */
export function readSeconds(value: unknown): number | null {
  const seconds = readSize(value);
  return seconds === null ? null : Math.round(seconds * 1000);
}

export function readFlag(value: unknown): boolean | null {
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : null;
}

/** Reads an id in any of a site's forms: `ID`, `ID_OWNERID` or `POLARIS_ID`. Inexact numbers give null. */
export function readId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  if (typeof value !== 'string') return null;
  return /^(?:[A-Z]+_)?(\d{1,24})(?:_\d{1,24})?$/.exec(value)?.[1] ?? null;
}

/** Reads unix seconds or milliseconds, which it tells apart by their size, and returns milliseconds. */
export function readInstant(value: unknown): number | null {
  const number = toNumber(value);
  if (number === null || number <= 0) return null;
  return Math.round(number > 100_000_000_000 ? number : number * 1000);
}

/** Reads a date in text form as unix milliseconds. */
export function readDate(value: unknown): number | null {
  const moment = Date.parse(readText(value) ?? '');
  return Number.isNaN(moment) ? null : moment;
}

/** The elements of a list, at most `max`; anything else gives an empty list. */
export function readList(value: unknown, max = 60): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

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

/** Addresses that `URL` would not change, as most of a CDN's. Matching takes a third of the time that parsing takes. */
const PLAIN = /^https:\/\/([a-z0-9.-]{1,200})\/[A-Za-z0-9\-._~!$&()*+,;=:@%/]*(?:\?[A-Za-z0-9\-._~!$&()*+,;=:@%/?]*)?$/;
/** An address with one of these texts is parsed: `URL` resolves path segments and checks punycode names. */
const UNPLAIN: readonly string[] = ['/.', '/%2', '..', 'xn--'];

/** Says whether a host is one of `hosts` or a subdomain of one. */
export function isOn(host: string, hosts: readonly string[]): boolean {
  return hosts.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
}

/** Makes a `mediaAddress` for these hosts. It also refuses addresses that contain `except`. */
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

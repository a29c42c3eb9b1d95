/**
 * Readers for single values of a site's JSON or markup. Each returns null for a value of the wrong kind, so that one odd
 * field never loses the post. They are used as `read.text(value)`.
 */
import { NO_STATS, type Stats } from '../post.ts';
import { child, firstOf, type PixelSize } from './json.ts';

const MAX_TEXT_CHARS = 1_000_000;

function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Reads a text. An empty text counts as absent, and gives null. */
export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT_CHARS) : null;
}

/** Reads a count. The sites send -1 for a hidden count, which gives null. */
export function count(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

const MULTIPLES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9 };

/**
 * Reads a count as people see it in English: `1,234` exactly, `4.7K` as 4700. `1.234`, by which other languages mean
 * 1,234, gives null.
 */
export function shownCount(value: unknown): number | null {
  if (typeof value !== 'string' || value.length > 40) return count(value);
  const match = /^(\d{1,3}(?:,\d{3}){1,4}|\d{1,15}(?:\.\d{1,3}(?=\s?[KMB]))?)\s?([KMB]?)$/i.exec(value.trim());
  if (match === null) return null;
  const number = Number((match[1] ?? '').replaceAll(',', '')) * (MULTIPLES[(match[2] ?? '').toUpperCase()] ?? 1);
  return Number.isFinite(number) ? Math.round(number) : null;
}

/** Reads a number above zero, such as a width, a duration or a bit rate. */
export function positive(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && number > 0 ? number : null;
}

/** Reads a width and height from an object; each is null if the object does not state it. */
export function dimensions(object: unknown, width = 'width', height = 'height'): PixelSize {
  return { width: positive(child(object, width)), height: positive(child(object, height)) };
}

/** For each count, the paths at which it may be, such as `views.count`. */
export type StatPaths = Readonly<Partial<Record<keyof Stats, string | readonly string[]>>>;

/** The counts of a post. Each is read by the first of its paths that leads to a count in any of the objects. */
export function stats(objects: readonly unknown[], paths: StatPaths): Stats {
  const read = Object.entries(paths).map(([key, where]) => {
    const keys = [where].flat().map(path => path.split('.'));
    return [key, firstOf(keys, path => firstOf(objects, object => count(child(object, ...path))))] as const;
  });
  return { ...NO_STATS, ...Object.fromEntries(read) };
}

/** Reads seconds and returns milliseconds. */
export function seconds(value: unknown): number | null {
  const seconds = positive(value);
  return seconds === null ? null : Math.round(seconds * 1000);
}

export function boolean(value: unknown): boolean | null {
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : null;
}

/** Reads an id in any of a site's forms: `ID`, `ID_OWNERID` or `POLARIS_ID`. Inexact numbers give null. */
export function numericId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
  if (typeof value !== 'string') return null;
  return /^(?:[A-Z]+_)?(\d{1,24})(?:_\d{1,24})?$/.exec(value)?.[1] ?? null;
}

/** The last moment that a date can have, unix milliseconds (ECMAScript). Formatting a later one fails. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** Reads unix seconds or milliseconds, which it tells apart by their size, and returns milliseconds. */
export function instant(value: unknown): number | null {
  const number = toNumber(value);
  if (number === null || number <= 0 || number > LAST_MOMENT) return null;
  return Math.round(number > 100_000_000_000 ? number : number * 1000);
}

/** Reads a date in text form as unix milliseconds. */
export function writtenDate(value: unknown): number | null {
  const moment = Date.parse(text(value) ?? '');
  return Number.isNaN(moment) ? null : moment;
}

/** The elements of a list, at most `max`; anything else gives an empty list. */
export function list(value: unknown, max = 60): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

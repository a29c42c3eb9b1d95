/**
 * Readers of single fields. The official API and its mirrors agree on names but not on types: numbers may be strings,
 * dates numbers, flags 0 and 1. An unreadable field is null, so that one odd field never loses the whole answer.
 */
import * as z from 'zod';
import { RULESETS, type Ruleset, STATUSES, statusNumber } from './beatmapset.ts';

const NUMBER = /^-?\d{1,18}(?:\.\d{1,18})?$/;
const UTC_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|\+00:00)$/;
const NAIVE_DATE = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d{1,9})?$/;
/** A number below this is unix seconds (until the year 5138), a larger one milliseconds (since 1973). */
const SECONDS_END = 1e11;

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : null;
}

function toText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The most characters of a name, more than any beatmap's name has. */
const MAX_NAME = 300;

function toName(value: unknown): string | null {
  return toText(value)?.slice(0, MAX_NAME) ?? null;
}

function toFlag(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === '1' || value === 'true') return true;
  return value === 0 || value === '0' || value === 'false' ? false : null;
}

/** A date in ISO 8601, without milliseconds, as in the official API. */
function toIso(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export const field = <T>(read: (value: unknown) => T) => z.unknown().optional().transform(read);

export const number = field(toNumber);
export const numberOrZero = field(value => toNumber(value) ?? 0);
/** Reads a positive integer; else null. */
export const id = field(value => {
  const number = toNumber(value);
  return number !== null && Number.isSafeInteger(number) && number > 0 ? number : null;
});
/** Reads a text; an empty one is null. */
export const text = field(toText);
/** Reads a name; an empty name is null, and a name that is too long is cut. */
export const name = field(toName);
export const nameOrEmpty = field(value => toName(value) ?? '');
export const flag = field(toFlag);
/** Reads a flag; false when the field is missing. */
export const isSet = field(value => toFlag(value) ?? false);
/** osu! is from 2007. Some upstreams write an earlier date, such as the first day of the year 1, where there is none. */
const FIRST_MS = Date.UTC(2007, 0);

function toDate(value: unknown): string | null {
  const number = toNumber(value);
  if (number !== null) return toIso(number < SECONDS_END ? number * 1000 : number);
  if (typeof value !== 'string' || value.length > 40) return null;
  if (UTC_DATE.test(value) && !Number.isNaN(Date.parse(value))) return value;
  const naive = NAIVE_DATE.exec(value);
  return toIso(Date.parse(naive === null ? value : `${naive[1]}T${naive[2]}Z`));
}

/** Reads a date as ISO 8601 in UTC, from ISO text, `YYYY-MM-DD hh:mm:ss`, unix seconds or milliseconds. */
export const date = field(value => {
  const iso = toDate(value);
  return iso !== null && Date.parse(iso) >= FIRST_MS ? iso : null;
});
/** Reads a status from its name or its number, -2 to 4. */
export const status = field(value => {
  const word = typeof value === 'number' || typeof value === 'string' ? String(value).toLowerCase() : '';
  return STATUSES.find(each => each === word || String(statusNumber(each)) === word) ?? null;
});
/** Reads a ruleset from its name, from `catch`, or from its number, 0 to 3. */
export const ruleset = field((value): Ruleset | null => {
  if (value === 'catch' || value === 'ctb') return 'fruits';
  const index = toNumber(value);
  return (index === null ? RULESETS.find(each => each === value) : RULESETS[index]) ?? null;
});

/** The address, with the https that some upstreams leave out; null if there is none or it has another scheme. */
export function httpsUrl(address: string | null | undefined): string | null {
  const whole = address?.startsWith('//') === true ? `https:${address}` : address;
  return whole?.startsWith('https://') === true ? whole : null;
}

/** Reads an object of the given shape; else null. */
export function part<S extends z.ZodType>(shape: S) {
  return field((value): z.output<S> | null => shape.safeParse(value).data ?? null);
}

/** Reads a list's first `most` elements, without those of another shape; empty when the value is no list. */
export function list<S extends z.ZodType>(shape: S, most = Number.POSITIVE_INFINITY) {
  return field((value): readonly z.output<S>[] =>
    Array.isArray(value) ? value.slice(0, most).flatMap(each => shape.safeParse(each).data ?? []) : [],
  );
}

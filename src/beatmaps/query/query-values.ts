import { STATUSES } from '../model/beatmapset.ts';
import type { Operator } from './query-scan.ts';

/** A range from `gte`, which is included, up to `lt`, which is not. */
export interface Range {
  readonly gte?: number;
  readonly lt?: number;
}

/** How values of a search key are written and compared. */
export interface RangeKind {
  /** The interval of values that count as equal to a written value; undefined when that cannot be read. */
  parse(value: string): Interval | undefined;
  /** Conditions, each of an operator and a value, that together mean exactly this range. */
  render(range: Range): readonly string[];
  /** True when `a-b` is read as a range and not as one value. */
  readonly hasSpans: boolean;
}

/** An interval from `low`, which is included, up to `high`, which is not. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

const DECIMALS = 1e6;
/** A number with a decimal point, or with a decimal comma as in many countries. */
const NUMBER = /^(?:\d{1,9}(?:[.,]\d{0,20})?|[.,]\d{1,20})$/;
const INTEGER = /^\d{1,12}$/;

function toNumber(text: string): number {
  return Number(text.replace(',', '.'));
}

function round(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}

/** The bounds that one written condition sets; undefined when its value cannot be read. */
export function parseRange(kind: RangeKind, operator: Operator, value: string): Range | undefined {
  const interval = kind.parse(value);
  if (interval === undefined) return kind.hasSpans && operator === '=' ? parseSpan(kind, value) : undefined;
  switch (operator) {
    case '=':
      return { gte: interval.low, lt: interval.high };
    case '<':
      return { lt: interval.low };
    case '<=':
      return { lt: interval.high };
    case '>':
      return { gte: interval.high };
    case '>=':
      return { gte: interval.low };
  }
}

/** Reads `5-6`, `5-` and `-6`; both ends are included. */
function parseSpan(kind: RangeKind, value: string): Range | undefined {
  const dash = value.indexOf('-');
  if (dash < 0) return undefined;
  const from = value.slice(0, dash);
  const to = value.slice(dash + 1);
  // A unit that is written once counts for both ends: `2-3m`.
  const unit = /^[\d.,]+$/.test(from) ? (/[a-z]*$/i.exec(to)?.[0] ?? '') : '';
  const low = from === '' ? undefined : kind.parse(from + unit);
  const high = to === '' ? undefined : kind.parse(to);
  if ((low === undefined) !== (from === '') || (high === undefined) !== (to === '') || value === '-') return undefined;
  return { ...(low === undefined ? {} : { gte: low.low }), ...(high === undefined ? {} : { lt: high.high }) };
}

/** Decimal numbers that count as equal within `tolerance`. */
export function decimal(tolerance: number): RangeKind {
  return tolerant(value => (NUMBER.test(value) ? { value: toNumber(value), tolerance } : undefined), tolerance);
}

/** A length in seconds, as a number or with units. The smallest unit that is written decides how exact it is. */
export const DURATION: RangeKind = tolerant(parseDuration, 0.5);

function tolerant(parse: (value: string) => Measured | undefined, ownTolerance: number): RangeKind {
  return {
    hasSpans: true,
    parse(text) {
      const parsed = parse(text);
      if (parsed === undefined) return undefined;
      // No value is below zero, and a query cannot state a negative bound.
      const low = Math.max(0, round(parsed.value - parsed.tolerance));
      return { low, high: round(parsed.value + parsed.tolerance) };
    },
    render: range =>
      renderSteps(range, 2 * ownTolerance, low => {
        const value = round(low + ownTolerance);
        return value < 0 ? undefined : write(value);
      }),
  };
}

/**
 * Writes a range as conditions. Each value that can be written stands for an interval of the width `step`: the value 5
 * of a decimal number, for example, for 4.995 to 5.005.
 * @param nameOf returns the value whose interval begins at `low`; undefined when no condition can state it
 */
function renderSteps({ gte, lt }: Range, step: number, nameOf: (low: number) => string | undefined): readonly string[] {
  if (gte !== undefined && lt !== undefined && round(lt - gte) === round(step)) return [`=${nameOf(gte)}`];
  const words: string[] = [];
  if (gte !== undefined) words.push(nameOf(gte) === undefined ? `>${nameOf(gte - step)}` : `>=${nameOf(gte)}`);
  if (lt !== undefined) words.push(nameOf(lt - step) === undefined ? `<${nameOf(lt)}` : `<=${nameOf(lt - step)}`);
  return words;
}

/** Writes a number in plain digits, because the parser does not read forms such as `1e-7`. */
function write(value: number): string {
  return round(value)
    .toFixed(6)
    .replace(/\.?0+$/, '');
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

interface Measured {
  readonly value: number;
  readonly tolerance: number;
}

function parseDuration(given: string): Measured | undefined {
  const text = given.replace(',', '.');
  if (NUMBER.test(text)) return { value: toNumber(text), tolerance: 0.5 };
  const clock = /^(?:(\d{1,3}):)?(\d{1,4}):(\d{2}(?:\.\d{1,3})?)$/.exec(text);
  if (clock !== null) {
    const [, hours = '0', minutes = '0', seconds = '0'] = clock;
    if (Number(seconds) >= 60 || (clock[1] !== undefined && Number(minutes) >= 60)) return undefined;
    return { value: Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds), tolerance: 0.5 };
  }
  return parseUnits(text);
}

const UNITS =
  /^(?:(\d{1,6}(?:\.\d{1,6})?)h)?(?:(\d{1,6}(?:\.\d{1,6})?)m(?:in)?)?(?:(\d{1,6}(?:\.\d{1,6})?)s(?:ec)?)?(?:(\d{1,9})ms)?$/i;

function parseUnits(text: string): Measured | undefined {
  const found = UNITS.exec(text);
  if (found === null || text === '') return undefined;
  let value = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (const [index, unit] of ['h', 'm', 's', 'ms'].entries()) {
    const amount = found[index + 1];
    const seconds = UNIT_SECONDS[unit] ?? 0;
    if (amount === undefined) continue;
    value += Number(amount) * seconds;
    smallest = Math.min(smallest, seconds);
  }
  return { value, tolerance: smallest / 2 };
}

export const WHOLE: RangeKind = {
  hasSpans: true,
  parse: text => (INTEGER.test(text) ? { low: Number(text), high: Number(text) + 1 } : undefined),
  render: range => renderSteps(range, 1, low => (low < 0 ? undefined : String(low))),
};

/** Statuses, written as a name or its beginning, and compared by the osu! API's numbers. */
export const STATUS_ORDER: RangeKind = {
  hasSpans: false,
  parse(text) {
    const index = text === '' ? -1 : STATUSES.findIndex(status => status.startsWith(text.toLowerCase()));
    return index < 0 ? undefined : { low: index - 2, high: index - 1 };
  },
  render: range => renderSteps(range, 1, number => STATUSES[number + 2]),
};

const DAY_MS = 86_400_000;
const MIN_MS = Date.UTC(1900, 0);
const MAX_MS = Date.UTC(3000, 0);
const PERIOD = /^(\d{4})(?:([-./]?)(\d{1,2})(?:\2(\d{1,2}))?)?$/;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?\s?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Dates in unix milliseconds, written in UTC unless a zone is added. A written year, month or day means the whole of
 * it. A time means the whole minute if it has no seconds, and the whole second if it has no milliseconds.
 */
export const DATE: RangeKind = {
  hasSpans: true,
  parse(text) {
    const interval = parsePeriod(text) ?? parseTimestamp(text);
    return interval === undefined || interval.low < MIN_MS || interval.high > MAX_MS ? undefined : interval;
  },
  render({ gte, lt }) {
    const period = gte === undefined || lt === undefined ? undefined : writePeriod(gte, lt);
    if (period !== undefined) return [`=${period}`];
    const words: string[] = [];
    if (gte !== undefined && gte >= MAX_MS) words.push('>2999');
    else if (gte !== undefined) words.push(`>=${writeInstant(gte)}`);
    if (lt !== undefined && lt > MIN_MS && lt % DAY_MS === 0) words.push(`<=${writeInstant(lt - DAY_MS)}`);
    else if (lt !== undefined) words.push(`<${writeInstant(lt)}`);
    return words;
  },
};

function parsePeriod(text: string): Interval | undefined {
  const found = PERIOD.exec(text);
  if (found === null) return undefined;
  const [, yearText, separator = '', monthText, dayText] = found;
  const isUnseparated = separator === '' && monthText !== undefined;
  if (isUnseparated && (monthText.length !== 2 || (dayText !== undefined && dayText.length !== 2))) return undefined;
  const year = Number(yearText);
  if (monthText === undefined) return { low: Date.UTC(year, 0), high: Date.UTC(year + 1, 0) };
  const month = Number(monthText) - 1;
  if (month < 0 || month > 11) return undefined;
  if (dayText === undefined) return { low: Date.UTC(year, month), high: Date.UTC(year, month + 1) };
  const low = Date.UTC(year, month, Number(dayText));
  return new Date(low).getUTCDate() === Number(dayText) ? { low, high: low + DAY_MS } : undefined;
}

function parseTimestamp(text: string): Interval | undefined {
  const found = TIMESTAMP.exec(text);
  if (found === null) return undefined;
  const [, day = '', minute = '', second, fraction] = found;
  const zone = /(?:z|[+-]\d{2}:?\d{2})$/i.exec(text.slice(day.length))?.[0] ?? 'Z';
  const offset = /^([+-]\d{2}):?(\d{2})$/.exec(zone);
  const suffix = offset === null ? 'Z' : `${offset[1]}:${offset[2]}`;
  const low = Date.parse(`${day}T${minute}:${second ?? '00'}.${(fraction ?? '').padEnd(3, '0')}${suffix}`);
  if (Number.isNaN(low)) return undefined;
  const lengthMs = fraction !== undefined ? 1 : second !== undefined ? 1_000 : 60_000;
  return { low, high: low + lengthMs };
}

function writePeriod(gte: number, lt: number): string | undefined {
  const day = new Date(gte).toISOString().slice(0, 10);
  return [day.slice(0, 4), day.slice(0, 7), day].find(text => {
    const period = parsePeriod(text);
    return period !== undefined && period.low === gte && period.high === lt;
  });
}

function writeInstant(ms: number): string {
  const text = new Date(ms).toISOString();
  if (ms % DAY_MS === 0) return text.slice(0, 10);
  return `"${ms % 1_000 === 0 ? text.replace('.000Z', 'Z') : text}"`;
}

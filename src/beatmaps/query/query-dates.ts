import type { RangeKind } from './query-values.ts';

const DAY_MS = 86_400_000;
const MIN_MS = Date.UTC(1900, 0);
const MAX_MS = Date.UTC(3000, 0);
const PERIOD = /^(\d{4})(?:([-./]?)(\d{1,2})(?:\2(\d{1,2}))?)?$/;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?\s?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/** Milliseconds of the epoch. A year, a month or a day stands for all of it, in UTC; a timestamp for its second. */
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

function parsePeriod(text: string): { readonly low: number; readonly high: number } | undefined {
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

function parseTimestamp(text: string): { readonly low: number; readonly high: number } | undefined {
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

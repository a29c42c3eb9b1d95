/** The bench's own table: a row for each kind of work, medians with their spread. */
import type { Crowd } from '../crowd.ts';
import { detail } from '../findings.ts';
import type { LoadResult } from '../load.ts';

export interface Sample extends LoadResult {
  /** For one request, all threads together; null where it is not known. */
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
}

export interface Row {
  readonly work: string;
  readonly atOnce: number;
  readonly samples: readonly Sample[];
  /** The most crowded round that counts. */
  readonly crowd?: Crowd | undefined;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** `median [lowest-highest]` */
export function spread(values: readonly number[], digits: number): string {
  if (values.length === 0) return 'unknown';
  const show = (value: number) => value.toFixed(digits);
  return `${show(median(values))} [${show(Math.min(...values))}-${show(Math.max(...values))}]`;
}

const HEAD = ['work', 'at once', 'CPU ms a request', 'requests/s', 'p50 ms', 'p99 ms', 'peak MB', 'not 200'] as const;

type Cells = readonly string[];

export function summarize({ work, atOnce, samples }: Row): Cells {
  const known = (values: readonly (number | null)[]) => values.filter(value => value !== null);
  const peaks = known(samples.map(one => one.peakBytes));
  return [
    work,
    String(atOnce),
    spread(known(samples.map(one => one.cpuMs)), 3),
    spread(
      samples.map(one => one.perSecond),
      0,
    ),
    median(samples.map(one => one.p50Ms)).toFixed(1),
    median(samples.map(one => one.p99Ms)).toFixed(1),
    peaks.length === 0 ? 'unknown' : (Math.max(...peaks) / 1024 ** 2).toFixed(0),
    String(samples.reduce((sum, { refused }) => sum + refused, 0)),
  ];
}

export function printTable(lines: readonly Cells[]): void {
  const widths = HEAD.map((title, column) => Math.max(title.length, ...lines.map(line => line[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`));
  detail(`| ${HEAD.map(pad).join(' | ')} |`);
  detail(`|${rule.join('|')}|`);
  for (const line of lines) detail(`| ${line.map(pad).join(' | ')} |`);
}

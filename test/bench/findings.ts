/** What the benches found: one table of what counts, and the tables of each bench. */
import type { Crowd } from './crowd.ts';

export interface Finding {
  readonly work: string;
  /** In words, e.g. `<= 120 MB`. */
  readonly aim: string;
  /** What it is measured against in the same run, with its figure; undefined where the aim is a plain figure. */
  readonly anchor?: string;
  readonly seen: string;
  /** Of the figure to the anchor's. */
  readonly ratio?: number;
  readonly isMet: boolean;
  /** How busy others kept the machine meanwhile, where that was looked at. */
  readonly crowd?: Crowd;
}

export interface Report {
  readonly findings: readonly Finding[];
  readonly details: readonly string[];
}

let findings: Finding[] = [];
let details: string[] = [];

export function find(finding: Finding): void {
  findings.push(finding);
}

/** A line of the bench's own tables. */
export function detail(line: string): void {
  details.push(line);
}

/** All that was found since the last call. */
export function takeReport(): Report {
  const taken = { findings, details };
  findings = [];
  details = [];
  return taken;
}

/** An aim, and whether the value meets it. */
export function atMost(value: number, aim: number, unit: string) {
  return { aim: `<= ${aim}${unit}`, isMet: value <= aim };
}

export function atLeast(value: number, aim: number, unit: string) {
  return { aim: `>= ${aim}${unit}`, isMet: value >= aim };
}

const HEAD = ['work', 'Node', 'aim', 'seen', 'against', 'ratio', 'met', 'others'] as const;
const NODE = process.version.slice(1).replace(/\.\d+$/, '');

function cellsOf({ work, aim, anchor = '', seen, ratio, isMet, crowd }: Finding): readonly string[] {
  return [work, NODE, aim, seen, anchor, ratio?.toFixed(2) ?? '', isMet ? 'yes' : 'NO', crowd?.words ?? ''];
}

export function renderFindings(found: readonly Finding[]): string {
  const rows = [HEAD, ...found.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const [head = '', ...lines] = rows.map(
    row => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [head, `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...lines].join('\n');
}

/**
 * `/api/igdownload` of the built Medley against a small script that does the same without any guard, reading pages or asking the query
 * (baseline.ts), both asking the same played upstream for the same posts, in turns within one run. Everything runs on
 * loopback, each program in its own process. Prints what it measured, about a minute and a half after it began.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child.ts';
import { type LoadRequest, type LoadResult, load } from './load.ts';

const ROUNDS = 3;
const ROUND_MS = 2_000;
const WARM_UP_MS = 1_500;
const MAX_REQUESTS = 20_000;
const AT_ONCE = [1, 16, 64] as const;
const CACHED_POSTS = 200;
/** The baseline of the aims: what such scripts do. */
const BY_PAGE = 'script, by page';
/** A stricter one: it knows the cheap query that Medley asks first. */
const BY_QUERY = 'script, by query';
const KEY = 'bench-key-of-this-run-0000000001';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

interface Row {
  readonly work: string;
  readonly atOnce: number;
  readonly rounds: readonly LoadResult[];
  readonly peakBytes: number | null;
}

let counter = 0;

/** A code that was not asked for yet in this run. */
function newCode(): string {
  counter += 1;
  let code = '';
  for (let rest = counter; code.length < 7; rest = Math.floor(rest / 64)) code = ALPHABET.charAt(rest % 64) + code;
  return `DYbn${code}`;
}

function download(code: string): LoadRequest {
  const url = encodeURIComponent(`https://www.instagram.com/reel/${code}/`);
  return { method: 'GET', path: `/api/igdownload?url=${url}`, headers: { 'x-api-key': KEY } };
}

/** The upstream asked directly: how fast the two could be if they did nothing else. */
function upstreamQuery(): LoadRequest {
  const variables = JSON.stringify({ shortcode: newCode() });
  return {
    method: 'POST',
    path: '/graphql/query',
    headers: {
      host: 'www.instagram.com',
      'user-agent': 'Mozilla/5.0',
      accept: '*/*',
      'content-type': 'application/x-www-form-urlencoded',
      'x-fb-friendly-name': 'PolarisPostRootQuery',
      'x-fb-lsd': 'bench',
    },
    body: new URLSearchParams({ lsd: 'bench', doc_id: '27128499623469141', variables }).toString(),
  };
}

interface Work {
  readonly name: string;
  readonly origin: string;
  readonly child: Child;
  next(): LoadRequest;
}

async function measure(works: readonly Work[], atOnce: number): Promise<readonly Row[]> {
  const rounds = new Map<Work, LoadResult[]>(works.map(work => [work, []]));
  const peaks = new Map<Work, number | null>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const work of works) {
      work.child.takePeakBytes();
      const result = await load({ ...work, atOnce, durationMs: ROUND_MS, maxRequests: MAX_REQUESTS });
      rounds.get(work)?.push(result);
      const peak = work.child.takePeakBytes();
      if (peak !== null) peaks.set(work, Math.max(peak, peaks.get(work) ?? 0));
    }
  }
  return works.map(work => ({
    work: work.name,
    atOnce,
    rounds: rounds.get(work) ?? [],
    peakBytes: peaks.get(work) ?? null,
  }));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function perSecondOf(row: Row): number {
  return median(row.rounds.map(round => round.perSecond));
}

function printTable(rows: readonly Row[], baselines: readonly string[]): void {
  const head = [
    'work',
    'at once',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'memory MB',
    ...baselines.map(name => `x ${name}`),
  ];
  const lines = rows.map(row => {
    const ratios = baselines.map(baseline => {
      const base = rows.find(one => one.work === baseline && one.atOnce === row.atOnce);
      return base === undefined ? '' : (perSecondOf(row) / perSecondOf(base)).toFixed(2);
    });
    return [
      row.work,
      String(row.atOnce),
      perSecondOf(row).toFixed(0),
      median(row.rounds.map(round => round.p50Ms)).toFixed(2),
      median(row.rounds.map(round => round.p99Ms)).toFixed(2),
      row.peakBytes === null ? 'unknown' : (row.peakBytes / 1024 / 1024).toFixed(0),
      ...ratios,
    ];
  });
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map(line => line[column]?.length ?? 0)));
  const format = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  console.log(format(head));
  console.log(
    `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`,
  );
  for (const line of lines) console.log(format(line));
}

function pathTo(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

async function bench(folder: string, children: Child[]): Promise<void> {
  const start = async (name: string, args: readonly string[], env?: NodeJS.ProcessEnv) => {
    const child = await startChild(name, args, env);
    children.push(child);
    return child;
  };
  const tsx = ['--import', 'tsx'];
  const sandbox = await start('the sandbox', [...tsx, pathTo('../sandbox/serve.ts'), '--generate']);
  const overrides = sandbox.line;
  const upstream = /=(http:\/\/[^,]+)/.exec(overrides)?.[1] ?? '';
  const byPage = await start('the script by page', [...tsx, pathTo('baseline.ts'), upstream, 'page']);
  const byQuery = await start('the script by query', [...tsx, pathTo('baseline.ts'), upstream, 'query']);
  const medley = await start('Medley', [pathTo('../../dist/main.js')], {
    UPSTREAM_OVERRIDES: overrides,
    API_KEYS: `bench:${KEY}:unlimited`,
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: '0',
  });
  const origin = /http:\/\/[^\s/]+/.exec(medley.line)?.[0] ?? '';

  const known = Array.from({ length: CACHED_POSTS }, newCode);
  let turn = 0;
  const works: readonly Work[] = [
    { name: 'the upstream itself', origin: upstream, child: sandbox, next: upstreamQuery },
    { name: BY_PAGE, origin: byPage.line, child: byPage, next: () => download(newCode()) },
    { name: BY_QUERY, origin: byQuery.line, child: byQuery, next: () => download(newCode()) },
    { name: 'Medley, uncached', origin, child: medley, next: () => download(newCode()) },
    { name: 'Medley, cached', origin, child: medley, next: () => download(known[turn++ % CACHED_POSTS] ?? newCode()) },
  ];
  console.log(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}. Median of ${ROUNDS} rounds of ${ROUND_MS / 1000} s each.\n`,
  );
  for (const work of works) await load({ ...work, atOnce: 16, durationMs: WARM_UP_MS, maxRequests: MAX_REQUESTS });
  const rows: Row[] = [];
  for (const atOnce of AT_ONCE) rows.push(...(await measure(works, atOnce)));
  printTable(rows, [BY_PAGE, BY_QUERY]);
  console.log('\nThe scripts keep no cache: the cached rows are measured against their one way of answering.');
}

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-bench-'));
  const children: Child[] = [];
  try {
    await bench(folder, children);
  } finally {
    await Promise.all(children.map(child => child.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

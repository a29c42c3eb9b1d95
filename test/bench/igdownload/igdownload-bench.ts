/**
 * `/api/igdownload` of the built Medley against a small script that does the same without any guard (script.ts), both asking the same
 * played upstream for the same posts, in turns within one run. Everything runs on loopback, each program in its own process. What counts
 * is CPU time for a request, from the processes' own usage: other work on the machine hardly changes it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, startChild, startMedley } from '../child.ts';
import { type Crowd, untilQuiet, watchCrowd } from '../crowd.ts';
import { atLeast, atMost, detail, find } from '../findings.ts';
import { type LoadRequest, load } from '../load.ts';
import { measureIdle, measureStart } from './footprint.ts';
import { median, printTable, type Row, type Sample, summarize } from './rows.ts';

const ROUNDS = 5;
const ROUND_MS = 1_500;
/** Where each client waits 100 ms for its answer, a round of the usual length is no more than a dozen. */
const SLOW_ROUND_MS = 4_000;
const WARM_UP_MS = 1_500;
const MAX_REQUESTS = 20_000;
const CACHED_POSTS = 200;
const DELAY_MS = 100;
const CLIENTS = 64;
const PEAK_LOAD_MS = 60_000;
const REST_MS = 120_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** As many clients as ask at once: one alone has a bound of its own. */
const KEYS = Array.from({ length: CLIENTS }, (_, at) => `bench-key-of-this-run-${String(at).padStart(10, '0')}`);

let counter = 0;

/** A code that was not asked for yet in this run. */
function newCode(): string {
  counter += 1;
  let code = '';
  for (let rest = counter; code.length < 7; rest = Math.floor(rest / 64)) code = ALPHABET.charAt(rest % 64) + code;
  return `DYbn${code}`;
}

function request(path: string, link: string): LoadRequest {
  const key = KEYS[counter % KEYS.length] ?? '';
  return { method: 'GET', path: `/api/${path}?url=${encodeURIComponent(link)}`, headers: { 'x-api-key': key } };
}

function download(code = newCode()): LoadRequest {
  return request('igdownload', `https://www.instagram.com/reel/${code}/`);
}

function downloadVideo(): LoadRequest {
  counter += 1;
  return request('fbdownload', `https://www.facebook.com/reel/${800_000_000_000_000 + counter}`);
}

/** The upstream asked directly: how fast anything in front of it could be. */
function upstreamPage(): LoadRequest {
  return { method: 'GET', path: `/p/${newCode()}/`, headers: { host: 'www.instagram.com' } };
}

interface Work {
  readonly name: string;
  readonly atOnce: number;
  readonly origin: string;
  readonly child: Child;
  next(): LoadRequest;
}

async function sample({ child, ...work }: Work, durationMs: number): Promise<Sample> {
  child.takePeakBytes();
  const before = await child.cpuMs();
  const result = await load({ ...work, durationMs, maxRequests: MAX_REQUESTS });
  const after = await child.cpuMs();
  const cpuMs = before === null || after === null ? null : (after - before) / result.requests;
  return { ...result, cpuMs, peakBytes: child.takePeakBytes() };
}

/** One round of each, then the next of each; a round is repeated while others keep the machine busy. */
async function measure(works: readonly Work[], roundMs = ROUND_MS): Promise<readonly Row[]> {
  const samples = new Map<Work, Sample[]>(works.map(work => [work, []]));
  const crowds = new Map<Work, Crowd | undefined>();
  for (const work of works) await sample(work, WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const work of works) {
      const { value, crowd } = await untilQuiet(() => sample(work, roundMs));
      samples.get(work)?.push(value);
      if (crowd?.isCrowded || !crowds.has(work)) crowds.set(work, crowd);
    }
  }
  return works.map(work => ({
    work: work.name,
    atOnce: work.atOnce,
    samples: samples.get(work) ?? [],
    crowd: crowds.get(work),
  }));
}

function pathTo(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

const TSX = ['--import', 'tsx'];

class Scene {
  readonly children: Child[] = [];
  readonly folders: string[] = [];

  async start(name: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Child> {
    const child = await startChild(name, args, env);
    this.children.push(child);
    return child;
  }

  upstream(...args: readonly string[]): Promise<Child> {
    return this.start('the upstream', [...TSX, pathTo('upstream.ts'), ...args]);
  }

  /** A Medley that asks `upstream`, and where it listens. */
  async medley(upstream: Child): Promise<{ readonly child: Child; readonly origin: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'medley-bench-'));
    this.folders.push(folder);
    const child = await startMedley(pathTo('../../../dist/main.js'), {
      UPSTREAM_OVERRIDES: upstream.line,
      API_KEYS: KEYS.map((key, at) => `bench${at}:${key}:unlimited`).join(','),
      CATALOGUE_FILL: 'off',
      DATA_DIR: folder,
      HOST: '127.0.0.1',
      PORT: '0',
    });
    this.children.push(child);
    return { child, origin: /http:\/\/[^\s/]+/.exec(child.line)?.[0] ?? '' };
  }

  async close(): Promise<void> {
    await Promise.all(this.children.splice(0).map(child => child.stop()));
    for (const folder of this.folders.splice(0)) await rm(folder, { recursive: true, force: true });
  }
}

async function withScene<T>(act: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = new Scene();
  try {
    return await act(scene);
  } finally {
    await scene.close();
  }
}

function originOf(upstream: Child): string {
  return /=(http:\/\/[^,]+)/.exec(upstream.line)?.[1] ?? '';
}

async function measureQuery(scene: Scene): Promise<readonly Row[]> {
  const upstream = await scene.upstream('query');
  const script = await scene.start('the script', [...TSX, pathTo('script.ts'), originOf(upstream), 'query']);
  const medley = await scene.medley(upstream);
  const known = Array.from({ length: CACHED_POSTS }, newCode);
  let turn = 0;
  const rows = await measure([
    { name: 'bare server, by query', atOnce: 16, origin: script.line, child: script, next: () => download() },
    { name: 'Medley, by query', atOnce: 16, ...medley, next: () => download() },
    { name: 'Medley, cached', atOnce: 16, ...medley, next: () => download(known[turn++ % CACHED_POSTS]) },
  ]);
  const [bare, query, cached] = rows;
  findCpu(query, 3, bare);
  findCpu(cached, 0.045);
  return rows;
}

async function measurePages(scene: Scene): Promise<readonly Row[]> {
  const upstream = await scene.upstream('page');
  const script = await scene.start('the script', [...TSX, pathTo('script.ts'), originOf(upstream), 'page']);
  const medley = await scene.medley(upstream);
  const rows = await measure([
    { name: 'bare server, by page', atOnce: CLIENTS, origin: script.line, child: script, next: () => download() },
    { name: 'Medley, by page', atOnce: CLIENTS, ...medley, next: () => download() },
    { name: 'Medley, Facebook page', atOnce: CLIENTS, ...medley, next: downloadVideo },
  ]);
  const [bare, page] = rows;
  findCpu(page, 1.4, bare);
  return rows;
}

async function measureBound(scene: Scene): Promise<readonly Row[]> {
  const upstream = await scene.upstream('page', `--delay=${DELAY_MS}`);
  const medley = await scene.medley(upstream);
  const name = `upstream of ${DELAY_MS} ms`;
  const directly = { origin: originOf(upstream), child: upstream, next: upstreamPage };
  const rows = await measure(
    [
      { name: `${name}, asked directly`, atOnce: CLIENTS, ...directly },
      { name: `${name}, Medley`, atOnce: CLIENTS, ...medley, next: () => download() },
    ],
    SLOW_ROUND_MS,
  );
  const [bound = Number.NaN, seen = Number.NaN] = rows.map(row => median(row.samples.map(one => one.perSecond)));
  const peak = Math.max(...(rows[1]?.samples ?? []).map(one => one.peakBytes ?? Number.NaN)) / 1024 ** 2;
  const crowd = rows[1]?.crowd;
  const work = { work: name, ...(crowd && { crowd }) };
  const anchor = `asked directly: ${bound.toFixed(0)}/s`;
  const perSecond = { seen: `${seen.toFixed(0)}/s${refusedIn(rows[1]?.samples)}` };
  find({ ...work, ...atLeast(seen / bound, 0.95, 'x'), anchor, ...perSecond, ratio: seen / bound });
  find({ ...work, work: `${name}, memory`, ...atMost(peak, 200, ' MB'), seen: `${peak.toFixed(0)} MB` });
  return rows;
}

const cpuOf = ({ samples }: Row) => median(samples.flatMap(({ cpuMs }) => cpuMs ?? []));

/** How many were answered otherwise than with 200, as a table's cell says it. */
function refusedIn(samples: readonly Pick<Sample, 'refused'>[] = []): string {
  const refused = samples.reduce((sum, one) => sum + one.refused, 0);
  return refused === 0 ? '' : `, ${refused} not 200`;
}

/** CPU time of a request, as such or beside another program's. */
function findCpu(row: Row | undefined, aim: number, bare?: Row): void {
  if (row === undefined) return;
  const ms = cpuOf(row);
  const seen = `${ms.toFixed(3)} ms CPU${refusedIn(row.samples)}`;
  const common = { work: row.work, seen, ...(row.crowd && { crowd: row.crowd }) };
  if (bare === undefined) {
    find({ ...common, ...atMost(ms, aim, ' ms') });
    return;
  }
  const ratio = ms / cpuOf(bare);
  find({ ...common, ...atMost(ratio, aim, 'x'), anchor: `${bare.work}: ${cpuOf(bare).toFixed(3)}`, ratio });
}

/** What is left of a minute's load when it is over. */
async function measurePeak(scene: Scene): Promise<void> {
  const upstream = await scene.upstream('query', 'page');
  const medley = await scene.medley(upstream);
  const posts = () => (counter % 8 === 0 ? downloadVideo() : download());
  const work = { name: 'all', atOnce: CLIENTS, ...medley, next: posts };
  const { value, crowd } = await watchCrowd(() => sample(work, PEAK_LOAD_MS));
  await wait(REST_MS);
  const rest = await medley.child.residentBytes();
  const mega = (bytes: number | null) => (bytes ?? Number.NaN) / 1024 ** 2;
  const memory = (name: string, bytes: number | null, aim: number) =>
    find({
      ...{ work: name, seen: `${mega(bytes).toFixed(0)} MB`, ...(crowd && { crowd }) },
      ...atMost(mega(bytes), aim, ' MB'),
    });
  memory(
    `${PEAK_LOAD_MS / 1000} s of ${CLIENTS} clients (${value.perSecond.toFixed(0)}/s${refusedIn([value])})`,
    value.peakBytes,
    220,
  );
  memory(`${REST_MS / 1000} s later`, rest, 150);
}

export async function run(): Promise<void> {
  detail(
    `Median, lowest and highest of ${ROUNDS} interleaved rounds of ${ROUND_MS / 1000} s each, of ${SLOW_ROUND_MS / 1000} s with a slow upstream.\n`,
  );
  const rows: Row[] = [];
  for (const part of [measureQuery, measurePages, measureBound]) rows.push(...(await withScene(part)));
  printTable(rows.map(summarize));
  await measureStart(pathTo('../../../dist/main.js'), ROUNDS);
  await measureIdle(pathTo('../../../dist/main.js'));
  await withScene(measurePeak);
}

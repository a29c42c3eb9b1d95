/**
 * The catalogue over generated sets: filling it, and what the rest of the program feels of that; then questions at the file itself, in one
 * thread, next to the same names in a plain FTS5 table ordered by bm25 (in a database of its own, in turns); then the way to the thread
 * and back. The processor's time stands beside the clock's, which on a busy machine is also that of others.
 * `npm run bench -- catalogue SETS`, 200 000 when not said; with 1 500 000 it takes a quarter of an hour and 3 GB of disk.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Catalogue } from '../../src/beatmaps/catalogue/catalogue.ts';
import { createCatalogueHere, openCatalogue } from '../../src/beatmaps/catalogue/open-catalogue.ts';
import type { Beatmapset } from '../../src/beatmaps/model/beatmapset.ts';
import { parseQuery } from '../../src/beatmaps/query/query.ts';
import { foldText } from '../../src/beatmaps/query/query-text.ts';
import type { Search } from '../../src/beatmaps/query/search.ts';
import { openStore, type Store } from '../../src/infra/store/store.ts';
import { atLeast, atMost, detail, find } from './findings.ts';
import { createGenerator, createRandom, type Generator } from './generated-sets.ts';
import { percentile } from './load.ts';
import { type LoopDelay, measureLoopDelay, renderSpread } from './loop-delay.ts';

const WORKER = new URL('../../dist/catalogue-worker.js', import.meta.url);
const LIMIT = 8;
const SEARCHES = 400;
const TYPOS = 1_000;
const ROUNDS = 5;
const BATCH = 2_000;
/** The baseline is only filled up to here: beyond it takes longer than all else. */
const MAX_PLAIN = 200_000;
/** Names to type are taken from all over the sets. */
const MAX_NAMES = 200_000;

interface Timing {
  readonly work: string;
  readonly times: number[];
  readonly cpuTimes: number[];
  found: number;
}

const newTiming = (work: string): Timing => ({ work, times: [], cpuTimes: [], found: 0 });

async function time(timing: Timing, work: () => Promise<{ readonly length: number }>): Promise<void> {
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  const { length } = await work();
  timing.times.push(performance.now() - start);
  timing.cpuTimes.push(cpuMs(cpuStart));
  if (length > 0) timing.found += 1;
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** What people type who look for a set, each of them letter by letter. */
function typedNames(names: readonly string[], random: () => number): readonly (readonly string[])[] {
  return Array.from({ length: SEARCHES }, () => names[Math.floor(random() * names.length)] ?? '').map(name => {
    const text = name.slice(0, 24);
    return Array.from(text, (_, index) => text.slice(0, index + 1)).filter(typed => typed.trim() !== '');
  });
}

function typedTexts(names: readonly string[], random: () => number): readonly string[] {
  return typedNames(names, random).flat();
}

function mistype(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const kind = random();
  if (kind < 0.3) return word.slice(0, at) + word.slice(at + 1);
  if (kind < 0.6) return `${word.slice(0, at)}q${word.slice(at + 1)}`;
  if (kind < 0.8) return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
  return word.slice(0, at) + word.charAt(at) + word.slice(at);
}

function searchFor(text: string, status: Search['status'] = 'any'): Search {
  return { query: parseQuery(text), status, sort: { field: 'relevance', order: 'desc' } };
}

function print(timings: readonly Timing[]): void {
  detail(
    '| work | times | p50 ms | p99 ms | max ms | CPU p50 ms | CPU p99 ms | found |\n|---|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const { work, times, cpuTimes, found } of timings) {
    const sorted = times.toSorted((a, b) => a - b);
    const cpu = cpuTimes.toSorted((a, b) => a - b);
    const ofClock = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1) ?? Number.NaN];
    const cells = [...ofClock, percentile(cpu, 0.5), percentile(cpu, 0.99)].map(ms => ms.toFixed(3));
    detail(`| ${work} | ${times.length} | ${cells.join(' | ')} | ${((100 * found) / times.length).toFixed(1)} % |`);
  }
}

/** Hardly any set has these: the worst that filters can do. */
const RARE = [
  ...['bpm>400', 'length>1000', 'ar=5.1', 'keys=9', 'favourites>9990', 'stars>9.95', 'bpm=249 length=329', 'nsfw=yes'],
  ...[
    'ka bpm>400',
    'ka length>1000',
    'ka ar=5.1',
    'ka keys=9',
    'ka stars>9.9',
    'ka bpm=249 length=329',
    'ka year=2011',
  ],
];

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
const fail = (error: unknown): never => {
  throw error;
};

const batchOf = (generator: Generator, size: number): readonly Beatmapset[] =>
  Array.from({ length: size }, () => generator.next());

/** Fills it; the sets are made while nothing is measured. */
async function fill(catalogue: Catalogue, size: number, keep: (sets: readonly Beatmapset[]) => void) {
  const generator = createGenerator(1);
  let cpu = 0;
  let clock = 0;
  const measure = async (work: () => Promise<void>) => {
    const start = performance.now();
    const cpuStart = process.cpuUsage();
    await work();
    cpu += cpuMs(cpuStart);
    clock += performance.now() - start;
  };
  for (let done = 0; done < size; done += BATCH) {
    const sets = batchOf(generator, Math.min(BATCH, size - done));
    await measure(async () => {
      catalogue.remember(sets);
      await catalogue.flush();
    });
    keep(sets);
  }
  await measure(() => catalogue.tidy());
  detail(
    `${size} sets: ${(cpu / 1000).toFixed(1)} s of CPU (${((1000 * cpu) / size).toFixed(0)} us each), ${(clock / 1000).toFixed(0)} s by the clock.\n`,
  );
}

/** The loop of this thread while pages come in as from a mirror, questions are asked, and the ranks are rebuilt. */
async function benchLoop(catalogue: Catalogue): Promise<void> {
  const rows = new Map<string, LoopDelay[]>();
  const measure = async (name: string, work: () => Promise<void>) => {
    rows.set(name, [...(rows.get(name) ?? []), await measureLoopDelay(work)]);
  };
  // Sets that are there already, with other figures: they are written anew.
  const generator = createGenerator(1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const pages = Array.from({ length: 20 }, () =>
      batchOf(generator, 50).map(set => ({ ...set, play_count: (set.play_count ?? 0) * 3 + 7 + round })),
    );
    await measure('nothing', () => sleep(1_000));
    await measure('a fill: 20 pages of 50 sets', async () => {
      for (const page of pages) {
        catalogue.remember(page);
        await Promise.all([catalogue.flush(), catalogue.suggest('ka', LIMIT)]);
      }
    });
    await measure('ranks and indexes put in order', () => catalogue.tidy());
  }
  detail(`| the main thread's loop during, ms over ${ROUNDS} rounds | p99 | max |\n|---|--:|--:|`);
  for (const [name, delays] of rows) {
    const cells = [delays.map(({ p99 }) => p99), delays.map(({ max }) => max)].map(values => renderSpread(values));
    detail(`| ${name} | ${cells.join(' | ')} |`);
  }
  detail('');
  for (const [name, delays] of rows) {
    if (name === 'nothing') continue;
    const [p99, max] = [Math.max(...delays.map(each => each.p99)), Math.max(...delays.map(each => each.max))];
    find({ work: `main loop, ${name}, p99`, ...atMost(p99, 20, ' ms'), seen: `${p99.toFixed(1)} ms` });
    find({ work: `main loop, ${name}, longest`, ...atMost(max, 50, ' ms'), seen: `${max.toFixed(1)} ms` });
  }
}

interface PlainNames {
  readonly store: Store;
  readonly names: string[];
}

function keepPlain({ store, names }: PlainNames, size: number, random: () => number) {
  store.migrate('bench', ["CREATE VIRTUAL TABLE plain USING fts5 (names, content = '')"]);
  return (sets: readonly Beatmapset[]) => {
    const kept = sets.map(({ id, artist, title, title_unicode, creator }) => {
      if (random() < MAX_NAMES / size) names.push(foldText(random() < 0.5 ? `${artist} ${title}` : title));
      return { id, text: foldText([artist, title, title_unicode ?? '', creator].join(' ')) };
    });
    if (size > MAX_PLAIN) return;
    store.transaction(() => {
      for (const { id, text } of kept) store.run('INSERT INTO plain (rowid, names) VALUES (?, ?)', [id, text]);
    });
  };
}

const IdRow = z.object({ id: z.number() });
const PLAIN = 'SELECT rowid AS id FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ?';

async function benchQuestions(catalogue: Catalogue, plain: PlainNames, size: number): Promise<void> {
  const random = createRandom(2);
  const { names, store } = plain;
  const ours = newTiming('suggestions as you type');
  const theirs = newTiming('plain FTS5, bm25');
  // In turns by whole names: the letters of one come one after another.
  for (const letters of typedNames(names, random)) {
    for (const typed of letters) await time(ours, () => catalogue.suggest(typed, LIMIT));
    if (size > MAX_PLAIN) continue;
    for (const typed of letters) {
      const words = typed.split(' ').filter(word => word !== '');
      const expression = words.map(word => `"${word}" *`).join(' AND ');
      await time(theirs, async () => store.all(PLAIN, [expression, LIMIT], IdRow));
    }
  }

  // Every one counts, also one that is the beginning of another word.
  const typos = newTiming('a mistyped word: a set with the right one is among the suggestions');
  while (typos.times.length < TYPOS) {
    const name = names[Math.floor(random() * names.length)] ?? '';
    const [word] = name.split(' ').filter(one => one.length >= 5);
    if (word === undefined) continue;
    const typo = mistype(word, random);
    await time(typos, async () => {
      const found = await catalogue.suggest(typo, LIMIT);
      return found.filter(one => foldText(`${one.artist} ${one.title} ${one.creator}`).split(' ').includes(word));
    });
  }

  const filtered = newTiming('a page of 20, with filters');
  for (const typed of typedTexts(names, random).slice(0, 2_000)) {
    const search = searchFor(`${typed} stars>=5 stars<6 bpm>150 mode=osu`, 'leaderboard');
    await time(filtered, async () => (await catalogue.search(search, { limit: 20, offset: 0 })).sets);
  }
  const rare = newTiming('filters that hardly any set passes');
  for (const text of Array.from({ length: 20 }, () => RARE).flat()) {
    await time(rare, async () => (await catalogue.search(searchFor(text), { limit: 20, offset: 0 })).sets);
  }
  const cpu = (of: Timing, share: number) =>
    percentile(
      of.cpuTimes.toSorted((a, b) => a - b),
      share,
    );
  const at = (work: string, of: Timing, share: number, aim: number, beside?: Timing) => {
    const [value, base] = [cpu(of, share), beside === undefined ? undefined : cpu(beside, share)];
    const anchored = base === undefined ? {} : { anchor: `plain FTS5, bm25: ${base.toFixed(3)}`, ratio: value / base };
    find({ work, ...atMost(value, aim, ' ms'), ...anchored, seen: `${value.toFixed(3)} ms CPU` });
  };
  const plainTimes = size <= MAX_PLAIN ? theirs : undefined;
  at(`suggestions over ${size} sets, p50`, ours, 0.5, 0.05, plainTimes);
  at(`suggestions over ${size} sets, p99`, ours, 0.99, 1, plainTimes);
  at('rare filters, p99', rare, 0.99, 20);
  const mended = (100 * typos.found) / typos.times.length;
  find({ work: 'mistyped words found', ...atLeast(mended, 95, ' %'), seen: `${mended.toFixed(1)} %` });
  print([ours, ...(size <= MAX_PLAIN ? [theirs] : []), typos, filtered, rare]);
}

/** Prints the tables. */
export async function benchCatalogue(size: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-catalogue-'));
  const path = join(folder, 'catalogue.db');
  const plain: PlainNames = { store: openStore(join(folder, 'plain.db')), names: [] };
  try {
    const filling = openCatalogue({ dataDir: folder, isFilling: true, onFailure: fail, workerFile: WORKER });
    await fill(filling, size, keepPlain(plain, size, createRandom(3)));
    await filling.close();
    detail(
      `The file has ${megabytes((await stat(path)).size)}, ${((await stat(path)).size / size).toFixed(0)} bytes a set.\n`,
    );

    const rss = process.memoryUsage().rss;
    const thread = openCatalogue({ dataDir: folder, onFailure: fail, workerFile: WORKER });
    const warmStart = performance.now();
    await thread.warm();
    detail(
      `The words are read in ${(performance.now() - warmStart).toFixed(0)} ms; with them the thread takes ${megabytes(process.memoryUsage().rss - rss)}.\n`,
    );
    const trip = newTiming('suggestions as you type, to the thread and back');
    for (const typed of typedTexts(plain.names, createRandom(4)).slice(0, 4_000)) {
      await time(trip, () => thread.suggest(typed, LIMIT));
    }
    print([trip]);
    detail('');
    await benchLoop(thread);
    await thread.close();

    const catalogue = createCatalogueHere({ store: openStore(path), onFailure: fail });
    await catalogue.warm();
    await benchQuestions(catalogue, plain, size);
    await catalogue.close();
  } finally {
    plain.store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Search as you type over generated sets: the catalogue's suggestions after every letter, next to the same names in a plain
 * FTS5 table ordered by bm25, each in a database of its own (or one would throw out of the memory what the other needs next), in turns.
 * The processor's time stands beside the clock's, which on a busy machine is also that of others.
 * Run alone: `node --import tsx test/bench/catalogue-bench.ts [sets]`.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { createCatalogueHere } from '../../src/beatmaps/catalogue/open-catalogue.ts';
import { parseQuery } from '../../src/beatmaps/query/query.ts';
import { foldText } from '../../src/beatmaps/query/query-text.ts';
import type { Search } from '../../src/beatmaps/query/search.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createGenerator, createRandom } from './generated-sets.ts';
import { percentile } from './load.ts';

const LIMIT = 8;
const SEARCHES = 400;
const TYPOS = 400;
const IdRow = z.object({ id: z.number() });

interface Timing {
  readonly work: string;
  readonly times: number[];
  readonly cpuTimes: number[];
  found: number;
}

async function time(timing: Timing, work: () => Promise<{ readonly length: number }>): Promise<void> {
  const cpuStart = process.cpuUsage();
  const start = performance.now();
  const { length } = await work();
  timing.times.push(performance.now() - start);
  const { user, system } = process.cpuUsage(cpuStart);
  timing.cpuTimes.push((user + system) / 1000);
  if (length > 0) timing.found += 1;
}

/** What a person types who looks for a set, letter by letter. */
function typedTexts(names: readonly string[], random: () => number): string[] {
  return Array.from({ length: SEARCHES }, () => names[Math.floor(random() * names.length)] ?? '').flatMap(name => {
    const text = name.slice(0, 24);
    return Array.from(text, (_, index) => text.slice(0, index + 1)).filter(typed => typed.trim() !== '');
  });
}

function mistype(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const kind = random();
  if (kind < 0.3) return word.slice(0, at) + word.slice(at + 1);
  if (kind < 0.6) return `${word.slice(0, at)}q${word.slice(at + 1)}`;
  if (kind < 0.8) return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
  return word.slice(0, at) + word.charAt(at) + word.slice(at);
}

function searchFor(typed: string): Search {
  const query = parseQuery(`${typed} stars>=5 stars<6 bpm>150 mode=osu`);
  return { query, status: 'leaderboard', sort: { field: 'relevance', order: 'desc' } };
}

function print(timings: readonly Timing[]): void {
  console.log(
    '| work | times | p50 ms | p99 ms | max ms | CPU p50 ms | CPU p99 ms | found |\n|---|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const { work, times, cpuTimes, found } of timings) {
    const sorted = [...times].sort((a, b) => a - b);
    const cpu = [...cpuTimes].sort((a, b) => a - b);
    const ofClock = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1) ?? Number.NaN];
    const cells = [...ofClock, percentile(cpu, 0.5), percentile(cpu, 0.99)].map(ms => ms.toFixed(3));
    console.log(
      `| ${work} | ${times.length} | ${cells.join(' | ')} | ${((100 * found) / times.length).toFixed(0)} % |`,
    );
  }
}

/** Hardly any set has these: the worst that filters can do. */
const RARE = ['bpm>400', 'length>1000', 'ar=5.1', 'keys=9', 'ka bpm>400', 'ka length>1000', 'ka ar=5.1', 'ka keys=9'];

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;

/** Prints the table. About a minute and a half for 200,000 sets. */
export async function benchCatalogue(size: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-catalogue-'));
  const store = openStore(join(folder, 'bench.db'));
  const plainStore = openStore(join(folder, 'plain.db'));
  const catalogue = createCatalogueHere({
    store,
    isFilling: true,
    onFailure: error => {
      throw error;
    },
  });
  try {
    plainStore.migrate('bench', ["CREATE VIRTUAL TABLE plain USING fts5 (names, content = '')"]);
    const generator = createGenerator(1);
    const random = createRandom(2);
    const names: string[] = [];
    let filledMs = 0;
    const memoryBefore = process.memoryUsage().rss;
    for (let done = 0; done < size; done += 2_000) {
      const sets = Array.from({ length: Math.min(2_000, size - done) }, () => generator.next());
      const start = performance.now();
      catalogue.remember(sets);
      await catalogue.flush();
      filledMs += performance.now() - start;
      plainStore.transaction(() => {
        for (const { id, artist, title, title_unicode, creator } of sets) {
          const text = foldText([artist, title, title_unicode ?? '', creator].join(' '));
          plainStore.run('INSERT INTO plain (rowid, names) VALUES (?, ?)', [id, text]);
          names.push(foldText(random() < 0.5 ? `${artist} ${title}` : title));
        }
      });
    }
    plainStore.run("INSERT INTO plain (plain) VALUES ('optimize')");
    const start = performance.now();
    await catalogue.tidy();
    filledMs += performance.now() - start;
    const warmStart = performance.now();
    await catalogue.warm();
    console.log(
      `${size} sets written in ${(filledMs / 1000).toFixed(1)} s, vocabulary read in ${(performance.now() - warmStart).toFixed(0)} ms.\n`,
    );

    const ours: Timing = { work: 'suggestions as you type', times: [], cpuTimes: [], found: 0 };
    const plain: Timing = { work: 'plain FTS5, bm25', times: [], cpuTimes: [], found: 0 };
    const plainSql = 'SELECT rowid AS id FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ?';
    for (const typed of typedTexts(names, random)) {
      const expression = typed
        .split(' ')
        .filter(word => word !== '')
        .map(word => `"${word}" *`)
        .join(' AND ');
      await time(ours, () => catalogue.suggest(typed, LIMIT));
      await time(plain, async () => plainStore.all(plainSql, [expression, LIMIT], IdRow));
    }

    const typos: Timing = { work: 'a mistyped word', times: [], cpuTimes: [], found: 0 };
    for (const name of names.filter(() => random() < 0.05)) {
      if (typos.times.length >= TYPOS) break;
      const [word = ''] = name.split(' ').filter(one => one.length >= 5);
      const typo = word === '' ? '' : mistype(word, random);
      if (word === '' || plainStore.get('SELECT rowid AS id FROM plain WHERE plain MATCH ?', [`"${typo}" *`], IdRow))
        continue;
      await time(typos, async () =>
        (await catalogue.suggest(typo, LIMIT)).filter(one => foldText(Object.values(one).join(' ')).includes(word)),
      );
    }

    const filtered: Timing = { work: 'a page of 20, with filters', times: [], cpuTimes: [], found: 0 };
    for (const typed of typedTexts(names, random).slice(0, 2_000)) {
      await time(filtered, async () => (await catalogue.search(searchFor(typed), { limit: 20, offset: 0 })).sets);
    }
    const rare: Timing = { work: 'filters that hardly any set passes', times: [], cpuTimes: [], found: 0 };
    for (const text of Array.from({ length: 5 }, () => RARE).flat()) {
      const query = parseQuery(text);
      const search: Search = { query, status: 'any', sort: { field: 'relevance', order: 'desc' } };
      await time(rare, async () => (await catalogue.search(search, { limit: 20, offset: 0 })).sets);
    }
    print([ours, plain, typos, filtered, rare]);
    const { size: bytes } = await stat(join(folder, 'bench.db'));
    const grown = process.memoryUsage().rss - memoryBefore;
    console.log(
      `\nThe file is ${megabytes(bytes)}; the process grew by ${megabytes(grown)}, the bench's own names included.`,
    );
  } finally {
    await catalogue.close();
    store.close();
    plainStore.close();
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchCatalogue(Number(process.argv[2] ?? 200_000));
}

/**
 * Recommendations by what the maps are really worth, for players of every ruleset with few and with many plays; then in a world of another
 * formula, beside osu!'s own filter and chance; then how long an answer takes over a large catalogue. Run alone:
 * `node --import tsx test/bench/recommend-bench.ts [players] [sets]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RULESETS } from '../../src/beatmaps/model/beatmapset.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createLibraryPlayer, createLibraryWorld } from './library-world.ts';
import { percentile } from './load.ts';
import { createWorld, type World } from './player-world.ts';
import { measureHits } from './recommend-hits.ts';
import {
  libraryOf,
  type Measured,
  measure,
  openCatalogue,
  openRecommender,
  randomInRange,
  recommendedDifficulty,
  wayOf,
} from './recommend-measure.ts';

const ROUNDS = 2;
const TIMED = 300;

async function withStore<T>(work: (store: ReturnType<typeof openStore>) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-recommend-'));
  const store = openStore(join(folder, 'bench.db'));
  try {
    return await work(store);
  } finally {
    store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(share * 100).toFixed(1)} %`;
}

function print(rows: readonly Measured[]): void {
  console.log(
    '| way | lists of 10 | maps | pp within 12 % of the aim | own plays | repeated | most of a mapper | pp gained a list |',
  );
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|');
  for (const { name, lists, picks, hits, ownPlays, repeats, ofMapper, gain } of rows) {
    const shares = [hits, ownPlays, repeats].map(percent);
    console.log(`| ${[name, lists, picks, ...shares, ofMapper, gain.toFixed(1)].join(' | ')} |`);
  }
}

async function compare(world: World): Promise<void> {
  const withLibrary = await withStore(async store =>
    measure(
      'recommend, maps computed',
      world,
      ROUNDS,
      wayOf(world, await openRecommender(world, store, libraryOf(world))),
    ),
  );
  const byEstimate = await withStore(async store =>
    measure('recommend, estimates alone', world, ROUNDS, wayOf(world, await openRecommender(world, store))),
  );
  print([
    withLibrary,
    byEstimate,
    await measure('osu!’s recommended difficulty', world, ROUNDS, recommendedDifficulty(world)),
    await measure('chance, in their range of stars', world, ROUNDS, randomInRange(world)),
  ]);
}

async function time(sets: number): Promise<void> {
  const world = createWorld({ maps: sets * 4, players: 20, seed: 2 });
  await withStore(async store => {
    const start = performance.now();
    const recommend = await openRecommender(world, store);
    console.log(`\n${sets} sets written in ${((performance.now() - start) / 1_000).toFixed(1)} s.\n`);
    console.log('| answers of ten, nothing waited for | times | p50 ms | p99 ms |\n|---|--:|--:|--:|');
    for (const [name, wishes] of [
      ['for a player', {}],
      ['with DT alone', { mods: { must: ['DT'], never: [], exact: true } }],
      ['of a rare bpm', { bpm: { low: 230, high: 300 } }],
    ] as const) {
      const times: number[] = [];
      for (let index = 0; index < TIMED; index += 1) {
        const user = 1 + (index % world.players.length);
        const from = performance.now();
        await recommend({ ...wishes, user, seed: index, caller: `bench:${user}` });
        times.push(performance.now() - from);
      }
      const sorted = times.sort((a, b) => a - b);
      const cells = [percentile(sorted, 0.5), percentile(sorted, 0.99)].map(ms => ms.toFixed(1));
      console.log(`| ${name} | ${TIMED} | ${cells.join(' | ')} |`);
    }
  });
}

/** As many of a ruleset as a new installation has after its first minutes. */
const REAL_SETS = 1_000;
const REAL_PLAYERS = 6;

function seconds(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return [0.5, 1].map(share => (percentile(sorted, share) / 1_000).toFixed(2)).join(' / ');
}

/** By the library's figures for the maps' own files. */
async function compareReal(): Promise<void> {
  console.log(
    '| ruleset | plays known | files | picks | within 15 % of the target | answers too short | maps in the first 60 | first answer, median / longest s | repeat |',
  );
  console.log('|---|--:|---|--:|--:|--:|--:|--:|--:|');
  for (const ruleset of RULESETS) {
    const world = createLibraryWorld(ruleset, REAL_SETS);
    await withStore(async store => {
      const catalogue = await openCatalogue(world.sets, store);
      for (const plays of [12, 100]) {
        const players = Array.from({ length: REAL_PLAYERS }, (_, index) =>
          createLibraryPlayer(world, plays * 10 + index, { plays, level: (index + 0.5) / REAL_PLAYERS }),
        );
        for (const withFiles of [true, false]) {
          const found = await measureHits({ world, catalogue, players, withFiles });
          const { picks, hits, short, maps, firstMs, repeatMs } = found;
          const times = [seconds(firstMs), seconds(repeatMs)];
          const cells = [ruleset, plays, withFiles ? 'come' : 'none', picks, percent(hits / picks), short, maps.size];
          console.log(`| ${[...cells, ...times].join(' | ')} |`);
        }
      }
    });
  }
  console.log('');
}

/** Prints the tables. About two minutes for 100 players and 20,000 sets. */
export async function benchRecommend(players: number, sets: number): Promise<void> {
  await compareReal();
  await compare(createWorld({ maps: 10_000, players, seed: 1 }));
  await time(sets);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchRecommend(Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 20_000));
}

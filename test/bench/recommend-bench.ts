/**
 * Recommendations in a generated world, with its truth known: whether they hit what the player can do, and what playing them is worth, beside
 * osu!'s own filter and chance; then how long an answer takes over a large catalogue. Run alone:
 * `node --import tsx test/bench/recommend-bench.ts [players] [sets]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openStore } from '../../src/infra/store/store.ts';
import { percentile } from './load.ts';
import { createWorld, type World } from './player-world.ts';
import {
  libraryOf,
  type Measured,
  measure,
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

/** Prints both tables. About four minutes for 500 players and 200,000 sets. */
export async function benchRecommend(players: number, sets: number): Promise<void> {
  const world = createWorld({ maps: 20_000, players, seed: 1 });
  await compare(world);
  await time(sets);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await benchRecommend(Number(process.argv[2] ?? 500), Number(process.argv[3] ?? 200_000));
}

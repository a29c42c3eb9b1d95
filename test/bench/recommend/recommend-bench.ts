/**
 * Recommendations by what the maps are really worth, for players of every ruleset with few and with many plays; then in a world of another
 * formula, beside osu!'s own filter and chance; then how long an answer takes over a large catalogue.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULESETS, type Ruleset } from '../../../src/beatmaps/model/beatmapset.ts';
import type { RecommendRequest } from '../../../src/beatmaps/recommend/question.ts';
import type { RecommendOptions } from '../../../src/beatmaps/recommend/recommend.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { atLeast, atMost, detail, find } from '../findings.ts';
import { percentile } from '../load.ts';
import { libraryWorldOf } from './library-world.ts';
import { createWorld } from './player-world.ts';
import { type Prepared, prepareWorlds } from './prepared-worlds.ts';
import { type BenchClock, startClock } from './recommend-clock.ts';
import { AT_ONCE, measureHits } from './recommend-hits.ts';
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
const TIMED = 200;

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
  detail(
    '| way | lists of 10 | maps | pp within 12 % of the aim | own plays | repeated | most of a mapper | pp gained a list |',
  );
  detail('|---|--:|--:|--:|--:|--:|--:|--:|');
  for (const { name, lists, picks, hits, ownPlays, repeats, ofMapper, gain } of rows) {
    const shares = [hits, ownPlays, repeats].map(percent);
    detail(`| ${[name, lists, picks, ...shares, ofMapper, gain.toFixed(1)].join(' | ')} |`);
  }
}

/** The same catalogue for both, a history for each. */
async function compare(players: number, clock: BenchClock): Promise<void> {
  const world = await clock.try('world', 'the world of another formula', async () =>
    createWorld({ maps: 10_000, players, seed: 1 }),
  );
  if (world === undefined) return;
  await withStore(async store => {
    const catalogue = await openCatalogue(world.sets, store);
    const recommended = (name: string, difficulty: RecommendOptions['difficulty']) =>
      withStore(async history =>
        measure(name, world, ROUNDS, wayOf(world, await openRecommender(world, history, { catalogue, difficulty }))),
      );
    const ways: readonly (readonly [name: string, measured: (name: string) => Promise<Measured>])[] = [
      ['recommend, maps computed', name => recommended(name, libraryOf(world))],
      ['recommend, estimates alone', name => recommended(name, undefined)],
      ['osu!’s recommended difficulty', name => measure(name, world, ROUNDS, recommendedDifficulty(world))],
      ['chance, in their range of stars', name => measure(name, world, ROUNDS, randomInRange(world))],
    ];
    const rows: Measured[] = [];
    for (const [name, measured] of ways) {
      const row = await clock.try('way', name, () => measured(name));
      if (row !== undefined) rows.push(row);
    }
    print(rows);
  });
}

const WISHES: readonly (readonly [name: string, wishes: Partial<RecommendRequest>])[] = [
  ['for a player', {}],
  ['with DT alone', { mods: { must: ['DT'], never: [], exact: true } }],
  ['of a rare bpm', { bpm: { low: 230, high: 300 } }],
];

async function time(sets: number, clock: BenchClock): Promise<void> {
  await withStore(async store => {
    const opened = await clock.try('large catalogue', `the times over ${sets} sets`, async () => {
      const world = createWorld({ maps: sets * 4, players: 20, seed: 2 });
      const from = clock.passedMs();
      const recommend = await openRecommender(world, store);
      detail(`\n${sets} sets written in ${((clock.passedMs() - from) / 1_000).toFixed(1)} s.\n`);
      return { world, recommend };
    });
    if (opened === undefined) return;
    const { world, recommend } = opened;
    detail('| answers of ten, nothing waited for | times | p50 ms | p99 ms |\n|---|--:|--:|--:|');
    for (const [name, wishes] of WISHES) {
      const times = await clock.try('times', `${name}, over ${sets} sets`, async () => {
        const taken: number[] = [];
        for (let index = 0; index < TIMED; index += 1) {
          const user = 1 + (index % world.players.length);
          const from = performance.now();
          await recommend({ ...wishes, user, seed: index, caller: `bench:${user}` });
          taken.push(performance.now() - from);
        }
        return taken.sort((a, b) => a - b);
      });
      if (times === undefined) continue;
      const cells = [percentile(times, 0.5), percentile(times, 0.99)].map(ms => ms.toFixed(1));
      detail(`| ${name} | ${TIMED} | ${cells.join(' | ')} |`);
    }
  });
}

/** As many of a ruleset as a new installation has after its first minutes. */
const REAL_SETS = 1_000;
const REAL_PLAYERS = 6;
const REAL_PLAYS = [12, 100];

function seconds(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return [0.5, 1].map(share => (percentile(sorted, share) / 1_000).toFixed(2)).join(' / ');
}

/** By the library's figures for the maps' own files. */
async function compareReal(clock: BenchClock): Promise<void> {
  detail(
    `${REAL_PLAYERS} players each, ${AT_ONCE} of them at the same time.\n\n` +
      '| ruleset | plays known | files | picks | within 15 % of the target | answers too short | maps in the first 60 | first answer, median / longest s | repeat |',
  );
  detail('|---|--:|---|--:|--:|--:|--:|--:|--:|');
  const size = { sets: REAL_SETS, players: REAL_PLAYERS, plays: REAL_PLAYS };
  const worlds = await prepareWorlds(RULESETS, size);
  for (const ruleset of RULESETS) {
    const prepared = worlds.get(ruleset);
    if (prepared !== undefined) await compareRuleset(ruleset, prepared, clock);
  }
  detail('');
}

async function compareRuleset(ruleset: Ruleset, prepared: Prepared, clock: BenchClock): Promise<void> {
  const world = libraryWorldOf(ruleset, prepared.sets);
  await withStore(async store => {
    const catalogue = await openCatalogue(world.sets, store);
    for (const [plays, players] of prepared.players) {
      for (const withFiles of [true, false]) {
        const files = withFiles ? 'come' : 'none';
        const found = await clock.try(`files ${files}`, `${ruleset}, ${plays} plays, files ${files}`, () =>
          measureHits({ world, catalogue, players, withFiles }),
        );
        if (found === undefined) continue;
        const { picks, hits, short, maps, firstMs, repeatMs } = found;
        const times = [seconds(firstMs), seconds(repeatMs)];
        const cells = [ruleset, plays, files, picks, percent(hits / picks), short, maps.size];
        detail(`| ${[...cells, ...times].join(' | ')} |`);
        const share = (100 * hits) / picks;
        const work = `recommend, ${ruleset}, ${plays} plays, files ${files}`;
        find({ work, ...atLeast(share, 90, ' %'), seen: `${share.toFixed(1)} % within 15 % of the stars` });
        find({ work: `${work}, different maps of 60`, ...atLeast(maps.size, 55, ''), seen: String(maps.size) });
        const repeat =
          percentile(
            repeatMs.toSorted((a, b) => a - b),
            0.5,
          ) / 1_000;
        find({ work: `${work}, again`, ...atMost(repeat, 0.5, ' s'), seen: `${repeat.toFixed(2)} s` });
      }
    }
  });
}

/** Less than four minutes, whatever else the machine does. */
const MOST_MS = 225_000;

/** Prints the tables, and what there was no time for. */
export async function benchRecommend(players: number, sets: number): Promise<void> {
  const clock = startClock(MOST_MS);
  await compareReal(clock);
  await compare(players, clock);
  await time(sets, clock);
  detail(`\nTook ${(clock.passedMs() / 1_000).toFixed(0)} s.`);
  if (clock.leftOut.length > 0) detail(`Left out, for lack of time: ${clock.leftOut.join('; ')}.`);
}

/** Maps a second through the thread, every guard on, beside the library called in this process. */
import { Beatmap, Difficulty, Performance } from 'rosu-pp-js';
import type { DifficultyJob } from '../../src/beatmaps/difficulty/difficulty-job.ts';
import { createDifficultyWorkerPool } from '../../src/beatmaps/difficulty/worker-pool.ts';
import { createLogger } from '../../src/infra/log.ts';
import { createBeatmapWorld } from '../sandbox/beatmap-world.ts';
import { osuFile } from '../sandbox/osu-file.ts';
import { detail } from './findings.ts';

const ROUNDS = 40;
const ACCURACIES = [95, 98, 99, 100];
const MODS = ['HD', 'DT'];
const BUILT = new URL('../../dist/difficulty-worker.js', import.meta.url);

function computeHere({ file, mods, accuracies }: DifficultyJob): number {
  const map = new Beatmap(file);
  const difficulty = new Difficulty({ mods });
  const attributes = difficulty.calculate(map);
  let sum = 0;
  for (const accuracy of accuracies) {
    const calculator = new Performance({ mods, accuracy });
    const result = calculator.calculate(attributes);
    sum += result.pp;
    result.free();
    calculator.free();
  }
  attributes.free();
  difficulty.free();
  map.free();
  return sum;
}

/** Prints the table. A few seconds. */
export async function run(): Promise<void> {
  const jobs = createBeatmapWorld().sets.flatMap(set =>
    set.maps.map((map): DifficultyJob => {
      const mods = MODS.map(acronym => ({ acronym }));
      const rest = { misses: undefined, combo: undefined, play: undefined, strains: false };
      return { file: osuFile(set, map), mode: map.mode, mods, lazer: true, accuracies: ACCURACIES, ...rest };
    }),
  );
  const threads = createDifficultyWorkerPool({
    log: createLogger({ level: 'warn' }),
    threads: 1,
    deadlineMs: 10_000,
    maxWaiting: jobs.length,
    file: BUILT,
  });
  const times = { here: 0, one: 0, all: 0 };
  const measure = async (name: keyof typeof times, work: () => unknown) => {
    const start = performance.now();
    await work();
    times[name] += performance.now() - start;
  };
  try {
    for (let round = -2; round < ROUNDS; round += 1) {
      // The first two warm all of them up.
      if (round === 0) Object.assign(times, { here: 0, one: 0, all: 0 });
      await measure('here', () => jobs.forEach(computeHere));
      await measure('one', async () => {
        for (const job of jobs) await threads.run(job, new AbortController().signal);
      });
      await measure('all', () => Promise.all(jobs.map(job => threads.run(job, new AbortController().signal))));
    }
  } finally {
    await threads.close();
  }
  const count = jobs.length * ROUNDS;
  const rows = [
    ['rosu-pp in this process', times.here],
    ['the thread, one map after the other', times.one],
    ['the thread, all at once', times.all],
  ] as const;
  detail(`${jobs.length} maps, ${ROUNDS} times, four accuracies with HDDT.\n`);
  detail('| work | maps a second | ms a map | ratio |\n|---|--:|--:|--:|');
  for (const [work, ms] of rows) {
    const perSecond = (count / ms) * 1000;
    detail(`| ${work} | ${perSecond.toFixed(0)} | ${(ms / count).toFixed(2)} | ${(times.here / ms).toFixed(2)} |`);
  }
}

import * as rosu from 'rosu-pp-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RULESETS, type Ruleset } from '../../src/beatmaps/beatmapset.ts';
import type { DifficultyJob } from '../../src/beatmaps/difficulty-job.ts';
import { createDifficultyThreads, type DifficultyThreadsOptions } from '../../src/beatmaps/difficulty-threads.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { type BuiltWorker, buildWorker } from './built-worker.ts';
import { MAPS } from './osu-maps.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

const never = new AbortController().signal;

function openThreads(options: Partial<DifficultyThreadsOptions> = {}) {
  const log = createRecordingLog();
  const threads = createDifficultyThreads({
    log,
    threads: 1,
    deadlineMs: 5_000,
    maxWaiting: 10,
    file: worker.file,
    ...options,
  });
  onTestFinished(() => threads.close());
  return { threads, log };
}

function job(map: string, parts: Partial<DifficultyJob> = {}): DifficultyJob {
  return {
    file: Buffer.from(map),
    mode: 0,
    mods: [],
    lazer: true,
    accuracies: [],
    misses: undefined,
    combo: undefined,
    play: undefined,
    strains: false,
    ...parts,
  };
}

/** What the library says when it is asked without us. */
function direct(map: string, mode: number, mods: readonly string[], accuracy: number) {
  const beatmap = new rosu.Beatmap(map);
  if (beatmap.mode !== mode) beatmap.convert(mode, mods);
  const attributes = new rosu.Difficulty({ mods }).calculate(beatmap);
  return {
    stars: attributes.stars,
    maxCombo: attributes.maxCombo,
    pp: new rosu.Performance({ mods, accuracy }).calculate(attributes).pp,
  };
}

describe('figures', () => {
  const cases = RULESETS.flatMap(ruleset =>
    [[], ['DT'], ['HR'], ['EZ', 'HT'], ['HD', 'DT'], ['NC', 'FL'], ['CL']].map(mods => [ruleset, mods] as const),
  );
  it.each(cases)('of %s with %j are the library’s own', async (ruleset: Ruleset, mods: readonly string[]) => {
    const { threads } = openThreads();
    const mode = RULESETS.indexOf(ruleset);
    const figures = await threads.run(
      job(MAPS[ruleset], { mode, mods: mods.map(acronym => ({ acronym })), accuracies: [97.5] }),
      never,
    );
    const own = direct(MAPS[ruleset], mode, mods, 97.5);
    expect(figures.stars).toBe(own.stars);
    expect(figures.maxCombo).toBe(own.maxCombo);
    expect(figures.pp).toEqual([{ accuracy: 97.5, pp: own.pp }]);
    expect(own.stars).toBeGreaterThan(1);
  });
});

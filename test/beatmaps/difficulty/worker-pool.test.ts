import fc from 'fast-check';
import * as rosu from 'rosu-pp-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DifficultyJob } from '../../../src/beatmaps/difficulty/difficulty-job.ts';
import { maniaHits } from '../../../src/beatmaps/difficulty/mania-hits.ts';
import {
  createDifficultyWorkerPool,
  type DifficultyWorkerPoolOptions,
} from '../../../src/beatmaps/difficulty/worker-pool.ts';
import { RULESETS, type Ruleset } from '../../../src/beatmaps/model/beatmapset.ts';
import { AppError } from '../../../src/errors.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { type BuiltWorker, buildWorker } from '../built-worker.ts';
import { LARGE_MAP, MAPS, OSU_MAP, SLOW_MAP, SUSPICIOUS_MAP, writeMap } from './osu-maps.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

const never = new AbortController().signal;

function openThreads(options: Partial<DifficultyWorkerPoolOptions> = {}) {
  const log = createRecordingLog();
  const threads = createDifficultyWorkerPool({
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
  const { od } = new rosu.BeatmapAttributesBuilder({ map: beatmap, mods }).build();
  const isMania = mode === rosu.GameMode.Mania;
  // osu!lazer rates the end of a hold note apart.
  const ends = mods.includes('CL') ? 0 : (attributes.nHoldNotes ?? 0);
  const hits = isMania ? maniaHits((attributes.nObjects ?? 0) + ends, accuracy / 100, 0, od) : { accuracy };
  return {
    stars: attributes.stars,
    maxCombo: attributes.maxCombo,
    pp: new rosu.Performance({ mods, ...hits }).calculate(attributes).pp,
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

  it('are those that 3.1 gives; in mania for hits as they are usually spread', async () => {
    const { threads } = openThreads();
    const result = await Promise.all(
      RULESETS.map((ruleset, mode) => threads.run(job(MAPS[ruleset], { mode, accuracies: [98] }), never)),
    );
    const rounded = result.map(({ stars, maxCombo, pp }) => [stars.toFixed(4), maxCombo, pp[0]?.pp.toFixed(2)]);
    expect(rounded).toEqual([
      ['6.7376', 226, '295.08'],
      ['5.0228', 300, '259.53'],
      ['6.7867', 192, '415.15'],
      ['3.2298', 448, '75.01'],
    ]);
  });

  it.each(['taiko', 'fruits', 'mania'] as const)('of a map of osu! played as %s are of the convert', async ruleset => {
    const { threads } = openThreads();
    const mode = RULESETS.indexOf(ruleset);
    const figures = await threads.run(job(OSU_MAP, { mode, accuracies: [97.5] }), never);
    const own = direct(OSU_MAP, mode, [], 97.5);
    expect(figures).toMatchObject({ stars: own.stars, maxCombo: own.maxCombo, pp: [{ pp: own.pp }] });
  });

  it('are of the speed and the sizes that the mods make', async () => {
    const { threads } = openThreads();
    const plain = await threads.run(job(OSU_MAP), never);
    const fast = await threads.run(job(OSU_MAP, { mods: [{ acronym: 'DT' }] }), never);
    const hard = await threads.run(job(OSU_MAP, { mods: [{ acronym: 'HR' }] }), never);
    const own = await threads.run(job(OSU_MAP, { mods: [{ acronym: 'DT', settings: { speed_change: 1.2 } }] }), never);
    expect(plain).toMatchObject({ ar: 9, od: 8, cs: 4, hp: 5, clockRate: 1 });
    expect(plain.bpm).toBeCloseTo(180, 3);
    // From the first circle to the spinner's end: 212 half-beats of 166.67 ms.
    expect(plain.lengthSeconds).toBeCloseTo(35.333, 2);
    expect(fast.ar).toBeCloseTo(10.333, 3);
    expect(fast.bpm).toBeCloseTo(270, 3);
    expect(fast.lengthSeconds).toBeCloseTo(35.333 / 1.5, 2);
    expect(hard).toMatchObject({ ar: 10, od: 10, hp: 7 });
    expect(hard.cs).toBeCloseTo(5.2, 5);
    expect(own.clockRate).toBeCloseTo(1.2, 10);
  });

  it('say when a play ended by the time of its last object, not by their number', async () => {
    const { threads } = openThreads();
    const starts = [1_000, 2_000, 3_000, 4_000, 11_000];
    const map = writeMap({ objects: starts.map(at => `256,192,${at},1,0`) });
    const ended = async (passedObjects: number, mode = 0) => {
      const play = { n300: passedObjects, misses: 0, combo: passedObjects, passedObjects };
      return (await threads.run(job(map, { play, mode }), never)).endsAt;
    };
    expect(await ended(4)).toBeCloseTo(0.3);
    expect(await ended(5)).toBe(1);
    expect(await ended(3, 1)).toBeCloseTo(0.2);
    // Their objects have several results.
    expect(await ended(3, 3)).toBeUndefined();
    expect((await threads.run(job(map), never)).endsAt).toBeUndefined();
  });

  it('give a play’s pp, and what it had been worth without its misses', async () => {
    const { threads } = openThreads();
    const play = { n300: 190, n100: 6, n50: 1, misses: 4, combo: 90 };
    const { play: result } = await threads.run(job(OSU_MAP, { play, lazer: false }), never);
    const attributes = new rosu.Difficulty({ lazer: false }).calculate(new rosu.Beatmap(OSU_MAP));
    const pp = (counts: rosu.PerformanceArgs) =>
      new rosu.Performance({ lazer: false, ...counts }).calculate(attributes).pp;
    expect(result?.pp).toBe(pp(play));
    // 201 objects: the four misses would have been three 300s and, as often as one is hit, none of the others.
    expect(result?.ppIfFullCombo).toBe(pp({ n300: 194, n100: 6, n50: 1, misses: 0 }));
    expect(result?.ppIfFullCombo).toBeGreaterThan((result?.pp ?? 0) * 1.2);
  });

  it.each([
    [true, 320, 64],
    [false, 320, 0],
  ])(
    'of a failed play of mania are those of the part that was played (osu!lazer: %s)',
    async (lazer, objects, ends) => {
      const { threads } = openThreads();
      // Every fifth of the objects is a hold note, so that half of the map has half of them.
      const results = (objects + ends) / 2;
      const play = { nGeki: results - 10, n300: 0, nKatu: 0, n100: 0, n50: 0, misses: 10, combo: 60 };
      const failed = { ...play, passedObjects: results };
      const { play: result } = await threads.run(job(MAPS.mania, { mode: 3, play: failed, lazer }), never);
      const half = new rosu.Difficulty({ lazer, passedObjects: objects / 2 }).calculate(new rosu.Beatmap(MAPS.mania));
      expect([half.nObjects, half.nHoldNotes]).toEqual([160, 32]);
      expect(result?.pp).toBe(new rosu.Performance({ lazer, ...play }).calculate(half).pp);
    },
  );

  it.each(RULESETS)('of a play of %s without a miss are the same either way', async ruleset => {
    const { threads } = openThreads();
    const mode = RULESETS.indexOf(ruleset);
    const whole = new rosu.Performance({ lazer: false, accuracy: 97 }).calculate(new rosu.Beatmap(MAPS[ruleset]));
    const { maxCombo, nGeki, nKatu, n300, n100, n50, misses } = whole.state ?? {};
    const play = { combo: maxCombo ?? 0, nGeki, nKatu, n300, n100, n50, misses };
    const given = Object.fromEntries(Object.entries(play).filter(([, count]) => count !== undefined));
    const figures = await threads.run(job(MAPS[ruleset], { mode, play: given, lazer: false }), never);
    expect(figures.play?.pp).toBeCloseTo(whole.pp, 8);
    expect(figures.play?.ppIfFullCombo).toBeCloseTo(whole.pp, 8);
  });

  it('bring the strains on wish', async () => {
    const { threads } = openThreads();
    const names = ['aim', 'aimNoSliders', 'speed', 'flashlight'];
    const { strains } = await threads.run(job(OSU_MAP, { strains: true }), never);
    const own = new rosu.Difficulty({}).strains(new rosu.Beatmap(OSU_MAP));
    expect(strains?.sectionMs).toBe(own.sectionLength);
    expect(strains?.series.map(({ name }) => name)).toEqual(names);
    expect(strains?.series[0]?.values).toEqual(Array.from(own.aim ?? []));
    expect((await threads.run(job(OSU_MAP), never)).strains).toBeNull();
  });
});

describe('a map that cannot be computed', () => {
  const file = { code: 'upstream_changed', params: { what: 'osu_file' } };

  it.each([
    ['no objects', writeMap({ objects: [] })],
    ['another text', 'hello'],
    ['a suspicious one', SUSPICIOUS_MAP],
  ])('is called so: %s', async (_, map) => {
    const { threads } = openThreads();
    await expect(threads.run(job(map), never)).rejects.toMatchObject(file);
  });

  it('is one of another ruleset that is no osu!', async () => {
    const { threads } = openThreads();
    const params = { what: 'mode' };
    await expect(threads.run(job(MAPS.mania), never)).rejects.toMatchObject({ code: 'invalid_request', params });
  });

  it('is given up at the deadline, and the next one is computed', async () => {
    const { threads, log } = openThreads({ deadlineMs: 2_000 });
    await threads.run(job(OSU_MAP), never);
    const start = performance.now();
    const slow = expect(threads.run(job(SLOW_MAP), never)).rejects.toMatchObject(file);
    const next = threads.run(job(OSU_MAP), never);
    await slow;
    expect((await next).stars).toBeGreaterThan(1);
    expect(performance.now() - start).toBeLessThan(30_000);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  it('takes bounded memory only, and the next one is computed', async () => {
    const { threads } = openThreads({ deadlineMs: 8_000 });
    const before = process.memoryUsage.rss();
    let most = 0;
    const sampler = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before);
    }, 20);
    try {
      await expect(threads.run(job(LARGE_MAP, { mode: 2 }), never)).rejects.toMatchObject(file);
    } finally {
      clearInterval(sampler);
    }
    expect(most).toBeLessThan(350 * 1024 * 1024);
    expect((await threads.run(job(OSU_MAP), never)).stars).toBeGreaterThan(1);
  });

  it('whatever was done to its text, never stalls or ends the process', async () => {
    const { threads } = openThreads({ deadlineMs: 400 });
    const mutation = fc.record({
      ruleset: fc.constantFrom(...RULESETS),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat({ max: 40 }),
      by: fc.oneof(
        fc.constantFrom(
          '-1',
          '0',
          '1e308',
          '-1e308',
          'NaN',
          '99999999999',
          '\u0000',
          '|',
          ',',
          ':',
          '\n',
          'Mode: 2',
          '',
        ),
        fc.string({ maxLength: 12 }),
        fc.double().map(String),
        fc.integer().map(String),
      ),
      times: fc.constantFrom(1, 1, 1, 50),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...RULESETS),
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        async (of, all) => {
          const map = all.reduce((text, { at, length, by, times }) => {
            const start = Math.floor(at * text.length);
            return text.slice(0, start) + by.repeat(times) + text.slice(start + length);
          }, MAPS[of]);
          const strains = true;
          const outcome = await threads.run(job(map, { mode: RULESETS.indexOf(of), strains }), never).then(
            figures => figures.stars >= 0 || Number.isNaN(figures.stars),
            (error: unknown) => error instanceof AppError && error.code !== 'internal',
          );
          expect(outcome).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
    expect((await threads.run(job(OSU_MAP), never)).stars).toBeGreaterThan(1);
  });
});

describe('the threads', () => {
  it('let only so many wait', async () => {
    const { threads } = openThreads({ maxWaiting: 2 });
    const runs = Array.from({ length: 5 }, () => threads.run(job(OSU_MAP), never));
    const settled = await Promise.allSettled(runs);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited', params: { reason: 'busy' } } });
    expect(settled[0]?.status).toBe('fulfilled');
  });

  it('leave out who no longer waits', async () => {
    const { threads } = openThreads({ maxWaiting: 1 });
    const controller = new AbortController();
    const reason = new Error('gone');
    const gone = expect(threads.run(job(OSU_MAP), controller.signal)).rejects.toBe(reason);
    controller.abort(reason);
    await gone;
    expect((await threads.run(job(OSU_MAP), never)).stars).toBeGreaterThan(1);
  });

  it('say so when none can be started', async () => {
    const { threads } = openThreads({ file: new URL('./no-such-thread.js', worker.file) });
    const both = [threads.run(job(OSU_MAP), never), threads.run(job(OSU_MAP), never)];
    for (const each of both) await expect(each).rejects.toMatchObject({ code: 'internal' });
  });

  it('end with those who wait', async () => {
    const { threads } = openThreads();
    const both = Promise.allSettled([threads.run(job(SLOW_MAP), never), threads.run(job(OSU_MAP), never)]);
    await threads.close();
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(threads.run(job(OSU_MAP), never)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

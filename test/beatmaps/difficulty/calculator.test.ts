import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CalculatorOptions, createCalculator } from '../../../src/beatmaps/difficulty/calculator.ts';
import type { DifficultyJob, HitCounts } from '../../../src/beatmaps/difficulty/difficulty-job.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { processesNaming } from '../../ffmpeg.ts';
import { type BuiltWorker, buildWorker } from '../built-worker.ts';

/** In place of osu!'s own: maps of ten circles, worth what their score adds up to, but for those whose text says what befalls the process. */
const LIBRARY = `
const none = Object.fromEntries(['perfects','greats','goods','oks','mehs','misses','largeTickHits','largeTickMisses','smallTickHits','smallTickMisses','sliderEndHits'].map(name => [name, 0]));
function make(text, mode) {
  let mods = [];
  return {
    mode,
    applyMods(given) { mods = given; },
    convert: other => (text === 'own' ? undefined : make(text, other)),
    createGradualDifficulty() {
      let objects = 10;
      return {
        skip(count) { objects = count; },
        skipToEnd() {},
        createDifficultyAttrs() {
          if (text === 'hang') for (;;);
          if (text === 'die') process.abort();
          if (text === 'throw') throw new Error('no such luck');
          const rate = mods.some(mod => mod.settings.get('speed_change') === 1.2) ? 1.2 : 1;
          const stars = text === 'nonsense' ? Number.NaN : objects * rate + (mods.some(mod => mod.acronym === 'CL') ? 0.5 : 0);
          return { objects, getData: () => ({ stars, maxCombo: objects, nCircles: objects, nSliders: 0, nSpinners: 0 }) };
        },
      };
    },
    createScore(accuracy) {
      const greats = Math.round(10 * accuracy);
      return { ...none, accuracy, maxCombo: 0, greats, oks: 10 - greats };
    },
    calculateAccuracy: score => (score.greats + score.oks / 3) / 10,
    calculatePerformance: (attributes, score) => ({ pp: 1000 * score.greats + 100 * score.oks + 10 * score.misses + score.maxCombo / 10 }),
  };
}
module.exports = { PlayBeatmap: { parse: text => make(text, 0) } };
`;

let built: BuiltWorker;
let folder: string;
beforeAll(async () => {
  built = await buildWorker('difficulty/calculator-process');
  folder = await mkdtemp(join(tmpdir(), 'medley-calculator-'));
  await writeFile(join(folder, 'library.cjs'), LIBRARY);
  await writeFile(join(folder, 'foreign.cjs'), 'throw new Error("needs another system");');
});
afterAll(async () => {
  await built.remove();
  await rm(folder, { recursive: true });
});

const never = new AbortController().signal;

function open(options: Partial<CalculatorOptions> = {}, module = 'library.cjs') {
  const log = createRecordingLog();
  const library = { path: join(folder, module), version: '1.2.3' };
  const calculator = createCalculator({ log, library, file: built.file, deadlineMs: 20_000, ...options });
  onTestFinished(() => calculator.close());
  return { calculator, log };
}

function job(text: string, parts: Partial<DifficultyJob> = {}): DifficultyJob {
  const given = { mode: 0, mods: [], lazer: true, accuracies: [], strains: false };
  return { file: Buffer.from(text), misses: undefined, combo: undefined, play: undefined, ...given, ...parts };
}

describe('osu!’s own calculator', () => {
  it('says stars and pp, also with misses, and is marked where a play is of the stable client', async () => {
    const { calculator } = open();
    const plain = await calculator.run(job('map', { accuracies: [100, 80] }), never);
    expect(plain).toEqual({
      stars: 10,
      maxCombo: 10,
      pp: [
        { accuracy: 100, pp: 10_001 },
        { accuracy: 80, pp: 8_201 },
      ],
      play: null,
    });
    // A play of 80 % with a miss is one of 90 % whose best result is that miss.
    expect(await calculator.run(job('map', { accuracies: [80], misses: 1 }), never)).toMatchObject({
      pp: [{ pp: 8_110.9 }],
    });
    const fast = { acronym: 'DT', settings: { speed_change: 1.2 } };
    expect(await calculator.run(job('map', { mods: [fast], lazer: false }), never)).toMatchObject({ stars: 12.5 });
    expect(await calculator.inspect()).toEqual({ state: 'ready', version: '1.2.3' });
  });

  it.each<[string, HitCounts, number, number]>([
    ['of a miss', { n300: 6, n100: 3, misses: 1, combo: 5 }, 6_310.5, 7_301],
    ['that ended early', { n300: 4, n100: 0, misses: 1, combo: 4, passedObjects: 5 }, 4_010.4, 10_001],
  ])('says what a play %s is worth, and had been worth without its misses', async (_, play, pp, ppIfFullCombo) => {
    const { calculator } = open();
    expect(await calculator.run(job('map', { play }), never)).toMatchObject({ play: { pp, ppIfFullCombo } });
  });

  it.each(['hang', 'die', 'throw', 'nonsense', 'own'])(
    'has no word on a map that is to %s, and goes on',
    async text => {
      const { calculator } = open({ deadlineMs: text === 'hang' ? 300 : 20_000 });
      expect(await calculator.inspect()).toMatchObject({ state: 'ready' });
      expect(await calculator.run(job(text, { mode: text === 'own' ? 1 : 0 }), never)).toBeUndefined();
      await expect.poll(() => calculator.run(job('map'), never)).toMatchObject({ stars: 10 });
      expect(calculator.trouble()).toBeUndefined();
    },
  );

  it('is started no more when it ended again and again, until some time has passed', async () => {
    let time = 0;
    const { calculator } = open({ now: () => time });
    for (let end = 0; end < 5; end += 1) {
      expect(calculator.isUsable()).toBe(true);
      await calculator.run(job('die'), never);
    }
    expect(calculator.isUsable()).toBe(false);
    expect(calculator.trouble()).toContain('5 times');
    expect(await calculator.run(job('map'), never)).toBeUndefined();
    expect(processesNaming(built.file.pathname)).toEqual([]);
    time += 11 * 60_000;
    expect(await calculator.run(job('map'), never)).toMatchObject({ stars: 10 });
  });

  it('that does not start here is said once to be of no use', async () => {
    const { calculator, log } = open({}, 'foreign.cjs');
    expect(await calculator.run(job('map'), never)).toBeUndefined();
    expect(await calculator.run(job('map'), never)).toBeUndefined();
    expect(await calculator.inspect()).toMatchObject({
      state: 'unusable',
      why: expect.stringContaining('another system'),
    });
    expect(calculator.trouble()).toContain('another system');
    expect(log.lines.filter(({ message }) => message.includes('cannot be used'))).toHaveLength(1);
  });

  it('lets a caller go who leaves, and ends when it is closed', async () => {
    const { calculator } = open();
    await calculator.inspect();
    const leave = new AbortController();
    const answer = calculator.run(job('hang'), leave.signal);
    leave.abort(new Error('left'));
    await expect(answer).rejects.toThrow('left');
    calculator.close();
    await expect.poll(() => processesNaming(built.file.pathname)).toEqual([]);
    expect(await calculator.run(job('map'), never)).toBeUndefined();
  });

  it('is not there where it is not installed', async () => {
    const { calculator } = open({ library: undefined });
    expect(calculator.isUsable()).toBe(false);
    expect(await calculator.inspect()).toEqual({ state: 'missing' });
    expect(calculator.trouble()).toBeUndefined();
  });
});

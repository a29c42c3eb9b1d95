import { describe, expect, it } from 'vitest';
import type { DifficultyRequest, MapDifficulty } from '../../../src/beatmaps/difficulty/difficulty.ts';
import type { Score } from '../../../src/beatmaps/model/score.ts';
import type { CommandContext } from '../../../src/bot/command.ts';
import { beatmapInfo } from '../../../src/bot/commands/beatmap-info.ts';
import { osuScores } from '../../../src/bot/commands/osu-scores.ts';
import { estimate, estimateFullCombos } from '../../../src/bot/osu/estimate.ts';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { openHouse } from '../../beatmaps/beatmaps-fixture.ts';
import { sampleCaller, sampleServices } from '../sample.ts';

const FIGURES: MapDifficulty = {
  stars: 7.654,
  maxCombo: 812,
  ...{ ar: 9, od: 8, cs: 4, hp: 5, bpm: 180, clockRate: 1, lengthSeconds: 120 },
  pp: [95, 98, 99, 100].map(accuracy => ({ accuracy, pp: accuracy * 2.01 })),
  play: { pp: 50, ppIfFullCombo: 75 },
  strains: null,
  algorithm: '2025-03-06',
  isOtherFile: false,
};
const request: DifficultyRequest = { beatmap: { id: 1, checksum: null, mode: 'osu' }, mods: [] };

type Of = (request: DifficultyRequest, signal: AbortSignal) => Promise<MapDifficulty>;

async function contextWith(of: Of, signal = new AbortController().signal): Promise<CommandContext> {
  const { beatmaps } = await openHouse();
  const t = createTranslator(['en']);
  const services = { ...sampleServices(), beatmaps, difficulty: { of } };
  return { caller: sampleCaller(), t, services, signal, progress: () => {} };
}

const untilAborted: Of = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const broken: Of = () => Promise.reject(new AppError('upstream_unavailable', 'no upstream has the file'));

/** All text of a reply. */
const textOf = (reply: object) => JSON.stringify(reply);

describe('an estimate', () => {
  it('is what the difficulty says', async () => {
    expect(await estimate(request, await contextWith(async () => FIGURES))).toBe(FIGURES);
  });

  it('is none where it fails, or takes long', async () => {
    expect(await estimate(request, await contextWith(broken))).toBeUndefined();
    expect(await estimate(request, await contextWith(untilAborted), 20)).toBeUndefined();
  });

  it('ends with who asked', async () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const result = expect(estimate(request, await contextWith(untilAborted, controller.signal))).rejects.toBe(reason);
    controller.abort(reason);
    await result;
  });
});

describe('beatmap info', () => {
  const map = 'https://osu.ppy.sh/beatmaps/9000014';

  it('gives pp and stars of one difficulty with its mods, as an estimate of its day', async () => {
    const asked: DifficultyRequest[] = [];
    const context = await contextWith(async each => {
      asked.push(each);
      return FIGURES;
    });
    const text = textOf(await beatmapInfo.run({ map, mods: 'hddt' }, context));
    expect(asked).toMatchObject([{ beatmap: { id: 9000014 }, mods: ['HD', 'DT'], accuracies: [95, 98, 99, 100] }]);
    for (const part of [
      '95%',
      '191 pp',
      '100%',
      '201 pp',
      'about 7.65★ with +HDDT',
      '812x',
      'estimated by the rules of',
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/Mar(?:ch)? 6, 2025|6 Mar(?:ch)? 2025/);
    // The official ones stay.
    expect(text).toContain('5.20★');
  });

  it('respects the ruleset of a link: osu!’s maps can be played in the others', async () => {
    const asked: DifficultyRequest[] = [];
    const context = await contextWith(async each => {
      asked.push(each);
      return FIGURES;
    });
    const infoOf = async (link: string) => beatmapInfo.run({ map: link, mods: undefined }, context);
    const converted = await infoOf('https://osu.ppy.sh/beatmapsets/900001#taiko/9000014');
    expect(asked).toMatchObject([{ beatmap: { id: 9000014 }, ruleset: 'taiko' }]);
    expect(textOf(converted)).toContain('osu!taiko');
    expect(textOf(converted.actions)).toContain('https://osu.ppy.sh/beatmapsets/900001#taiko/9000014');
    for (const link of ['https://osu.ppy.sh/beatmapsets/900001#osu/9000014', map]) {
      expect(textOf(await infoOf(link))).not.toContain('osu!taiko');
      expect(asked.at(-1)).not.toHaveProperty('ruleset');
    }
  });

  it('does without where there is none', async () => {
    const text = textOf(await beatmapInfo.run({ map, mods: undefined }, await contextWith(broken)));
    expect(text).toContain('Paper Comet');
    expect(text).not.toMatch(/\d pp\b|estimated/);
  });
});

describe('osu scores', () => {
  const values = { player: 'lamp post', type: 'best', mode: undefined, page: undefined, cursors: undefined } as const;

  it('say what a play had been worth as a full combo, on the scale of osu!’s own pp', async () => {
    const text = textOf(await osuScores.run(values, await contextWith(async () => FIGURES)));
    // The sandbox's best play has 229 pp, and the library sees half as much again in it.
    expect(text).toContain('about 344 pp as a full combo');
  });

  it('do without where it fails', async () => {
    const text = textOf(await osuScores.run(values, await contextWith(broken)));
    expect(text).toContain('229 pp');
    expect(text).not.toContain('as a full combo');
  });

  it('asks only about plays that could have been better', async () => {
    const { beatmaps } = await openHouse();
    const { scores } = await beatmaps.userScores(4_400_001, 'best', { ruleset: 'osu', limit: 1 });
    const [play] = scores;
    if (play === undefined) throw new Error('the sandbox has lost its plays');
    const changed: readonly Partial<Score>[] = [
      { id: 1, is_perfect_combo: true },
      { id: 2, passed: false },
      { id: 3, pp: null },
      { id: 4, beatmap: null },
      { id: 5 },
    ];
    const context = await contextWith(async () => FIGURES);
    const result = await estimateFullCombos(
      changed.map(change => ({ ...play, ...change })),
      context,
    );
    expect([...result.keys()]).toEqual([5]);
  });
});

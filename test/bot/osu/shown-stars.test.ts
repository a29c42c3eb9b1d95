import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { type BuiltWorker, buildWorker } from '../../beatmaps/built-worker.ts';
import { ratedBySandbox } from '../../sandbox/osu-attributes.ts';
import { type OsuStage, type OsuStageOptions, openOsuStage, textOf } from './osu-stage.ts';

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

const open = (options: Omit<OsuStageOptions, 'workerFile'> = {}) =>
  openOsuStage({ ...options, workerFile: worker.file });

/** What the library alone makes of a difficulty of the sandbox. */
async function libraryStars({ osu, sandbox }: OsuStage, id: number, mods: readonly string[]): Promise<number> {
  const map = mapOf(sandbox, id);
  const mode = (['osu', 'taiko', 'fruits', 'mania'] as const)[map.mode];
  return (await osu.difficulty.of({ beatmap: { id, checksum: null, mode }, mods }, AbortSignal.timeout(50_000))).stars;
}

function mapOf(sandbox: OsuStage['sandbox'], id: number) {
  const map = sandbox.beatmaps.sets.flatMap(({ maps }) => maps).find(each => each.id === id);
  if (map === undefined) throw new Error(`the sandbox has lost difficulty ${id}`);
  return map;
}

const official = ({ sandbox }: OsuStage, id: number, mods: readonly string[]) =>
  ratedBySandbox(
    mapOf(sandbox, id),
    mods.map(acronym => ({ acronym })),
  );

const shown = (stars: number) => `${stars.toFixed(2)}★`;

/** Every number of stars in the reply, `about` included. */
const starsIn = (replies: readonly Reply[]) => textOf(replies).match(/(?:about )?\d+\.\d\d★/g) ?? [];

const PAPER_COMET = [1, 2, 3, 4, 5].map(index => 9_000_010 + index);

describe('stars with mods', () => {
  it('are osu!’s own for every difficulty of a card', async () => {
    const stage = await open();
    const replies = await stage.say('/beatmap info osu.ppy.sh/s/900001 +HDDT');
    const expected = PAPER_COMET.map(id => shown(official(stage, id, ['HD', 'DT'])));
    expect(new Set(starsIn(replies))).toEqual(new Set(expected));
    expect(textOf(replies)).not.toContain('about');
    expect(stage.calls()).toEqual({ api: 1, attributes: 5 });
    const differs = await libraryStars(stage, 9_000_014, ['HD', 'DT']);
    expect(Math.abs(differs - official(stage, 9_000_014, ['HD', 'DT']))).toBeGreaterThan(0.05);
  });

  it('are asked for once a week', async () => {
    const stage = await open();
    await stage.say('/beatmap info osu.ppy.sh/b/9000014 +DT');
    stage.sandbox.clearRequests();
    await stage.say('/beatmap info osu.ppy.sh/b/9000014 +NC');
    await stage.say('/beatmap info osu.ppy.sh/s/900001 +DTNF');
    expect(stage.calls()).toEqual({ api: 0, attributes: 0 });
  });

  it.each([
    ['without credentials', { withCredentials: false }, undefined],
    ['while osu! is away', {}, 'status:503'],
  ] as const)('are estimates of the library %s, and say so', async (_, options, fault) => {
    const stage = await open(options);
    if (fault !== undefined) stage.sandbox.faults.set('osu.attributes', fault);
    const replies = await stage.say('/beatmap info osu.ppy.sh/s/900001 +DT');
    const stars = starsIn(replies);
    expect(stars.length).toBeGreaterThan(0);
    expect(stars.every(each => each.startsWith('about'))).toBe(true);
    expect(textOf(replies)).toMatch(/estimates by the rules of (?:Mar(?:ch)? 6, 2025|6 Mar(?:ch)? 2025)/);
    for (const id of PAPER_COMET) expect(textOf(replies)).not.toContain(shown(official(stage, id, ['DT'])));
  });

  it('of a convert are of the ruleset it is played in', async () => {
    const stage = await open();
    const replies = await stage.say('/beatmap info https://osu.ppy.sh/beatmapsets/900001#taiko/9000014');
    const rated = ratedBySandbox(mapOf(stage.sandbox, 9_000_014), [], 1);
    expect(starsIn(replies)).toContain(shown(rated));
    expect(textOf(replies)).not.toContain('about');
  });

  it.each([
    ['taiko', 'OD 10.3 HP 5.6'],
    ['mania', 'OD 7.2 HP 5.6'],
  ])('stand beside settings of the ruleset: %s', async (ruleset, settings) => {
    const { say } = await open();
    const map = `https://osu.ppy.sh/beatmapsets/900001#${ruleset}/9000014`;
    for (const name of ['info', 'simulate']) {
      const text = textOf(await say(`/beatmap ${name} ${map} +DT`));
      expect.soft(text, name).toContain(`"${settings}"`);
    }
  });

  it('of a play on a converted map are of that ruleset, and the play keeps its map', async () => {
    const stage = await open();
    const replies = await stage.say('/osu scores Drum_Kitten');
    const rated = ratedBySandbox(mapOf(stage.sandbox, 9_000_015), [{ acronym: 'HD' }], 1);
    expect(textOf(replies)).toContain('Paper Comet [Expert]');
    expect(textOf(replies)).not.toContain('Beatmap 9000015');
    expect(starsIn(replies)).toContain(shown(rated));
  });

  it('are not all estimates because one of them could not be had', async () => {
    const stage = await open();
    stage.sandbox.faults.set('osu.attributes', 'status:503');
    expect(starsIn(await stage.say('/osu score https://osu.ppy.sh/scores/5000000001')).join()).toContain('about');
    stage.sandbox.faults.clear('osu.attributes');
    expect(starsIn(await stage.say('/beatmap info osu.ppy.sh/s/900001 +DT')).join()).not.toContain('about');
  });

  it('are those of the play on the card of a play, once', async () => {
    const stage = await open();
    const replies = await stage.say('/osu score https://osu.ppy.sh/scores/5000000001');
    const rated = ratedBySandbox(mapOf(stage.sandbox, 9_000_012), [{ acronym: 'DT', settings: { speed_change: 1.3 } }]);
    expect(new Set(starsIn(replies))).toEqual(new Set([shown(rated)]));
    stage.sandbox.clearRequests();
    await stage.say('/osu score https://osu.ppy.sh/scores/5000000001');
    expect(stage.calls()).toEqual({ api: 0, attributes: 0 });
  });
});

describe('difficulties of a card', () => {
  it('open in the chat with the same mods', async () => {
    const stage = await open();
    const [reply] = await stage.say('/beatmap info osu.ppy.sh/s/900001 +HDDT');
    const menu = reply?.actions.find(action => action.kind === 'menu');
    const choice = menu?.kind === 'menu' ? menu.choices.find(({ label }) => label === 'Insane') : undefined;
    const opened = await stage.press(choice?.token ?? '');
    expect(textOf(opened)).toContain('With +HDDT.');
    expect(starsIn(opened)).toContain(shown(official(stage, 9_000_014, ['HD', 'DT'])));
    // 180 BPM with DT, and what is worth how much.
    expect(textOf(opened)).toMatch(/270 BPM.*\d+ pp/);
  });
});

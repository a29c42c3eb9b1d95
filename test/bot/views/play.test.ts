import { describe, expect, it } from 'vitest';
import { parseScore, type Score } from '../../../src/beatmaps/model/score.ts';
import { createSvgRasterizer } from '../../../src/bot/cards/svg-rasterizer.ts';
import { listRow, loadCover, playBlock } from '../../../src/bot/views/osu/play.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createBeatmapWorld } from '../../sandbox/beatmap-world.ts';
import { scoreShape } from '../../sandbox/osu-shapes.ts';

const t = createTranslator(['en']);
const painter = createSvgRasterizer();
const FAILED = { passed: false, pp: null, rank: 'F', statistics: { great: 60, miss: 40 } };

function playWith(change: object = {}): Score {
  const { sets, players } = createBeatmapWorld();
  const [set, player] = [sets.find(({ id }) => id === 900_001), players[0]];
  const [map] = set?.maps ?? [];
  if (set === undefined || map === undefined || player === undefined) throw new Error('the sandbox lacks it');
  const shape = { ...scoreShape(player, set, map, 1, true), maximum_statistics: { great: 200 } };
  const score = parseScore({ ...shape, ...change });
  if (score === undefined) throw new Error('that is no play');
  return score;
}

const drawn = async (score: Score, artwork?: { load(url: string): Promise<string | undefined> }) => {
  const cover = loadCover(score.beatmapset, { painter, ...(artwork && { artwork }) });
  const block = await playBlock({ score, rating: undefined, cover }, { painter }, t);
  if (block.kind !== 'picture') throw new Error('nothing was drawn');
  return block;
};

describe('a play as an image card', () => {
  it('has what the words beside it do not say again', async () => {
    const { picture, beside, instead, alt } = await drawn(playWith({ pp: 81 }));
    for (const part of ['Paper Comet', '×300', 'miss', '>81<']) expect(picture.svg).toContain(part);
    const words = JSON.stringify(beside);
    expect(words).toContain('Beatmap');
    expect(words).toContain('score');
    for (const part of ['Paper Comet', '81 pp', '%', 'miss']) expect(words).not.toContain(part);
    expect(JSON.stringify(instead)).toContain('81 pp');
    expect(alt).toContain('Paper Comet');
  });

  it('has its cover where there is one', async () => {
    const cover = 'data:image/jpeg;base64,AAAA';
    const asked: string[] = [];
    const load = async (url: string) => {
      asked.push(url);
      return cover;
    };
    expect((await drawn(playWith(), { load })).picture.svg).toContain(cover);
    expect(asked).toEqual([
      expect.stringMatching(/^https:\/\/assets\.ppy\.sh\/beatmaps\/900001\/covers\/card@2x\.jpg/),
    ]);
    expect((await drawn(playWith(), { load: async () => undefined })).picture.svg).not.toContain('<image');
  });

  it('says how far it came where it failed', async () => {
    expect((await drawn(playWith(FAILED))).picture.svg).toContain('failed at 50%');
    expect((await drawn(playWith())).picture.svg).not.toContain('failed');
  });

  it('is a card of words where nothing is drawn, or the map is unknown', async () => {
    const words = (score: Score, services: object) =>
      playBlock({ score, rating: undefined, cover: loadCover(score.beatmapset, services) }, services, t);
    expect((await words(playWith(), {})).kind).toBe('card');
    expect((await words(playWith({ beatmapset: null }), { painter })).kind).toBe('card');
  });
});

describe('plays of one map in a list', () => {
  it('without pp have their scores on one scale, by which osu! orders them', () => {
    const worthOf = (change: object) => listRow(playWith({ pp: null, ...change }), 1, 'lamp post', t).worth;
    expect(worthOf({ total_score: 912_000, legacy_total_score: 0 })).toBe('912,000');
    expect(worthOf({ total_score: 905_000, legacy_total_score: 11_950_000 })).toBe('905,000');
    expect(worthOf({ total_score: null, legacy_total_score: 11_950_000 })).toBe('11,950,000');
  });
});

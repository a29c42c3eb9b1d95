import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { modClassOf } from '../../../src/beatmaps/rating/mod-class.ts';
import { profileOf } from '../../../src/beatmaps/recommend/player-profile.ts';
import { createRecommend, type RecommendOptions } from '../../../src/beatmaps/recommend/recommend.ts';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { AppError } from '../../../src/errors.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { embeddedRecords } from '../../records.ts';
import { openHouse } from '../beatmaps-fixture.ts';

async function open(own: Parameters<typeof openHouse>[0], rest: Partial<RecommendOptions> = {}) {
  const store = openStore(':memory:');
  const catalogue = createCatalogueHere({ store, onFailure: failure => expect.unreachable(String(failure)) });
  onTestFinished(async () => {
    await catalogue.close();
    store.close();
  });
  const { beatmaps, sandbox, log } = await openHouse({ ...own, catalogue });
  const recommend = createRecommend({
    beatmaps,
    catalogue,
    history: createRecommendationHistory({ records: embeddedRecords(store) }),
    log,
    ...rest,
  });
  return { recommend, sandbox, catalogue, beatmaps };
}

describe('over the played upstreams', () => {
  it('takes four calls for a player, and goes to the upstreams where the catalogue is empty', async () => {
    const { recommend, sandbox } = await open({ beatmapsets: 200 });
    const { recommendations, player } = await recommend({ user: 'lamp post', seed: 1, pp: { low: 1, high: 2_000 } });
    expect(player?.username).toBe('lamp post');
    const paths = sandbox.requests.map(({ path }) => path);
    expect(paths.filter(path => path.includes('/users/'))).toHaveLength(4);
    expect(new Set(recommendations.map(({ beatmapset }) => beatmapset.id)).size).toBe(recommendations.length);
  });

  it('leaves a played player something to play', async () => {
    const { recommend, catalogue, beatmaps } = await open({ beatmapsets: 200 });
    await beatmaps.search({ q: '', status: 'ranked', limit: 50 });
    await catalogue.flush();
    const { recommendations } = await recommend({ user: 'lamp post', seed: 1 });
    expect(recommendations.length).toBeGreaterThan(4);
    for (const { gain } of recommendations) expect(gain).toBeGreaterThan(0);
  });

  it('finds maps like a link without credentials', async () => {
    const { recommend, catalogue, beatmaps } = await open({ beatmapsets: 200, withCredentials: false });
    await beatmaps.search({ q: '', status: 'ranked', limit: 50 });
    await catalogue.flush();
    const { recommendations } = await recommend({ like: 'https://osu.ppy.sh/beatmapsets/900001#osu/9000014', seed: 1 });
    expect(recommendations.length).toBeGreaterThan(0);
    for (const { beatmap, reasons } of recommendations) {
      expect(beatmap.id).not.toBe(9_000_014);
      expect(reasons[0]).toMatchObject({ kind: 'like', beatmap: { id: 9_000_014 } });
    }
  });

  it('says that players take credentials', async () => {
    const { recommend } = await open({ withCredentials: false });
    await expect(recommend({ user: 'lamp_post', seed: 1 })).rejects.toMatchObject({ code: 'credentials_required' });
  });

  it('gives six alike players of a new installation different maps', async () => {
    const { recommend } = await open({ beatmapsets: 6_000 });
    const given: number[] = [];
    for (let player = 0; player < 6; player += 1) {
      const { recommendations } = await recommend({ user: 'lamp post', ruleset: 'osu', caller: `test:${player}` });
      given.push(...recommendations.map(({ beatmap }) => beatmap.id));
    }
    expect(given).toHaveLength(60);
    expect(new Set(given).size).toBeGreaterThanOrEqual(55);
  });

  it.each([
    ['osu', 3_000],
    ['taiko', 3_000],
    // One set in eight is of catch, and of fewer their best plays are on all that are hard enough.
    ['fruits', 9_000],
    ['mania', 3_000],
  ] as const)('stays near the stars that a player of %s plays', async (ruleset, beatmapsets) => {
    const { recommend, beatmaps } = await open({ beatmapsets });
    const { scores } = await beatmaps.userScores('lamp post', 'best', { ruleset, limit: 100 });
    const { recommendations } = await recommend({ user: 'lamp post', ruleset });
    expect(recommendations.length).toBeGreaterThan(5);
    for (const { stars, mods } of recommendations) {
      const own = profileOf(ruleset, scores).plays.filter(({ modClass }) => modClass.key === modClassOf(mods).key);
      const played = own.map(({ figures }) => figures.stars);
      expect(stars).toBeGreaterThanOrEqual(Math.min(...played) / 1.15);
      expect(stars).toBeLessThanOrEqual(Math.max(...played) * 1.15);
    }
  });

  it('answers within half a second who asks again without saying who they are, by what came late the first time', async () => {
    const library = new AbortController();
    const arrived = once(library.signal, 'abort');
    const late: RecommendOptions['difficulty'] = {
      async of() {
        await arrived;
        throw new AppError('upstream_unavailable', 'no file');
      },
    };
    const { recommend } = await open({ beatmapsets: 200 }, { difficulty: late });
    const ask = async () => {
      const startedAt = performance.now();
      const { recommendations } = await recommend({ user: 'lamp post', ruleset: 'osu' });
      expect(recommendations.length).toBeGreaterThan(0);
      return performance.now() - startedAt;
    };
    // The first time it is waited for, which is 1.6 s.
    expect(await ask()).toBeGreaterThan(1_000);
    expect(Math.min(await ask(), await ask(), await ask())).toBeLessThan(500);
    library.abort();
  });
});

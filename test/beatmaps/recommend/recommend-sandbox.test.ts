import { describe, expect, it, onTestFinished } from 'vitest';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { createRecommend } from '../../../src/beatmaps/recommend/recommend.ts';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { embeddedRecords } from '../../records.ts';
import { openHouse } from '../beatmaps-fixture.ts';

async function open(own: Parameters<typeof openHouse>[0]) {
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
});

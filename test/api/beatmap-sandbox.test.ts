import { describe, expect, it, onTestFinished } from 'vitest';
import {
  downloadAnswer,
  searchAnswer,
  userAnswer,
  userBeatmapsAnswer,
  userScoresAnswer,
} from '../../src/api/beatmaps/beatmap-schema.ts';
import { errorAnswer } from '../../src/api/errors.ts';
import { createCatalogueHere } from '../../src/beatmaps/catalogue/open-catalogue.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { type HouseOptions, openHouse } from '../beatmaps/beatmaps-fixture.ts';
import { createApiServer } from '../fakes/api-server.ts';

async function openWhole(options: HouseOptions) {
  const { beatmaps, sandbox } = await openHouse(options);
  const { app } = await createApiServer({ beatmaps });
  return { sandbox, get: (path: string) => app.inject(`/api/${path}`) };
}

const ids = (sets: readonly { readonly id: number }[]) => sets.map(({ id }) => id);

describe('over the played upstreams, with credentials', () => {
  it('walks all five endpoints', async () => {
    const { get } = await openWhole({});
    const search = await get('search?q=paper+comet&mode=std&stars=5-7');
    expect(ids(searchAnswer.parse(search.json()).beatmapsets)).toEqual([900_001]);
    expect(search.headers['x-data-source']).toBe('osu');
    const user = userAnswer.parse((await get('user?user=lamp_post')).json());
    expect(user.user).toMatchObject({ id: 4_400_001, username: 'lamp post', statistics: { pp: 6_240.5 } });
    const link = encodeURIComponent('https://osu.ppy.sh/users/4400002/taiko');
    const scores = userScoresAnswer.parse((await get(`user/scores?user=${link}&limit=2`)).json());
    expect(scores.scores.map(({ mode }) => mode)).toEqual(['taiko', 'taiko']);
    const maps = userBeatmapsAnswer.parse((await get('user/beatmaps?user=@lamp_post&type=most_played&limit=2')).json());
    expect(maps.beatmapsets.map(({ count }) => count)).toEqual([400, 399]);
    const map = encodeURIComponent('https://osu.ppy.sh/beatmapsets/900001#osu/9000014');
    const download = downloadAnswer.parse((await get(`download?id=${map}`)).json());
    expect(download).toMatchObject({ id: 900_001, available: true, reason: null });
    expect(download.addresses.at(-1)).toEqual({
      source: 'osu',
      state: 'unknown',
      video: true,
      url: 'https://osu.ppy.sh/beatmapsets/900001',
    });
  });

  it.each(['search?q=paper+comet', 'user?user=lamp_post', 'user/scores?user=4400001', 'download?id=900001'])(
    'says which answer to %s was kept',
    async path => {
      const { get } = await openWhole({});
      const [first, second] = [await get(path), await get(path)];
      expect([first.headers['x-cache'], second.headers['x-cache']]).toEqual(['MISS', 'HIT']);
      expect(second.json()).toEqual(first.json());
    },
  );

  it('goes on from page to page until the last', async () => {
    const { get } = await openWhole({ beatmapsets: 60 });
    const seen: number[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 10; page += 1) {
      const answer = searchAnswer.parse((await get(`search?status=any&limit=30&cursor=${cursor}`)).json());
      seen.push(...ids(answer.beatmapsets));
      cursor = answer.cursor;
    }
    expect(cursor).toBeNull();
    expect(seen).toHaveLength(71);
    expect(new Set(seen).size).toBe(71);
  });

  it('says why a set cannot be downloaded', async () => {
    const { get } = await openWhole({});
    expect((await get('download?id=900006')).json()).toStrictEqual({
      id: 900_006,
      available: false,
      reason: 'Taken down at the wish of the label.',
      addresses: [{ source: 'osu', state: 'unknown', video: true, url: 'https://osu.ppy.sh/beatmapsets/900006' }],
    });
  });

  it.each([
    ['a restricted player', 404, 'user?user=gonefishing'],
    ['nobody', 404, 'user?user=nobody+at+all'],
    ['the plays of a restricted player', 404, 'user/scores?user=gonefishing'],
    ['a name that cannot be', 400, 'user?user=%3Cscript%3E'],
    ['a set that is not there', 404, 'download?id=123456789'],
    ['the link of something else', 400, 'download?id=https://osu.ppy.sh/users/1'],
    ['a cursor of another search', 400, 'search?cursor=AAAA'],
    ['a query of 10,000 characters', 400, `search?q=${'a'.repeat(10_000)}`],
    ['broken quotes and filters', 200, 'search?q=%22%22%22+stars%3Eabc'],
    ['a difficulty by its number', 200, 'download?id=9000014'],
    ['an old link without a scheme', 200, 'download?id=osu.ppy.sh/b/9000014'],
  ])('answers %s with %i', async (_, status, path) => {
    const { get } = await openWhole({});
    expect((await get(path)).statusCode).toBe(status);
  });
});

describe('over the played upstreams, without credentials', () => {
  it('searches and downloads by the mirrors', async () => {
    const { get } = await openWhole({ withCredentials: false });
    const search = await get('search?q=glass+harbour');
    expect(ids(searchAnswer.parse(search.json()).beatmapsets)).toEqual([900_002]);
    expect(search.headers['x-data-source']).toBe('osu.direct');
    const download = await get('download?id=900002');
    expect(downloadAnswer.parse(download.json())).toMatchObject({ id: 900_002, available: true });
  });

  it.each(['user?user=x1', 'user/scores?user=31', 'user/beatmaps?user=31'])(
    'says for %s how to get them',
    async path => {
      const { get } = await openWhole({ withCredentials: false });
      const response = await get(path);
      expect(response.statusCode).toBe(503);
      const { error } = errorAnswer.parse(response.json());
      expect(error.code).toBe('credentials_required');
      expect(error.message).toContain('https://osu.ppy.sh/home/account/edit#oauth');
    },
  );

  it('names who failed when all did', async () => {
    const { get, sandbox } = await openWhole({ withCredentials: false });
    for (const site of ['osu-direct.*', 'hinai.*', 'catboy.*'] as const) sandbox.faults.set(site, 'status:503');
    const response = await get('search?q=glass+harbour');
    expect(response.statusCode).toBe(503);
    expect(response.json().error.message).toContain('osu.direct, hinai, catboy');
  });
});

describe('over the local catalogue', () => {
  async function openWithCatalogue() {
    const store = openStore(':memory:');
    const catalogue = createCatalogueHere({ store, onFailure: failure => expect.unreachable(String(failure)) });
    onTestFinished(async () => {
      await catalogue.close();
      store.close();
    });
    const whole = await openWhole({ withCredentials: false, catalogue });
    await whole.get('search?q=glass+harbour');
    await catalogue.flush();
    whole.sandbox.clearRequests();
    return whole;
  }

  it('answers source=local without asking anybody', async () => {
    const { get, sandbox } = await openWithCatalogue();
    const response = await get('search?q=harbour&source=local');
    expect(ids(searchAnswer.parse(response.json()).beatmapsets)).toEqual([900_002]);
    expect(response.headers['x-data-source']).toBe('catalogue');
    expect(response.headers['x-cache']).toBe('MISS');
    expect(sandbox.requests).toEqual([]);
  });

  it('stands in when every upstream fails, and says so', async () => {
    const { get, sandbox } = await openWithCatalogue();
    for (const site of ['osu-direct.*', 'hinai.*', 'catboy.*'] as const) sandbox.faults.set(site, 'html');
    const response = await get('search?q=harbour');
    expect(ids(searchAnswer.parse(response.json()).beatmapsets)).toEqual([900_002]);
    expect(response.headers).toMatchObject({ 'x-data-source': 'catalogue', 'x-cache': 'STALE' });
    expect(response.headers['cache-control']).toBe('public, max-age=30');
  });
});

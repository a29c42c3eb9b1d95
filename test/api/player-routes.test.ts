import { describe, expect, it } from 'vitest';
import { userAnswer, userBeatmapsAnswer, userScoresAnswer } from '../../src/api/beatmaps/beatmap-schema.ts';
import { USER_BEATMAP_TYPES } from '../../src/beatmaps/upstreams/osu-players-api.ts';
import { madeUpBeatmap, madeUpSet } from '../beatmaps/made-up-sets.ts';
import { openBeatmapApi, SCORE } from '../fakes/beatmaps.ts';

describe('GET /api/user', () => {
  it.each([
    ['user=Some_Name', 'Some_Name', undefined],
    ['user=Some+Name', 'Some Name', undefined],
    ['user=@name', '@name', undefined],
    ['user=%20124%20&mode=', '124', undefined],
    ['user=https://osu.ppy.sh/users/124/mania', 'https://osu.ppy.sh/users/124/mania', undefined],
    ['user=name&mode=ctb', 'name', 'fruits'],
  ])('passes on %s', async (query, user, ruleset) => {
    const { get, calls } = await openBeatmapApi();
    const response = await get(`user?${query}`);
    expect(response.statusCode).toBe(200);
    expect(calls).toEqual([{ method: 'user', args: [user, ruleset] }]);
  });

  it('answers the profile and nothing beside', async () => {
    const { get } = await openBeatmapApi();
    const response = await get('user?user=paper_crane');
    const body = response.json();
    expect(Object.keys(body)).toEqual(['user']);
    expect(userAnswer.parse(body)).toEqual(body);
    expect(body.user).toMatchObject({ id: 31, username: 'paper crane', country_code: 'ID', playmode: 'taiko' });
    expect(body.user).toMatchObject({ rank_history: null, statistics: null, title: null });
    expect(response.headers).toMatchObject({ 'x-data-source': 'osu', 'cache-control': 'public, max-age=300' });
  });

  it.each([
    ['missing', ''],
    ['empty', '?user='],
    ['blank', '?user=+'],
    ['repeated', '?user=a&user=b'],
    ['over-long', `?user=${'a'.repeat(3_000)}`],
  ])('refuses a player who is %s', async (_, query) => {
    const { get, calls } = await openBeatmapApi();
    const response = await get(`user${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain('"user"');
    expect(calls).toEqual([]);
  });
});

describe('GET /api/user/scores', () => {
  it('answers plays by the osu! API’s names', async () => {
    const { get } = await openBeatmapApi();
    const body = (await get('user/scores?user=31')).json();
    expect(Object.keys(body)).toEqual(['scores', 'cursor']);
    expect(userScoresAnswer.parse(body)).toEqual(body);
    expect(body.scores).toMatchObject([
      {
        id: 801,
        user: { id: 31, username: 'paper crane' },
        ruleset_id: 1,
        accuracy: 0.975,
        mods: [{ acronym: 'DT', settings: { speed_change: 1.3 } }, { acronym: 'HD' }],
        pp: 201.5,
        ended_at: '2026-03-02T10:00:00Z',
      },
    ]);
  });

  it('keeps the difficulty and the set of a play', async () => {
    const score = { ...SCORE, beatmap: madeUpBeatmap(), beatmapset: madeUpSet({ beatmaps: [] }) };
    const { get } = await openBeatmapApi({
      userScores: async () => ({ scores: [score], cursor: null, source: 'osu', stale: false }),
    });
    const body = (await get('user/scores?user=31')).json();
    expect(userScoresAnswer.parse(body)).toEqual(body);
    expect(body.scores[0]).toMatchObject({ beatmap: { id: 9_001, drain: 5 }, beatmapset: { title: 'Kite Season' } });
  });

  it.each([
    ['', 'best', 900],
    ['&type=best', 'best', 900],
    ['&type=RECENT', 'recent', 60],
    ['&type=firsts', 'firsts', 900],
    ['&type=pinned', 'pinned', 600],
  ])('asks with "%s" for %s plays, good for %i s', async (query, type, maxAge) => {
    const { get, calls } = await openBeatmapApi();
    const response = await get(`user/scores?user=31&mode=std&limit=5&cursor=abc${query}`);
    expect(calls).toEqual([{ method: 'userScores', args: ['31', type, { ruleset: 'osu', limit: 5, cursor: 'abc' }] }]);
    expect(response.headers['cache-control']).toBe(`public, max-age=${maxAge}`);
  });

  it('refuses another type', async () => {
    const { get } = await openBeatmapApi();
    const response = await get('user/scores?user=31&type=worst');
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain('best, recent, firsts or pinned');
  });
});

describe('GET /api/user/beatmaps', () => {
  it('counts plays in most_played alone', async () => {
    const { get } = await openBeatmapApi();
    const played = (await get('user/beatmaps?user=31&type=most-played')).json();
    expect(userBeatmapsAnswer.parse(played)).toEqual(played);
    expect(played).toMatchObject({ beatmapsets: [{ id: 901, count: 12, beatmap_id: 9_010 }], cursor: 'bmV4dA' });
    const ranked = (await get('user/beatmaps?user=31')).json();
    expect(userBeatmapsAnswer.parse(ranked)).toEqual(ranked);
    expect(ranked.beatmapsets[0]).not.toHaveProperty('count');
  });

  it.each([
    ['', 'ranked'] as const,
    ...USER_BEATMAP_TYPES.map(type => [`&type=${type}`, type] as const),
    ['&type=Favorite', 'favourite'] as const,
  ])('asks with "%s" for %s', async (query, type) => {
    const { get, calls } = await openBeatmapApi();
    const response = await get(`user/beatmaps?user=@crane${query}`);
    expect(calls).toEqual([{ method: 'userBeatmaps', args: ['@crane', type, {}] }]);
    expect(response.headers['cache-control']).toBe('public, max-age=600');
  });

  it('refuses another type', async () => {
    const { get } = await openBeatmapApi();
    const response = await get('user/beatmaps?user=31&type=stolen');
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain('favourite or most_played');
  });
});

describe('GET /api/download', () => {
  it('answers addresses and nothing beside', async () => {
    const { get, calls } = await openBeatmapApi();
    const response = await get('download?id=901');
    expect(response.json()).toStrictEqual({
      id: 901,
      available: true,
      reason: null,
      addresses: [{ source: 'catboy', state: 'unknown', video: true, url: 'https://catboy.best/d/901' }],
    });
    expect(response.headers).toMatchObject({ 'x-data-source': 'osu', 'cache-control': 'public, max-age=300' });
    expect(calls).toEqual([{ method: 'download', args: ['901'] }]);
  });

  it.each(['download', 'download?id=', 'download?id=1&id=2'])('refuses %s', async path => {
    const { get, calls } = await openBeatmapApi();
    const response = await get(path);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain('"id"');
    expect(calls).toEqual([]);
  });
});

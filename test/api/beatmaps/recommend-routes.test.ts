import { describe, expect, it } from 'vitest';
import { RECOMMEND_EXAMPLE } from '../../../src/api/beatmaps/beatmap-examples.ts';
import { recommendAnswer } from '../../../src/api/beatmaps/recommend-routes.ts';
import type { RecommendResult } from '../../../src/beatmaps/recommend/recommend.ts';
import { AppError } from '../../../src/errors.ts';
import { createApiServer } from '../../fakes/api-server.ts';
import { fakeRecommend } from '../../fakes/recommend.ts';

async function open(answer?: () => Promise<RecommendResult>) {
  const { recommend, asked } = fakeRecommend(answer);
  const { app } = await createApiServer({ recommend });
  return { get: (query: string) => app.inject(`/api/recommend${query}`), asked, app };
}

describe('GET /api/recommend', () => {
  it('answers maps with their reasons and nothing beside', async () => {
    const { get } = await open();
    const response = await get('?user=paper_crane&seed=7');
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(recommendAnswer.parse(body)).toEqual(body);
    expect(Object.keys(body)).toEqual(['recommendations']);
    expect(Object.keys(body.recommendations[0])).toEqual(['beatmap', 'beatmapset', 'mods', 'pp', 'gain', 'reasons']);
    expect(body.recommendations[0]).toMatchObject({ pp: 251.235, gain: 4.568, mods: ['HD', 'DT'] });
    expect(response.headers).toMatchObject({ 'x-data-source': 'osu', 'cache-control': 'private, max-age=300' });
    const again = await get('?user=paper_crane&seed=7');
    expect(again.headers.etag).toBe(response.headers.etag);
  });

  it('is another answer each time without a seed', async () => {
    const { get, asked } = await open();
    expect((await get('')).headers['cache-control']).toBe('private, max-age=0');
    await get('');
    await get('?seed=a');
    await get('?seed=a');
    const seeds = asked.map(({ seed }) => seed);
    expect(seeds.slice(0, 2)).toEqual([undefined, undefined]);
    expect(seeds[2]).toBe(seeds[3]);
  });

  it('reads parameters in every usual form', async () => {
    const { get, asked } = await open();
    await get(
      '?user=@a&mode=std&mods=+HDDT,-FL&bias=harder&stars=5-6&pp=200-&length=1:30-2m&farm=no&loved=yes&limit=5',
    );
    expect(asked[0]).toMatchObject({
      user: '@a',
      ruleset: 'osu',
      mods: { must: ['HD', 'DT'], never: ['FL'], exact: false },
      bias: 1,
      farm: false,
      loved: true,
      limit: 5,
    });
    expect(asked[0]?.stars?.low).toBeCloseTo(4.995, 3);
    expect(asked[0]?.pp).toMatchObject({ low: 199.5, high: Number.POSITIVE_INFINITY });
    expect(asked[0]?.length?.low).toBeCloseTo(89.5, 1);
    await get('?user=&bpm=200&ar=&mods=NM');
    expect(asked[1]?.limit).toBe(20);
    expect(asked[1]?.bpm).toEqual({ low: 194, high: 206 });
    expect(asked[1]?.ar).toBeUndefined();
    expect(asked[1]?.mods?.exact).toBe(true);
    expect(asked[1]?.user).toBeUndefined();
  });

  it.each([
    ['mods=HDD', 'mods'],
    ['mods=DTHT', 'mods'],
    ['mods=DT,-DT', 'mods'],
    ['bias=much', 'bias'],
    ['stars=6-5', 'stars'],
    ['pp=lots', 'pp'],
    ['farm=maybe', 'farm'],
    ['limit=51', 'limit'],
    ['user=a&user=b', 'user'],
    ['mode=chess', 'mode'],
    ['like=1&like=2', 'like'],
  ])('refuses %s', async (query, name) => {
    const { get, asked } = await open();
    const response = await get(`?${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain(`"${name}"`);
    expect(asked).toEqual([]);
  });

  it.each([
    [new AppError('not_found', '', { params: { what: 'beatmap' } }), 404, 'beatmap'],
    [new AppError('not_found', ''), 404, 'player'],
    [new AppError('credentials_required', ''), 503, 'OAuth'],
    [new AppError('invalid_request', '', { params: { what: 'like' } }), 400, '"like"'],
  ])('explains %s', async (error, status, words) => {
    const { get } = await open(() => Promise.reject(error));
    const response = await get('?user=1&like=2');
    expect(response.statusCode).toBe(status);
    expect(response.json().error.message).toContain(words);
  });

  it('stands in the reference with an example that its schema accepts', async () => {
    const { app } = await open();
    const document = (await app.inject('/openapi.json')).json();
    const { parameters, responses } = document.paths['/api/recommend'].get;
    expect(parameters.map(({ name }: { name: string }) => name)).toContain('bias');
    expect(responses['200'].content['application/json'].example).toEqual(RECOMMEND_EXAMPLE);
    expect(recommendAnswer.parse(RECOMMEND_EXAMPLE)).toEqual(RECOMMEND_EXAMPLE);
  });
});

import { describe, expect, it } from 'vitest';
import {
  DOWNLOAD_EXAMPLE,
  SCORES_EXAMPLE,
  SEARCH_EXAMPLE,
  USER_BEATMAPS_EXAMPLE,
  USER_EXAMPLE,
} from '../../../src/api/beatmaps/beatmap-examples.ts';
import {
  downloadAnswer,
  searchAnswer,
  userAnswer,
  userBeatmapsAnswer,
  userScoresAnswer,
} from '../../../src/api/beatmaps/beatmap-schema.ts';
import { errorAnswer } from '../../../src/api/errors.ts';
import type { SearchRequest } from '../../../src/beatmaps/set-search.ts';
import { AppError } from '../../../src/errors.ts';
import { type BeatmapService, FOUND, made, openBeatmapApi } from '../../fakes/beatmaps.ts';

function failing(error: Error): Partial<BeatmapService> {
  const fail = async () => {
    throw error;
  };
  return { search: fail, user: fail, userScores: fail, userBeatmaps: fail, download: fail };
}

async function asked(query: string): Promise<SearchRequest> {
  const requests: SearchRequest[] = [];
  const { get } = await openBeatmapApi({
    async search({ signal: _, ...request }) {
      requests.push(request);
      return FOUND;
    },
  });
  const response = await get(`search${query}`);
  expect(response.json()).toHaveProperty('beatmapsets');
  return made(requests[0]);
}

describe('GET /api/search', () => {
  it('answers sets by the osu! API’s names, and nothing beside', async () => {
    const { get } = await openBeatmapApi();
    const response = await get('search?q=kite');
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(Object.keys(body)).toEqual(['beatmapsets', 'total', 'cursor']);
    expect(searchAnswer.parse(body)).toEqual(body);
    expect(body).toMatchObject({ total: 41, cursor: 'bmV4dA' });
    expect(body.beatmapsets).toMatchObject([
      {
        id: 901,
        title: 'Kite Season',
        artist: 'Paper Lanterns',
        artist_unicode: '紙灯籠',
        creator: 'Mappy McMapface',
        status: 'ranked',
        ranked: 1,
        video: true,
        availability: { download_disabled: false, more_information: null },
        covers: { cover: 'https://assets.ppy.sh/beatmaps/901/covers/cover.jpg' },
        url: 'https://osu.ppy.sh/beatmapsets/901',
        beatmaps: [
          {
            id: 9_010,
            version: 'Insane',
            mode: 'osu',
            mode_int: 0,
            accuracy: 8,
            drain: 5,
            url: 'https://osu.ppy.sh/beatmapsets/901#osu/9010',
          },
        ],
      },
    ]);
  });

  it('says who answered, for how long, and with a tag that saves the next answer', async () => {
    const { get, app } = await openBeatmapApi();
    const { headers } = await get('search?q=kite');
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-data-source': 'hinai',
      'cache-control': 'public, max-age=120',
      'access-control-allow-origin': '*',
    });
    expect(headers['access-control-expose-headers']).toContain('X-Data-Source');
    expect(headers['x-cache']).toBe('MISS');
    const again = await app.inject({ url: '/api/search?q=kite', headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('says what was kept, and has it asked for again soon', async () => {
    const { get } = await openBeatmapApi({ search: async () => ({ ...FOUND, cached: true }) });
    const { headers } = await get('search?q=kite');
    expect(headers).toMatchObject({ 'x-cache': 'HIT', 'cache-control': 'public, max-age=30' });
  });

  it('marks what stands in for failing upstreams and has it asked for again soon', async () => {
    const { get } = await openBeatmapApi({ search: async () => ({ ...FOUND, source: 'catalogue', stale: true }) });
    expect((await get('search?q=kite')).headers).toMatchObject({
      'x-data-source': 'catalogue',
      'x-cache': 'STALE',
      'cache-control': 'public, max-age=30',
    });
  });

  it.each([
    ['', { q: '' }],
    ['?q=', { q: '' }],
    ['?q=a+b', { q: 'a b' }],
    ['?q=a%2Bb', { q: 'a+b' }],
    ['?q=stars%3E6+"half', { q: 'stars>6 "half' }],
    ['?mode=ctb', { ruleset: 'fruits' }],
    ['?mode=catch', { ruleset: 'fruits' }],
    ['?mode=STD', { ruleset: 'osu' }],
    ['?mode=3', { ruleset: 'mania' }],
    ['?mode=', { ruleset: undefined }],
    ['?status=Any', { status: 'any' }],
    ['?status=graveyard', { status: 'graveyard' }],
    ['?sort=plays_asc', { sort: { field: 'plays', order: 'asc' } }],
    ['?sort=favourites', { sort: { field: 'favourites', order: 'desc' } }],
    ['?limit=1', { limit: 1 }],
    ['?limit=50&cursor=abc', { limit: 50, cursor: 'abc' }],
    ['?limit=&cursor=&sort=&status=', { limit: undefined, cursor: undefined, sort: undefined, status: undefined }],
    ['?source=local', { source: 'local' }],
    ['?stars=5-6&q=kite', { q: 'stars=5-6 kite' }],
    ['?stars=5-', { q: 'stars=5-' }],
    ['?bpm=-180&length=1:30-2m', { q: 'bpm=-180 length=1:30-2m' }],
    ['?keys=7', { q: 'keys=7' }],
  ])('reads %s', async (query, expected) => {
    expect(await asked(query)).toMatchObject(expected);
  });

  it.each([
    ['mode=piano', 'mode', 'taiko'],
    ['nobody=knows&q=kite', 'nobody', 'q, mode, status'],
    ['status=mine', 'status', 'leaderboard, ranked'],
    ['sort=plays_sideways', 'sort', '_asc or _desc'],
    ['limit=51', 'limit', 'from 1 to 50'],
    ['limit=0', 'limit', 'from 1 to 50'],
    ['limit=-1', 'limit', 'from 1 to 50'],
    ['limit=2.5', 'limit', 'from 1 to 50'],
    ['limit=many', 'limit', 'from 1 to 50'],
    ['source=moon', 'source', 'local'],
    ['stars=abc', 'stars', '5-6'],
    ['stars=6-5', 'stars', '5-6'],
    ['stars=-', 'stars', '5-6'],
    ['stars=5+artist=x', 'stars', '5-6'],
    ['q=a&q=b', 'q', 'once'],
    ['mode=osu&mode=taiko', 'mode', 'once'],
    [`cursor=${'a'.repeat(3_000)}`, 'cursor', 'earlier answer'],
  ])('refuses %s and says what is allowed', async (query, name, allowed) => {
    const { get, calls } = await openBeatmapApi();
    const response = await get(`search?${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.headers['cache-control']).toBe('no-store');
    const { error } = errorAnswer.parse(response.json());
    expect(error.code).toBe('invalid_request');
    expect(error.message).toContain(`"${name}"`);
    expect(error.message).toContain(allowed);
    expect(calls).toEqual([]);
  });
});

describe('failures of the beatmap room', () => {
  const upstreams = { upstreams: 'osu, hinai' };
  it.each([
    ['user?user=x', new AppError('not_found', ''), 404, 'not_found', 'player'],
    ['download?id=1', new AppError('not_found', ''), 404, 'not_found', 'beatmap'],
    ['user?user=x', new AppError('credentials_required', ''), 503, 'credentials_required', 'OSU_CLIENT_ID'],
    [
      'search',
      new AppError('upstream_unavailable', '', { params: upstreams }),
      503,
      'upstream_unavailable',
      'osu, hinai',
    ],
    ['search', new AppError('upstream_changed', '', { params: upstreams }), 502, 'upstream_changed', 'osu, hinai'],
    ['search', new AppError('timeout', '', { params: upstreams }), 504, 'timeout', 'osu, hinai'],
    ['search', new AppError('forbidden', '', { params: upstreams }), 503, 'upstream_unavailable', 'osu, hinai'],
    ['user?user=x', new AppError('upstream_unavailable', ''), 503, 'upstream_unavailable', 'osu'],
    ['search?source=local', new AppError('upstream_unavailable', ''), 503, 'upstream_unavailable', 'catalogue'],
    [
      'user?user=a/b',
      new AppError('invalid_request', '', { params: { what: 'user' } }),
      400,
      'invalid_request',
      '"user"',
    ],
    [
      'search',
      new AppError('invalid_request', '', { params: { what: 'q', max: 9 } }),
      400,
      'invalid_request',
      '9 char',
    ],
    [
      'search',
      new AppError('invalid_request', '', { params: { what: 'q', key: 'divisor=4' } }),
      400,
      'invalid_request',
      '"q" has a condition by which nothing can be searched: divisor=4. ',
    ],
    ['search', new TypeError('a bug'), 500, 'internal', 'this server'],
  ])('on /api/%s: %s is answered as %i %s', async (path, error, status, code, words) => {
    const { get } = await openBeatmapApi(failing(error));
    const response = await get(path);
    expect(response.statusCode).toBe(status);
    const body = errorAnswer.parse(response.json());
    expect(body).toMatchObject({ status, error: { code } });
    expect(body.error.message).toContain(words);
    expect(body.error.message).not.toContain('link is fine');
    expect(response.headers['x-data-source']).toBeUndefined();
  });

  it('keeps the time to wait', async () => {
    const error = new AppError('upstream_rate_limited', '', { params: upstreams, retryAfterMs: 30_000 });
    const { get } = await openBeatmapApi(failing(error));
    const response = await get('search');
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '30']);
  });
});

describe('the reference', () => {
  it('describes the five endpoints, with X-Data-Source', async () => {
    const { app } = await openBeatmapApi();
    const { paths } = (await app.inject('/openapi.json')).json();
    for (const path of ['search', 'user', 'user/scores', 'user/beatmaps', 'download']) {
      const { responses, parameters } = paths[`/api/${path}`].get;
      expect(responses['200'].headers).toHaveProperty('X-Data-Source');
      for (const parameter of parameters) expect(parameter.description).not.toBe('');
    }
    expect(paths['/api/post'].get.responses['200'].headers).not.toHaveProperty('X-Data-Source');
    const page = (await app.inject('/docs')).body;
    expect(page).toContain('/api/search?q=stars%3E5');
    expect(page).toContain('/api/download?id=900001');
  });

  it.each([
    ['search', searchAnswer, SEARCH_EXAMPLE],
    ['user', userAnswer, USER_EXAMPLE],
    ['user/scores', userScoresAnswer, SCORES_EXAMPLE],
    ['user/beatmaps', userBeatmapsAnswer, USER_BEATMAPS_EXAMPLE],
    ['download', downloadAnswer, DOWNLOAD_EXAMPLE],
  ] as const)('has an example of /api/%s that its own schema accepts', async (path, answer, example) => {
    const { app } = await openBeatmapApi();
    const { paths } = (await app.inject('/openapi.json')).json();
    expect(paths[`/api/${path}`].get.responses['200'].content['application/json'].example).toEqual(example);
    expect(answer.parse(example)).toEqual(example);
  });
});

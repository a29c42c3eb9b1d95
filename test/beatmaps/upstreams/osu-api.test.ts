import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/beatmaps/query/query.ts';
import type { StatusFilter } from '../../../src/beatmaps/query/query-words.ts';
import { createOsuApi } from '../../../src/beatmaps/upstreams/osu-api.ts';
import type { OsuCallOptions } from '../../../src/beatmaps/upstreams/osu-call.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { openHouse } from '../beatmaps-fixture.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const SECRET = 'hush-this-is-secret';

/** osu! as a function from request to answer. */
async function play(answer: (request: IncomingMessage, path: string) => Reply, options: Partial<OsuCallOptions> = {}) {
  const asked: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const server = await serveHttp((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      asked.push({ path, headers: request.headers, body });
      const reply = answer(request, path);
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    });
  });
  const log = createRecordingLog();
  const clock = { ms: Date.UTC(2026, 10, 1) };
  const http = createTestClient({ 'osu.ppy.sh': server.origin });
  const api = createOsuApi({
    http,
    clientId: 77,
    clientSecret: SECRET,
    log,
    now: () => clock.ms,
    timeoutMs: 30_000,
    ...options,
  });
  return { api, asked, log, clock, tokens: () => asked.filter(({ path }) => path === '/oauth/token').length };
}

const tokenReply = (value: string) => ({ body: { access_token: value, expires_in: 86_400, token_type: 'Bearer' } });
const ATTRIBUTES = { body: { attributes: { star_rating: 5.5, max_combo: 812, aim_difficulty: 2.5, odd: 'text' } } };

describe('what a player plays most', () => {
  const set = { id: 31, title: 'Slow Tram', artist: 'Marble Lanterns', creator: 'quietmallet', status: 'ranked' };
  const map = { id: 311, beatmapset_id: 31, mode: 'osu', version: 'Hard', difficulty_rating: 3.5, total_length: 90 };

  it('may come without the difficulty, which its number names', async () => {
    const rows = [
      { beatmap_id: 311, count: 12, beatmap: map, beatmapset: set },
      { beatmap_id: 312, count: '7', beatmap: null, beatmapset: set },
      { beatmap_id: 313, count: 3, beatmap: null, beatmapset: null },
    ];
    const { api } = await play((_, path) => (path === '/oauth/token' ? tokenReply('t1') : { body: rows }));
    const { items, isFull } = await api.userBeatmaps(4, 'most_played', { limit: 3, offset: 0 });
    expect(
      items.map(({ beatmap_id, count, set: { id, beatmaps } }) => [beatmap_id, count, id, beatmaps.length]),
    ).toEqual([
      [311, 12, 31, 1],
      [312, 7, 31, 0],
    ]);
    expect(isFull).toBe(true);
  });

  it('has no more rows than were requested', async () => {
    const rows = [1, 2, 3].map(count => ({ beatmap_id: 311, count, beatmap: map, beatmapset: set }));
    const { api } = await play((_, path) => (path === '/oauth/token' ? tokenReply('t1') : { body: rows }));
    const { items, isFull } = await api.userBeatmaps(4, 'most_played', { limit: 2, offset: 0 });
    expect(items.map(({ count }) => count)).toEqual([1, 2]);
    expect(isFull).toBe(true);
  });
});

describe('the token', () => {
  it('is asked for once by many, and sent with one version', async () => {
    const { api, asked, tokens } = await play((_, path) => (path === '/oauth/token' ? tokenReply('t1') : ATTRIBUTES));
    await Promise.all([1, 2, 3, 4].map(id => api.attributes(id, { mods: ['HD'], ruleset: 'taiko' })));
    expect(tokens()).toBe(1);
    expect(new URLSearchParams(asked[0]?.body)).toEqual(
      new URLSearchParams({
        client_id: '77',
        client_secret: SECRET,
        grant_type: 'client_credentials',
        scope: 'public',
      }),
    );
    expect(asked[1]?.headers).toMatchObject({
      authorization: 'Bearer t1',
      accept: 'application/json',
      'x-api-version': '20241022',
    });
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ mods: ['HD'], ruleset: 'taiko' });
  });

  it('is renewed a minute before its end', async () => {
    const { api, clock, tokens } = await play((_, path) => (path === '/oauth/token' ? tokenReply('t') : ATTRIBUTES));
    await api.attributes(1, {});
    clock.ms += 86_400_000 - 61_000;
    await api.attributes(1, {});
    expect(tokens()).toBe(1);
    clock.ms += 2_000;
    await api.attributes(1, {});
    expect(tokens()).toBe(2);
  });

  it('is renewed once when the API refuses it', async () => {
    let given = 0;
    const { api, tokens } = await play((request, path) => {
      if (path === '/oauth/token') return tokenReply(`t${++given}`);
      return request.headers.authorization === 'Bearer t1'
        ? { status: 401, body: { authentication: 'basic' } }
        : ATTRIBUTES;
    });
    await expect(api.attributes(1, {})).resolves.toMatchObject({ star_rating: 5.5 });
    expect(tokens()).toBe(2);
  });

  it('that is always refused ends in credentials_required', async () => {
    const { api, tokens } = await play((_, path) =>
      path === '/oauth/token' ? tokenReply('t') : { status: 401, body: {} },
    );
    await expect(api.attributes(1, {})).rejects.toMatchObject({ code: 'credentials_required' });
    expect(tokens()).toBe(2);
  });

  it('that cannot be had because its address is missing does not mean that a set or a player is', async () => {
    const { api } = await play(() => ({ status: 404, body: {} }));
    await expect(api.set(1)).rejects.toMatchObject({ code: 'upstream_changed' });
    await expect(api.user(2)).rejects.toMatchObject({ code: 'upstream_changed' });
  });

  it('of unknown credentials is not asked for again and again, and the secret stays out of the log', async () => {
    const { api, tokens, log, clock } = await play(() => ({ status: 401, body: { error: 'invalid_client' } }));
    for (let call = 0; call < 3; call += 1) {
      await expect(api.attributes(1, {})).rejects.toMatchObject({ code: 'credentials_required' });
    }
    expect(tokens()).toBe(1);
    expect(log.at('error')).toHaveLength(1);
    expect(JSON.stringify(log.lines)).not.toContain(SECRET);
    clock.ms += 6 * 60_000;
    await expect(api.attributes(1, {})).rejects.toMatchObject({ code: 'credentials_required' });
    expect(tokens()).toBe(2);
  });

  it.each([
    ['down', { status: 500, body: 'no' }, 'upstream_unavailable'],
    ['a page', { body: '<!DOCTYPE html><p>Just a moment' }, 'upstream_changed'],
    ['another shape', { body: { token: 'x' } }, 'upstream_changed'],
    ['busy', { status: 429, headers: { 'retry-after': '40' }, body: {} }, 'upstream_rate_limited'],
  ] as const)('endpoint that is %s fails as such', async (_, reply, code) => {
    const { api } = await play(() => reply);
    await expect(api.attributes(1, {})).rejects.toMatchObject({ code });
  });
});

describe('answers', () => {
  it.each([
    [404, { error: null }, 'not_found'],
    [403, { error: 'no' }, 'forbidden'],
    [422, { error: 'bad ruleset' }, 'upstream_changed'],
    [504, { error: 'timeout' }, 'upstream_unavailable'],
    [200, '<html>maintenance</html>', 'upstream_changed'],
    [200, { nothing: true }, 'upstream_changed'],
    [200, 'null', 'upstream_changed'],
  ] as const)('%s %j mean %s', async (status, body, code) => {
    const { api } = await play((_, path) => (path === '/oauth/token' ? tokenReply('t') : { status, body }));
    await expect(api.user('somebody')).rejects.toMatchObject({ code });
    await expect(api.set(3)).rejects.toMatchObject({ code });
    await expect(api.userScores(3, 'best', { limit: 5, offset: 0 })).rejects.toMatchObject({ code });
  });

  it('that ask to wait are obeyed', async () => {
    let busy = true;
    const { api, asked, clock } = await play((_, path) => {
      if (path === '/oauth/token') return tokenReply('t');
      return busy ? { status: 429, headers: { 'retry-after': '30' }, body: {} } : ATTRIBUTES;
    });
    const limited = { code: 'upstream_rate_limited', retryAfterMs: 30_000 };
    await expect(api.attributes(1, {})).rejects.toMatchObject(limited);
    const before = asked.length;
    await expect(api.attributes(1, {})).rejects.toMatchObject(limited);
    expect(asked).toHaveLength(before);
    busy = false;
    clock.ms += 30_001;
    await expect(api.attributes(1, {})).resolves.toEqual({ star_rating: 5.5, max_combo: 812 });
  });

  it('that ask to wait for ten minutes are reported as ten minutes, and not made before', async () => {
    const { api, asked, clock } = await play((_, path) =>
      path === '/oauth/token' ? tokenReply('t') : { status: 429, headers: { 'retry-after': '600' }, body: {} },
    );
    await expect(api.attributes(1, {})).rejects.toMatchObject({ retryAfterMs: 600_000 });
    const before = asked.length;
    clock.ms += 5 * 60_000;
    await expect(api.attributes(1, {})).rejects.toMatchObject({ retryAfterMs: 300_000 });
    expect(asked).toHaveLength(before);
    clock.ms -= 24 * 60 * 60_000;
    await expect(api.attributes(1, {})).rejects.toMatchObject({ retryAfterMs: 600_000 });
  });

  it.each<[text: string, status: StatusFilter, asked: string | null, found: readonly number[], total: number | null]>([
    ['year=2020', 'leaderboard', 'ranked=2020', [1], null],
    ['year>=2020 ar=9', 'ranked', 'ar=9 ranked>=2020-01-01 ranked<=2998-12-31', [1, 2], null],
    ['year>=2019', 'ranked', 'ranked>=2019-01-01 ranked<=2998-12-31', [1, 2, 3], 3],
    ['year>=2019 video=no', 'ranked', 'ranked>=2019-01-01 ranked<=2998-12-31', [2, 3], null],
    ['year>=2019 -title=tram', 'ranked', 'ranked>=2019-01-01 ranked<=2998-12-31', [], null],
    ['year>=2019', 'any', null, [1, 2, 3], null],
    ['year=2020', 'any', null, [1], null],
    ['year<=2019', 'loved', 'ranked>=1900-01-01 ranked<=2019-12-31', [3], null],
    ['video=no', 'leaderboard', null, [2, 3], null],
    ['nsfw=yes', 'leaderboard', null, [2], null],
    ['spotlight=no', 'leaderboard', null, [1, 2], null],
  ])('to %s of status %s are held to it', async (text, status, q, found, total) => {
    const set = { title: 'Slow Tram', artist: 'Marble Lanterns', status: 'ranked' };
    const beatmapsets = [
      { ...set, id: 1, video: true, ranked_date: '2020-05-04T00:00:00Z' },
      { ...set, id: 2, nsfw: true, ranked_date: '2021-05-04T00:00:00Z' },
      { ...set, id: 3, spotlight: true, ranked_date: '2019-05-04T00:00:00Z' },
    ];
    const body = { beatmapsets, total: 3, cursor_string: null };
    const { api, asked } = await play((_, path) => (path === '/oauth/token' ? tokenReply('t') : { body }));
    const sort = { field: 'plays', order: 'desc' } as const;
    const page = await api.search({ query: parseQuery(text), status, sort }, undefined);
    expect({ ...page, sets: page.sets.map(({ id }) => id) }).toEqual({ sets: found, total, next: null });
    expect(new URL(asked.at(-1)?.path ?? '', 'https://osu.ppy.sh').searchParams.get('q')).toBe(q);
  });

  it('that only state what is in their cursor have a next page all the same', async () => {
    const beatmapsets = [{ id: 1, title: 'Slow Tram', artist: 'Marble Lanterns', status: 'ranked' }];
    const body = { beatmapsets, total: 90, cursor: { approved_date: '1404172800000', _id: '31' } };
    const { api, asked } = await play((_, path) => (path === '/oauth/token' ? tokenReply('t') : { body }));
    const search = { query: parseQuery('tram'), status: 'any', sort: { field: 'plays', order: 'desc' } } as const;
    const { next } = await api.search(search, undefined);
    await api.search(search, next ?? undefined);
    const cursor = new URL(asked.at(-1)?.path ?? '', 'https://osu.ppy.sh').searchParams.get('cursor_string') ?? '';
    expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())).toEqual(body.cursor);
  });

  it('for names with underscores are sought with spaces, too', async () => {
    const { api, asked } = await play((_, path) => {
      if (path === '/oauth/token') return tokenReply('t');
      return path.includes('lamp%20post')
        ? { body: { id: 5, username: 'lamp post' } }
        : { status: 404, body: { error: null } };
    });
    expect((await api.user('lamp_post', 'mania')).username).toBe('lamp post');
    expect(asked.at(-1)?.path).toBe('/api/v2/users/@lamp%20post/mania');
  });
});

describe('players', () => {
  it.each([
    4_400_001,
    '4400001',
    'lamp post',
    '@lamp post',
    'Lamp_Post',
    'https://osu.ppy.sh/users/4400001/osu',
    'osu.ppy.sh/u/lamp%20post',
  ])('are found by %s', async reference => {
    const { beatmaps } = await openHouse();
    const { user, stale } = await beatmaps.user(reference);
    expect(stale).toBe(false);
    expect(user).toMatchObject({
      id: 4_400_001,
      username: 'lamp post',
      country: { code: 'ID', name: 'Indonesia' },
      playmode: 'osu',
      mode: 'osu',
      achievement_count: 25,
      team: { name: 'Street Furniture' },
      statistics: { pp: 6_240.5, global_rank: 21_480, level: { current: 98, progress: 40 } },
    });
    expect(user.rank_history).toHaveLength(90);
  });

  it.each(['nobody at all', 'gonefishing', 4_400_003, 999])(
    'that are not there or restricted (%s) are not found',
    async who => {
      const { beatmaps } = await openHouse();
      await expect(beatmaps.user(who)).rejects.toMatchObject({ code: 'not_found' });
      if (typeof who === 'string')
        await expect(beatmaps.userScores(who, 'best')).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  it.each(['', '@', '<script>', 'x'.repeat(40), '../../oauth/token', 'https://example.com/users/2'])(
    'are not asked for by %j',
    async who => {
      const { beatmaps, sandbox } = await openHouse();
      await expect(beatmaps.user(who)).rejects.toMatchObject({ code: 'invalid_request', params: { what: 'user' } });
      expect(sandbox.requests).toEqual([]);
    },
  );

  it('need credentials, but a wrong parameter is said first', async () => {
    const { beatmaps, sandbox } = await openHouse({ withCredentials: false });
    expect(beatmaps.hasPlayers).toBe(false);
    await expect(beatmaps.user('lamp post')).rejects.toMatchObject({ code: 'credentials_required' });
    await expect(beatmaps.userScores(1, 'best')).rejects.toMatchObject({ code: 'credentials_required' });
    await expect(beatmaps.score(7)).rejects.toMatchObject({ code: 'credentials_required', params: { what: 'score' } });
    await expect(beatmaps.userBeatmaps(1, 'ranked')).rejects.toMatchObject({ code: 'credentials_required' });
    await expect(beatmaps.user('<>')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(sandbox.requests).toEqual([]);
  });

  it('have plays, page by page', async () => {
    const { beatmaps } = await openHouse();
    const first = await beatmaps.userScores('lamp post', 'best', { limit: 5 });
    expect(first.scores).toHaveLength(5);
    expect(first.scores.find(({ id }) => id === 5_000_000_004)).toMatchObject({
      username: 'lamp post',
      mode: 'osu',
      lazer: false,
      mods: [{ acronym: 'HD' }, { acronym: 'CL' }],
      beatmap: { version: 'Expert' },
      beatmapset: { title: 'Paper Comet', beatmaps: [] },
    });
    expect(first.scores[0]).toMatchObject({ lazer: true, legacy_total_score: null, weight: { percentage: 100 } });
    const worth = first.scores.map(({ pp }) => pp ?? 0);
    expect(worth).toEqual(worth.toSorted((a, b) => b - a));
    const second = await beatmaps.userScores('lamp post', 'best', { limit: 5, cursor: first.cursor ?? '' });
    const ids = [...first.scores, ...second.scores].map(({ id }) => id);
    expect(second.scores.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('have single plays, by either of their numbers, asked for once an hour', async () => {
    const { beatmaps, sandbox, clock } = await openHouse();
    const { score, stale } = await beatmaps.score(5_000_000_003);
    expect(stale).toBe(false);
    expect(score).toMatchObject({ username: 'lamp post', beatmap: { version: 'Insane' }, beatmapset: { id: 900_001 } });
    const { score: older } = await beatmaps.score(4_000_000_000, 'taiko');
    expect(older).toMatchObject({ username: 'Drum_Kitten', mode: 'taiko', beatmapset: { id: 900_004 } });
    const paths = () => sandbox.requests.map(({ path }) => path).filter(path => path.includes('/scores/'));
    await beatmaps.score(5_000_000_003);
    expect(paths()).toEqual(['/api/v2/scores/5000000003', '/api/v2/scores/taiko/4000000000']);
    clock.ms += 61 * 60_000;
    sandbox.faults.set('osu.score', 'status:503');
    expect(await beatmaps.score(5_000_000_003)).toMatchObject({ stale: true, score: { id: 5_000_000_003 } });
    sandbox.faults.clear();
    await expect(beatmaps.score(4_000_000_000)).rejects.toMatchObject({ code: 'not_found', params: { what: 'score' } });
  });

  it('have maps of every kind, and how often they played one', async () => {
    const { beatmaps, sandbox } = await openHouse();
    for (const type of ['ranked', 'loved', 'pending', 'graveyard', 'guest', 'nominated', 'favourite'] as const) {
      const { beatmapsets } = await beatmaps.userBeatmaps('Drum_Kitten', type, { limit: 2 });
      expect(beatmapsets.map(({ set, count }) => [set.id, count])).toEqual([
        [900_001, null],
        [900_002, null],
      ]);
      expect(sandbox.requests.at(-1)?.path).toBe(`/api/v2/users/4400002/beatmapsets/${type}?limit=2&offset=0`);
    }
    const played = await beatmaps.userBeatmaps('Drum_Kitten', 'most_played', { limit: 3 });
    expect(played.beatmapsets[1]).toMatchObject({ count: 399, beatmap_id: 9_000_021, set: { title: 'Glass Harbour' } });
    expect(played.cursor).not.toBeNull();
  });

  it('are answered from before when osu! fails, but not when they are gone', async () => {
    const { beatmaps, sandbox, clock } = await openHouse();
    await beatmaps.user('lamp post');
    clock.ms += 6 * 60_000;
    sandbox.faults.set('osu.user', 'status:503');
    expect(await beatmaps.user('lamp post')).toMatchObject({ stale: true, user: { id: 4_400_001 } });
    clock.ms += 6 * 60_000;
    sandbox.faults.set('osu.user', 'null');
    await expect(beatmaps.user('lamp post')).rejects.toMatchObject({ code: 'not_found' });
  });
});

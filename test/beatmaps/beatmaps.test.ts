import { describe, expect, it } from 'vitest';
import type { SourceId } from '../../src/beatmaps/upstreams/source.ts';
import type { Fault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { openHouse } from './beatmaps-fixture.ts';

const COMET = 900_001;
const HARBOUR = 900_002;

const UPSTREAMS = ['osu', 'osu.direct', 'hinai', 'catboy'] as const;
type Upstream = (typeof UPSTREAMS)[number];

const SITE = { osu: 'osu.*', 'osu.direct': 'osu-direct.*', hinai: 'hinai.*', catboy: 'catboy.*' } as const;

function breakAll(sandbox: Sandbox, upstreams: readonly Upstream[], fault: Fault): void {
  for (const upstream of upstreams) sandbox.faults.set(SITE[upstream], fault);
}

const FAULTS: readonly (readonly [Fault, string])[] = [
  ['status:500', 'upstream_unavailable'],
  ['status:503', 'upstream_unavailable'],
  ['status:403', 'upstream_unavailable'],
  ['status:404', 'upstream_changed'],
  ['retry-after:30', 'upstream_rate_limited'],
  ['html', 'upstream_changed'],
  ['garbage', 'upstream_changed'],
  ['truncate', 'upstream_changed'],
  ['empty', 'upstream_changed'],
  ['shape-changed', 'upstream_changed'],
  ['reset', 'upstream_unavailable'],
  ['cut', 'upstream_unavailable'],
];

describe('search with all but one upstream broken', () => {
  describe.each(FAULTS)('by %s', (fault, code) => {
    it.each(UPSTREAMS)('is right when only %s works', async alive => {
      const { beatmaps, sandbox } = await openHouse();
      breakAll(
        sandbox,
        UPSTREAMS.filter(each => each !== alive),
        fault,
      );
      const found = await beatmaps.search({ q: 'paper comet' });
      expect(found).toMatchObject({ source: alive, stale: false });
      expect(found.sets.map(set => set.id)).toEqual([COMET]);
    });

    it('says why when none works', async () => {
      const { beatmaps, sandbox } = await openHouse();
      breakAll(sandbox, UPSTREAMS, fault);
      await expect(beatmaps.search({ q: 'paper comet' })).rejects.toMatchObject({
        code,
        params: { upstreams: 'osu, osu.direct, hinai, catboy' },
      });
    });
  });

  it.each(UPSTREAMS)('is right when the others hang and only %s works', async alive => {
    const broken = UPSTREAMS.filter(each => each !== alive);
    const timeoutMs = { ...Object.fromEntries(broken.map(each => [each, 150])), [alive]: 3_000 };
    const { beatmaps, sandbox } = await openHouse({ timeoutMs });
    breakAll(sandbox, broken, 'hang');
    const found = await beatmaps.search({ q: 'paper comet' });
    expect(found.source).toBe(alive);
    expect(found.sets.map(set => set.id)).toEqual([COMET]);
    sandbox.faults.set(SITE[alive], 'hang');
    await expect(beatmaps.search({ q: 'glass harbour' })).rejects.toMatchObject({ code: 'timeout' });
  });

  it.each(['osu.direct', 'hinai', 'catboy'] as const)(
    'is right when the other mirrors answer their default list and only %s listens',
    async alive => {
      const { beatmaps, sandbox } = await openHouse({ withCredentials: false, beatmapsets: 120 });
      breakAll(
        sandbox,
        UPSTREAMS.filter(each => each !== alive && each !== 'osu'),
        'ignore-query',
      );
      const found = await beatmaps.search({ q: 'roar softly', status: 'pending' });
      expect(found).toMatchObject({ source: alive });
      expect(found.sets.map(set => set.title)).toEqual(['Roar Softly']);
    },
  );

  it('does not take an outage for an empty answer', async () => {
    const { beatmaps, sandbox } = await openHouse({ withCredentials: false });
    breakAll(sandbox, ['osu.direct', 'hinai', 'catboy'], 'null');
    await expect(beatmaps.search({ q: 'paper comet' })).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('finds nothing where every mirror answers with something else, time and again', async () => {
    const { beatmaps, sandbox } = await openHouse({ withCredentials: false });
    breakAll(sandbox, ['osu.direct', 'hinai', 'catboy'], 'ignore-query');
    for (const q of ['zzzz one', 'zzzz two', 'zzzz three', 'zzzz four']) {
      expect(await beatmaps.search({ q })).toMatchObject({ sets: [], total: 0, cursor: null, stale: false });
    }
    sandbox.faults.clear();
    expect((await beatmaps.search({ q: 'paper comet' })).sets).toHaveLength(1);
  });

  it.each([true, false])(
    'finds those that osu! has put in a spotlight, with credentials: %s',
    async withCredentials => {
      const { beatmaps } = await openHouse({ withCredentials, beatmapsets: 120 });
      const found = await beatmaps.search({ q: 'spotlight=yes closed' });
      expect(found.sets).toMatchObject([{ title: 'Closed on Sundays', spotlight: true }]);
      expect((await beatmaps.search({ q: 'paper comet' })).sets).toMatchObject([{ spotlight: false }]);
    },
  );

  it.each([true, false])('finds nothing where nothing is, with credentials: %s', async withCredentials => {
    const { beatmaps } = await openHouse({ withCredentials });
    const found = await beatmaps.search({ q: 'nobody sings this' });
    expect(found).toMatchObject({ sets: [], total: 0, cursor: null, stale: false });
  });
});

describe.each(UPSTREAMS)('searching %s alone', alive => {
  async function openAlone(beatmapsets = 0) {
    const house = await openHouse({ withCredentials: alive === 'osu', beatmapsets });
    breakAll(
      house.sandbox,
      UPSTREAMS.filter(each => each !== alive),
      'status:503',
    );
    return house;
  }

  it.each([
    ['filters of a difficulty', { q: 'stars>6 quietmallet' }, [COMET]],
    ['a ruleset', { q: 'vega', ruleset: 'mania' }, [900_005]],
    ['a ruleset in the text', { q: 'mode=taiko' }, [900_004]],
    ['a status', { q: 'night', status: 'graveyard' }, [900_007]],
    ['a mapper', { q: 'creator="Old Ferry"', sort: { field: 'plays', order: 'asc' } }, [HARBOUR, 900_006]],
    ['an order', { q: 'marble', sort: { field: 'plays', order: 'desc' } }, [COMET, HARBOUR]],
  ] as const)('understands %s', async (_, request, ids) => {
    const { beatmaps } = await openAlone();
    const found = await beatmaps.search(request);
    expect(found.sets.map(set => set.id)).toEqual(ids);
  });

  it('shows every page once, whatever their size', async () => {
    const { beatmaps } = await openAlone(160);
    const seen: number[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; page < 30 && cursor !== null; page += 1) {
      const found = await beatmaps.search({ q: 'No.', limit: 17, ...(cursor === undefined ? {} : { cursor }) });
      expect(found.sets.length).toBeLessThanOrEqual(17);
      seen.push(...found.sets.map(set => set.id));
      cursor = found.cursor;
    }
    expect(cursor).toBeNull();
    expect(seen).toHaveLength(new Set(seen).size);
    // Of twelve generated sets eight have a leaderboard.
    expect(seen.length).toBeGreaterThan(100);
  });
});

describe('a search that goes on', () => {
  it('moves to another upstream when its own fails', async () => {
    const { beatmaps, sandbox } = await openHouse({ beatmapsets: 160 });
    const sort = { field: 'plays', order: 'desc' } as const;
    const first = await beatmaps.search({ sort, limit: 50 });
    expect(first.source).toBe('osu');
    breakAll(sandbox, ['osu'], 'status:503');
    const second = await beatmaps.search({ sort, limit: 50, cursor: first.cursor ?? '' });
    expect(second.source).toBe('osu.direct');
    const ids = new Set(first.sets.map(set => set.id));
    expect(second.sets.length).toBeGreaterThan(20);
    expect(second.sets.filter(set => ids.has(set.id))).toEqual([]);
  });

  it.each(['', 'nonsense', Buffer.from('{"s":"elsewhere","p":0,"k":0}').toString('base64url'), 'A'.repeat(5_000)])(
    'refuses a cursor that is not its own (%#)',
    async cursor => {
      const { beatmaps } = await openHouse();
      const wrong = { code: 'invalid_request', params: { what: 'cursor' } };
      await expect(beatmaps.search({ cursor })).rejects.toMatchObject(wrong);
      await expect(beatmaps.userScores(4_400_001, 'best', { cursor })).rejects.toMatchObject(wrong);
    },
  );
});

describe('keeping answers', () => {
  it('asks once for the same search, and gives the old answer when the upstreams fail later', async () => {
    const { beatmaps, sandbox, clock } = await openHouse();
    await Promise.all([beatmaps.search({ q: 'paper comet' }), beatmaps.search({ q: ' paper  comet' })]);
    expect(sandbox.count('osu.search')).toBe(1);
    clock.ms += 3 * 60_000;
    breakAll(sandbox, UPSTREAMS, 'status:503');
    const found = await beatmaps.search({ q: 'paper comet' });
    expect(found).toMatchObject({ source: 'osu', stale: true });
    expect(found.sets).toHaveLength(1);
  });

  it('says that an answer is old when the second of its pages is', async () => {
    const { beatmaps, sandbox, clock } = await openHouse({ beatmapsets: 160 });
    const { cursor } = await beatmaps.search({ limit: 45 });
    const asked = { limit: 10, cursor: cursor ?? '' };
    const fresh = await beatmaps.search(asked);
    expect(fresh).toMatchObject({ source: 'osu', stale: false });
    clock.ms += 3 * 60_000;
    await beatmaps.search({ limit: 45 });
    breakAll(sandbox, UPSTREAMS, 'status:503');
    const found = await beatmaps.search(asked);
    expect(found.sets).toEqual(fresh.sets);
    expect(found).toMatchObject({ source: 'osu', stale: true, cached: false });
  });

  it('gives the old set by any of its ids when the upstreams fail later, also one found by a difficulty', async () => {
    const { beatmaps, sandbox, clock } = await openHouse();
    const [map] = (await (await openHouse()).beatmaps.set(HARBOUR)).set.beatmaps;
    const { set, beatmap } = await beatmaps.setOfMap(map?.id ?? 0);
    clock.ms += 25 * 3_600_000;
    breakAll(sandbox, UPSTREAMS, 'status:503');
    expect(await beatmaps.set(HARBOUR)).toMatchObject({ set, source: 'osu', stale: true });
    expect(await beatmaps.setOfMap(beatmap.id)).toMatchObject({ set, source: 'osu', stale: true });
  });

  it('answers from the catalogue when all fail, and from it alone when asked to', async () => {
    const remembered = new Map<number, string>();
    const lamp = await openHouse();
    const { set } = await lamp.beatmaps.set(HARBOUR);
    const { beatmaps, sandbox } = await openHouse({
      catalogue: {
        search: async ({ query }) =>
          query.text === 'glass'
            ? { sets: [set], total: 1, corrected: false }
            : { sets: [], total: 0, corrected: false },
        suggest: async () => [],
        remember(sets) {
          for (const each of sets) remembered.set(each.id, each.title);
        },
        set: async id => (id === HARBOUR ? set : undefined),
        setOfMap: async () => undefined,
      },
    });
    await beatmaps.search({ q: 'paper comet' });
    expect([...remembered.values()]).toEqual(['Paper Comet']);
    expect(await beatmaps.search({ q: 'glass', source: 'local' })).toMatchObject({ source: 'catalogue', stale: false });
    expect(await beatmaps.search({ q: 'slow tram' })).toMatchObject({ source: 'osu' });
    breakAll(sandbox, UPSTREAMS, 'status:503');
    expect(await beatmaps.search({ q: 'glass', limit: 3 })).toMatchObject({
      source: 'catalogue',
      stale: true,
      total: 1,
    });
    await expect(beatmaps.search({ q: 'basket' })).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(await beatmaps.set(HARBOUR)).toMatchObject({ source: 'catalogue', stale: true });
  });

  it('finds what a mistyped word may have meant when osu! finds nothing for it', async () => {
    const { set } = await (await openHouse()).beatmaps.set(HARBOUR);
    const { beatmaps } = await openHouse({
      catalogue: {
        search: async ({ query }) => ({ sets: [set], total: 1, corrected: query.text === 'glas harbuor' }),
        suggest: async () => [],
        remember: () => undefined,
        set: async () => undefined,
        setOfMap: async () => undefined,
      },
    });
    const meant = await beatmaps.search({ q: 'glas harbuor' });
    expect(meant).toMatchObject({ source: 'catalogue', corrected: true, stale: false, sets: [{ id: HARBOUR }] });
    // What the catalogue has as it was written, osu! has withdrawn.
    expect(await beatmaps.search({ q: 'withdrawn' })).toMatchObject({ source: 'osu', sets: [] });
  });

  it('does not ask again for what is left of the first page', async () => {
    const { beatmaps, sandbox } = await openHouse({ beatmapsets: 60 });
    const first = await beatmaps.search({ limit: 5 });
    const second = await beatmaps.search({ limit: 5, cursor: first.cursor ?? '' });
    expect(second).toMatchObject({ source: 'osu', cached: true });
    expect(second.sets.some(({ id }) => first.sets.some(each => each.id === id))).toBe(false);
    expect(sandbox.requests.filter(({ path }) => path.includes('/search'))).toHaveLength(1);
  });

  it('is not sent to rest by made-up cursors', async () => {
    const { beatmaps, sandbox } = await openHouse();
    const made = (token: string) =>
      Buffer.from(JSON.stringify({ s: 'osu', c: token, p: 1, k: 0 })).toString('base64url');
    sandbox.faults.set('osu.search', 'status:500');
    for (const token of ['a', 'b', 'c', 'd']) await beatmaps.search({ q: 'glass', cursor: made(token) });
    sandbox.faults.clear();
    expect((await beatmaps.search({ q: 'paper' })).source).toBe('osu');
  });

  it('lets an upstream that keeps failing rest', async () => {
    const { beatmaps, sandbox, clock } = await openHouse();
    breakAll(sandbox, ['osu'], 'status:500');
    for (const q of ['glass', 'paper', 'tram', 'basket', 'furnace']) await beatmaps.search({ q, status: 'any' });
    const asked = sandbox.count('osu.token') + sandbox.count('osu.search');
    await beatmaps.search({ q: 'rude' });
    expect(sandbox.count('osu.token') + sandbox.count('osu.search')).toBe(asked);
    sandbox.faults.clear();
    clock.ms += 20_000;
    const found: SourceId = (await beatmaps.search({ q: 'slow tram' })).source;
    expect(found).toBe('osu');
  });
});

describe('sets and difficulties', () => {
  it.each(UPSTREAMS)('come from %s', async alive => {
    const { beatmaps, sandbox } = await openHouse({ withCredentials: alive === 'osu' });
    breakAll(
      sandbox,
      UPSTREAMS.filter(each => each !== alive),
      'status:503',
    );
    const { set, source } = await beatmaps.set(COMET);
    expect(source).toBe(alive);
    expect(set).toMatchObject({ id: COMET, bpm: 180, last_updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
    expect(set.beatmaps.map(beatmap => beatmap.difficulty_rating)).toEqual([1.6, 2.4, 3.7, 5.2, 6.4]);
    expect(set.cover_url).toMatch(/^https:\/\/assets\.ppy\.sh\/beatmaps\/900001\/covers\/cover/);
    const found = await beatmaps.setOfMap(COMET * 10 + 3);
    expect(found.beatmap.version).toBe('Hard');
    expect(found.set.id).toBe(COMET);
  });

  it.each([true, false])('are not found, with credentials: %s', async withCredentials => {
    const { beatmaps } = await openHouse({ withCredentials });
    await expect(beatmaps.set(123_456_789)).rejects.toMatchObject({ code: 'not_found' });
    await expect(beatmaps.setOfMap(123_456_789)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are not missing because a mirror misses them while osu! is down', async () => {
    const { beatmaps, sandbox } = await openHouse();
    breakAll(sandbox, ['osu'], 'status:503');
    await expect(beatmaps.set(123_456_789)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

describe('downloads', () => {
  it.each([
    COMET,
    String(COMET),
    `https://osu.ppy.sh/beatmapsets/${COMET}#osu/${COMET}1`,
    `https://osu.ppy.sh/b/${COMET}3`,
    `${COMET}2`,
  ])('of %s are addresses of healthy mirrors, osu! last', async reference => {
    const { beatmaps } = await openHouse();
    const answer = await beatmaps.download(reference);
    expect(answer).toMatchObject({ id: COMET, available: true, reason: null });
    expect(answer.addresses).toEqual([
      { source: 'osu.direct', state: 'unknown', video: true, url: `https://osu.direct/api/d/${COMET}` },
      { source: 'osu.direct', state: 'unknown', video: false, url: `https://osu.direct/api/d/${COMET}?noVideo=1` },
      { source: 'hinai', state: 'unknown', video: true, url: `https://mirror.hinamizawa.ai/api/v1/hinai/d/${COMET}` },
      {
        source: 'hinai',
        state: 'unknown',
        video: false,
        url: `https://mirror.hinamizawa.ai/api/v1/hinai/d/${COMET}?noVideo=1`,
      },
      { source: 'catboy', state: 'unknown', video: true, url: `https://catboy.best/d/${COMET}` },
      { source: 'catboy', state: 'unknown', video: false, url: `https://catboy.best/d/${COMET}n` },
      { source: 'osu', state: 'unknown', video: true, url: `https://osu.ppy.sh/beatmapsets/${COMET}` },
    ]);
  });

  it('begin with the mirror that works', async () => {
    const { beatmaps, sandbox } = await openHouse({ withCredentials: false });
    breakAll(sandbox, ['osu.direct', 'hinai'], 'status:503');
    const { addresses } = await beatmaps.download(HARBOUR);
    expect(addresses[0]).toMatchObject({ source: 'catboy', state: 'answering' });
    expect(addresses.find(({ source }) => source === 'hinai')?.state).toBe('failing');
  });

  it('are refused with the reason when osu! disabled them', async () => {
    const { beatmaps } = await openHouse();
    expect(await beatmaps.download(900_006)).toMatchObject({
      available: false,
      reason: 'Taken down at the wish of the label.',
      addresses: [{ source: 'osu', url: 'https://osu.ppy.sh/beatmapsets/900006' }],
    });
  });

  it.each(['', 'paper comet', 'https://example.com/beatmapsets/1', '-4', '1e3', 'https://osu.ppy.sh/users/2'])(
    'of %j are an invalid request',
    async reference => {
      const { beatmaps } = await openHouse();
      await expect(beatmaps.download(reference)).rejects.toMatchObject({
        code: 'invalid_request',
        params: { what: 'id' },
      });
    },
  );
});

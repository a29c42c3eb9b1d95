import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBeatmap, parseBeatmapset, parseBeatmapsets } from '../../../src/beatmaps/model/osu-schemas.ts';
import { parsePlayer, parseRankedPlayer } from '../../../src/beatmaps/model/player.ts';
import { countOf, parseScore } from '../../../src/beatmaps/model/score.ts';

const SET = { id: 5, title: 'Paper Comet', artist: 'Marble Lanterns', creator: 'quietmallet' };
const MAP = { id: 51, beatmapset_id: 5, mode: 'osu', version: 'Hard', difficulty_rating: 3.5, total_length: 90 };

describe('a set', () => {
  it('of a mirror with odd types is read like any other', () => {
    const set = parseBeatmapset({
      ...SET,
      id: '5',
      artist_unicode: null,
      title_unicode: '',
      bpm: '180.5',
      ranked: 1,
      nsfw: 1,
      spotlight: 1,
      video: '0',
      last_updated: 1_691_193_205,
      ranked_date: '2023-08-12 14:23:56',
      submitted_date: 1_677_810_604_000,
      hype: { current: null, required: null },
      genre: { id: 10, name: 'Electronic' },
      language_id: null,
      availability: { download_disabled: true, more_information: 'gone' },
      preview_url: '//b.ppy.sh/preview/5.mp3',
      beatmaps: [{ ...MAP, mode: undefined, mode_int: 3, cs: '4', accuracy: 8, drain: '7.5', ranked: '1' }],
    });
    expect(set).toMatchObject({
      id: 5,
      artist_unicode: null,
      title_unicode: null,
      bpm: 180.5,
      status: 'ranked',
      nsfw: true,
      spotlight: true,
      video: false,
      last_updated: '2023-08-04T23:53:25Z',
      ranked_date: '2023-08-12T14:23:56Z',
      submitted_date: '2023-03-03T02:30:04Z',
      genre_id: 10,
      language_id: null,
      download_disabled: true,
      download_disabled_reason: 'gone',
      cover_url: 'https://assets.ppy.sh/beatmaps/5/covers/cover@2x.jpg',
      preview_url: 'https://b.ppy.sh/preview/5.mp3',
    });
    expect(set?.beatmaps[0]).toMatchObject({ mode: 'mania', cs: 4, od: 8, hp: 7.5, status: 'ranked', owners: [] });
  });

  it.each(['0000-00-00 00:00:00', '0001-01-01T00:00:00Z', '1970-01-01T00:00:00+00:00', 0, ''])(
    'has no date where a mirror writes %j',
    ranked_date => {
      expect(parseBeatmapset({ ...SET, ranked_date })?.ranked_date).toBeNull();
    },
  );

  it('counts no converts, and has its difficulties in order', () => {
    const beatmaps = [
      { ...MAP, id: 3, difficulty_rating: 5 },
      { ...MAP, id: 4, mode: 'taiko', difficulty_rating: 1 },
      { ...MAP, id: 5, mode: 'taiko', convert: true },
      { ...MAP, id: 6, difficulty_rating: 2 },
      'nonsense',
      null,
    ];
    const set = parseBeatmapset({ ...SET, beatmaps, converts: [{ ...MAP, id: 9, convert: true }] });
    expect(set?.beatmaps.map(({ id }) => id)).toEqual([6, 3, 4]);
  });

  it('leaves out difficulties that were removed from it, unless all were', () => {
    const removed = { ...MAP, id: 7, difficulty_rating: 0, version: '', deleted_at: '2020-02-27T12:19:54.000000Z' };
    const beatmaps = [removed, { ...MAP, id: 8, deleted_at: null }];
    expect(parseBeatmapset({ ...SET, beatmaps })?.beatmaps.map(({ id }) => id)).toEqual([8]);
    expect(parseBeatmapset({ ...SET, beatmaps: [removed] })?.beatmaps.map(({ id }) => id)).toEqual([7]);
  });

  it('has the average of the ratings where no rating is stated', () => {
    const ratings = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 5];
    expect(parseBeatmapset({ ...SET, ratings })?.rating).toBe(8.5);
    expect(parseBeatmapset({ ...SET, ratings: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2] })?.rating).toBe(7.66667);
    expect(parseBeatmapset({ ...SET, ratings, rating: 9.1 })?.rating).toBe(9.1);
    expect(parseBeatmapset({ ...SET, ratings: [] })?.rating).toBeNull();
  });

  it('may lack everything but number and title', () => {
    const nulls = Object.fromEntries(
      ['artist', 'creator', 'covers', 'beatmaps', 'availability', 'bpm', 'status', 'tags', 'source'].map(key => [
        key,
        null,
      ]),
    );
    expect(parseBeatmapset({ id: 5, title: 'x', ...nulls })).toMatchObject({ artist: '', beatmaps: [], bpm: null });
    expect(parseBeatmapset({ id: 5, title: 'x' })).toMatchObject({
      spotlight: null,
      storyboard: null,
      download_disabled: null,
    });
    expect(parseBeatmapset({ id: 5 })).toBeUndefined();
    expect(parseBeatmapset({ ...SET, id: -1 })).toBeUndefined();
    expect(parseBeatmapset({ ...SET, id: 1.5 })).toBeUndefined();
  });

  it('takes addresses by https alone', () => {
    const covers = {
      cover: 'javascript:alert(1)',
      card: 'http://assets.ppy.sh/card.jpg',
      list: '//assets.ppy.sh/list.jpg',
    };
    expect(parseBeatmapset({ ...SET, covers })).toMatchObject({
      cover_url: 'https://assets.ppy.sh/beatmaps/5/covers/cover@2x.jpg',
      card_url: 'https://assets.ppy.sh/beatmaps/5/covers/card@2x.jpg',
      list_url: 'https://assets.ppy.sh/list.jpg',
    });
  });

  it('is left out of a list when it cannot be read; a list in which none can is none', async () => {
    expect((await parseBeatmapsets([SET, { id: 6 }, null]))?.map(({ id }) => id)).toEqual([5]);
    expect(await parseBeatmapsets([])).toEqual([]);
    expect(await parseBeatmapsets([{ new_id: 5 }])).toBeUndefined();
    expect(await parseBeatmapsets({ beatmapsets: [] })).toBeUndefined();
  });
});

describe('a play', () => {
  const base = { id: 9, user_id: 4, accuracy: 0.98, max_combo: 500, rank: 'A', pp: 100, passed: true, beatmap: MAP };

  it('has one shape, whichever the API had', () => {
    const old = parseScore({
      ...base,
      created_at: '2022-07-17T13:20:07Z',
      mode: 'osu',
      mods: ['HD'],
      perfect: true,
      score: 57_000_000,
      statistics: { count_300: 900, count_100: 17, count_50: 0, count_geki: null, count_katu: null, count_miss: 0 },
      type: 'score_best_osu',
    });
    const fresh = parseScore({
      ...base,
      ended_at: '2022-07-17T13:20:07Z',
      ruleset_id: 0,
      mods: [{ acronym: 'HD' }, { acronym: 'CL' }],
      is_perfect_combo: true,
      total_score: 995_603,
      legacy_total_score: 57_000_000,
      legacy_score_id: 4_220_635_589,
      statistics: { great: 900, ok: 17 },
      type: 'solo_score',
    });
    const shared = {
      mode: 'osu',
      beatmap_id: 51,
      legacy_total_score: 57_000_000,
      statistics: { great: 900, ok: 17 },
      is_perfect_combo: true,
      ended_at: '2022-07-17T13:20:07Z',
      lazer: false,
    };
    expect(old).toMatchObject({ ...shared, mods: [{ acronym: 'HD' }], total_score: null });
    expect(fresh).toMatchObject({ ...shared, mods: [{ acronym: 'HD' }, { acronym: 'CL' }], total_score: 995_603 });
  });

  it.each([
    ['mania', { perfect: 40, great: 900, good: 3, ok: 7, meh: 2, miss: 1 }],
    ['fruits', { great: 900, large_tick_hit: 7, small_tick_hit: 2, small_tick_miss: 3, miss: 1 }],
    ['taiko', { great: 900, ok: 7, miss: 1 }],
  ] as const)('of the older shape names its results as %s does', (mode, statistics) => {
    const counts = { count_geki: 40, count_300: 900, count_katu: 3, count_100: 7, count_50: 2, count_miss: 1 };
    expect(parseScore({ ...base, mode, statistics: counts, created_at: 'x' })?.statistics).toEqual(statistics);
  });

  it('of catch counts the drops of osu!lazer that were missed among its misses, as osu! does', () => {
    const statistics = { great: 900, large_tick_hit: 40, miss: 1, large_tick_miss: 3 };
    const fresh = { ...base, total_score: 1, ended_at: null, legacy_score_id: null, statistics };
    const counted = [2, 0].map(ruleset_id => parseScore({ ...fresh, ruleset_id }));
    expect(counted.map(play => play && countOf(play, 'miss'))).toEqual([4, 1]);
    // The API gives the counts as osu! does.
    expect(counted.map(play => play?.statistics)).toEqual([statistics, statistics]);
  });

  it.each([
    [0, { great: 300, legacy_combo_increase: 250 }, 550],
    [0, { great: 300, large_tick_hit: 40, slider_tail_hit: 210, ignore_hit: 210, small_bonus: 9 }, 550],
    [1, { great: 400, small_bonus: 30, large_bonus: 5 }, 400],
    [2, { great: 300, large_tick_hit: 60, small_tick_hit: 90, large_bonus: 12 }, 360],
    [3, { perfect: 700, legacy_combo_increase: 44 }, 744],
  ] as const)(
    'in a list, where osu! leaves the full combo out, has it by the best results: %i %j',
    (ruleset_id, maximum_statistics, combo) => {
      const play = { ...base, ruleset_id, total_score: 1, ended_at: null, legacy_score_id: null };
      const listed = { ...play, max_combo: combo - 9, maximum_statistics };
      expect(parseScore(listed)?.beatmap?.max_combo).toBe(combo);
      expect(parseScore({ ...listed, beatmap: { ...MAP, max_combo: 812 } })?.beatmap?.max_combo).toBe(812);
      expect(parseScore({ ...listed, maximum_statistics: {} })?.beatmap?.max_combo).toBeNull();
      expect(parseScore({ ...listed, max_combo: combo + 1 })?.beatmap?.max_combo).toBeNull();
    },
  );

  it('in a list has no full combo where osu! states fewer best results than the map has objects', () => {
    const listed = { ...base, total_score: 1, ended_at: null, max_combo: 250, maximum_statistics: { great: 300 } };
    const map = { ...MAP, count_circles: 50, count_sliders: 248, count_spinners: 2 };
    expect(parseScore({ ...listed, beatmap: map })?.beatmap?.max_combo).toBeNull();
    expect(parseScore({ ...listed, beatmap: { ...map, count_sliders: 124 } })?.beatmap?.max_combo).toBe(300);
    expect(parseScore({ ...listed, ruleset_id: 3, beatmap: { ...map, mode: 'mania' } })?.beatmap?.max_combo).toBe(300);
  });

  it('of the old client has 0 for its id there when it failed or the map is unranked', () => {
    const unranked = { ...base, pp: null, total_score: 679_366, legacy_total_score: 3_248_864, legacy_score_id: 0 };
    expect(parseScore({ ...unranked, ended_at: '2026-06-24T06:10:18Z' })).toMatchObject({ id: 9, lazer: false });
    const old = { ...base, id: 0, score: 12_000, rank: 'F', passed: false, created_at: '2026-06-24T06:10:18Z' };
    expect(parseScore(old)).toMatchObject({ id: 0, legacy_total_score: 12_000, passed: false, lazer: false });
    expect(parseScore({ ...old, created_at: null })).toBeUndefined();
  });

  it('of the older shape failed where its grade says so, also before osu! stated it otherwise', () => {
    const { passed: _, ...old } = { ...base, created_at: '2019-01-01T00:00:00Z' };
    expect(parseScore({ ...old, rank: 'F' })).toMatchObject({ rank: 'F', passed: false });
    expect(parseScore({ ...old, rank: 'B' })).toMatchObject({ rank: 'B', passed: true });
  });

  it('of the new client keeps the settings of its mods', () => {
    const mods = [{ acronym: 'DT', settings: { speed_change: 1.3 } }, { no: 'name' }];
    const score = parseScore({ ...base, ruleset_id: 3, total_score: 1, ended_at: null, legacy_score_id: null, mods });
    expect(score).toMatchObject({
      lazer: true,
      mode: 'mania',
      mods: [{ acronym: 'DT', settings: { speed_change: 1.3 } }],
    });
  });
});

describe('a player', () => {
  it('may lack everything but number and name', () => {
    expect(parsePlayer({ id: 7, username: 'lamp post', statistics: null })).toMatchObject({
      id: 7,
      url: 'https://osu.ppy.sh/users/7',
      avatar_url: 'https://a.ppy.sh/7',
      statistics: null,
      rank_history: [],
    });
    expect(parsePlayer({ id: null, username: 'deleted' })).toBeUndefined();
  });

  it('has the accuracy in percent, and ranks by keys', () => {
    const variants = [{ mode: 'mania', variant: '4k', pp: 10, global_rank: 5, country_rank: null }];
    const statistics = { accuracy: 0.973064, rank: { country: 3 }, variants, pp: '12.5' };
    expect(parsePlayer({ id: 7, username: 'x', statistics, playmode: 'osu' }, 'mania')).toMatchObject({
      mode: 'mania',
      playmode: 'osu',
      statistics: { hit_accuracy: 97.3064, country_rank: 3, pp: 12.5, variants: [{ variant: '4k', pp: 10 }] },
    });
  });

  it('has the ranks and counts of older answers, which are named and written otherwise', () => {
    const player = parsePlayer({
      id: 4,
      username: 'lamp post',
      follower_count: [164],
      favourite_beatmapset_count: [],
      ranked_and_approved_beatmapset_count: [2],
      unranked_beatmapset_count: [3],
      statistics: { pp: 1826.98, pp_rank: 146_494, rank: { global: 146_494, country: 3_752 } },
    });
    expect(player).toMatchObject({
      follower_count: 164,
      favourite_beatmapset_count: null,
      ranked_beatmapset_count: 2,
      pending_beatmapset_count: 3,
      statistics: { global_rank: 146_494, country_rank: 3_752 },
    });
    expect(player).not.toHaveProperty('unranked_beatmapset_count');
  });
});

describe('a line of a ranking', () => {
  it('has the accuracy in percent, under either of its names', () => {
    const line = { pp: 12_000, global_rank: 9, user: { id: 7, username: 'lamp post', country_code: 'ID' } };
    expect(parseRankedPlayer({ ...line, hit_accuracy: 98.5 })).toMatchObject({ id: 7, hit_accuracy: 98.5 });
    expect(parseRankedPlayer({ ...line, accuracy: 0.973064 })).toMatchObject({ hit_accuracy: 97.3064, pp: 12_000 });
    expect(parseRankedPlayer(line)).toMatchObject({ hit_accuracy: null });
    expect(parseRankedPlayer({ ...line, user: null })).toBeUndefined();
  });
});

describe('anything else', () => {
  it('is never an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        for (const parse of [parseBeatmap, parseBeatmapset, parseBeatmapsets, parseScore, parsePlayer]) {
          expect(() => parse(value)).not.toThrow();
        }
      }),
    );
    const keys = fc.constantFrom(
      'covers',
      'beatmaps',
      'status',
      'bpm',
      'availability',
      'last_updated',
      'tags',
      'preview_url',
    );
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), odd => {
        expect(parseBeatmapset({ ...SET, ...odd })).toMatchObject({ id: 5, title: 'Paper Comet' });
      }),
    );
  });
});

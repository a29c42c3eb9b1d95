import { describe, expect, it } from 'vitest';
import { parseScore, type Score } from '../../../src/beatmaps/model/score.ts';
import {
  filterScores,
  isChoke,
  parseLeast,
  type ScoreFilter,
  sortScores,
} from '../../../src/beatmaps/plays/score-filter.ts';
import { made } from '../../fakes/beatmaps.ts';
import { madeUpSet } from '../made-up-sets.ts';

function play(id: number, own: object, title = 'Paper Kite'): Score {
  const set = madeUpSet({ title });
  const [beatmap] = set.beatmaps;
  const raw = {
    id,
    total_score: 1_000 * id,
    ended_at: `2026-03-0${id}T10:00:00Z`,
    accuracy: 0.9 + id / 100,
    max_combo: 100 * id,
    pp: 100 * id,
    rank: 'A',
    passed: true,
    ...own,
  };
  return { ...made(parseScore(raw)), beatmap: { ...made(beatmap), total_length: 60 * id }, beatmapset: set };
}

const scores = [
  play(1, { rank: 'XH', mods: ['HD', 'CL'], is_perfect_combo: true }),
  play(2, { rank: 'SH', mods: ['HD', 'NC'], statistics: { miss: 2 } }),
  play(3, { mods: [] }, 'Glass Harbour'),
  play(4, { mods: ['DT'], rank: 'F', passed: false, statistics: { miss: 9 } }),
];
const ids = (filter: ScoreFilter) => filterScores(scores, filter).map(({ id }) => id);

describe('plays', () => {
  it.each<readonly [ScoreFilter, readonly number[]]>([
    [{}, [1, 2, 3, 4]],
    [{ mods: '+HD' }, [1, 2]],
    [{ mods: 'hddt' }, [2]],
    [{ mods: 'HD!' }, [1]],
    [{ mods: 'dt -hd' }, [4]],
    [{ mods: 'NM' }, [3]],
    [{ mods: '+CL' }, [1]],
    [{ mods: '-CL' }, [2, 3, 4]],
    [{ mods: '+HDCL!' }, [1]],
    [{ grade: 'SS' }, [1]],
    [{ grade: 'S' }, [2]],
    [{ search: 'harbour' }, [3]],
    [{ search: 'harbour kite' }, []],
    [{ search: 'kite stars<0.1' }, []],
    [{ search: 'stars>6' }, [2, 4]],
    [{ search: 'stars<5.5' }, [1, 3]],
    [{ search: 'length<100' }, [1, 2]],
    [{ search: 'bpm>=270' }, [2, 4]],
    [{ search: 'ar>10' }, [2, 4]],
    [{ chokes: true }, [2, 3]],
    [{ mods: 'DT', grade: 'S', search: 'kite' }, [2]],
    [{ accuracy: parseLeast('92') }, [2, 3, 4]],
    [{ accuracy: parseLeast('92..93%') }, [2, 3]],
    [{ accuracy: parseLeast('-92') }, [1, 2]],
    [{ combo: parseLeast('300-') }, [3, 4]],
  ])('that %j leaves are %j', (filter, expected) => {
    expect(ids(filter)).toEqual(expected);
  });

  it('with settings that the player chose by DA are found by these', () => {
    const chosen = play(5, { mods: [{ acronym: 'DA', settings: { approach_rate: 3, circle_size: 6.5 } }, 'NC'] });
    const found = (search: string) => filterScores([chosen], { search }).length;
    expect(['ar<7', 'ar>9', 'cs=6.5', 'bpm>200'].map(found)).toEqual([1, 0, 1, 1]);
  });

  it('with mods of osu!lazer are found by these', () => {
    const chosen = [play(5, { mods: [{ acronym: 'DA' }, 'HD'] }), play(6, { mods: ['MU'] })];
    const found = (mods: string) => filterScores(chosen, { mods }).map(({ id }) => id);
    expect(['+DA', '+HDDA!', 'da!', '-mu', 'HD'].map(found)).toEqual([[5], [5], [], [5], [5]]);
  });

  it('of a map of osu! in another ruleset are found by what it is there', () => {
    const converted = { ...play(6, { mods: ['DT'] }), mode: 'mania' } as const;
    const found = (search: string) => filterScores([converted], { search }).length;
    expect(['ar>10', 'cs<9', 'length<250'].map(found)).toEqual([0, 0, 1]);
  });

  it.each(['', 'much', '-', '..', '9-x', '99..97'])('are not filtered by the accuracy %j', text => {
    expect(parseLeast(text)).toBeUndefined();
  });

  it.each(['XX', '+H', '?', '+HDEZHR'])('are not filtered by the mods %s', mods => {
    expect(() => ids({ mods })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it.each([
    ['pp', [4, 3, 2, 1]],
    ['accuracy', [4, 3, 2, 1]],
    ['date', [4, 3, 2, 1]],
    ['combo', [4, 3, 2, 1]],
    ['stars', [2, 4, 1, 3]],
    ['grade', [1, 2, 3, 4]],
    ['score', [4, 3, 2, 1]],
    ['length', [3, 4, 2, 1]],
  ] as const)('are ordered by %s', (sort, expected) => {
    expect(sortScores(scores, sort).map(({ id }) => id)).toEqual(expected);
  });

  it('of osu!lazer that broke the combo in a slider are chokes, however late', () => {
    const [, , third] = scores;
    const beatmap = { ...made(made(third).beatmap ?? undefined), max_combo: 305 };
    expect(isChoke({ ...made(third), beatmap, statistics: { large_tick_miss: 1 } })).toBe(true);
  });

  it('that lost the end of a slider alone are no chokes', () => {
    const [, , third] = scores;
    const beatmap = { ...made(made(third).beatmap ?? undefined), max_combo: 305 };
    expect(isChoke({ ...made(third), beatmap })).toBe(false);
    expect(isChoke({ ...made(third), beatmap: { ...beatmap, max_combo: 600 } })).toBe(true);
  });
});

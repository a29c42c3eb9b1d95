import { describe, expect, it } from 'vitest';
import type { Score } from '../../../src/beatmaps/model/score.ts';
import { spansOf } from '../../../src/beatmaps/recommend/candidate-search.ts';
import { parseFilterRange, parseModFilter } from '../../../src/beatmaps/recommend/filters.ts';
import { profileOf } from '../../../src/beatmaps/recommend/player-profile.ts';
import { planSearch } from '../../../src/beatmaps/recommend/search-plan.ts';
import { createWorld } from '../../bench/recommend/player-world.ts';

const player = createWorld({ maps: 1_000, players: 1, seed: 9 }).players[0];
const scores = (player?.best ?? []).slice(0, 30);
const withMods = (score: Score, mods: readonly string[]): Score => ({
  ...score,
  mods: mods.map(acronym => ({ acronym })),
});
const planFor = (list: readonly Score[], mods?: string) =>
  planSearch(profileOf('osu', list), 3_000, mods === undefined ? {} : { mods: parseModFilter(mods) }, undefined);

describe('the classes of mods', () => {
  it('are all asked for, in two pages', () => {
    const windows = [
      { low: 5, high: 5.6 },
      { low: 3.6, high: 4 },
      { low: 5.3, high: 5.9 },
      { low: 6.5, high: 7 },
    ];
    const spans = spansOf(windows);
    expect(spans).toEqual([
      { low: 3.6, high: 4 },
      { low: 5, high: 7 },
    ]);
    for (const { low, high } of windows) expect(spans.some(span => span.low <= low && span.high >= high)).toBe(true);
  });

  it('know the speed at which each play was played', () => {
    const slow = scores.map(score => ({ ...score, mods: [{ acronym: 'DT', settings: { speed_change: 1.1 } }] }));
    const tempo = (list: readonly Score[]) => profileOf('osu', list).classes[0]?.features.bpm?.middle ?? 0;
    const plain = scores.map(score => withMods(score, []));
    expect(tempo(slow)).toBeCloseTo(tempo(plain) * 1.1, 6);
    expect(profileOf('osu', slow).classes[0]?.modClass.rate).toBe(1.5);
  });

  it('are not decided by a single play', () => {
    const plain = scores.map(score => withMods(score, []));
    const [best, ...others] = plain;
    if (best === undefined) throw new TypeError('a player without plays');
    for (const mods of [['DT'], ['HD'], ['EZ', 'FL']]) {
      const { searches } = planFor([withMods(best, mods), ...others]);
      expect(searches.map(search => search.mods)).toEqual([[]]);
    }
    const asked = planFor([withMods(best, ['DT', 'HR']), ...others.map(score => withMods(score, ['DT']))], '+DT');
    expect(asked.searches.map(search => search.mods)).toEqual([['DT']]);
  });
});

describe('a range without ends', () => {
  it.each(['stars', 'pp'] as const)('of %s searches as if it was not given', range => {
    const profile = profileOf('osu', scores);
    const endless = { [range]: parseFilterRange(range, '0-') };
    expect(planSearch(profile, 3_000, endless, undefined)).toEqual(planSearch(profile, 3_000, {}, undefined));
  });
});

import { describe, expect, it } from 'vitest';
import { parseScore, type Score } from '../../../src/beatmaps/model/score.ts';
import type { Rating } from '../../../src/beatmaps/rating/ratings.ts';
import { gainText } from '../../../src/bot/views/osu/facts.ts';
import { estimateBlocks, scoreCard } from '../../../src/bot/views/osu/score.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createBeatmapWorld } from '../../sandbox/beatmap-world.ts';
import { scoreShape } from '../../sandbox/osu-shapes.ts';

const t = createTranslator(['en']);

/** A play of the sandbox's first player on the set with this number. */
function playOn(setId: number, change: object = {}): Score {
  const { sets, players } = createBeatmapWorld();
  const set = sets.find(({ id }) => id === setId);
  const [map] = set?.maps ?? [];
  const [player] = players;
  if (set === undefined || map === undefined || player === undefined) throw new Error('the sandbox lacks it');
  const score = parseScore({ ...scoreShape(player, set, map, 1, true), ...change });
  if (score === undefined) throw new Error('that is no play');
  return score;
}

const RATING: Rating = {
  stars: 2.345,
  isEstimate: false,
  isExact: false,
  ppError: null,
  algorithm: '2025-03-06',
  maxCombo: 500,
  pp: [],
  play: { pp: 81.4, ppIfFullCombo: 97.2 },
  difficulty: undefined,
};

/** As it is where its pp are not set apart: those say the same again. */
const textOf = (score: Score, rating: Rating | undefined = RATING) =>
  JSON.stringify([scoreCard(score, { rating }, t), ...estimateBlocks([rating], t)], (key, value: unknown) =>
    key === 'worth' ? undefined : value,
  );

describe('the card of a play', () => {
  it('has its stars with mods once, its results and its score', () => {
    const text = textOf(playOn(900_001, { statistics: { great: 210, ok: 7, meh: 2, miss: 1 } }));
    expect(text.match(/\d\.\d\d★/g)).toEqual(['2.35★']);
    expect(text).toContain('210×300 7×100 2×50 1 miss');
    expect(text.match(/1 miss/g)).toHaveLength(1);
    expect(text).toContain('score 949,999');
    expect(text).toContain('about 97 pp as a full combo');
    expect(text).not.toContain('if ranked');
  });

  it.each([
    [0.999_98, '99.99%'],
    [0.972_786, '97.27%'],
    [0.57, '57.00%'],
    [1, '100.00%'],
  ])('rounds the accuracy %s down, as osu! does', (accuracy, shown) => {
    expect(textOf(playOn(900_001, { accuracy }))).toContain(shown);
  });

  it('has its main facts in a list, on two lines', () => {
    const ended_at = '2026-05-17T12:00:00Z';
    const score = playOn(900_001, { statistics: { great: 210, ok: 7, meh: 2, miss: 1 }, ended_at });
    const { lines, worth } = scoreCard(score, { rating: RATING, isListed: true }, t);
    const text = JSON.stringify(lines);
    expect([lines.length, worth?.lines.length]).toEqual([2, 2]);
    for (const fact of ['2.35★', '1 miss', '"relative"']) expect(text).toContain(fact);
    for (const fact of ['210×300', 'score 949', 'full combo']) expect(text).not.toContain(fact);
  });

  it.each([
    [900_004, { great: 90, ok: 5, miss: 2 }, '90×300 5×100 2 miss'],
    [
      900_008,
      { great: 80, large_tick_hit: 9, small_tick_miss: 3, miss: 1 },
      '80 fruits 9 drops 3 missed droplets 1 miss',
    ],
    [900_005, { perfect: 300, great: 80, good: 9, ok: 3, meh: 1, miss: 2 }, '300×MAX 80×300 9×200 3×100 1×50 2 miss'],
  ])('has the results of its ruleset: %i', (set, statistics, expected) => {
    expect(textOf(playOn(set, { statistics }))).toContain(expected);
  });

  it.each([
    ['en', 900_008, { great: 1, large_tick_hit: 1, small_tick_miss: 1 }, '1 fruit 1 drop 1 missed droplet 0 miss'],
    ['ru', 900_001, { great: 210, miss: 4 }, '210×300 0×100 0×50 4 промаха'],
    ['pl', 900_008, { great: 80, large_tick_hit: 5 }, '80 owoców 5 kropli'],
  ])('counts results as %s does', (tag, set, statistics, expected) => {
    const card = scoreCard(playOn(set, { statistics }), { rating: RATING }, createTranslator([tag]));
    expect(JSON.stringify(card.lines)).toContain(expected);
  });

  it('says how far a failed play came, and what that was worth', () => {
    const failed = { passed: false, pp: null, rank: 'F', statistics: { great: 60, miss: 40 } };
    const text = textOf(playOn(900_001, { ...failed, maximum_statistics: { great: 200 } }));
    expect(text).toContain('failed at 50%');
    expect(text).toContain('about 81 pp up to there');
  });

  it('says what a play without pp had been worth', () => {
    expect(textOf(playOn(900_002, { pp: null }))).toContain('about 81 pp if ranked');
  });

  it('calls stars that are not osu!’s an estimate, and names the rules', () => {
    const text = textOf(playOn(900_001), { ...RATING, isEstimate: true });
    expect(text).toContain('about 2.35★');
    expect(text).toContain('estimates by the rules of');
    expect(text).not.toContain('on average');
  });

  it('says how far off pp is that osu! does not give', () => {
    const text = textOf(playOn(900_002, { pp: null }), { ...RATING, ppError: 0.19 });
    expect(text).toContain('pp is an estimate by the rules of');
    expect(text).toContain('pp is off by 19% on average');
  });

  it('has the rate and the values that the player chose', () => {
    const mods = [
      { acronym: 'HD' },
      { acronym: 'DT', settings: { speed_change: 1.25 } },
      { acronym: 'DA', settings: { approach_rate: 9.6, circle_size: 3, extended_limits: true } },
    ];
    expect(textOf(playOn(900_001, { mods }))).toContain('+HDDTDA (1.25× AR 9.6 CS 3)');
    // osu! states the mods of a play in any order.
    const score = playOn(900_001, { mods: [...mods, { acronym: 'CL' }].toReversed() });
    expect(textOf(score)).toContain('+HDDTDA (1.25× AR 9.6 CS 3)');
    expect(scoreCard(score, { rating: RATING }, t).worth?.play?.mods).toEqual(['HD', 'DT 1.25×', 'DA AR 9.6 CS 3']);
    expect(textOf(playOn(900_001, { mods: [{ acronym: 'DT' }] }))).not.toContain('×)');
  });

  it.each([
    [201.2, false],
    [190, true],
  ])('says that it counts %d pp where that is not all of it: %s', (pp, isSaid) => {
    const score = playOn(900_001, { pp: 201.4, weight: { percentage: 95, pp } });
    expect(textOf(score).includes('counts')).toBe(isSaid);
  });

  it('does without where nothing is known', () => {
    const text = JSON.stringify(scoreCard(playOn(900_001), { rating: undefined }, t));
    expect(text).toContain('1.60★');
    expect(text).not.toContain('about');
  });
});

it.each([
  [12.34, '+12.3'],
  [-12.34, '−12.3'],
  [-0.01, '+0'],
  [-0.06, '−0.1'],
])('a gain of %d pp is %s', (gain, shown) => {
  expect(gainText(gain, t)).toBe(shown);
});

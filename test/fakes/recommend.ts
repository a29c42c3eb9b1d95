import type { RecommendRequest } from '../../src/beatmaps/recommend/question.ts';
import type { Recommend, RecommendResult } from '../../src/beatmaps/recommend/recommend.ts';
import { madeUpBeatmap, madeUpSet } from '../beatmaps/made-up-sets.ts';

export const RECOMMENDED: RecommendResult = {
  recommendations: [
    {
      beatmap: madeUpBeatmap(),
      beatmapset: madeUpSet(),
      mods: ['HD', 'DT'],
      pp: 251.23456,
      accuracy: 0.98,
      misses: 0,
      gain: 4.56789,
      stars: 7.1,
      isEstimate: true,
      algorithm: '2025-02-27',
      reasons: [
        {
          kind: 'like',
          beatmap: { id: 5, version: 'Extra' },
          beatmapset: { id: 2, artist: 'Tin Orchard', title: 'Glass Harbour' },
          mods: ['DT'],
        },
        { kind: 'stars', value: 7.1 },
        { kind: 'bpm', value: 270 },
        { kind: 'farm' },
      ],
    },
  ],
  ruleset: 'osu',
  player: { id: 31, username: 'paper crane' },
  target: { low: 230, middle: 248, high: 267 },
  isBeside: false,
  isFew: false,
  isOver: false,
  source: 'osu',
  stale: false,
};

/** Recommends one map to everybody, or what the test says, and keeps what it was asked for. */
export function fakeRecommend(answer: () => Promise<RecommendResult> = async () => RECOMMENDED) {
  const asked: RecommendRequest[] = [];
  const recommend: Recommend = request => {
    asked.push(request);
    return answer();
  };
  return { recommend, asked };
}

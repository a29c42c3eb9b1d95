import { describe, expect, it } from 'vitest';
import { findVersion, splitVersion } from '../../../src/beatmaps/query/named-difficulty.ts';
import { madeUpBeatmap, madeUpSet } from '../made-up-sets.ts';

function setOf(id: number, ...versions: readonly string[]) {
  return madeUpSet({ id, beatmaps: versions.map((version, at) => madeUpBeatmap({ id: id * 10 + at, version })) });
}

describe('a difficulty named behind its set', () => {
  it('is split off at the last brackets, which may hold others', () => {
    expect(splitVersion('Paper Comet [[5K] Hard]')).toEqual({ words: 'Paper Comet', version: '[5K] Hard' });
    expect(['Paper Comet', '[Hard]', 'Paper Comet []'].map(splitVersion)).toEqual([undefined, undefined, undefined]);
  });

  it('is the one of exactly that name in any set before one whose name has these words', () => {
    const sets = [setOf(1, 'Easy', 'Ann’s Insane'), setOf(2, 'INSANE')];
    expect(findVersion(sets, 'insane')?.beatmap?.id).toBe(20);
    expect(findVersion(sets.slice(0, 1), 'insane')?.beatmap?.id).toBe(11);
    expect(findVersion(sets, 'extra')).toBeUndefined();
  });

  it('is itself where its name has symbols alone', () => {
    expect(findVersion([setOf(1, '???', '!!!')], '!!!')?.beatmap?.id).toBe(11);
    expect(findVersion([setOf(1, '???', 'Hard')], '!!!')).toBeUndefined();
  });
});

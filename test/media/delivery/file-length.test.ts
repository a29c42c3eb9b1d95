import { describe, expect, it } from 'vitest';
import { isLongEnough } from '../../../src/media/delivery/delivery-plan.ts';
import { makeItem, makePost } from '../../fakes/post.ts';

describe('the length of a file', () => {
  const post = makePost({ items: [makeItem({ durationMs: 60_000 }), makeItem({ durationMs: null })] });
  const clip = { startMs: 5_000, endMs: 20_000 };

  it.each([
    [0, undefined, 60_000, true],
    [0, undefined, 58_600, true],
    [0, undefined, 40_000, false],
    [0, undefined, null, true],
    [1, undefined, 10, true],
    [0, clip, 15_000, true],
    [0, clip, 17_000, true],
    [0, clip, 9_000, false],
  ])('of item %d, of which %j is wanted, may be %s ms: %s', (index, part, durationMs, isEnough) => {
    expect(isLongEnough({ post, index, ...(part && { clip: part }) }, { durationMs })).toBe(isEnough);
  });
});

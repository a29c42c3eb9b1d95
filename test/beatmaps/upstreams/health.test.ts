import { describe, expect, it } from 'vitest';
import { createHealth } from '../../../src/beatmaps/upstreams/failover.ts';

function setUp(ids: readonly string[] = ['a', 'b', 'c']) {
  const clock = { ms: 1_000_000 };
  return { health: createHealth({ ids, now: () => clock.ms }), clock };
}

describe('the order of upstreams', () => {
  it('is the given one at first, then the faster before the slower', () => {
    const { health } = setUp();
    expect(health.order()).toEqual(['a', 'b', 'c']);
    health.worked('a', 2_000);
    health.worked('b', 900);
    health.worked('c', 100);
    expect(health.order()).toEqual(['c', 'b', 'a']);
  });

  it('does not change for noise', () => {
    const { health } = setUp();
    health.worked('a', 120);
    health.worked('b', 90);
    expect(health.order()).toEqual(['a', 'b', 'c']);
  });

  it('puts one that failed last until it works', () => {
    const { health } = setUp();
    health.failed('a');
    expect(health.order()).toEqual(['b', 'c', 'a']);
    for (let call = 0; call < 12; call += 1) health.worked('a', 50);
    expect(health.order()).toEqual(['a', 'b', 'c']);
  });
});

describe('an upstream that keeps failing', () => {
  it('rests, gets one chance, and rests twice as long', () => {
    const { health, clock } = setUp();
    for (let failure = 0; failure < 3; failure += 1) health.failed('a');
    expect(health.isResting('a')).toBe(true);
    expect(health.order()).toEqual(['b', 'c']);
    clock.ms += 15_000;
    expect(health.order()).toEqual(['b', 'c', 'a']);
    health.failed('a');
    clock.ms += 15_000;
    expect(health.isResting('a')).toBe(true);
    clock.ms += 15_000;
    expect(health.isResting('a')).toBe(false);
  });

  it('rests as long as it asked to, within reason', () => {
    const { health, clock } = setUp();
    health.failed('b', 60_000);
    clock.ms += 59_999;
    expect(health.isResting('b')).toBe(true);
    clock.ms += 1;
    expect(health.isResting('b')).toBe(false);
    health.failed('b', 86_400_000);
    clock.ms += 10 * 60_000;
    expect(health.isResting('b')).toBe(false);
  });

  it('is tried all the same when everybody rests and its rest ends first', () => {
    const { health } = setUp(['a', 'b']);
    health.failed('a', 9_000);
    health.failed('b', 5_000);
    expect(health.order()).toEqual(['b']);
  });
});

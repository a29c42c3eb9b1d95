import { describe, expect, it } from 'vitest';
import { createDiskQuota } from '../../../src/media/delivery/disk-quota.ts';

const never = new AbortController().signal;

/** What has happened so far. */
function track<T>(promise: Promise<T>) {
  const state: { value?: T; error?: unknown } = {};
  promise.then(
    value => {
      state.value = value;
    },
    (error: unknown) => {
      state.error = error;
    },
  );
  return state;
}

const settled = () => new Promise(resolve => setImmediate(resolve));

describe('the gate of bytes', () => {
  it('lets in what fits and keeps the rest waiting in its order', async () => {
    const gate = createDiskQuota(100);
    const first = await gate.enter(60, never);
    const second = track(gate.enter(50, never));
    const third = track(gate.enter(10, never));
    await settled();
    expect([second.value, third.value]).toEqual([undefined, undefined]);
    first.release();
    first.release();
    await settled();
    expect([second.value?.bytes, third.value?.bytes]).toEqual([50, 10]);
    const fourth = track(gate.enter(41, never));
    await settled();
    expect(fourth.value).toBeUndefined();
    second.value?.shrink(49);
    await settled();
    expect(fourth.value?.bytes).toBe(41);
  });

  it('takes more than the whole as the whole', async () => {
    const gate = createDiskQuota(100);
    expect((await gate.enter(1_000, never)).bytes).toBe(100);
  });

  it('forgets those who gave up, and lets on those behind them', async () => {
    const gate = createDiskQuota(100);
    await gate.enter(60, never);
    const leaving = new AbortController();
    const large = track(gate.enter(90, leaving.signal));
    const small = track(gate.enter(40, never));
    await settled();
    leaving.abort('enough');
    await settled();
    expect(large.error).toBe('enough');
    expect(small.value?.bytes).toBe(40);
    await expect(gate.enter(1, leaving.signal)).rejects.toBe('enough');
  });
});

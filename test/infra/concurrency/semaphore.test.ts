import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../../src/infra/concurrency/semaphore.ts';

const never = new AbortController().signal;
const line = (atOnce: number, maxWaiting: number) => createSemaphore({ atOnce, maxWaiting, name: 'work' });

describe('a waiting line', () => {
  it('lets so many in, and the rest in the order they came', async () => {
    const enter = line(1, 5);
    const leave = await enter(never);
    const order: number[] = [];
    const rest = [1, 2, 3].map(async number => {
      const leaveNow = await enter(never);
      order.push(number);
      leaveNow();
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    leave();
    await Promise.all(rest);
    expect(order).toEqual([1, 2, 3]);
  });

  it('gives a place back once, however often it is said', async () => {
    const enter = line(1, 5);
    const leave = await enter(never);
    leave();
    leave();
    await enter(never);
    let isIn = false;
    void enter(never).then(() => {
      isIn = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(isIn).toBe(false);
  });

  it('turns away those who may not even wait', async () => {
    const enter = line(1, 1);
    const leave = await enter(never);
    const second = enter(never);
    await expect(enter(never)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    leave();
    (await second)();
    await expect(enter(never)).resolves.toBeTypeOf('function');
  });

  it('forgets those who give up', async () => {
    const enter = line(1, 1);
    const leave = await enter(never);
    const abort = new AbortController();
    const impatient = enter(abort.signal);
    abort.abort('enough');
    await expect(impatient).rejects.toMatchObject({ code: 'timeout', cause: 'enough' });
    await expect(enter(AbortSignal.abort('before'))).rejects.toMatchObject({ cause: 'before' });
    const patient = enter(never);
    leave();
    await expect(patient).resolves.toBeTypeOf('function');
  });
});

import { describe, expect, it } from 'vitest';
import { actFor, createClientSemaphore, createSemaphore } from '../../../src/infra/concurrency/running-work.ts';

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

  it('takes turns by client', async () => {
    const enter = line(1, 10);
    const leave = await enter(never);
    const order: string[] = [];
    const wait = (client: string, count: number) =>
      Array.from({ length: count }, (_, i) =>
        actFor(client, async () => {
          const leaveNow = await enter(never);
          order.push(`${client}${i}`);
          leaveNow();
        }),
      );
    const all = [...wait('a', 3), ...wait('b', 1), ...wait('c', 2)];
    leave();
    await Promise.all(all);
    expect(order).toEqual(['a0', 'b0', 'c0', 'a1', 'c1', 'a2']);
  });

  it('when it is full turns away the last of the client who has most in it', async () => {
    const enter = line(1, 3);
    const leave = await enter(never);
    const greedy = [0, 1, 2].map(() => actFor('greedy', () => enter(never)));
    const other = actFor('other', () => enter(never));
    await expect(greedy[2]).rejects.toMatchObject({ code: 'upstream_unavailable' });
    await expect(actFor('greedy', () => enter(never))).rejects.toMatchObject({ code: 'upstream_unavailable' });
    leave();
    (await greedy[0])?.();
    (await other)();
    (await greedy[1])?.();
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

describe('a line for each client', () => {
  it('keeps the places of one from those of another, and forgets who is gone', async () => {
    const enter = createClientSemaphore({ atOnce: 1, maxWaiting: 1, name: 'work' });
    const leaveA = await actFor('a', () => enter(never));
    const leaveB = await actFor('b', () => enter(never));
    const second = actFor('a', () => enter(never));
    await expect(actFor('a', () => enter(never))).rejects.toMatchObject({ code: 'upstream_unavailable' });
    let isIn = false;
    const entered = second.then(leave => {
      isIn = true;
      return leave;
    });
    leaveB();
    leaveB();
    await new Promise(resolve => setImmediate(resolve));
    expect(isIn).toBe(false);
    leaveA();
    (await entered)();
    await expect(actFor('a', () => enter(never))).resolves.toBeTypeOf('function');
  });

  it('lets who gives up go', async () => {
    const enter = createClientSemaphore({ atOnce: 1, maxWaiting: 5, name: 'work' });
    const leave = await enter(never);
    const abort = new AbortController();
    const impatient = enter(abort.signal);
    abort.abort('enough');
    await expect(impatient).rejects.toMatchObject({ code: 'timeout' });
    leave();
    await expect(enter(never)).resolves.toBeTypeOf('function');
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { Deadline } from '../../../src/infra/concurrency/abortable.ts';
import { actFor } from '../../../src/infra/concurrency/running-work.ts';
import { createHostThrottle, type Gate } from '../../../src/infra/http/host-throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const far = (): Deadline => new Deadline(1_000_000, undefined, Date.now);

/** Enters and notes when, in ms from now. */
function enterAll(gate: Gate, count: number, thenLeave: boolean): number[] {
  const startedAt = Date.now();
  const times: number[] = [];
  const entered = (): void => {
    times.push(Date.now() - startedAt);
    if (thenLeave) gate.leave();
  };
  for (let i = 0; i < count; i++) {
    const waiting = gate.enter(far());
    if (waiting === undefined) entered();
    else void waiting.then(entered);
  }
  return times;
}

describe('a host throttle', () => {
  it('lets a burst pass without a promise, then so many a second, in order', async () => {
    const gate = createHostThrottle({ default: { perSecond: 10, burst: 3, atOnce: 100 } }).gate('a.test');
    const times = enterAll(gate, 6, true);
    expect(times).toEqual([0, 0, 0]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(times).toEqual([0, 0, 0, 100, 200, 300]);
  });

  it('fills up again while nothing happens, to the burst and no further', async () => {
    const gate = createHostThrottle({ default: { perSecond: 10, burst: 3, atOnce: 100 } }).gate('a.test');
    enterAll(gate, 3, true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(enterAll(gate, 5, true)).toEqual([0, 0, 0]);
  });

  it('takes turns by client: one with a thousand waits delays another by one turn', async () => {
    const gate = createHostThrottle({ default: { perSecond: 10, burst: 1, atOnce: 100 } }).gate('a.test');
    const many = actFor('many', () => enterAll(gate, 200, true));
    const few = actFor('few', () => enterAll(gate, 3, true));
    await vi.advanceTimersByTimeAsync(700);
    expect(few).toEqual([200, 400, 600]);
    expect(many).toEqual([0, 100, 300, 500, 700]);
  });

  it('keeps a place ready, while one client wants all there are, for one that was not served lately', async () => {
    const gate = createHostThrottle({ default: { perSecond: 10, burst: 4, atOnce: 100 } }).gate('a.test');
    const many = actFor('many', () => enterAll(gate, 200, true));
    await vi.advanceTimersByTimeAsync(1_000);
    const few = actFor('few', () => enterAll(gate, 2, true));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(few).toEqual([0, 200]);
    // What is kept is not lost: both together have the pace of the host.
    expect(many.length + few.length).toBe(4 + 20 - 1);
  });

  it('makes room for another client at the cost of the one that fills the line', async () => {
    const gate = createHostThrottle({ default: { perSecond: 10, burst: 1, atOnce: 100 } }).gate('a.test');
    let refused = 0;
    actFor('many', () => {
      for (let i = 0; i < 257; i++) gate.enter(far())?.catch(() => refused++);
      expect(() => gate.enter(far())).toThrow('256 requests wait');
    });
    const few = actFor('few', () => enterAll(gate, 1, true));
    await vi.advanceTimersByTimeAsync(300);
    expect(few).toEqual([200]);
    expect(refused).toBe(1);
  });

  it('keeps its pace however many come while others wait', async () => {
    const gate = createHostThrottle({ default: { perSecond: 10, burst: 1, atOnce: 100 } }).gate('a.test');
    const times = enterAll(gate, 20, true);
    for (let i = 0; i < 100; i++) {
      gate.enter(far())?.catch(() => undefined);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(times.length).toBeGreaterThanOrEqual(10);
  });

  it('bounds how many are under way', async () => {
    const gate = createHostThrottle({ default: { perSecond: 1_000, burst: 1_000, atOnce: 2 } }).gate('a.test');
    const times = enterAll(gate, 4, false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(times).toHaveLength(2);
    gate.leave();
    await vi.advanceTimersByTimeAsync(0);
    expect(times).toHaveLength(3);
  });

  it('limits nothing by Infinity', () => {
    const unlimited = {
      perSecond: Number.POSITIVE_INFINITY,
      burst: Number.POSITIVE_INFINITY,
      atOnce: Number.POSITIVE_INFINITY,
    };
    expect(enterAll(createHostThrottle({ default: unlimited }).gate('a.test'), 10_000, false)).toHaveLength(10_000);
    const rate = { perSecond: Number.POSITIVE_INFINITY, burst: 1, atOnce: 5 };
    expect(enterAll(createHostThrottle({ default: rate }).gate('a.test'), 100, true)).toHaveLength(100);
  });

  it('gives each host its own budget, and the hosts of one pattern a common one', () => {
    const one = { perSecond: 1, burst: 1, atOnce: 1 };
    const throttle = createHostThrottle({
      default: one,
      hosts: { '*.cdn.test': one, 'www.a.test': { ...one, burst: 2, atOnce: 2 } },
    });
    expect(enterAll(throttle.gate('b.test'), 2, false)).toHaveLength(1);
    expect(enterAll(throttle.gate('c.test'), 2, false)).toHaveLength(1);
    expect(enterAll(throttle.gate('x.cdn.test'), 2, false)).toHaveLength(1);
    expect(enterAll(throttle.gate('y.cdn.test'), 2, false)).toHaveLength(0);
    expect(enterAll(throttle.gate('www.a.test'), 3, false)).toHaveLength(2);
  });

  it('remembers a host that is busy whatever number of others comes', () => {
    const throttle = createHostThrottle({ default: { perSecond: 1, burst: 1, atOnce: 1 } });
    enterAll(throttle.gate('busy.test'), 1, false);
    for (let i = 0; i < 5_000; i++) throttle.gate(`${i}.test`);
    expect(enterAll(throttle.gate('busy.test'), 1, false)).toHaveLength(0);
  });

  it('lets those who wait go when their time is over, and the others pass', async () => {
    const gate = createHostThrottle({ default: { perSecond: 1_000, burst: 1_000, atOnce: 1 } }).gate('a.test');
    enterAll(gate, 1, false);
    const hasty = gate.enter(new Deadline(50, undefined, Date.now));
    const refused = expect(hasty).rejects.toMatchObject({ code: 'timeout', params: { own: 1 } });
    const abort = new AbortController();
    const aborted = expect(gate.enter(new Deadline(5_000, abort.signal, Date.now))).rejects.toMatchObject({
      code: 'timeout',
      params: {},
    });
    const lasting = gate.enter(far());
    await vi.advanceTimersByTimeAsync(50);
    abort.abort();
    await refused;
    await aborted;
    gate.leave();
    await expect(lasting).resolves.toBeUndefined();
  });

  it('turns away at once when too many wait', () => {
    const gate = createHostThrottle({ default: { perSecond: 1, burst: 1, atOnce: 1 } }).gate('a.test');
    enterAll(gate, 257, false);
    expect(() => gate.enter(far())).toThrow(
      expect.objectContaining({ code: 'upstream_unavailable', params: { own: 1 } }),
    );
  });

  it('leaves no timer behind when nothing waits', async () => {
    const gate = createHostThrottle({ default: { perSecond: 1, burst: 1, atOnce: 9 } }).gate('a.test');
    enterAll(gate, 1, true);
    const deadline = new Deadline(50, undefined, Date.now);
    const refused = expect(gate.enter(deadline)).rejects.toBeInstanceOf(AppError);
    await vi.advanceTimersByTimeAsync(50);
    await refused;
    expect(vi.getTimerCount()).toBe(1);
  });
});

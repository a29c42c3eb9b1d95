import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WaitingClock, waitInLine } from '../../../src/infra/concurrency/waiting-clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const turnAfter = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

describe('a waiting clock', () => {
  it('counts the turns that its own work waits for, and nothing else of its time', async () => {
    const clock = new WaitingClock();
    const work = clock.measure(async () => {
      await turnAfter(1_000);
      await waitInLine(turnAfter(300));
      await turnAfter(1_000);
      await waitInLine(turnAfter(50));
    });
    const others = waitInLine(turnAfter(5_000));
    await vi.advanceTimersByTimeAsync(1_200);
    expect([clock.waitedMs, clock.isWaiting]).toEqual([200, true]);
    await vi.advanceTimersByTimeAsync(500);
    expect([clock.waitedMs, clock.isWaiting]).toEqual([300, false]);
    await vi.advanceTimersByTimeAsync(4_000);
    await Promise.all([work, others]);
    expect(clock.waitedMs).toBe(350);
  });

  it('counts turns that are waited for side by side once', async () => {
    const clock = new WaitingClock();
    const both = clock.measure(() =>
      Promise.all([waitInLine(turnAfter(400)), turnAfter(300).then(() => waitInLine(turnAfter(200)))]),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await both;
    expect(clock.waitedMs).toBe(500);
  });

  it('hands on what a turn comes to, its failure too', async () => {
    const clock = new WaitingClock();
    await expect(clock.measure(() => waitInLine(Promise.resolve('here')))).resolves.toBe('here');
    await expect(clock.measure(() => waitInLine(Promise.reject(new Error('full'))))).rejects.toThrow('full');
    await expect(waitInLine(Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect([clock.waitedMs, clock.isWaiting]).toEqual([0, false]);
  });
});

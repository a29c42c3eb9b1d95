import { EventEmitter, getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { joinSignals } from '../../../src/infra/concurrency/abortable.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a joined signal', () => {
  it('aborts with the first of its sources, for their reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { signal } = joinSignals([one.signal, undefined, other.signal]);
    expect(signal.aborted).toBe(false);
    other.abort('over');
    one.abort('later');
    expect(signal.reason).toBe('over');
  });

  it('is aborted at once by a source that is', () => {
    expect(joinSignals([new AbortController().signal, AbortSignal.abort('gone')], 10).signal.reason).toBe('gone');
  });

  it('aborts when its time is over', () => {
    vi.useFakeTimers();
    const { signal } = joinSignals([], 500);
    vi.advanceTimersByTime(499);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('leaves what others are allowed as it is, where it has no sources', () => {
    const allowed = EventEmitter.defaultMaxListeners;
    joinSignals([undefined], 1_000).release();
    expect(EventEmitter.defaultMaxListeners).toBe(allowed);
    expect(allowed).toBeGreaterThan(0);
  });

  it('leaves nothing behind once it is released, or has aborted', () => {
    vi.useFakeTimers();
    const source = new AbortController();
    const ended = new AbortController();
    const warned = vi.spyOn(process, 'emitWarning');
    const joined = Array.from({ length: 100 }, () => joinSignals([source.signal], 1_000));
    joinSignals([source.signal, ended.signal], 1_000);
    ended.abort();
    for (const each of joined) each.release();
    expect(getEventListeners(source.signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    expect(warned).not.toHaveBeenCalled();
    source.abort();
    expect(joined[0]?.signal.aborted).toBe(false);
  });
});

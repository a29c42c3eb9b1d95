import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createNoticePace } from '../../../src/bot/runtime/notice-pace.ts';

const never = new AbortController().signal;

function record() {
  const posted: string[] = [];
  const post = (name: string) => async () => void posted.push(name);
  return { posted, post };
}

describe('notices to one person in a chat of many', () => {
  it('are all posted at once while they are few, and again as time passes', async () => {
    let now = 0;
    const pace = createNoticePace({ now: () => now, burst: 3, everyMs: 1_000 });
    const { posted, post } = record();
    for (const name of ['a', 'b', 'c']) await pace.put('sari', post(name), never);
    now = 1_000;
    await pace.put('sari', post('d'), never);
    now = 10_000;
    for (const name of ['e', 'f', 'g']) await pace.put('sari', post(name), never);
    expect(posted).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('wait when they are many, where the newest speaks for all; other people do not wait', async () => {
    const pace = createNoticePace({ burst: 2, everyMs: 60 });
    const { posted, post } = record();
    const all = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(name => pace.put('sari', post(name), never)));
    await pace.put('budi', post('other'), never);
    expect(posted).toEqual(['a', 'b', 'other']);
    await all;
    expect(posted).toEqual(['a', 'b', 'other', 'f']);
  });

  it('that come while one is under way have a turn of their own', async () => {
    const pace = createNoticePace({ burst: 1, everyMs: 30 });
    const { posted, post } = record();
    let later: Promise<void> | undefined;
    await pace.put('sari', post('a'), never);
    await pace.put(
      'sari',
      async () => {
        later = pace.put('sari', post('c'), never);
        await pause(50);
        posted.push('b');
      },
      never,
    );
    await later;
    expect([...posted].sort()).toEqual(['a', 'b', 'c']);
  });

  it('that wait when Medley stops are not posted', async () => {
    const pace = createNoticePace({ burst: 1, everyMs: 50 });
    const { posted, post } = record();
    const stopping = new AbortController();
    await pace.put('sari', post('a'), stopping.signal);
    const waiting = pace.put('sari', post('b'), stopping.signal);
    stopping.abort(new Error('Medley stops'));
    await expect(waiting).rejects.toThrow();
    await pause(80);
    expect(posted).toEqual(['a']);
  });

  it('that cannot be posted say so to whoever put them, and keep none from coming after', async () => {
    const pace = createNoticePace({ burst: 1, everyMs: 20 });
    const { posted, post } = record();
    await expect(pace.put('sari', () => Promise.reject(new Error('gone')), never)).rejects.toThrow('gone');
    await expect(pace.put('sari', () => Promise.reject(new Error('still gone')), never)).rejects.toThrow('still gone');
    await pace.put('sari', post('a'), never);
    expect(posted).toEqual(['a']);
  });
});

import { describe, expect, it } from 'vitest';
import { createLanes } from '../../../../src/platforms/discord/incoming/chat-queue.ts';

function held() {
  let release = () => {};
  const promise = new Promise<void>(resolve => {
    release = resolve;
  });
  return { promise, release };
}

describe('lanes', () => {
  it('run a few tasks of one key, let some wait and refuse the rest', async () => {
    const lanes = createLanes({ running: 1, waiting: 1 });
    const first = held();
    const ran: string[] = [];
    const task = (name: string, until?: Promise<void>) => async () => {
      ran.push(name);
      await until;
    };
    expect(lanes.run('a', task('one', first.promise))).toBe(true);
    expect(lanes.run('a', task('two'))).toBe(true);
    expect(lanes.run('a', task('three'))).toBe(false);
    expect(lanes.run('b', task('other'))).toBe(true);
    expect(ran).toEqual(['one', 'other']);
    first.release();
    await expect.poll(() => ran).toEqual(['one', 'other', 'two']);
  });

  it('drain: what runs ends, what waits is dropped, nothing new begins', async () => {
    const lanes = createLanes({ running: 1, waiting: 5 });
    const first = held();
    let later = false;
    lanes.run('a', () => first.promise);
    lanes.run('a', async () => {
      later = true;
    });
    const drained = lanes.drain();
    expect(lanes.run('b', async () => {})).toBe(false);
    first.release();
    await drained;
    expect(later).toBe(false);
  });
});

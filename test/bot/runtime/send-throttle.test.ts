import { describe, expect, it } from 'vitest';
import {
  type Reservation,
  SendThrottle,
  Throttled,
  type ThrottledChat,
} from '../../../src/bot/runtime/send-throttle.ts';

const PACE = { spacingMs: 1_000, overallPerSecond: 30, groupPerMinute: 20 };
const SOLO: ThrottledChat = { platform: 'telegram', chatId: '1', isGroup: false };
const GROUP: ThrottledChat = { platform: 'telegram', chatId: '-1', isGroup: true };

/** A clock, and requests that come again when they are told to wait. */
function openThrottle(paced = true) {
  let at = 1_000_000;
  const sooner: string[] = [];
  const throttle = new SendThrottle({
    clock: () => at,
    random: () => 1,
    paceOf: () => (paced ? PACE : undefined),
    onSooner: id => void sooner.push(id),
  });
  const { signal } = new AbortController();
  let ids = 0;

  function pass(ms: number): number {
    at += ms;
    return at;
  }

  /** Waits as long as it takes. */
  function reserve(chat: ThrottledChat, messages: number, id = `r${++ids}`): Reservation {
    for (;;) {
      const reserved = throttle.reserve(chat, id, messages);
      if (typeof reserved !== 'number') return reserved;
      at += Math.ceil(reserved);
    }
  }

  /** When so many messages were sent. */
  async function send(chat: ThrottledChat, messages = 1): Promise<number> {
    const reservation = reserve(chat, messages);
    const taken = await reservation.take(messages, signal);
    taken.arrived();
    reservation.end();
    return at;
  }

  return { throttle, sooner, pass, reserve, send, signal };
}

describe('the send throttle', () => {
  it('lets one message a second into a chat', async () => {
    const { send } = openThrottle();
    const at = [await send(SOLO), await send(SOLO), await send(SOLO)];
    expect(at.map(each => each - (at[0] ?? 0))).toEqual([0, 1_000, 2_000]);
  });

  it('lets 20 messages a minute into a group, and counts every file of an album', async () => {
    const { send } = openThrottle();
    const first = await send(GROUP, 10);
    await send(GROUP, 9);
    expect((await send(GROUP)) - first).toBe(2_000);
    expect((await send(GROUP, 2)) - first).toBe(61_000);
  });

  it('never lets more than the limit into any minute of a group', async () => {
    const { send } = openThrottle();
    const sent: { at: number; messages: number }[] = [];
    for (let n = 0; n < 60; n += 1) {
      const messages = (n * 7) % 10 || 1;
      sent.push({ at: await send(GROUP, messages), messages });
    }
    for (const { at } of sent) {
      const inMinute = sent.filter(each => each.at > at - 60_000 && each.at <= at);
      expect(inMinute.reduce((sum, { messages }) => sum + messages, 0)).toBeLessThanOrEqual(20);
    }
  });

  it('lets 30 a second into all chats together, after one burst', async () => {
    const { send } = openThrottle();
    const first = await send({ ...SOLO, chatId: '1' });
    let last = first;
    for (let chat = 2; chat <= 120; chat += 1) last = await send({ ...SOLO, chatId: `${chat}` });
    expect(last - first).toBeGreaterThanOrEqual(2_900);
  });

  it('keeps a place for whoever waits, in the order they came, and tells each once how long', () => {
    const { throttle, pass } = openThrottle();
    expect(throttle.reserve(SOLO, 'a', 1)).not.toBeTypeOf('number');
    expect(['b', 'c', 'd'].map(id => throttle.reserve(SOLO, id, 1))).toEqual([1_000, 2_000, 3_000]);
    // One that comes later does not come before them.
    pass(1_000);
    expect(throttle.reserve(SOLO, 'e', 1)).toBe(3_000);
    expect(throttle.reserve(SOLO, 'b', 1)).not.toBeTypeOf('number');
    expect(throttle.reserve(SOLO, 'c', 1)).toBe(1_000);
  });

  it('gives back what was reserved and not used, and calls those who waited for it', () => {
    const { throttle, reserve, sooner } = openThrottle();
    const album = reserve(GROUP, 20, 'album');
    expect(throttle.reserve(GROUP, 'next', 1)).toBeTypeOf('number');
    album.end();
    expect(sooner).toEqual(['next']);
    expect(throttle.reserve(GROUP, 'next', 1)).not.toBeTypeOf('number');
    expect(throttle.reserve(GROUP, 'other', 19)).toBe(1_000);
  });

  it('takes nothing for a call that put nothing into the chat, and what follows may go at once', async () => {
    const { reserve, signal, send, throttle } = openThrottle();
    const since = await send({ ...GROUP, chatId: '-2' });
    const reservation = reserve(GROUP, 12);
    for (let refusals = 0; refusals < 5; refusals += 1) (await reservation.take(10, signal)).giveBack();
    (await reservation.take(1, signal)).arrived();
    reservation.end();
    const next = throttle.reserve(GROUP, 'next', 19);
    expect(next).toBe(1_000);
    expect(since).toBe(1_000_000);
  });

  it('lets a reply grow where there is room, and else keeps a place for all of it', () => {
    const { reserve, pass, throttle } = openThrottle();
    const small = reserve(GROUP, 1, 'small');
    expect(small.grow(12)).toBe(0);
    pass(1_000);
    const large = reserve(GROUP, 1, 'large');
    const waitMs = large.grow(12);
    expect(waitMs).toBeGreaterThan(50_000);
    large.end();
    small.end();
    pass(waitMs);
    expect(throttle.reserve(GROUP, 'large', 1)).not.toBeTypeOf('number');
  });

  it('lets more than a minute holds into a group only when nothing else was sent in it', async () => {
    const { send } = openThrottle();
    const first = await send(GROUP);
    expect((await send(GROUP, 30)) - first).toBe(61_000);
  });

  it('counts from when the last message arrived, not from when it was begun', async () => {
    const { reserve, pass, throttle, signal } = openThrottle();
    const slow = reserve(SOLO, 1);
    const taken = await slow.take(1, signal);
    pass(700);
    taken.arrived();
    slow.end();
    expect(throttle.reserve(SOLO, 'next', 1)).toBe(1_000);
  });

  it('leaves a chat alone that the platform holds, and lets those who waited go on in their order, first the one that was told so', async () => {
    const { throttle, reserve, pass, signal } = openThrottle();
    const first = reserve(SOLO, 1, 'a');
    expect([throttle.reserve(SOLO, 'b', 1), throttle.reserve(SOLO, 'c', 1)]).toEqual([1_000, 2_000]);
    throttle.pauseChat(SOLO, 'a', 30_000);
    await expect(first.take(1, signal)).rejects.toBeInstanceOf(Throttled);
    first.end();
    pass(1_000);
    expect(throttle.reserve(SOLO, 'b', 1)).toBe(30_000);
    expect(throttle.reserve(SOLO, 'd', 1)).toBe(32_000);
    pass(29_000);
    expect(throttle.reserve(SOLO, 'a', 1)).not.toBeTypeOf('number');
    expect(throttle.reserve(SOLO, 'c', 1)).toBe(2_000);
    expect(throttle.reserve({ ...SOLO, chatId: '2' }, 'x', 1)).not.toBeTypeOf('number');
  });

  it('remembers of a chat that is paused without a pace no more than until when', () => {
    const { throttle, pass } = openThrottle(false);
    const since = performance.now();
    for (let n = 0; n < 20_000; n += 1) {
      throttle.pauseChat(SOLO, `r${n}`, 100);
      pass(101);
    }
    expect(throttle.reserve(SOLO, 'next', 1)).not.toBeTypeOf('number');
    expect(performance.now() - since).toBeLessThan(5_000);
  });

  it('leaves a platform alone that cannot be reached, for longer each time', () => {
    const { throttle, pass } = openThrottle(false);
    const waits = [1, 2, 3].map(() => {
      throttle.away('telegram');
      throttle.away('telegram');
      const waitMs = throttle.waitMs(SOLO);
      pass(waitMs);
      return waitMs;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    throttle.reached('telegram');
    throttle.away('telegram');
    expect(throttle.reserve(SOLO, 'a', 1)).toBe(1_000);
  });
});

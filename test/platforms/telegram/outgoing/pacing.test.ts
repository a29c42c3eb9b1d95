import { describe, expect, it } from 'vitest';
import { createPacing } from '../../../../src/platforms/telegram/outgoing/pacing.ts';

const LIMITS = { spacingMs: 1_000, overallPerSecond: 30, groupPerMinute: 20 };
const GROUP = { chat: -1, isGroup: true };

/** A clock, and a sender that comes again when it is told to wait. */
function openPacing() {
  let at = 1_000_000;
  const pacing = createPacing({ limits: LIMITS, now: () => at });
  return {
    pacing,
    pass(ms: number) {
      at += ms;
      return at;
    },
    /** When so many messages could be sent. */
    take(chat: { chat: number; isGroup: boolean }, messages = 1): number {
      for (let wait = pacing.take(chat, messages); wait !== undefined; wait = pacing.take(chat, messages))
        at += wait.ms;
      return at;
    },
  };
}

describe('pacing', () => {
  it('lets one message a second into a chat', () => {
    const { take } = openPacing();
    const chat = { chat: 1, isGroup: false };
    const at = [take(chat), take(chat), take(chat)];
    expect(at.map(each => each - (at[0] ?? 0))).toEqual([0, 1_000, 2_000]);
  });

  it('lets 20 messages a minute into a group, and counts every file of an album', () => {
    const { take } = openPacing();
    const first = take(GROUP, 10);
    take(GROUP, 9);
    expect(take(GROUP, 1) - first).toBe(2_000);
    expect(take(GROUP, 2) - first).toBe(61_000);
  });

  it('gives a turn back in which nothing was sent', () => {
    const { pacing, take } = openPacing();
    const first = take(GROUP, 19);
    const second = take(GROUP, 1);
    pacing.giveBack(GROUP);
    expect(take(GROUP, 1)).toBe(second);
    expect(take(GROUP, 1) - first).toBe(61_000);
  });

  it('never lets more than the limit into any minute of a group', () => {
    const { take } = openPacing();
    const sent: { at: number; messages: number }[] = [];
    for (let n = 0; n < 60; n += 1) {
      const messages = (n * 7) % 10 || 1;
      sent.push({ at: take(GROUP, messages), messages });
    }
    for (const { at } of sent) {
      const inMinute = sent.filter(each => each.at > at - 60_000 && each.at <= at);
      expect(inMinute.reduce((sum, { messages }) => sum + messages, 0)).toBeLessThanOrEqual(20);
    }
  });

  it('lets 30 a second into all chats together, after one burst, and says that it is not the chat', () => {
    const { take, pacing } = openPacing();
    const first = take({ chat: 1, isGroup: false });
    let last = first;
    for (let chat = 2; chat <= 120; chat += 1) last = take({ chat, isGroup: false });
    expect(last - first).toBeGreaterThanOrEqual(2_900);
    expect(pacing.wait({ chat: 121, isGroup: false })).toMatchObject({ scope: 'platform' });
    expect(pacing.wait({ chat: 120, isGroup: false })).toMatchObject({ scope: 'chat' });
  });

  it('counts from when the last message arrived, not from when it was begun', () => {
    const { take, pacing, pass } = openPacing();
    const chat = { chat: 1, isGroup: false };
    take(chat);
    const arrivedAt = pass(700);
    pacing.arrived(chat.chat);
    expect(take(chat) - arrivedAt).toBe(1_000);
  });

  it('says how long a chat has to wait, and takes no turn by it', () => {
    const { take, pacing, pass } = openPacing();
    const chat = { chat: 1, isGroup: false };
    expect(pacing.wait(chat)).toBeUndefined();
    take(chat);
    expect(pacing.wait(chat)).toEqual({ ms: 1_000, scope: 'chat' });
    expect(pacing.wait({ chat: 2, isGroup: false })).toBeUndefined();
    pass(1_000);
    expect([pacing.wait(chat), pacing.wait(chat)]).toEqual([undefined, undefined]);
  });
});

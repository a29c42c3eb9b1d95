import { describe, expect, it } from 'vitest';
import { createPacing } from '../../../../src/platforms/telegram/outgoing/pacing.ts';

const LIMITS = { spacingMs: 1_000, overallPerSecond: 30, groupPerMinute: 20 };
const GROUP = { chatId: -1, isGroup: true };

/** A clock that sleepers move. */
function openPacing() {
  let at = 1_000_000;
  const pacing = createPacing({
    limits: LIMITS,
    now: () => at,
    sleep: async ms => {
      at += ms;
    },
  });
  const { signal } = new AbortController();
  return {
    pacing,
    wait: async (ms: number) => {
      at += ms;
      return at;
    },
    take: async (chat: { chatId: number; isGroup: boolean }, messages = 1) => {
      await pacing.take(chat, messages, signal);
      return at;
    },
  };
}

describe('pacing', () => {
  it('lets one message a second into a chat', async () => {
    const { take } = openPacing();
    const chat = { chatId: 1, isGroup: false };
    const at = [await take(chat), await take(chat), await take(chat)];
    expect(at.map(each => each - (at[0] ?? 0))).toEqual([0, 1_000, 2_000]);
  });

  it('lets 20 messages a minute into a group, and counts every file of an album', async () => {
    const { take } = openPacing();
    const first = await take(GROUP, 10);
    await take(GROUP, 9);
    expect((await take(GROUP, 1)) - first).toBe(2_000);
    expect((await take(GROUP, 2)) - first).toBe(61_000);
  });

  it('never lets more than the limit into any minute of a group', async () => {
    const { take } = openPacing();
    const sent: { at: number; messages: number }[] = [];
    for (let n = 0; n < 60; n += 1) {
      const messages = (n * 7) % 10 || 1;
      sent.push({ at: await take(GROUP, messages), messages });
    }
    for (const { at } of sent) {
      const inMinute = sent.filter(each => each.at > at - 60_000 && each.at <= at);
      expect(inMinute.reduce((sum, { messages }) => sum + messages, 0)).toBeLessThanOrEqual(20);
    }
  });

  it('lets 30 a second into all chats together, after one burst', async () => {
    const { take } = openPacing();
    const first = await take({ chatId: 1, isGroup: false });
    let last = first;
    for (let chatId = 2; chatId <= 120; chatId += 1) last = await take({ chatId, isGroup: false });
    expect(last - first).toBeGreaterThanOrEqual(2_900);
  });

  it('counts from when the last message arrived, not from when it was begun', async () => {
    const { take, pacing, wait } = openPacing();
    const chat = { chatId: 1, isGroup: false };
    await take(chat);
    const arrivedAt = await wait(700);
    pacing.arrived(chat.chatId);
    expect((await take(chat)) - arrivedAt).toBe(1_000);
  });

  it('leaves a chat alone for as long as Telegram says, and no other', async () => {
    const { take, pacing } = openPacing();
    const start = await take({ chatId: 2, isGroup: false });
    pacing.hold(1, 14_000);
    expect((await take({ chatId: 3, isGroup: false })) - start).toBe(0);
    expect((await take({ chatId: 1, isGroup: false })) - start).toBe(14_000);
  });
});

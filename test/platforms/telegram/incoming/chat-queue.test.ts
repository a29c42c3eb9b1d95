import { describe, expect, it } from 'vitest';
import { createChatQueue } from '../../../../src/platforms/telegram/incoming/chat-queue.ts';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const LIMITS = { runningPerChat: 1, waitingPerChat: 2, running: 2, waiting: 3 };

describe('chat queue', () => {
  it('does not let a chat wait for another', async () => {
    const queue = createChatQueue(LIMITS);
    const slow = gate();
    const done: string[] = [];
    queue.add('slow', () => slow.opened);
    queue.add('slow', async () => void done.push('slow'));
    queue.add('quick', async () => void done.push('quick'));
    await Promise.resolve();
    expect(done).toEqual(['quick']);
    slow.open();
    await queue.close(1_000);
  });

  it('is full for a chat, and for all, at its bounds', async () => {
    const queue = createChatQueue(LIMITS);
    const { opened, open } = gate();
    const wait = () => opened;
    expect(['a', 'a', 'a', 'a'].map(chat => queue.add(chat, wait))).toEqual(['taken', 'taken', 'taken', 'full']);
    expect(['b', 'c', 'd'].map(chat => queue.add(chat, wait))).toEqual(['taken', 'taken', 'full']);
    open();
    await queue.close(1_000);
  });

  it('lets chats take turns', async () => {
    const queue = createChatQueue({ runningPerChat: 1, waitingPerChat: 9, running: 1, waiting: 99 });
    const order: string[] = [];
    const first = gate();
    queue.add('a', () => first.opened);
    for (const chat of ['a', 'a', 'a', 'b', 'b']) queue.add(chat, async () => void order.push(chat));
    first.open();
    while (order.length < 5) await new Promise(resolve => setImmediate(resolve));
    expect(order.slice(0, 4).toSorted()).toEqual(['a', 'a', 'b', 'b']);
    await queue.close(1_000);
  });

  it('lets running work end, then ends it, and takes nothing new', async () => {
    const queue = createChatQueue(LIMITS);
    const ended: unknown[] = [];
    queue.add('a', signal =>
      new Promise<void>(resolve => signal.addEventListener('abort', () => resolve())).then(() => void ended.push('a')),
    );
    queue.add('a', async () => void ended.push('never'));
    const closed = queue.close(20);
    expect(queue.add('b', async () => undefined)).toBe('closed');
    await closed;
    expect(ended).toEqual(['a']);
  });
});

import type { TelegramLimits } from '../limits.ts';

/** Work of many chats beside each other, bounded for each and in all, so that no chat waits for another's slow link. */
export interface ChatQueue {
  /** `full`: the chat, or the house, has no more room. The task owns its failures. */
  add(chat: string, task: (signal: AbortSignal) => Promise<void>): 'taken' | 'full' | 'closed';
  /** Takes nothing new and forgets what waits; running tasks may go on for `drainMs`, then their signals abort. */
  close(drainMs: number): Promise<void>;
}

interface Lane {
  running: number;
  readonly waiting: Task[];
}
type Task = (signal: AbortSignal) => Promise<void>;

export type ChatQueueOptions = Pick<TelegramLimits, 'runningPerChat' | 'waitingPerChat' | 'running' | 'waiting'>;

export function createChatQueue(limits: ChatQueueOptions): ChatQueue {
  const lanes = new Map<string, Lane>();
  const controller = new AbortController();
  const active = new Set<Promise<void>>();
  let waiting = 0;
  let closed = false;

  function start(chat: string, lane: Lane, task: Task): void {
    lane.running += 1;
    const done = task(controller.signal).finally(() => {
      active.delete(done);
      lane.running -= 1;
      if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(chat);
      startWaiting();
    });
    active.add(done);
  }

  /** Chats take turns: whoever was served goes to the end. */
  function startWaiting(): void {
    for (const [chat, lane] of [...lanes]) {
      if (waiting === 0 || active.size >= limits.running) return;
      if (lane.running >= limits.runningPerChat) continue;
      const task = lane.waiting.shift();
      if (task === undefined) continue;
      waiting -= 1;
      lanes.delete(chat);
      lanes.set(chat, lane);
      start(chat, lane, task);
    }
  }

  return {
    add(chat, task) {
      if (closed) return 'closed';
      const lane = lanes.get(chat) ?? { running: 0, waiting: [] };
      const isFree = lane.running < limits.runningPerChat && active.size < limits.running;
      if (!isFree && (lane.waiting.length >= limits.waitingPerChat || waiting >= limits.waiting)) return 'full';
      lanes.set(chat, lane);
      if (isFree) start(chat, lane, task);
      else {
        lane.waiting.push(task);
        waiting += 1;
      }
      return 'taken';
    },
    async close(drainMs) {
      closed = true;
      for (const lane of lanes.values()) lane.waiting.length = 0;
      waiting = 0;
      const over = setTimeout(() => controller.abort(new Error('Medley stops')), drainMs);
      await Promise.all(active);
      clearTimeout(over);
    },
  };
}

import { Queue as BullQueue } from 'bullmq';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import type { Added, QueueEntry } from '../queue/queue.ts';
import type { RedisEntries } from './redis-entries.ts';

export interface OldQueueOptions {
  readonly client: Redis;
  readonly prefix: string;
  readonly entries: Pick<RedisEntries, 'markDone'>;
  add(entry: QueueEntry): Promise<Added>;
  promote(id: string): Promise<void>;
  end(id: string, becomes: 'forgotten'): Promise<boolean>;
  /** How long the ids of finished entries stay known. */
  readonly markMs: number;
}

/** The data of a job in the queue of Medley 0.2.0. */
const Data = z.object({
  chat: z.string(),
  fairBy: z.string().optional(),
  owner: z.string(),
  atOnce: z.number(),
  payload: z.string(),
});

const NAME = 'requests';
const PAGE = 500;
/**
 * The delay of a moved entry. As soon as the old queue has deleted its job, the entry is promoted; should this process
 * die before, the entry starts after the delay.
 */
const MOVING_MS = 10_000;

/**
 * Takes over the waiting entries of 0.2.0's queue, and the ids of its finished ones. Processes of 0.2.0 may still run
 * beside this one: the entries that they work on are left to them.
 */
export async function takeOverOldQueue(options: OldQueueOptions): Promise<void> {
  const { client, prefix, entries, add, promote, end, markMs } = options;
  if ((await client.exists(`${prefix}:${NAME}:meta`)) === 0) return;
  const old = new BullQueue(NAME, { prefix, connection: client, skipVersionCheck: true, skipWaitingForReady: true });
  try {
    const done = await old.getJobs(['completed'], 0, PAGE - 1);
    await entries.markDone(done.flatMap(({ id = '', finishedOn = 0 }) => [[decodeURIComponent(id), finishedOn]]));
    await old.clean(markMs, PAGE, 'completed');
    const left = await old.getJobs(['wait', 'prioritized', 'delayed', 'active']);
    for (const job of left.toSorted((a, b) => a.priority - b.priority || a.timestamp - b.timestamp)) {
      const data = Data.safeParse(job.data).data;
      if (job.id === undefined || data === undefined) continue;
      const { chat: lane, fairBy = lane, ...others } = data;
      const id = decodeURIComponent(job.id);
      const { outcome } = await add({ id, lane, fairBy, ...others, delayMs: MOVING_MS });
      if (outcome === 'full') return;
      // Only a job that a process of 0.2.0 works on cannot be removed; it stays with that process.
      const isOut = await job.remove().then(
        () => true,
        () => false,
      );
      if (isOut) await promote(id);
      else await end(id, 'forgotten');
    }
  } finally {
    await old.close();
  }
}

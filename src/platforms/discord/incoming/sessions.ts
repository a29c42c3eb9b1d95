import { z } from 'zod';
import type { Logger } from '../../../infra/log.ts';
import type { RecordStore } from '../../../infra/store/records.ts';

/** A gateway session: it can be taken up again, for some minutes, where it was left. */
export const GatewaySession = z.object({
  sessionId: z.string(),
  resumeURL: z.string(),
  /** Of the last dispatch. */
  sequence: z.number(),
  shardId: z.number(),
  shardCount: z.number(),
});
export type GatewaySession = z.output<typeof GatewaySession>;

/** Discord forgets them far sooner. */
const LIFE_MS = 3_600_000;

/** Writes down, as a session begins and every second, how far was heard, so that the next process can ask for what came after. */
export interface SessionRecord {
  /** What an earlier connection has left. */
  readonly left: readonly GatewaySession[];
  note(shardId: number, session: GatewaySession | null): void;
  /** Writes once more. */
  close(): Promise<void>;
}

export interface SessionRecordOptions {
  readonly records: Pick<RecordStore, 'collection'>;
  /** Those of a process that serves the same shards. */
  readonly key: string;
  /** Whether all that was heard so far is accepted: nothing is written past what is not. */
  readonly isSettled: () => boolean;
  readonly log: Pick<Logger, 'info'>;
}

const EVERY_MS = 1_000;
/** Of processes that each ended before they had caught up. */
const MAX_LEFT = 16;

/** Never rejects: while the store is away nothing is recovered. */
export async function openSessionRecord({
  records,
  key,
  isSettled,
  log,
}: SessionRecordOptions): Promise<SessionRecord> {
  const store = records.collection({ name: 'discord-sessions', schema: z.array(GatewaySession), ttlMs: LIFE_MS });
  const left = (await store.get(key).catch(failed)) ?? [];
  /** As they are, by shard; and how far all that was heard in them is accepted. */
  const [heard, accepted] = [new Map<number, GatewaySession>(), new Map<number, GatewaySession>()];
  /** Earlier ones, until what was missed in them is accepted. */
  let earlier = left;
  let isWritten = true;
  let writing = Promise.resolve();

  function failed(error: unknown): undefined {
    log.info({ err: error }, 'discord: how far was heard cannot be kept');
  }

  function settle(): void {
    if (!isSettled()) return;
    earlier = [];
    for (const [shardId, session] of heard) accepted.set(shardId, session);
  }

  /** Never rejects. */
  function write(): Promise<void> {
    settle();
    if (isWritten) return writing;
    isWritten = isSettled();
    const sessions = [...earlier, ...accepted.values()].slice(-MAX_LEFT);
    writing = writing.then(() => store.set(key, sessions)).catch(failed);
    return writing;
  }

  const timer = setInterval(write, EVERY_MS);
  timer.unref();
  return {
    left,
    note(shardId, session) {
      isWritten = false;
      if (session === null) {
        heard.delete(shardId);
        accepted.delete(shardId);
        return;
      }
      const isNew = heard.get(shardId)?.sessionId !== session.sessionId;
      heard.set(shardId, session);
      if (!isNew) return;
      // At its start nothing was heard in it; what comes next must not be lost with this process.
      accepted.set(shardId, session);
      void write();
    },
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}

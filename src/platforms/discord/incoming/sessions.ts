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

/** Writes down, every few seconds, how far was heard, so that the next process can ask for what came after. */
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

const EVERY_MS = 2_000;

/** Never rejects: while the store is away nothing is recovered. */
export async function openSessionRecord({
  records,
  key,
  isSettled,
  log,
}: SessionRecordOptions): Promise<SessionRecord> {
  const store = records.collection({ name: 'discord-sessions', schema: z.array(GatewaySession), ttlMs: LIFE_MS });
  const sessions = new Map<number, GatewaySession>();
  const left = (await store.get(key).catch(failed)) ?? [];
  let isWritten = true;

  function failed(error: unknown): undefined {
    log.info({ err: error }, 'discord: how far was heard cannot be kept');
  }

  async function write(): Promise<void> {
    if (isWritten || !isSettled()) return;
    isWritten = true;
    await store.set(key, [...sessions.values()]).catch(failed);
  }

  const timer = setInterval(write, EVERY_MS);
  timer.unref();
  return {
    left,
    note(shardId, session) {
      if (session === null) sessions.delete(shardId);
      else sessions.set(shardId, session);
      isWritten = false;
    },
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}

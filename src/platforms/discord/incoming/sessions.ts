import * as z from 'zod';
import type { Logger } from '../../../infra/log.ts';
import type { CollectionOptions, RecordStore } from '../../../infra/store/records.ts';

/** A gateway session can be resumed, for some minutes, where it was left. */
export const GatewaySession = z.object({
  sessionId: z.string(),
  resumeURL: z.string(),
  /** The number of the last dispatch. */
  sequence: z.number(),
  shardId: z.number(),
  shardCount: z.number(),
});
export type GatewaySession = z.output<typeof GatewaySession>;

/** Discord forgets sessions far sooner. */
const LIFE_MS = 3_600_000;

/** Writes down, as a session begins and every second, how far was heard, so that the next process can ask for what came after. */
export interface SessionRecord {
  /** The sessions that earlier connections have left. */
  readonly left: readonly GatewaySession[];
  note(shardId: number, session: GatewaySession | null): void;
  /** Writes now, if all that was heard is accepted; false when it was not, or could not be written. */
  save(): Promise<boolean>;
  /** Writes once more. */
  close(): Promise<void>;
}

export interface SessionRecordOptions {
  readonly records: Pick<RecordStore, 'collection'>;
  /** Processes that serve the same shards have the same key. */
  readonly key: string;
  /** Says whether all events that were heard so far are accepted: nothing is written past one that is not. */
  readonly isSettled: () => boolean;
  readonly log: Pick<Logger, 'info'>;
}

const EVERY_MS = 1_000;
/** The number of sessions of one shard, of processes that each ended before they had caught up. */
const MAX_LEFT = 4;

export const DISCORD_SESSIONS = {
  name: 'discord-sessions',
  schema: z.array(GatewaySession),
  ttlMs: LIFE_MS,
} as const satisfies CollectionOptions<GatewaySession[]>;

/** Never rejects: while the store is away nothing is recovered. */
export async function openSessionRecord({
  records,
  key,
  isSettled,
  log,
}: SessionRecordOptions): Promise<SessionRecord> {
  const store = records.collection(DISCORD_SESSIONS);
  let isSaid = false;
  const left = (await store.get(key).catch(failed)) ?? [];
  /** The sessions as they are, by shard; and as they were when all events that were heard in them were accepted. */
  const [heard, accepted] = [new Map<number, GatewaySession>(), new Map<number, GatewaySession>()];
  /** Earlier ones, until what was missed in them is accepted. */
  let earlier = left;
  let isWritten = true;
  let writing = Promise.resolve(true);

  /** Said once until it succeeds: it is tried every second. */
  function failed(error: unknown): undefined {
    if (!isSaid) log.info({ err: error }, 'discord: how far was heard cannot be kept');
    isSaid = true;
  }

  function settle(): boolean {
    if (!isSettled()) return false;
    earlier = [];
    for (const [shardId, session] of heard) accepted.set(shardId, session);
    return true;
  }

  /** Never rejects. */
  async function save(): Promise<boolean> {
    const isWhole = settle();
    if (!isWritten) {
      isWritten = isWhole;
      const sessions = newestOfEach([...earlier, ...accepted.values()]);
      writing = writing
        .then(() => store.set(key, sessions))
        .then(
          () => {
            isSaid = false;
            return true;
          },
          (error: unknown) => {
            failed(error);
            isWritten = false;
            return false;
          },
        );
    }
    return (await writing) && isWhole;
  }

  const timer = setInterval(save, EVERY_MS);
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
      void save();
    },
    save,
    async close() {
      clearInterval(timer);
      await save();
    },
  };
}

/** A shard of another count is another one. */
function newestOfEach(sessions: readonly GatewaySession[]): GatewaySession[] {
  const counts = new Map<string, number>();
  const kept = sessions.toReversed().filter(({ shardId, shardCount }) => {
    const shard = `${shardId} of ${shardCount}`;
    const count = (counts.get(shard) ?? 0) + 1;
    counts.set(shard, count);
    return count <= MAX_LEFT;
  });
  return kept.toReversed();
}

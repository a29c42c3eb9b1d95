import * as z from 'zod';
import type { Logger } from '../../../infra/log.ts';
import type { CollectionOptions, RecordStore } from '../../../infra/store/records.ts';

/** A gateway session, which can be resumed for some minutes after its connection ended. */
export const GatewaySession = z.object({
  sessionId: z.string(),
  resumeURL: z.string(),
  /** The sequence number of the last received event (dispatch). */
  sequence: z.number(),
  shardId: z.number(),
  shardCount: z.number(),
});
export type GatewaySession = z.output<typeof GatewaySession>;

/** A stored session is kept for this long. Discord forgets sessions far sooner. */
const LIFE_MS = 3_600_000;

interface SessionRecordOptions {
  readonly records: Pick<RecordStore, 'collection'>;
  /** The key of the stored record, which is the same for all processes that serve the same shards. */
  readonly key: string;
  /** True when the queue has accepted all received events; until then no sequence numbers are stored. */
  readonly isSettled: () => boolean;
  readonly log: Pick<Logger, 'info'>;
}

const EVERY_MS = 1_000;
/** How many of a shard's oldest and newest sessions are kept. There are several if processes ended without resuming. */
const [OLDEST, NEWEST] = [2, 4];

export const DISCORD_SESSIONS = {
  name: 'discord-sessions',
  schema: z.array(GatewaySession),
  ttlMs: LIFE_MS,
} as const satisfies CollectionOptions<GatewaySession[]>;

/**
 * Reads the stored sessions, and stores each session's sequence number at its beginning and every second, so that the
 * next process can resume it. Never rejects: while the store is away, missed events are not recovered.
 */
export async function openSessionRecord({ records, key, isSettled, log }: SessionRecordOptions) {
  const store = records.collection(DISCORD_SESSIONS);
  let isFailureLogged = false;
  const left = (await store.get(key).catch(failed)) ?? [];
  /** Each shard's session in two states: as it is now, and as it was when the queue had accepted all its events. */
  const [heard, accepted] = [new Map<number, GatewaySession>(), new Map<number, GatewaySession>()];
  /** Sessions of earlier processes, until their missed events are accepted. */
  let earlier = left;
  /**
   * The JSON that this process wrote last. It is undefined until the first session of this process begins, and until
   * then nothing is written, so that the stored sessions of earlier processes are not lost.
   */
  let written: string | undefined;
  let writing = Promise.resolve(true);

  /** Logs the first failure until the store works again, because there is an attempt every second. */
  function failed(error: unknown): undefined {
    if (!isFailureLogged) log.info({ err: error }, 'discord: how far was heard cannot be kept');
    isFailureLogged = true;
  }

  function settle(): boolean {
    if (!isSettled()) return false;
    earlier = [];
    for (const [shardId, session] of heard) accepted.set(shardId, { ...session });
    return true;
  }

  /** Stores the sequence numbers. False on failure, and while the queue has not accepted all received events. */
  async function save(): Promise<boolean> {
    const isWhole = settle();
    const sessions = withoutMiddle([...earlier, ...accepted.values()]);
    const text = JSON.stringify(sessions);
    if (written !== undefined && text !== written) {
      written = text;
      writing = writing.then(() => write(sessions));
    }
    return (await writing) && isWhole;
  }

  async function write(sessions: GatewaySession[]): Promise<boolean> {
    try {
      await store.set(key, sessions);
      isFailureLogged = false;
      return true;
    } catch (error) {
      failed(error);
      written = '';
      return false;
    }
  }

  const timer = setInterval(save, EVERY_MS);
  timer.unref();
  return {
    /** Sessions of earlier connections that may still be resumed. */
    left,
    /** Called when a session begins, with an object whose sequence number stays up to date; with null at its end. */
    note(shardId: number, session: GatewaySession | null): void {
      written ??= '';
      if (session === null) {
        heard.delete(shardId);
        accepted.delete(shardId);
        return;
      }
      heard.set(shardId, session);
      // A new session is stored before its first event, so that this event is not lost if the process dies.
      accepted.set(shardId, { ...session });
      void save();
    },
    save,
    /** Stops the regular storing, and stores the sequence numbers a last time. */
    async close(): Promise<void> {
      clearInterval(timer);
      await save();
    },
  };
}

/**
 * Keeps only the oldest and the newest of a shard's many sessions. If Discord still has the oldest session, resuming it
 * brings all events since its connection ended; the newest ones are for the case that Discord dropped the oldest. Two
 * sessions belong to one shard if both the shard's id and the shard count are equal: with another count, an id means
 * another shard.
 */
function withoutMiddle(sessions: readonly GatewaySession[]): GatewaySession[] {
  return sessions.filter(session => {
    const same = sessions.filter(
      ({ shardId, shardCount }) => shardId === session.shardId && shardCount === session.shardCount,
    );
    const place = same.indexOf(session);
    return place < OLDEST || place >= same.length - NEWEST;
  });
}

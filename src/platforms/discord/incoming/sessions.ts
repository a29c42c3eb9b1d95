import * as z from 'zod';
import type { Logger } from '../../../infra/log.ts';
import type { CollectionOptions, RecordStore } from '../../../infra/store/records.ts';

/** A gateway session, which can be resumed for some minutes after it was left. */
export const GatewaySession = z.object({
  sessionId: z.string(),
  resumeURL: z.string(),
  /** The number of the last received dispatch. */
  sequence: z.number(),
  shardId: z.number(),
  shardCount: z.number(),
});
export type GatewaySession = z.output<typeof GatewaySession>;

/** Discord forgets sessions far sooner. */
const LIFE_MS = 3_600_000;

/** Stores how far each session has come, when it begins and every second, so that the next process can ask for later events. */
export interface SessionRecord {
  /** The sessions that earlier connections have left. */
  readonly left: readonly GatewaySession[];
  /** To be called when a session begins, with an object that follows its progress, and with null when it is over. */
  note(shardId: number, session: GatewaySession | null): void;
  /** Stores the progress now, if all received events are accepted; false when they are not, or when it failed. */
  save(): Promise<boolean>;
  /** Stores the progress once more. */
  close(): Promise<void>;
}

export interface SessionRecordOptions {
  readonly records: Pick<RecordStore, 'collection'>;
  /** The same for processes that serve the same shards. */
  readonly key: string;
  /** Says whether all events received so far are accepted: progress past an event that is not accepted is not stored. */
  readonly isSettled: () => boolean;
  readonly log: Pick<Logger, 'info'>;
}

const EVERY_MS = 1_000;
/** How many sessions of one shard are kept; there are several when processes ended before they had caught up. */
const MAX_LEFT = 4;

export const DISCORD_SESSIONS = {
  name: 'discord-sessions',
  schema: z.array(GatewaySession),
  ttlMs: LIFE_MS,
} as const satisfies CollectionOptions<GatewaySession[]>;

/** Never rejects: while the store is away no missed events are recovered. */
export async function openSessionRecord({
  records,
  key,
  isSettled,
  log,
}: SessionRecordOptions): Promise<SessionRecord> {
  const store = records.collection(DISCORD_SESSIONS);
  let isSaid = false;
  const left = (await store.get(key).catch(failed)) ?? [];
  /** The sessions by shard: their present progress, and their progress when all events received in them were accepted. */
  const [heard, accepted] = [new Map<number, GatewaySession>(), new Map<number, GatewaySession>()];
  /** Sessions of earlier processes, until their missed events are accepted. */
  let earlier = left;
  /** Undefined until a session of this process began: what others have stored is then left alone. */
  let written: string | undefined;
  let writing = Promise.resolve(true);

  /** Logs a failure once until it succeeds again, since it is tried every second. */
  function failed(error: unknown): undefined {
    if (!isSaid) log.info({ err: error }, 'discord: how far was heard cannot be kept');
    isSaid = true;
  }

  function settle(): boolean {
    if (!isSettled()) return false;
    earlier = [];
    for (const [shardId, session] of heard) accepted.set(shardId, { ...session });
    return true;
  }

  /** Never rejects. */
  async function save(): Promise<boolean> {
    const isWhole = settle();
    const sessions = newestOfEach([...earlier, ...accepted.values()]);
    const text = JSON.stringify(sessions);
    if (written !== undefined && text !== written) {
      written = text;
      writing = writing
        .then(() => store.set(key, sessions))
        .then(
          () => {
            isSaid = false;
            return true;
          },
          (error: unknown) => {
            failed(error);
            written = '';
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
      written ??= '';
      if (session === null) {
        heard.delete(shardId);
        accepted.delete(shardId);
        return;
      }
      heard.set(shardId, session);
      // A new session has received nothing yet; it is stored at once, so that its first events are not lost with this process.
      accepted.set(shardId, { ...session });
      void save();
    },
    save,
    async close() {
      clearInterval(timer);
      await save();
    },
  };
}

/** A shard of another shard count is a different shard. */
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

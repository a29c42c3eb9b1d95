import type { Logger } from '../infra/log.ts';
import type { Queue } from '../infra/queue/queue.ts';
import type { SharedState } from '../infra/redis/redis.ts';
import type { Store } from '../infra/store/store.ts';

/** A DATA_DIR and a Redis, between which things are moved. */
export interface Ends {
  readonly dataDir: string;
  /** Of its database. */
  readonly store: Store;
  /** Where it is configured, none is kept. */
  readonly mediaKey: Uint8Array | undefined;
  readonly url: string;
  readonly log: Logger;
  /** Opens the Redis for as long as that takes. @throws AppError `internal` when it does not answer */
  withRedis<T>(work: (redis: { readonly shared: SharedState; readonly queue: Queue }) => Promise<T>): Promise<T>;
}

import type { Logger } from '../infra/log.ts';
import type { Queue } from '../infra/queue/queue.ts';
import type { SharedState } from '../infra/redis/redis.ts';
import type { Store } from '../infra/store/store.ts';

/** A DATA_DIR and a Redis, between which things are moved. */
export interface Ends {
  readonly dataDir: string;
  /** The store in the embedded database. */
  readonly store: Store;
  /** A configured key; where there is one, none is kept in DATA_DIR. */
  readonly mediaKey: Uint8Array | undefined;
  readonly url: string;
  readonly log: Logger;
  /** Opens the Redis for as long as that takes. @throws AppError `internal` when it does not answer */
  withRedis<T>(work: (redis: { readonly shared: SharedState; readonly queue: Queue }) => Promise<T>): Promise<T>;
}

import type { Logger } from '../infra/log.ts';
import type { Queue } from '../infra/queue/queue.ts';
import type { SharedState } from '../infra/redis/redis.ts';
import type { Store } from '../infra/store/store.ts';
import { COLLECTIONS } from './collections.ts';

export interface MovedRequests {
  readonly moved: number;
  /** How many requests stayed, because a worker holds them or the target has no room. */
  readonly left: number;
}

/**
 * Moves waiting requests. If it is cut off, each request is in one of the queues or both, and another run continues.
 * @param to a queue that no worker serves yet
 * @throws AppError `internal` when a queue cannot be reached
 */
export async function moveRequests(from: Queue, to: Queue): Promise<MovedRequests> {
  let [moved, left] = [0, 0];
  for (const entry of await from.unclaimed()) {
    const { outcome } = await to.add(entry);
    if (outcome !== 'full' && (await from.remove(entry.id))) moved += 1;
    else {
      left += 1;
      // A worker has claimed the request meanwhile, so its copy is removed again.
      if (outcome === 'accepted') await to.remove(entry.id);
    }
  }
  return { moved, left };
}

export function describeRequests({ moved, left }: MovedRequests): readonly string[] {
  if (moved + left === 0) return [];
  const rest = left === 0 ? '' : `, ${left} left: stop all processes of Medley and run this again`;
  return [`requests that wait: ${moved} moved${rest}`];
}

/** The two ends between which data are moved: a DATA_DIR and a Redis. */
export interface Ends {
  readonly dataDir: string;
  /** The store in the embedded database. */
  readonly store: Store;
  /** The configured key of media links; undefined when none is configured and DATA_DIR has the key in a file. */
  readonly mediaKey: Uint8Array | undefined;
  readonly url: string;
  readonly log: Logger;
  /** Opens the Redis while `work` runs. @throws AppError `internal` when it does not answer */
  withRedis<T>(work: (redis: { readonly shared: SharedState; readonly queue: Queue }) => Promise<T>): Promise<T>;
}

export interface Copied {
  readonly found: number;
  readonly added: number;
}

/** Returns a line for each collection that had records, in a fixed order. @param counts by the collection's name */
export function describeRecords(counts: ReadonlyMap<string, Copied>): readonly string[] {
  const known = COLLECTIONS.flatMap(({ options, label }) => {
    const count = counts.get(options.name);
    if (count === undefined) return [];
    const { found, added } = count;
    return [`${label}: ${added} copied${found > added ? `, ${found - added} there already` : ''}`];
  });
  const names: readonly string[] = COLLECTIONS.map(({ options }) => options.name);
  const others = [...counts].filter(([name]) => !names.includes(name));
  return [...known, ...others.map(([name, { found }]) => `${name}: ${found} left, unknown to this version`)];
}

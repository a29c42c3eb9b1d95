import { z } from 'zod';
import type { Store } from '../../infra/store/store.ts';

/**
 * What was recommended to whom, so that it is not recommended again for 28 days. People by `callerKey`.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface RecommendationHistory {
  mapsOf(key: string): ReadonlySet<number>;
  add(key: string, mapIds: readonly number[]): void;
  /** Deletes what was recommended to that person. */
  forgetUser(key: string): void;
}

export interface RecommendationHistoryOptions {
  readonly store: Store;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Rows kept in all, the newest. Default 200 000. */
  readonly maxRows?: number;
}

const KEPT_MS = 28 * 24 * 3_600_000;
const PURGE_EVERY_MS = 3_600_000;
const PURGE_EVERY_ROWS = 2_000;

const STEPS = [
  `CREATE TABLE served (
    key TEXT NOT NULL, map_id INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (key, map_id)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX served_by_age ON served (at)',
];

const MapRow = z.object({ id: z.number() });
const AtRow = z.object({ at: z.number() });

export function createRecommendationHistory({
  store,
  now = Date.now,
  maxRows = 200_000,
}: RecommendationHistoryOptions): RecommendationHistory {
  store.migrate('served', STEPS);
  let purgedAt = Number.NEGATIVE_INFINITY;
  let added = 0;

  function purge(): void {
    const at = now();
    if (at - purgedAt < PURGE_EVERY_MS && added < PURGE_EVERY_ROWS) return;
    store.run('DELETE FROM served WHERE at <= ?', [at - KEPT_MS]);
    const oldest = store.get('SELECT at FROM served ORDER BY at DESC LIMIT 1 OFFSET ?', [maxRows], AtRow);
    if (oldest !== undefined) store.run('DELETE FROM served WHERE at <= ?', [oldest.at]);
    purgedAt = at;
    added = 0;
  }

  return {
    mapsOf(key) {
      const rows = store.all(
        'SELECT map_id AS id FROM served WHERE key = ? AND at > ?',
        [key, now() - KEPT_MS],
        MapRow,
      );
      return new Set(rows.map(({ id }) => id));
    },
    add(key, mapIds) {
      purge();
      store.transaction(() => {
        for (const id of mapIds) {
          store.run('INSERT OR REPLACE INTO served (key, map_id, at) VALUES (?, ?, ?)', [key, id, now()]);
        }
      });
      added += mapIds.length;
    },
    forgetUser(key) {
      store.run('DELETE FROM served WHERE key = ?', [key]);
    },
  };
}

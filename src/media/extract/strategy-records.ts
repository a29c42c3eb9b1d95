import * as z from 'zod';
import type { Logger } from '../../infra/log.ts';
import type { Store } from '../../infra/store/store.ts';
import { parseJson } from '../parse/json-search.ts';
import type { SourceId } from '../post.ts';
import { type StrategyRecord, strategyRecordSchema } from './strategy-record.ts';

/** What is remembered of the strategies of every source, kept over restarts. */
export interface StrategyRecords {
  load(source: SourceId): Promise<ReadonlyMap<string, StrategyRecord>>;
  /** Never rejects: what cannot be kept is learnt again. */
  save(source: SourceId, strategy: string, record: StrategyRecord): Promise<void>;
}

export interface StoredStrategyRecords extends StrategyRecords {
  /** Writes what is not written yet. Nothing is kept afterwards. */
  close(): Promise<void>;
}

export interface StoredStrategyRecordsOptions {
  readonly store: Store;
  readonly log: Pick<Logger, 'warn'>;
  readonly now?: () => number;
  /** Between a change and its writing. Default 5000. */
  readonly writeAfterMs?: number;
}

const STEPS = [
  `CREATE TABLE strategy_records (
    source TEXT NOT NULL, strategy TEXT NOT NULL, record TEXT NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (source, strategy)
  ) STRICT, WITHOUT ROWID`,
];

/** Names of strategies change with versions: those that were not asked for so long are forgotten. */
const KEPT_MS = 30 * 24 * 3_600_000;
const MAX_PENDING = 500;

const Row = z.object({ strategy: z.string(), record: z.string() });
/** One that another version wrote in another way is none. */
const Kept = strategyRecordSchema.nullable().catch(null);

/** Records in the embedded store, written some seconds after they change: many changes cost one write. */
export function createStoredStrategyRecords(options: StoredStrategyRecordsOptions): StoredStrategyRecords {
  const { store, log, now = Date.now, writeAfterMs = 5_000 } = options;
  store.migrate('strategy-records', STEPS);
  const pending = new Map<string, readonly [SourceId, string, StrategyRecord]>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (pending.size === 0) return;
    try {
      store.transaction(() => {
        for (const [source, strategy, record] of pending.values()) {
          store.run(
            `INSERT INTO strategy_records (source, strategy, record, updated_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (source, strategy) DO UPDATE SET record = excluded.record, updated_at = excluded.updated_at`,
            [source, strategy, JSON.stringify(record), now()],
          );
        }
        store.run('DELETE FROM strategy_records WHERE updated_at < ?', [now() - KEPT_MS]);
      });
      pending.clear();
    } catch (error) {
      log.warn({ err: error }, 'what was learnt of the strategies could not be written');
    }
  }

  return {
    async load(source) {
      const rows = store.all('SELECT strategy, record FROM strategy_records WHERE source = ?', [source], Row);
      return new Map(
        rows.flatMap(({ strategy, record }) => {
          const kept = Kept.parse(parseJson(record) ?? null);
          return kept === null ? [] : [[strategy, kept] as const];
        }),
      );
    },
    async save(source, strategy, record) {
      if (isClosed) return;
      const key = `${source} ${strategy}`;
      if (!pending.has(key) && pending.size >= MAX_PENDING) return;
      pending.set(key, [source, strategy, record]);
      // What is unwritten when the process ends is written by `close`, or learnt again.
      timer ??= setTimeout(write, writeAfterMs).unref();
    },
    async close() {
      isClosed = true;
      write();
    },
  };
}

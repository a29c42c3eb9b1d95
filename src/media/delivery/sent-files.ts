import { z } from 'zod';
import type { Store } from '../../infra/store/store.ts';
import type { SourceId } from '../post.ts';

export interface SentFileKey {
  /** Platform and the account that holds the file: ids are per bot, e.g. `telegram:123456`. */
  readonly holder: string;
  readonly source: SourceId;
  readonly postId: string;
  readonly index: number;
  readonly form: 'original' | 'audio';
}

export interface SentFile {
  readonly variantKey: string;
  /** What the platform calls it. */
  readonly fileId: string;
  /** The platform's own kind, which cannot change: `video`, `animation`, `photo`, `audio`, `document`. */
  readonly kind: string;
}

/**
 * What a platform already holds, kept across restarts: sending it again costs no upload.
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface SentFiles {
  get(key: SentFileKey): SentFile | undefined;
  put(key: SentFileKey, file: SentFile): void;
  /** After the platform has refused the id. */
  delete(key: SentFileKey): void;
}

export interface SentFilesOptions {
  readonly now?: () => number;
  /** Beyond it those that were not used for the longest time are forgotten. Default 200 000. */
  readonly maxRows?: number;
}

const STEPS = [
  `CREATE TABLE sent_files (
    holder TEXT NOT NULL, source TEXT NOT NULL, post_id TEXT NOT NULL, item INTEGER NOT NULL, form TEXT NOT NULL,
    variant_key TEXT NOT NULL, file_id TEXT NOT NULL, kind TEXT NOT NULL, used_at INTEGER NOT NULL,
    PRIMARY KEY (holder, source, post_id, item, form)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX sent_files_by_use ON sent_files (used_at)',
];

const WHERE = 'WHERE holder = :holder AND source = :source AND post_id = :postId AND item = :index AND form = :form';
/** Rows may pass their bound by this many before they are counted again. */
const SWEEP_EVERY = 500;
/** The time of use is noted this often, so that a file sent all day costs one write. */
const TOUCH_EVERY_MS = 24 * 3_600_000;

const Row = z.object({ variant_key: z.string(), file_id: z.string(), kind: z.string(), used_at: z.number() });

/** @throws AppError `internal` when the store cannot be read or written */
export function createSentFiles(store: Store, { now = Date.now, maxRows = 200_000 }: SentFilesOptions = {}): SentFiles {
  store.migrate('sent-files', STEPS);
  let puts = 0;

  function sweep(): void {
    store.run(
      'DELETE FROM sent_files WHERE used_at <= (SELECT used_at FROM sent_files ORDER BY used_at DESC LIMIT 1 OFFSET ?)',
      [maxRows],
    );
  }

  return {
    get(key) {
      const params = paramsOf(key);
      const row = store.get(`SELECT variant_key, file_id, kind, used_at FROM sent_files ${WHERE}`, params, Row);
      if (row === undefined) return undefined;
      const at = now();
      if (at - row.used_at >= TOUCH_EVERY_MS) {
        store.run(`UPDATE sent_files SET used_at = :at ${WHERE}`, { ...params, at });
      }
      return { variantKey: row.variant_key, fileId: row.file_id, kind: row.kind };
    },
    put(key, { variantKey, fileId, kind }) {
      store.run(
        `INSERT INTO sent_files (holder, source, post_id, item, form, variant_key, file_id, kind, used_at)
        VALUES (:holder, :source, :postId, :index, :form, :variantKey, :fileId, :kind, :at)
        ON CONFLICT (holder, source, post_id, item, form) DO UPDATE SET variant_key = excluded.variant_key,
        file_id = excluded.file_id, kind = excluded.kind, used_at = excluded.used_at`,
        { ...paramsOf(key), variantKey, fileId, kind, at: now() },
      );
      puts += 1;
      if (puts % SWEEP_EVERY === 1) sweep();
    },
    delete(key) {
      store.run(`DELETE FROM sent_files ${WHERE}`, paramsOf(key));
    },
  };
}

function paramsOf({ holder, source, postId, index, form }: SentFileKey) {
  return { holder, source, postId, index, form };
}

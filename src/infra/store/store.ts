import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import * as z from 'zod';
import { AppError, StoreAway } from '../../errors.ts';
import { createLru } from '../cache/cache.ts';

/** A value to bind: whole numbers as integers, others as reals. SQLite has no column type for booleans and dates. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** Parameters by position (`?`) or by name (`:name`, given without the colon). */
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/**
 * The durable embedded store. Every call is synchronous and meant to be short. Rows pass through a schema on their way
 * out; blobs come as Buffer, integers beyond 2^53 must be selected as text.
 * @throws AppError `internal` from every method, with SQLite's error as the cause; StoreAway where the same call may
 * succeed later
 */
export interface Store {
  /**
   * Creates or updates the tables of one module. Each step is applied once, in order, all or none; a published step is
   * never edited, only followed by another.
   */
  migrate(module: string, steps: readonly string[]): void;
  all<T>(sql: string, params: SqlParams, row: z.ZodType<T>): T[];
  get<T>(sql: string, params: SqlParams, row: z.ZodType<T>): T | undefined;
  /** Returns rows one by one, as they were when the first row was read; the caller must read them to the end. */
  each<T>(sql: string, params: SqlParams, row: z.ZodType<T>): Iterable<T>;
  /** `changes` is the number of rows that were inserted, updated or deleted. */
  run(sql: string, params?: SqlParams): { readonly changes: number };
  /** Applies all changes that `work` makes, or none if it throws. May be nested; `work` must not be asynchronous. */
  transaction<T>(work: () => T): T;
  /** Closes the database. Safe to call twice. */
  close(): void;
}

const MAX_STATEMENTS = 200;
/** How long to wait for another writer. The time is short, because the whole process is blocked meanwhile. */
const BUSY_TIMEOUT_MS = 2_000;
/** SQLite's page cache. With its default of 2 MB a large catalogue would be read from the file again and again. */
const CACHE_KIB = 16 * 1024;
/** 16 MB of write-ahead log: the larger it is, the less often a page that changes often is copied into the file. */
const CHECKPOINT_PAGES = 4_000;

const MIGRATIONS = `CREATE TABLE IF NOT EXISTS migrations (
  room TEXT NOT NULL, step INTEGER NOT NULL, hash TEXT NOT NULL, applied_at INTEGER NOT NULL, PRIMARY KEY (room, step)
) STRICT`;

const RECORD_STEP = 'INSERT INTO migrations (room, step, hash, applied_at) VALUES (?, ?, ?, ?)';
const OUTERMOST = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'] as const;

/**
 * Opens or creates the store; a missing directory is made, readable only by its owner.
 * @param path of the file, or `:memory:`
 * @throws AppError `internal` whose message says what is wrong with the file
 */
export function openStore(path: string): Store {
  const db = openDatabase(path);
  const statements = createLru<string, Statement>({ max: MAX_STATEMENTS });
  let depth = 0;

  function prepare(sql: string): Statement {
    // A statement still works, silently, after its database was closed, so every call checks that it is open.
    if (!db.open) throw new AppError('internal', 'the store is closed');
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  function exec(sql: string): void {
    if (!db.open) throw new AppError('internal', 'the store is closed');
    attempt(sql, () => db.exec(sql));
  }

  const store: Store = {
    migrate(module, steps) {
      exec(MIGRATIONS);
      // When all steps are applied already, no transaction is begun, so that the call does not wait for another writer.
      if (appliedSteps(store, module, steps) === steps.length) return;
      store.transaction(() => {
        for (let index = appliedSteps(store, module, steps); index < steps.length; index += 1) {
          const step = steps[index] ?? '';
          exec(step);
          store.run(RECORD_STEP, [module, index, hash(step), Date.now()]);
        }
      });
    },
    all(sql, params, row) {
      const read = () => prepare(sql).all(bind(params));
      return attempt(sql, () => read().map(found => row.parse(readRow(found))));
    },
    get(sql, params, row) {
      return attempt(sql, () => {
        const statement = prepare(sql);
        // A write is run to its end, since it can fail even after it returned its row, for example on a full disk.
        const found = sql.includes(' RETURNING ') ? statement.all(bind(params))[0] : statement.get(bind(params));
        return found === undefined ? undefined : row.parse(readRow(found));
      });
    },
    *each(sql, params, row) {
      // The statement is not taken from the cache: a shared one could be started again while rows are still being read.
      const rows = attempt(sql, () => db.prepare(sql).iterate(bind(params)));
      for (const found of rows) yield row.parse(readRow(found));
    },
    run(sql, params = []) {
      return attempt(sql, () => ({ changes: prepare(sql).run(bind(params)).changes }), BUSY);
    },
    transaction(work) {
      const name = `nested_${depth}`;
      const [begin, commit, rollBack] =
        depth === 0 ? OUTERMOST : [`SAVEPOINT ${name}`, `RELEASE ${name}`, `ROLLBACK TO ${name}; RELEASE ${name}`];
      exec(begin);
      depth++;
      try {
        const result = work();
        if (result instanceof Promise) throw new AppError('internal', 'a transaction cannot wait for a promise');
        exec(commit);
        return result;
      } catch (error) {
        // On a full disk SQLite has rolled back by itself, and there is no transaction left to end.
        if (db.open && db.inTransaction) exec(rollBack);
        throw error;
      } finally {
        depth--;
      }
    },
    close() {
      if (!db.open) return;
      statements.clear();
      closeDatabase(db);
    },
  };
  return store;
}

/** Replaces SQLite's errors. @throws StoreAway when a retry may succeed, else AppError `internal` */
function attempt<T>(sql: string, work: () => T, passing = PASSING): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message = `the store refused "${sql.slice(0, 100)}": ${reason(cause)}`;
    throw passing.test(codeOf(cause))
      ? new StoreAway(message, { cause })
      : new AppError('internal', message, { cause });
  }
}

const NameRow = z.object({ name: z.string() });

export function hasTable(store: Store, name: string): boolean {
  return store.get("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", [name], NameRow) !== undefined;
}

type Statement = ReturnType<InstanceType<typeof Database>['prepare']>;

const AppliedStep = z.object({ hash: z.string() });

export function writtenByNewer(place: 'DATA_DIR' | 'Redis'): AppError {
  const sentence = `what is in ${place} was written by a newer version of Medley: start that version, or go back to a backup`;
  return new AppError('internal', sentence);
}

/**
 * How many of the module's steps are applied already.
 * @throws AppError when other steps were applied
 */
function appliedSteps(store: Store, module: string, steps: readonly string[]): number {
  const applied = store.all('SELECT hash FROM migrations WHERE room = ? ORDER BY step', [module], AppliedStep);
  if (applied.length > steps.length) throw writtenByNewer('DATA_DIR');
  for (const [index, { hash: known }] of applied.entries()) {
    if (known !== hash(steps[index] ?? '')) {
      throw new AppError('internal', `step ${index} of ${module} was changed after it had been applied`);
    }
  }
  return applied.length;
}

function openDatabase(path: string): InstanceType<typeof Database> {
  let db: InstanceType<typeof Database> | undefined;
  try {
    if (path !== ':memory:') {
      makeFolder(dirname(path));
      // The file is for its owner only; SQLite gives the same mode to the files beside the database.
      closeSync(openSync(path, 'a', 0o600));
    }
    db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = ${-CACHE_KIB}`);
    // Deleted content, as by /forget, is overwritten with zeros, not only marked as free.
    db.exec(`PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return db;
  } catch (cause) {
    db?.close();
    throw new AppError('internal', `the store ${path} cannot be opened: ${openingReason(cause)}`, { cause });
  }
}

function closeDatabase(db: InstanceType<typeof Database>): void {
  // SQLite deletes its log files only when its last statement has been garbage-collected, so they are emptied now.
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // On a disk that accepts no writes these files cannot be emptied. They stay whole, and the next start reads them.
  } finally {
    db.close();
  }
}

/** Makes a folder and its parents for their owner only. Node's `recursive` hangs where no folder can be: in /proc. */
export function makeFolder(path: string): void {
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isThere()) throw error;
  }
}

const OPENING_REASONS: Reasons = [
  [
    /^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)$/,
    'it is not writable; let this account write it, or set DATA_DIR to a directory that is',
  ],
  // Node reports ENOENT for a folder on a read-only disk too, so the sentence must fit both cases.
  [/^ENOENT$/, 'it cannot be made; set DATA_DIR to a directory that is writable'],
  [/^EISDIR$/, 'it is a directory'],
  [/^(ENOTDIR|EEXIST)$/, 'a part of its path is a file, not a directory'],
  [/^SQLITE_(NOTADB|CORRUPT)$/, 'it is no database or a damaged one; move it away to start with an empty one'],
];

/** Says what is wrong with a file or directory that cannot be opened, and what to do. */
export const openingReason = (cause: unknown) => reasonIn(OPENING_REASONS, cause);

/** Sentences for the codes of errors, see {@link codeOf}. */
export type Reasons = readonly (readonly [codes: RegExp, sentence: string])[];

/** The sentence for an error's code; the error's message if there is none. */
export function reasonIn(reasons: Reasons, cause: unknown): string {
  const code = codeOf(cause);
  return reasons.find(([codes]) => codes.test(code))?.[1] ?? reason(cause);
}

/** Error codes for a file that another process has locked. */
const BUSY = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
/**
 * Error codes of failures that may pass. Failed reads of the disk are among them, because they say nothing about the
 * data. For failed writes only BUSY counts, because another reason, such as a full disk, may last.
 */
const PASSING = new RegExp(`${BUSY.source}|^SQLITE_(IOERR|CANTOPEN|CORRUPT|NOTADB|NOMEM)`);

/** The code of an error of Node or SQLite, such as `ENOENT` or `SQLITE_BUSY`; empty when it has none. */
export function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  // For a file that cannot be opened at all, libsql gives no code, but SQLite's number within its message.
  if (/^ConnectionFailed\(.*: 14"\)$/.test(cause.message)) return 'SQLITE_CANTOPEN';
  return 'code' in cause ? String(cause.code) : '';
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function hash(step: string): string {
  return createHash('sha256').update(step).digest('hex');
}

function bind(params: SqlParams): unknown[] | Record<string, unknown> {
  if (isList(params)) return params.map(bindValue);
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, bindValue(value)]));
}

function isList(params: SqlParams): params is readonly SqlValue[] {
  return Array.isArray(params);
}

/** A value for libsql 0.5.29: unknown types end its process, and a TEXT column would keep the number 1 as "1.0". */
function bindValue(value: unknown): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value instanceof Uint8Array) return value;
  throw new AppError('internal', `a ${typeof value === 'number' ? value : typeof value} cannot be stored`);
}

/** A plain row: libsql adds `_metadata` to a single row, and in lists of rows gives blobs as ArrayBuffers. */
function readRow(row: unknown): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row ?? {})) {
    if (name !== '_metadata') plain[name] = value instanceof ArrayBuffer ? Buffer.from(value) : value;
  }
  return plain;
}

import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'libsql';
import { AppError } from '../../errors.ts';
import { codeOf, makeFolder, openingReason } from './store.ts';

/** A file lock of the operating system: it ends with the process, even after a crash. */
export interface FileLock {
  /** Releases the lock. Safe to call twice. */
  release(): void;
}

type Connection = InstanceType<typeof Database>;

/** Connections of locks are referenced by this set, because one that was garbage-collected would release its lock. */
const held = new Set<Connection>();

/**
 * Locks an empty file, which is created when missing. Do not open the file in any other way: a process loses its lock
 * when it closes the same file elsewhere.
 * @param kind any number of processes may hold a `shared` lock at once, while none holds an `exclusive` one
 * @returns undefined when another process holds it
 * @throws AppError `internal` whose message says what is wrong with the file
 */
export function tryFileLock(path: string, kind: 'exclusive' | 'shared' = 'exclusive'): FileLock | undefined {
  let connection: Connection | undefined;
  try {
    makeFolder(dirname(path));
    // The file is created with its final mode, because setting the mode later would fail if another process had removed
    // the file by then.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    connection = new Database(path, { timeout: 0 });
    // SQLite locks with the system's own file locks, and the file stays empty, so no journal is needed.
    connection.exec('PRAGMA journal_mode = OFF');
    connection.exec(kind === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT 1 FROM sqlite_master');
  } catch (cause) {
    connection?.close();
    if (codeOf(cause) === 'SQLITE_BUSY') return undefined;
    throw new AppError('internal', `${path} cannot be locked: ${openingReason(cause)}`, { cause });
  }
  held.add(connection);
  const owned = connection;
  return {
    release() {
      if (!held.delete(owned)) return;
      owned.exec('ROLLBACK');
      owned.close();
    },
  };
}

export interface FileLockWait {
  readonly kind?: 'exclusive' | 'shared';
  readonly waitMs: number;
  /** How often the lock is tried, in milliseconds. Default 100. */
  readonly everyMs?: number;
  /** Called when another process holds the lock at first. */
  readonly onWait?: () => void;
}

/** Takes a lock like `tryFileLock`, but tries again until `waitMs` is over, without blocking the process. */
export async function waitForFileLock(path: string, options: FileLockWait): Promise<FileLock | undefined> {
  const { kind, waitMs, everyMs = 100, onWait } = options;
  const until = Date.now() + waitMs;
  for (let tries = 0; ; tries += 1) {
    const lock = tryFileLock(path, kind);
    if (lock !== undefined || Date.now() >= until) return lock;
    if (tries === 0) onWait?.();
    await pause(Math.min(everyMs, Math.max(0, until - Date.now())));
  }
}

export interface DataDirOptions {
  /** True when other processes that also pass true may use the folder at the same time. */
  readonly isShared: boolean;
  /** How long to wait for another process that is about to end, as in a rolling deploy. Default 15 000. */
  readonly waitMs?: number;
  /** Called when another process holds the folder and is waited for. */
  readonly onWait?: () => void;
}

/**
 * Locks DATA_DIR for this process, until it ends.
 * @throws AppError `internal` whose message says in one sentence that it is not writable, or used by another process
 */
export async function claimDataDir(
  path: string,
  { isShared, waitMs = 15_000, onWait }: DataDirOptions,
): Promise<FileLock> {
  try {
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new AppError('internal', `DATA_DIR ${path} cannot be used: ${openingReason(cause)}`, { cause });
  }
  const kind = isShared ? 'shared' : 'exclusive';
  const lock = await waitForFileLock(join(path, 'medley.lock'), { kind, waitMs, ...(onWait && { onWait }) });
  if (lock !== undefined) return lock;
  throw new AppError(
    'internal',
    `DATA_DIR ${path} is used by another Medley process: stop that one, or give this one a DATA_DIR of its own`,
  );
}

export interface SoleTaskOptions {
  /** How often this process tries to take the task over, in case the process that did it has ended. Default 5 000. */
  readonly retryMs?: number;
  readonly onFailure: (error: unknown) => void;
}

/** A task that only one process of a machine does: the process that holds the lock. */
export function createSoleTask(path: string, { retryMs = 5_000, onFailure }: SoleTaskOptions) {
  let lock: FileLock | undefined;

  function attempt(): void {
    try {
      lock = tryFileLock(path);
    } catch (error) {
      onFailure(error);
    }
    if (lock !== undefined) clearInterval(timer);
  }

  const timer = setInterval(attempt, retryMs);
  timer.unref();
  attempt();
  return {
    /** True while this process does the task. */
    isOurs: () => lock !== undefined,
    close() {
      clearInterval(timer);
      lock?.release();
      lock = undefined;
    },
  };
}

import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'libsql';
import { AppError } from '../../errors.ts';
import { openingReason } from './store.ts';

/** Held by the operating system: it ends with the process, however that ends. */
export interface FileLock {
  /** Safe to call twice. */
  release(): void;
}

export interface FileLockOptions {
  /** Any number may hold a shared one at once, while none holds an exclusive one. Default exclusive. */
  readonly kind?: 'exclusive' | 'shared';
}

type Connection = InstanceType<typeof Database>;

/** A connection that was collected would let go. */
const held = new Set<Connection>();

/**
 * Locks a file, which is made when missing and holds nothing. Open it with nothing else: a process loses its lock when it closes the same
 * file elsewhere.
 *
 * @returns undefined when others hold it
 * @throws AppError `internal` whose message says what is wrong with the file
 */
export function tryFileLock(path: string, { kind = 'exclusive' }: FileLockOptions = {}): FileLock | undefined {
  let connection: Connection | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // With its mode from the first, since another process may remove the file before it is locked.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    connection = new Database(path, { timeout: 0 });
    // SQLite locks by the system's own locks on a file, and needs no content for it. Nothing is ever written, so no journal is needed.
    connection.exec('PRAGMA journal_mode = OFF');
    connection.exec(kind === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT 1 FROM sqlite_master');
  } catch (cause) {
    connection?.close();
    if (cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY') return undefined;
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

export interface FileLockWait extends FileLockOptions {
  readonly waitMs: number;
  /** Default 100. */
  readonly everyMs?: number;
  /** Others hold it at first. */
  readonly onWait?: () => void;
}

/** The same, tried again and again without keeping the process from other work. */
export async function waitForFileLock(path: string, options: FileLockWait): Promise<FileLock | undefined> {
  const { waitMs, everyMs = 100, onWait } = options;
  const until = Date.now() + waitMs;
  for (let tries = 0; ; tries += 1) {
    const lock = tryFileLock(path, options);
    if (lock !== undefined || Date.now() >= until) return lock;
    if (tries === 0) onWait?.();
    await pause(Math.min(everyMs, Math.max(0, until - Date.now())));
  }
}

export type SoleTask = ReturnType<typeof createSoleTask>;

export interface SoleTaskOptions {
  /** How often it is tried to take over from a process that has ended. Default 5 000. */
  readonly retryMs?: number;
  readonly onFailure: (error: unknown) => void;
}

/** A task that one process of a machine does for all: the one that holds the lock. */
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
    /** True when it is this process. */
    isOurs: () => lock !== undefined,
    close() {
      clearInterval(timer);
      lock?.release();
      lock = undefined;
    },
  };
}

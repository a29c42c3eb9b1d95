import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { type FileLock, waitForFileLock } from './file-lock.ts';
import { openingReason } from './store.ts';

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
    mkdirSync(path, { recursive: true, mode: 0o700 });
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

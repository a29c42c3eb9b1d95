import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { AppError } from '../../errors.ts';
import { codeOf, openingReason, type Reasons, reasonIn } from './store.ts';

/** How long to wait for another process that writes to the database. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Writes a copy of a database as it is at one moment, also while others write to it. Either the whole copy is written,
 * or none; an existing file is never overwritten. Blocks until it is done.
 * @returns bytes of the copy
 * @throws AppError `internal` whose message is one sentence
 */
export function backUpDatabase(path: string, target: string): number {
  if (!existsSync(path)) throw failure(`there is nothing to back up: ${path} does not exist`);
  if (existsSync(target)) throw failure(`${target} exists already: name a file that does not`);
  if (!existsSync(dirname(target))) throw failure(`${dirname(target)} does not exist: make it first`);
  const draft = `${target}.${randomUUID()}.part`;
  try {
    // SQLite writes into an existing empty file and keeps its mode, so the file is made first, for its owner only.
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (cause) {
    throw failure(`${target} cannot be written: ${reasonIn(WRITING_REASONS, cause)}`, cause);
  }
  try {
    copyInto(path, draft);
    flush(draft);
    publish(draft, target);
    flush(dirname(target));
    return statSync(target).size;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw failure(`${target} could not be written: ${reasonIn(WRITING_REASONS, cause)}`, cause);
  } finally {
    rmSync(draft, { force: true });
  }
}

function copyInto(path: string, draft: string): void {
  let db: InstanceType<typeof Database> | undefined;
  try {
    db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    // The source is read first, so that an error in it is not reported as one of the copy.
    db.exec('SELECT count(*) FROM sqlite_master');
  } catch (cause) {
    db?.close();
    throw failure(`${path} cannot be read: ${openingReason(cause)}`, cause);
  }
  try {
    db.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`);
  } finally {
    db.close();
  }
}

/** Gives the copy its name by a hard link, which never replaces a file; a file system without links gets a rename. */
function publish(draft: string, target: string): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error)) || existsSync(target)) throw error;
    renameSync(draft, target);
  }
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const WRITING_REASONS: Reasons = [
  [/^(EACCES|EPERM|EROFS)$/, 'this account may not write there'],
  [/^ENOTDIR$/, 'a part of its path is a file, not a directory'],
  [/^EEXIST$/, 'it was made meanwhile'],
  [/^(ENOSPC|SQLITE_FULL)$/, 'there is no space on the disk'],
  [/^SQLITE_(CORRUPT|NOTADB)$/, 'the database is damaged'],
];

function failure(message: string, cause?: unknown): AppError {
  return new AppError('internal', message, { cause });
}

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FileLock, tryFileLock } from '../../infra/store/file-lock.ts';

const NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Creates a temporary folder under `tempDir` that only this process uses, locked by a file beside `tempDir`, and
 * deletes folders whose processes have ended.
 * @throws AppError `internal`, or an error of the file system, when nothing can be created there
 */
export function claimSpoolFolder(tempDir: string) {
  mkdirSync(tempDir, { recursive: true, mode: 0o700 });
  removeLeftovers(tempDir);
  const { name, lock } = lockNewName(tempDir);
  const path = join(tempDir, name);
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    /** Deletes the folder and everything in it. Safe to call twice. */
    async remove() {
      await rm(path, { recursive: true, force: true });
      await rm(lockPath(tempDir, name), { force: true });
      lock.release();
    },
  };
}

function lockPath(tempDir: string, name: string): string {
  return `${tempDir}-${name}.lock`;
}

function lockNewName(tempDir: string): { readonly name: string; readonly lock: FileLock } {
  for (;;) {
    const name = randomUUID();
    const lock = tryFileLock(lockPath(tempDir, name));
    // Another starting process may have deleted the new lock file as a leftover. Then another name is tried.
    if (lock !== undefined && existsSync(lockPath(tempDir, name))) return { name, lock };
    lock?.release();
  }
}

function removeLeftovers(tempDir: string): void {
  const prefix = `${basename(tempDir)}-`;
  const locks = readdirSync(dirname(tempDir))
    .filter(entry => entry.startsWith(prefix) && entry.endsWith('.lock'))
    .map(entry => entry.slice(prefix.length, -'.lock'.length));
  for (const name of new Set([...readdirSync(tempDir), ...locks])) {
    if (!NAME.test(name)) continue;
    const lock = tryFileLock(lockPath(tempDir, name));
    if (lock === undefined) continue;
    rmSync(join(tempDir, name), { recursive: true, force: true });
    rmSync(lockPath(tempDir, name), { force: true });
    lock.release();
  }
}

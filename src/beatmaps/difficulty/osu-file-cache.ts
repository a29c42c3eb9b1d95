import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../infra/log.ts';

export type OsuFileCache = ReturnType<typeof createOsuFileCache>;

export interface OsuFileCacheOptions {
  /** The folder of the files; created when it is missing. */
  readonly folder: string;
  /** The most bytes of all files together. */
  readonly maxBytes: number;
  /** True while this process stores files; others that share the folder only read files. Default: it stores. */
  readonly isFiller?: () => boolean;
  readonly log: Logger;
}

const NAME = /^([0-9a-f]{32})\.osu$/;

export function checksumOf(file: Uint8Array): string {
  return createHash('md5').update(file).digest('hex');
}

/** The stored files, least recently used first, so that a cache with less space than before drops the old ones. */
async function listFiles(folder: string): Promise<readonly { readonly checksum: string; readonly size: number }[]> {
  await mkdir(folder, { recursive: true });
  const found = [];
  for (const name of await readdir(folder)) {
    const checksum = NAME.exec(name)?.[1];
    const path = join(folder, name);
    if (checksum === undefined) {
      // A draft is left when its process ended while it was writing.
      if (name.endsWith('.draft')) await rm(path, { force: true });
      continue;
    }
    const { size, mtimeMs } = await stat(path);
    found.push({ checksum, size, mtimeMs });
  }
  return found.sort((a, b) => a.mtimeMs - b.mtimeMs);
}

/** `.osu` files on the disk by MD5; files unused for longest are deleted. A broken disk counts as an empty cache. */
export function createOsuFileCache(options: OsuFileCacheOptions) {
  const { folder, maxBytes, log, isFiller = () => true } = options;
  const removals = new Set<Promise<void>>();
  const sizes = new LRUCache<string, number>({
    maxSize: maxBytes,
    sizeCalculation: bytes => Math.max(1, bytes),
    dispose: (_, checksum, reason) => {
      if (reason !== 'set') remove(checksum);
    },
  });
  let opened: Promise<void> | undefined;
  let drafts = 0;

  const pathOf = (checksum: string) => join(folder, `${checksum}.osu`);

  function complain(error: unknown, message: string): void {
    log.warn({ err: error, folder }, message);
  }

  function remove(checksum: string): void {
    const removal = rm(pathOf(checksum), { force: true })
      .catch(error => complain(error, 'a kept difficulty could not be removed'))
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  async function open(): Promise<void> {
    try {
      for (const { checksum, size } of await listFiles(folder)) sizes.set(checksum, size);
    } catch (error) {
      complain(error, 'kept difficulties cannot be listed');
    }
  }

  /** Reads a file that another process stored, and may delete at any time. */
  async function readOnly(checksum: string): Promise<Uint8Array | undefined> {
    const file = await readFile(pathOf(checksum)).catch(() => undefined);
    return file !== undefined && checksumOf(file) === checksum ? file : undefined;
  }

  return {
    /** The file; undefined if it is not stored or not complete. */
    async take(checksum: string): Promise<Uint8Array | undefined> {
      if (!isFiller()) return readOnly(checksum);
      opened ??= open();
      await opened;
      if (sizes.get(checksum) === undefined) return undefined;
      try {
        const file = await readFile(pathOf(checksum));
        if (checksumOf(file) === checksum) {
          const now = new Date();
          // A failure to store the time of use is only logged: because of it the file may be deleted too early after a
          // restart, when the stored times decide which files are deleted first.
          await utimes(pathOf(checksum), now, now).catch(error =>
            complain(error, 'the use of a kept difficulty could not be noted'),
          );
          return file;
        }
      } catch (error) {
        complain(error, 'a kept difficulty could not be read');
      }
      sizes.delete(checksum);
      return undefined;
    },
    async put(checksum: string, file: Uint8Array): Promise<void> {
      if (!isFiller()) return;
      opened ??= open();
      await opened;
      if (file.byteLength > maxBytes) return;
      drafts += 1;
      const draft = join(folder, `${process.pid}-${drafts}.draft`);
      try {
        // A file of the same name may still be in deletion, so all running deletions are waited for.
        await Promise.all(removals);
        await writeFile(draft, file);
        await rename(draft, pathOf(checksum));
        sizes.set(checksum, file.byteLength);
      } catch (error) {
        complain(error, 'a difficulty could not be kept');
      }
    },
  };
}

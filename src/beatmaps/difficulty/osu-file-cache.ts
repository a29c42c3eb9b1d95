import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../infra/log.ts';

export type OsuFileCache = ReturnType<typeof createOsuFileCache>;

export interface OsuFileCacheOptions {
  /** The folder of the files; created when it is missing. */
  readonly folder: string;
  /** The most bytes of all files. */
  readonly maxBytes: number;
  /** True while this process stores files; others that share the folder only read. Default: it stores. */
  readonly isFiller?: () => boolean;
  readonly log: Logger;
}

const NAME = /^([0-9a-f]{32})\.osu$/;

export function checksumOf(file: Uint8Array): string {
  return createHash('md5').update(file).digest('hex');
}

/** `.osu` files on the disk by MD5; the least recently used are deleted. A broken disk counts as an empty cache. */
export function createOsuFileCache({ folder, maxBytes, log, isFiller = () => true }: OsuFileCacheOptions) {
  /** The sizes of the stored files, the least recently used first. */
  const sizes = new Map<string, number>();
  let opened: Promise<unknown> | undefined;
  let drafts = 0;

  const pathOf = (checksum: string) => join(folder, `${checksum}.osu`);
  const complain = (error: unknown, message: string) => log.warn({ err: error, folder }, message);

  async function open(): Promise<void> {
    await mkdir(folder, { recursive: true });
    const found = [];
    for (const name of await readdir(folder)) {
      const checksum = NAME.exec(name)?.[1];
      // A draft is left when its process ended while it was writing.
      if (name.endsWith('.draft')) await rm(join(folder, name), { force: true });
      if (checksum !== undefined) found.push({ checksum, ...(await stat(join(folder, name))) });
    }
    for (const { checksum, size } of found.sort((a, b) => a.mtimeMs - b.mtimeMs)) sizes.set(checksum, size);
    await shrink();
  }

  const whenOpen = () => {
    opened ??= open().catch(error => complain(error, 'kept difficulties cannot be listed'));
    return opened;
  };

  /** Deletes the files that were not used for the longest time, until the others have room. */
  async function shrink(): Promise<void> {
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [checksum, size] of sizes) {
      if (bytes <= maxBytes) return;
      bytes -= size;
      await remove(checksum);
    }
  }

  async function remove(checksum: string): Promise<void> {
    sizes.delete(checksum);
    await rm(pathOf(checksum), { force: true });
  }

  /** Reads a file that another process stored, and may delete at any time. */
  async function readOnly(checksum: string): Promise<Uint8Array | undefined> {
    const file = await readFile(pathOf(checksum)).catch(() => undefined);
    return file !== undefined && checksumOf(file) === checksum ? file : undefined;
  }

  return {
    /** The file, if it is stored and complete. */
    async take(checksum: string): Promise<Uint8Array | undefined> {
      if (!isFiller()) return readOnly(checksum);
      await whenOpen();
      const size = sizes.get(checksum);
      if (size === undefined) return undefined;
      try {
        const file = await readFile(pathOf(checksum));
        if (checksumOf(file) !== checksum) return void (await remove(checksum));
        sizes.delete(checksum);
        sizes.set(checksum, size);
        const now = new Date();
        await utimes(pathOf(checksum), now, now);
        return file;
      } catch (error) {
        sizes.delete(checksum);
        complain(error, 'a kept difficulty could not be read');
        return undefined;
      }
    },
    async put(checksum: string, file: Uint8Array): Promise<void> {
      if (!isFiller() || file.byteLength > maxBytes) return;
      await whenOpen();
      drafts += 1;
      const draft = join(folder, `${process.pid}-${drafts}.draft`);
      try {
        await writeFile(draft, file);
        await rename(draft, pathOf(checksum));
        sizes.delete(checksum);
        sizes.set(checksum, file.byteLength);
        await shrink();
      } catch (error) {
        complain(error, 'a difficulty could not be kept');
      }
    },
  };
}

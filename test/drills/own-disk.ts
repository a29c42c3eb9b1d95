import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const IMAGE_BYTES = 400 * 1024 * 1024;

/** A disk in a file, with ext4 on it. */
export interface OwnDisk {
  /** Where it is mounted. */
  readonly folder: string;
  /** What is written to these of its files is refused, also where they are open already; or no longer. */
  refuseWrites(names: readonly string[], isRefused: boolean): Promise<void>;
  /** Resolves when all that was written is on the disk. */
  sync(): Promise<void>;
  /** As the system does after an error of the disk: from now on it is read-only, though files are open for writing, until it is mended. */
  turnReadOnly(): Promise<void>;
  /** When no program uses it any more: looks for damage and mounts it anew. */
  mend(): Promise<void>;
  remove(): Promise<void>;
}

/** Undefined where nothing can be mounted, or there is no ext4. */
export async function openOwnDisk(): Promise<OwnDisk | undefined> {
  const base = await mkdtemp(join(tmpdir(), 'medley-drill-disk-'));
  const [image, folder] = [join(base, 'image'), join(base, 'disk')];
  const mount = () => run('mount', ['-o', 'loop,errors=remount-ro', image, folder]);
  try {
    const file = await open(image, 'w');
    await file.truncate(IMAGE_BYTES);
    await file.close();
    await run('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
    await run('mkdir', [folder]);
    await mount();
  } catch {
    await rm(base, { recursive: true });
    return undefined;
  }
  return {
    folder,
    async refuseWrites(names, isRefused) {
      await run('chattr', [isRefused ? '+i' : '-i', ...names.map(name => join(folder, name))]);
    },
    async sync() {
      await run('sync', ['-f', folder]);
    },
    async turnReadOnly() {
      await run('mount', ['-o', 'remount,abort', folder]);
    },
    async mend() {
      await run('umount', [folder]);
      // 1: errors were found and mended.
      await run('e2fsck', ['-p', image]).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 1)) throw error;
      });
      await mount();
    },
    async remove() {
      await run('umount', ['-l', folder]);
      await rm(base, { recursive: true, force: true });
    },
  };
}

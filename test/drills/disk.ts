import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask, sample } from './bystander.ts';
import type { Drill } from './drill.ts';
import { openScene, type Scene } from './scene.ts';

const run = promisify(execFile);

/** What `/readyz` says, until it says what is waited for or eight seconds are over. */
async function readiness({ origin }: Scene, wanted: number): Promise<string> {
  for (let i = 0; i < 16; i += 1) {
    const { status, body } = await ask(`${origin}/readyz`);
    if (status === wanted) return `${status} ${body}`;
    await new Promise(resolve => setTimeout(resolve, 500));
  }
  return 'never';
}

async function post({ origin }: Scene): Promise<number> {
  const link = encodeURIComponent('https://www.instagram.com/p/DXtramshed1/');
  return (await ask(`${origin}/api/post?url=${link}`)).status;
}

async function fill(folder: string): Promise<void> {
  const file = await open(join(folder, 'filler'), 'w');
  try {
    for (let size = 1 << 20; size >= 512; size /= 2) {
      const block = Buffer.alloc(size, 1);
      try {
        for (;;) if ((await file.write(block)).bytesWritten < size) break;
      } catch {
        // Full for blocks of this size.
      }
    }
  } finally {
    await file.close();
  }
}

export const diskDrill: Drill = {
  name: 'disk',
  about: 'DATA_DIR on a file system of its own that is full, then read-only (needs the right to mount)',
  async run(say) {
    const folder = await mkdtemp(join(tmpdir(), 'medley-drill-disk-'));
    try {
      await run('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', folder]);
    } catch {
      say('skipped: nothing can be mounted here');
      await rm(folder, { recursive: true });
      return true;
    }
    let scene: Scene | undefined;
    try {
      scene = await openScene({ DATA_DIR: folder, LOG_LEVEL: 'info' });
      const results: boolean[] = [];
      const see = async (what: string, wanted: number, isIn = '') => {
        if (scene === undefined) return;
        const said = await readiness(scene, wanted);
        const status = await post(scene);
        say(`${what}: /readyz ${said}; a post by the API: ${status}`);
        results.push(said.startsWith(String(wanted)) && said.includes(isIn) && status === 200);
      };
      await see('at first', 200);
      await fill(folder);
      const { bavail, bsize } = await statfs(folder);
      await see(`full (${bavail * bsize} bytes left)`, 503, 'full');
      await rm(join(folder, 'filler'));
      await see('emptied', 200);
      // What is open for writing keeps a file system from becoming read-only, unless it is made so by force of the kernel.
      const remounted = await run('mount', ['-o', 'remount,ro', folder]).then(
        () => true,
        () => false,
      );
      if (remounted) {
        await see('read-only', 503, 'read-only');
        await run('mount', ['-o', 'remount,rw', folder]);
        await see('writable again', 200);
      } else say('read-only: skipped, as the files in use forbid it here');
      const health = await sample(5, () => ask(`${scene?.origin}/healthz`));
      return results.every(Boolean) && health.failed === 0;
    } finally {
      await scene?.close();
      await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { claimDataDir, createSoleTask, tryFileLock, waitForFileLock } from '../../../src/infra/store/file-lock.ts';

const HOLDER = fileURLToPath(new URL('lock-holder.ts', import.meta.url));

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medley-lock-'));
  path = join(folder, 'some.lock');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Another process that holds the lock, once it says so. */
async function hold(kind: 'exclusive' | 'shared' = 'exclusive'): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', HOLDER, path, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', code => reject(new Error(`ended with ${code}`)));
  });
  return child;
}

describe('a lock on a file', () => {
  it('is held by one in this process, until it is released', () => {
    const lock = tryFileLock(path);
    expect(lock).toBeDefined();
    expect(tryFileLock(path)).toBeUndefined();
    expect(tryFileLock(path, 'shared')).toBeUndefined();
    lock?.release();
    lock?.release();
    const next = tryFileLock(path);
    expect(next).toBeDefined();
    next?.release();
  });

  it('that is shared is held by many, and by none who wants it alone', () => {
    const [one, two] = [tryFileLock(path, 'shared'), tryFileLock(path, 'shared')];
    expect([one, two]).not.toContain(undefined);
    expect(tryFileLock(path)).toBeUndefined();
    one?.release();
    expect(tryFileLock(path)).toBeUndefined();
    two?.release();
    tryFileLock(path)?.release();
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'of another process is let go of by the system when that ends by %s',
    async signal => {
      const child = await hold();
      expect(tryFileLock(path)).toBeUndefined();
      const waiting = waitForFileLock(path, { waitMs: 10_000, everyMs: 10 });
      child.kill(signal);
      const lock = await waiting;
      expect(lock).toBeDefined();
      lock?.release();
    },
  );

  it('survives the collection of garbage and work on other files', async () => {
    const child = await hold();
    child.stdin?.write('collect\n');
    await new Promise(resolve => child.stdout?.once('data', resolve));
    expect(tryFileLock(path)).toBeUndefined();
  });

  it('is given up after a while, and waited for without keeping the process from other work', async () => {
    const lock = tryFileLock(path);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 10);
    const since = performance.now();
    expect(await waitForFileLock(path, { waitMs: 300 })).toBeUndefined();
    clearInterval(timer);
    expect(performance.now() - since).toBeGreaterThanOrEqual(290);
    expect(ticks).toBeGreaterThan(0);
    lock?.release();
  });

  it('says what is wrong with the file', () => {
    mkdirSync(join(folder, 'folder.lock'));
    expect(() => tryFileLock(join(folder, 'folder.lock'))).toThrow(/folder\.lock cannot be locked: /);
    writeFileSync(join(folder, 'file'), '');
    expect(() => tryFileLock(join(folder, 'file', 'x.lock'))).toThrow(/a part of its path is a file/);
  });
});

describe('DATA_DIR', () => {
  it('is for one process alone, unless all of them share it', async () => {
    const first = await claimDataDir(join(folder, 'data'), { isShared: false });
    const claim = (isShared: boolean) => claimDataDir(join(folder, 'data'), { isShared, waitMs: 0 });
    for (const isShared of [false, true])
      await expect(claim(isShared)).rejects.toThrow(/^DATA_DIR \S+ is used by another Medley process: stop that one/);
    first.release();
    const [one, two] = [await claim(true), await claim(true)];
    await expect(claim(false)).rejects.toThrow(/is used by another/);
    one.release();
    two.release();
    (await claim(false)).release();
  });

  it('is said to be unusable in one sentence', async () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of [join(folder, 'file'), join(folder, 'file', 'data')]) {
      await expect(claimDataDir(path, { isShared: false, waitMs: 0 })).rejects.toThrow(
        /^DATA_DIR \S+ cannot be used: a part of its path is a file, not a directory$/,
      );
    }
  });

  it.skipIf(!existsSync('/proc/self'))('is not tried for ever where no folder can be made', async () => {
    await expect(claimDataDir('/proc/medley/data', { isShared: false, waitMs: 0 })).rejects.toThrow(
      /^DATA_DIR \S+ cannot be used: it cannot be made; /,
    );
  });

  it('is made with the folders above it, for its owner alone', async () => {
    const dataDir = join(folder, 'a', 'b', 'c');
    (await claimDataDir(dataDir, { isShared: false, waitMs: 0 })).release();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });
});

describe('a task of one process', () => {
  it('is taken over when the process that had it has ended', async () => {
    const onFailure = (error: unknown) => {
      throw error;
    };
    const child = await hold();
    const task = createSoleTask(path, { retryMs: 20, onFailure });
    onTestFinished(() => task.close());
    expect(task.isOurs()).toBe(false);
    child.kill('SIGKILL');
    await expect.poll(() => task.isOurs()).toBe(true);
    const other = createSoleTask(path, { retryMs: 20, onFailure });
    onTestFinished(() => other.close());
    expect(other.isOurs()).toBe(false);
    task.close();
    await expect.poll(() => other.isOurs()).toBe(true);
    expect(existsSync(path)).toBe(true);
  });
});

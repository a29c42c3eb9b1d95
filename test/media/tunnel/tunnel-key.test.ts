import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadMediaKey } from '../../../src/media/tunnel/tunnel-key.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('loadMediaKey', () => {
  it('makes a key once, for this account alone', async () => {
    const folder = join(await makeFolder(), 'data');
    const key = await loadMediaKey(folder);
    expect(key).toHaveLength(32);
    expect(await loadMediaKey(folder)).toEqual(key);
    expect(await readdir(folder)).toEqual(['media.key']);
    expect((await stat(join(folder, 'media.key'))).mode & 0o777).toBe(0o600);
  });

  it('is one key for all who start at once', async () => {
    const folder = await makeFolder();
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadMediaKey(folder)));
    expect(new Set(keys.map(key => key.toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['media.key']);
  });

  it('refuses a file that holds something else, and leaves it', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'media.key'), 'short');
    await expect(loadMediaKey(folder)).rejects.toThrow('is no media key');
    expect(await readFile(join(folder, 'media.key'), 'utf8')).toBe('short');
  });
});

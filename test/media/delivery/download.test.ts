import { pbkdf2 } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createCdnDownload } from '../../../src/media/delivery/download.ts';

/** Keeps the threads busy that open files. */
const hold = () => Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 40_000, 32, 'sha256')));

it('has let go of its file when it ends, so that none comes back after it is removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medley-download-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'file');
  const url = 'https://cdn.test/a.mp4';
  const download = createCdnDownload({
    http: {
      request: () => Promise.reject(new Error('not asked')),
      stream: async () => ({
        ...{ status: 200, url, headers: { 'content-type': 'video/mp4' } },
        body: Readable.from([Buffer.from('<!doctype html>')]),
      }),
    },
    mediaHosts: ['cdn.test'],
    cdnHeaders: () => ({}),
  });
  const held = hold();
  const { signal } = new AbortController();
  const request = {
    source: 'toy',
    mime: 'video/mp4',
    maxBytes: 1_000,
    spaceBytes: 1_000,
    reserve: async () => undefined,
  };
  await expect(download({ ...request, url, path, signal })).resolves.toMatchObject({ status: 'unavailable' });
  rmSync(path, { force: true });
  await held;
  for (let count = 0; count < 8; count += 1) await stat(folder);
  expect(existsSync(path)).toBe(false);
});

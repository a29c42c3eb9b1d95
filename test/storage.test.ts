import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { openStorage } from '../src/storage.ts';
import { createRecordingLog } from './fakes/log.ts';

it('lets as many requests wait as REQUESTS_WAITING says', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'medley-storage-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const storage = await openStorage(loadConfig({ DATA_DIR: dataDir, REQUESTS_WAITING: '100' }), createRecordingLog());
  onTestFinished(() => storage.close());
  const add = (index: number) =>
    storage.queue.add({ id: `discord:${index}`, lane: `${index}`, fairBy: `${index}`, owner: '', payload: '{}' });
  for (let index = 0; index < 100; index += 1) expect(await add(index)).toMatchObject({ outcome: 'accepted' });
  expect(await add(100)).toMatchObject({ outcome: 'full', scope: 'queue' });
});

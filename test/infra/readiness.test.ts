import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createReadiness, diskCheck, MIN_FREE_BYTES, storeCheck, whyTooFull } from '../../src/infra/readiness.ts';
import { createLibsqlRecords } from '../../src/infra/store/libsql-records.ts';
import { createRecordStore } from '../../src/infra/store/records.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createRecordingLog } from '../fakes/log.ts';

describe('readiness', () => {
  it('says what begins to fail, and what works again, once', async () => {
    const log = createRecordingLog();
    let reason: string | undefined;
    const readiness = createReadiness({ log, keptMs: 0 });
    readiness.add({ name: 'queue', check: () => reason });
    expect(await readiness.report()).toEqual({ isReady: true, checks: [{ name: 'queue', reason: undefined }] });
    reason = 'It does not move.';
    for (let i = 0; i < 3; i += 1) expect((await readiness.report()).isReady).toBe(false);
    reason = undefined;
    for (let i = 0; i < 3; i += 1) expect((await readiness.report()).isReady).toBe(true);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'not ready'],
      ['info', 'ready again'],
    ]);
  });

  it('checks once for many who ask at the same time', async () => {
    let asked = 0;
    const check = () => {
      asked += 1;
      return undefined;
    };
    const readiness = createReadiness({ log: createRecordingLog(), checks: [{ name: 'store', check }] });
    await Promise.all(Array.from({ length: 50 }, () => readiness.report()));
    expect(asked).toBe(1);
  });
});

describe('the disk', () => {
  it('has to take files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'medley-ready-'));
    expect(await diskCheck(folder).check()).toBe(await diskCheck(tmpdir()).check());
    expect(await readdir(folder)).toEqual([]);
    await mkdir(join(folder, '.writable'));
    const { bavail, bsize } = await statfs(folder);
    expect(await diskCheck(folder).check()).toBe(whyTooFull(bavail * bsize) ?? 'No file can be made there (EISDIR).');
    await rm(folder, { recursive: true });
  });

  it('has to have some room', async () => {
    const { bavail, bsize } = await statfs(tmpdir());
    expect(typeof (await diskCheck(tmpdir()).check())).toBe(typeof whyTooFull(bavail * bsize));
    expect(whyTooFull(MIN_FREE_BYTES)).toBeUndefined();
    expect(whyTooFull(MIN_FREE_BYTES - 1)).toBe('Only 199 MB of 200 are free.');
  });
});

describe('the store', () => {
  it('has to take a record, and says why it does not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'medley-ready-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const store = openStore(join(folder, 'medley.db'));
    const check = storeCheck(createRecordStore(createLibsqlRecords(store)));
    expect(await check.check()).toBeUndefined();
    store.run('PRAGMA query_only = ON');
    expect(await check.check()).toBe('It cannot be written: it is read-only.');
    store.run('PRAGMA query_only = OFF');
    expect(await check.check()).toBeUndefined();
    const write = () => Promise.reject(new Error('Redis refuses: OOM command not allowed'));
    const full = storeCheck(createRecordStore({ ...createLibsqlRecords(store), write }));
    expect(await full.check()).toBe('It cannot be written: Redis is full.');
    store.close();
    expect(await check.check()).toBe('It cannot be written.');
  });
});

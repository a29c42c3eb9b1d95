import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Logger } from '../../../src/infra/log.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import {
  createSentFiles,
  type SentFile,
  type SentFileKey,
  type SentFiles,
  type SentFilesOptions,
} from '../../../src/media/delivery/sent-files.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';

let folder: string;
let store: Store;
let failures: unknown[];

beforeEach(() => {
  failures = [];
  folder = mkdtempSync(join(tmpdir(), 'medley-sent-files-'));
  store = openStore(join(folder, 'medley.db'));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const KEY: SentFileKey = { holder: 'telegram:77', source: 'instagram', postId: 'C9Reef', index: 0, form: 'original' };
const FILE: SentFile = { variantKey: '720x1280-abc', fileId: 'BAACAgQAAx0', kind: 'video' };
const DAY = 24 * 3_600_000;

interface OpenOptions extends Pick<SentFilesOptions, 'maxFiles'> {
  readonly now?: () => number;
  readonly log?: Logger;
}

function open({ now, log, ...options }: OpenOptions = {}): SentFiles {
  const records = embeddedRecords(store, now, log);
  return createSentFiles({ records, onFailure: error => failures.push(error), ...options });
}

describe('sent files', () => {
  it('are remembered through a restart, by holder, post, item and form', async () => {
    await open().put(KEY, FILE);
    store.close();
    store = openStore(join(folder, 'medley.db'));
    const files = open();
    expect(await files.get(KEY)).toEqual(FILE);
    const others: Partial<SentFileKey>[] = [
      { holder: 'telegram:78' },
      { source: 'facebook' },
      { postId: 'C9reef' },
      { index: 1 },
      { form: 'audio' },
    ];
    for (const other of others) expect(await files.get({ ...KEY, ...other })).toBeUndefined();
  });

  it('are replaced by a newer one, and forgotten when the platform refused them', async () => {
    const files = open();
    await files.put(KEY, FILE);
    const newer = { variantKey: '360x640-def', fileId: 'new', kind: 'document' };
    await files.put(KEY, newer);
    expect(await files.get(KEY)).toEqual(newer);
    await files.delete(KEY);
    expect(await files.get(KEY)).toBeUndefined();
  });

  it('are bounded: those not used for the longest time go', async () => {
    let now = 0;
    const files = open({ now: () => now, maxFiles: 100 });
    const key = (n: number): SentFileKey => ({ ...KEY, postId: `post${n}` });
    const putMany = async (from: number, to: number, at: number) => {
      for (let n = from; n < to; n += 1) {
        now = at + n;
        await files.put(key(n), FILE);
      }
    };
    await putMany(0, 450, 0);
    now = DAY + 100;
    expect(await files.get(key(3))).toEqual(FILE);
    await putMany(450, 520, DAY);
    const rows = store.get('SELECT count(*) AS n FROM records', [], z.object({ n: z.number() }))?.n ?? 0;
    expect(rows).toBeLessThanOrEqual(150);
    expect(await files.get(key(3))).toEqual(FILE);
    expect(await files.get(key(4))).toBeUndefined();
    expect(await files.get(key(519))).toEqual(FILE);
    expect(failures).toEqual([]);
  });

  it('are unknown while the store cannot be read, which is reported and stops nothing', async () => {
    const files = open();
    await files.put(KEY, FILE);
    store.close();
    expect(await files.get(KEY)).toBeUndefined();
    await files.put(KEY, FILE);
    await files.delete(KEY);
    expect(failures).toHaveLength(3);
  });

  it('are known while the store can only be read, although the time of their use is not written', async () => {
    const log = createRecordingLog();
    const files = open({ log });
    await files.put(KEY, FILE);
    store.run('PRAGMA query_only = 1');
    expect(await files.get(KEY)).toEqual(FILE);
    expect(log.at().map(({ message }) => message)).toEqual(['a record could not be renewed']);
    expect(failures).toEqual([]);
  });
});

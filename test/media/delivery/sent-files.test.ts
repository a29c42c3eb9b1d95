import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { createSentFiles, type SentFile, type SentFileKey } from '../../../src/media/delivery/sent-files.ts';

let folder: string;
let store: Store;

beforeEach(() => {
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

describe('sent files', () => {
  it('are remembered through a restart, by holder, post, item and form', () => {
    createSentFiles(store).put(KEY, FILE);
    store.close();
    store = openStore(join(folder, 'medley.db'));
    const files = createSentFiles(store);
    expect(files.get(KEY)).toEqual(FILE);
    const others: Partial<SentFileKey>[] = [
      { holder: 'telegram:78' },
      { source: 'facebook' },
      { postId: 'C9reef' },
      { index: 1 },
      { form: 'audio' },
    ];
    for (const other of others) expect(files.get({ ...KEY, ...other })).toBeUndefined();
  });

  it('are replaced by a newer one, and forgotten when the platform refused them', () => {
    const files = createSentFiles(store);
    files.put(KEY, FILE);
    const newer = { variantKey: '360x640-def', fileId: 'new', kind: 'document' };
    files.put(KEY, newer);
    expect(files.get(KEY)).toEqual(newer);
    files.delete(KEY);
    expect(files.get(KEY)).toBeUndefined();
  });

  it('are bounded: those not used for the longest time go', () => {
    let now = 0;
    const files = createSentFiles(store, { now: () => now, maxRows: 100 });
    const key = (n: number): SentFileKey => ({ ...KEY, postId: `post${n}` });
    const putMany = (from: number, to: number, at: number) => {
      for (let n = from; n < to; n += 1) {
        now = at + n;
        files.put(key(n), FILE);
      }
    };
    putMany(0, 450, 0);
    now = DAY + 100;
    expect(files.get(key(3))).toEqual(FILE);
    putMany(450, 520, DAY);
    const rows = store.get('SELECT count(*) AS n FROM sent_files', [], z.object({ n: z.number() }))?.n ?? 0;
    expect(rows).toBeLessThanOrEqual(150);
    expect(files.get(key(3))).toEqual(FILE);
    expect(files.get(key(4))).toBeUndefined();
    expect(files.get(key(519))).toEqual(FILE);
  });
});

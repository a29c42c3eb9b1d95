import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { CHAT_DEFAULTS } from '../../src/bot/contract/settings.ts';
import { createSettingsStore } from '../../src/bot/stores/settings-store.ts';
import { openStore, type Store } from '../../src/infra/store/store.ts';
import { embeddedRecords } from '../records.ts';
import { runEntry } from './entry.ts';
import { startProgram } from './program.ts';

let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medley-backup-'));
  // Registered first, so the last to be done: what a test has started writes to the folder until it has ended.
  onTestFinished(() => rmSync(folder, { recursive: true }));
  dataDir = join(folder, 'data');
});

const backup = (...args: readonly string[]) => runEntry('backup', args, { DATA_DIR: dataDir });
const Row = z.object({ id: z.number(), text: z.string() });
const rowsOf = (store: Store, table: string) => store.all(`SELECT id, text FROM ${table} ORDER BY id`, [], Row);

/** Writes two tables as one, again and again, until it is asked to stop. */
function writeOn(store: Store): { stop(): Promise<number> } {
  let count = 0;
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      store.transaction(() => {
        for (const table of ['one', 'two']) {
          store.run(`INSERT INTO ${table} (id, text) VALUES (?, ?)`, [count, `text ${count} ${'x'.repeat(2_000)}`]);
        }
      });
      store.run('UPDATE counter SET n = ?', [count]);
      count += 1;
      if (count % 20 === 0) await new Promise(resolve => setImmediate(resolve));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await running;
      return count;
    },
  };
}

describe('npm run backup', () => {
  it('copies a database that is written to meanwhile, as it was at one moment', async () => {
    const store = openStore(join(dataDir, 'medley.db'));
    onTestFinished(() => store.close());
    store.migrate('load', [
      'CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT)',
      'CREATE TABLE two (id INTEGER PRIMARY KEY, text TEXT)',
      'CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (-1)',
    ]);
    const load = writeOn(store);
    await new Promise(resolve => setTimeout(resolve, 300));
    const before = rowsOf(store, 'one').length;
    const target = join(folder, 'copy.db');
    const ended = await backup(target);
    const after = await load.stop();
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^Copied \S+ to \S+copy\.db \(\d+\.\d MiB\)\.\n$/);
    expect(statSync(target).mode & 0o077).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['copy.db', 'data']);

    const restored = openStore(target);
    onTestFinished(() => restored.close());
    const [one, two] = [rowsOf(restored, 'one'), rowsOf(restored, 'two')];
    expect(one).toEqual(two);
    expect(one.length).toBeGreaterThanOrEqual(before);
    expect(one.length).toBeLessThan(after);
    expect(one).toEqual(rowsOf(store, 'one').slice(0, one.length));
    const n = restored.get('SELECT n FROM counter', [], z.object({ n: z.number() }))?.n ?? 0;
    expect([one.length - 1, one.length - 2]).toContain(n);
    const check = z.object({ integrity_check: z.string() });
    expect(restored.all('PRAGMA integrity_check', [], check)).toEqual([{ integrity_check: 'ok' }]);
  });

  it('copies the database of a running Medley, which starts again from the copy with the same settings', async () => {
    const store = openStore(join(dataDir, 'medley.db'));
    await createSettingsStore({ records: embeddedRecords(store) }).setChat('telegram:-1', { captions: false });
    store.close();
    const running = await startProgram({ DATA_DIR: dataDir });
    onTestFinished(() => running.kill());
    await running.ready;
    mkdirSync(join(folder, 'restored'));
    expect((await backup(join(folder, 'restored', 'medley.db'))).code).toBe(0);
    const again = await startProgram({ DATA_DIR: join(folder, 'restored') });
    onTestFinished(() => again.kill());
    expect((await fetch(`${await again.ready}healthz`)).status).toBe(200);
    again.child.kill('SIGTERM');
    expect(await again.ended).toBe(0);
    const restored = openStore(join(folder, 'restored', 'medley.db'));
    onTestFinished(() => restored.close());
    const settings = createSettingsStore({ records: embeddedRecords(restored) });
    expect(await settings.chat('telegram:-1')).toEqual({ ...CHAT_DEFAULTS, captions: false });
  });

  it('says in one sentence what is amiss, and overwrites nothing', async () => {
    const fails = async (args: readonly string[], sentence: RegExp) => {
      const ended = await backup(...args);
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(sentence);
      expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    };
    const target = join(folder, 'copy.db');
    await fails([target], /^No backup was made: there is nothing to back up: \S+ does not exist\.$/m);
    openStore(join(dataDir, 'medley.db')).close();
    await fails([], /^Name one file: npm run backup -- FILE$/m);
    await fails(['--help'], /^Name one file: npm run backup -- FILE$/m);
    writeFileSync(target, 'mine');
    await fails([target], /copy\.db exists already: name a file that does not\.$/m);
    expect(statSync(target).size).toBe(4);
    await fails([join(folder, 'none', 'copy.db')], /none does not exist: make it first\.$/m);
    await fails([join(target, 'copy.db')], /a part of its path is a file/);
    rmSync(join(dataDir, 'medley.db'));
    writeFileSync(join(dataDir, 'medley.db'), 'no database '.repeat(1_000));
    await fails([join(folder, 'other.db')], /medley\.db cannot be read: it is no database or a damaged one/);
    expect(readdirSync(folder).sort()).toEqual(['copy.db', 'data']);
  });
});

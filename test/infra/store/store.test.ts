import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/errors.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';

const Count = z.object({ n: z.number() });
const Note = z.object({ id: z.number(), text: z.string() });
const NOTES = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT'];

let directory: string;
let open: Store[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'medley-store-'));
  open = [];
});

afterEach(() => {
  for (const store of open) store.close();
  rmSync(directory, { recursive: true, force: true });
});

function openTracked(path = ':memory:'): Store {
  const store = openStore(path);
  open.push(store);
  return store;
}

function openNotes(path?: string): Store {
  const store = openTracked(path);
  store.migrate('notes', NOTES);
  return store;
}

const count = (store: Store) => store.get('SELECT count(*) AS n FROM notes', [], Count)?.n;
const add = (store: Store, text: string) => store.run('INSERT INTO notes (text) VALUES (?)', [text]);

describe('reading and writing', () => {
  it('leaves nothing in the file of what was deleted, cleared or replaced', () => {
    const path = join(directory, 'medley.db');
    const store = openNotes(path);
    for (let index = 0; index < 40; index += 1) add(store, `words of somebody ${index} ${'-'.repeat(900)}`);
    store.run("UPDATE notes SET text = 'done' WHERE id = 1");
    store.run('DELETE FROM notes WHERE id > 1');
    expect(count(store)).toBe(1);
    store.close();
    expect(readFileSync(path, 'latin1')).not.toContain('words of somebody');
  });

  it('runs, gets and lists with parameters by position and by name', () => {
    const store = openNotes();
    expect(add(store, 'one')).toEqual({ changes: 1 });
    store.run('INSERT INTO notes (text) VALUES (:text)', { text: 'two' });
    expect(store.get('SELECT * FROM notes WHERE text = :text', { text: 'two' }, Note)).toEqual({ id: 2, text: 'two' });
    expect(store.get('SELECT * FROM notes WHERE id = ?', [3], Note)).toBeUndefined();
    expect(store.all('SELECT * FROM notes ORDER BY id DESC', [], Note)).toEqual([
      { id: 2, text: 'two' },
      { id: 1, text: 'one' },
    ]);
    expect(store.run('DELETE FROM notes').changes).toBe(2);
  });

  it('gives rows exactly, single and in lists, strict schemas included', () => {
    const store = openTracked();
    const sql = 'SELECT ? AS blob, ? AS absent, ? AS real';
    const row = z.strictObject({ blob: z.instanceof(Buffer), absent: z.null(), real: z.number() });
    const params = [new Uint8Array([1, 2]), null, 1.5];
    const expected = { blob: Buffer.from([1, 2]), absent: null, real: 1.5 };
    expect(store.get(sql, params, row)).toEqual(expected);
    expect(store.all(sql, params, row)).toEqual([expected]);
  });

  it('keeps values as they are, whole numbers as integers', () => {
    const store = openTracked();
    store.migrate('values', ['CREATE TABLE kept (value ANY, text TEXT) STRICT']);
    const values = fc.oneof(
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string().filter(s => !s.includes('\0')),
    );
    fc.assert(
      fc.property(values, value => {
        store.run('DELETE FROM kept');
        store.run('INSERT INTO kept VALUES (?, ?)', [value, value]);
        const row = z.object({ value: z.union([z.number(), z.string()]), type: z.string(), text: z.string() });
        const kept = store.get('SELECT value, typeof(value) AS type, text FROM kept', [], row);
        expect(kept?.value === value).toBe(true);
        if (Number.isSafeInteger(value)) expect(kept).toMatchObject({ type: 'integer', text: String(Number(value)) });
      }),
    );
  });

  it('refuses what a column cannot hold instead of ending the process', () => {
    const store = openTracked();
    for (const value of [true, undefined, Number.NaN, Number.POSITIVE_INFINITY, new Date(), {}, () => 1]) {
      const params: never[] = JSON.parse('[]');
      Array.prototype.push.call(params, value);
      expect(() => store.get('SELECT ? AS n', params, Count)).toThrow(/cannot be stored/);
    }
  });

  it('says which statement failed, with the cause', () => {
    const store = openNotes();
    add(store, 'same');
    expect(() => add(store, 'same')).toThrow(AppError);
    expect(() => add(store, 'same')).toThrow(/INSERT INTO notes.*UNIQUE constraint failed/);
    expect(() => store.run('bogus')).toThrow(/syntax error/);
    expect(() => store.all('SELECT text AS n FROM notes', [], Count)).toThrow(AppError);
    expect(add(store, 'other').changes).toBe(1);
  });

  it('enforces foreign keys', () => {
    const store = openTracked();
    store.migrate('keys', ['CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id))']);
    expect(() => store.run('INSERT INTO b VALUES (1)')).toThrow(/FOREIGN KEY/);
  });
});

describe('a change that fails only at its end', () => {
  const LINKS = `CREATE TABLE links (note INTEGER REFERENCES notes DEFERRABLE INITIALLY DEFERRED) STRICT`;

  it.each(['all', 'get'] as const)('is no success of %s, although its row came before', read => {
    const store = openNotes();
    store.migrate('links', [LINKS]);
    add(store, 'one');
    store.run('INSERT INTO links VALUES (1)');
    const change = () => store[read]('UPDATE links SET note = 9 RETURNING note AS n', [], Count);
    expect(change).toThrow(/FOREIGN KEY/);
    expect(store.get('SELECT note AS n FROM links', [], Count)).toEqual({ n: 1 });
  });
});

describe('transactions', () => {
  it('keep all or nothing', () => {
    const store = openNotes();
    const failing = () =>
      store.transaction(() => {
        add(store, 'one');
        throw new Error('changed my mind');
      });
    expect(failing).toThrow('changed my mind');
    expect(count(store)).toBe(0);
    expect(store.transaction(() => add(store, 'two').changes)).toBe(1);
    expect(count(store)).toBe(1);
  });

  it('nest: the inner one can fail alone', () => {
    const store = openNotes();
    store.transaction(() => {
      add(store, 'outer');
      expect(() =>
        store.transaction(() => {
          add(store, 'inner');
          add(store, 'outer');
        }),
      ).toThrow(/UNIQUE/);
      store.transaction(() => add(store, 'second inner'));
    });
    expect(store.all('SELECT * FROM notes ORDER BY id', [], Note).map(note => note.text)).toEqual([
      'outer',
      'second inner',
    ]);
  });

  it('refuse work that waits', () => {
    const store = openNotes();
    expect(() => store.transaction(async () => add(store, 'later'))).toThrow(/promise/);
    expect(count(store)).toBe(0);
  });
});

describe('migrations', () => {
  it('are applied once, in order, and grow', () => {
    const path = join(directory, 'grow.db');
    const first = openTracked(path);
    first.migrate('notes', NOTES);
    first.migrate('notes', NOTES);
    add(first, 'kept');
    first.close();
    const second = openTracked(path);
    second.migrate('notes', [...NOTES, "ALTER TABLE notes ADD COLUMN lang TEXT; UPDATE notes SET lang = 'en'"]);
    const row = z.object({ text: z.string(), lang: z.string() });
    expect(second.get('SELECT text, lang FROM notes', [], row)).toEqual({ text: 'kept', lang: 'en' });
  });

  it('belong to their room', () => {
    const store = openNotes();
    store.migrate('settings', ['CREATE TABLE settings (key TEXT)']);
    expect(store.run('INSERT INTO settings VALUES (?)', ['a']).changes).toBe(1);
  });

  it('leave nothing behind when a step fails, and can be repaired', () => {
    const store = openTracked();
    expect(() => store.migrate('notes', [...NOTES, 'CREATE TABLE other (a); bogus'])).toThrow(/syntax error/);
    expect(() => count(store)).toThrow(/no such table/);
    store.migrate('notes', [...NOTES, 'CREATE TABLE other (a)']);
    expect(count(store)).toBe(0);
  });

  it('refuse an edited step and a store from the future', () => {
    const store = openNotes();
    expect(() => store.migrate('notes', ['CREATE TABLE notes (id)'])).toThrow(/step 0 of notes was changed/);
    expect(() => store.migrate('notes', [])).toThrow(/newer version/);
  });
});

describe('files', () => {
  it('are made with their directories, for the owner alone, and survive a restart', () => {
    const path = join(directory, 'a', 'b', 'medley.db');
    const store = openNotes(path);
    add(store, 'durable');
    store.close();
    store.close();
    expect(statSync(join(directory, 'a', 'b')).mode & 0o077).toBe(0);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(count(openNotes(path))).toBe(1);
  });

  it('use a write-ahead log, so that a second opener can read meanwhile', () => {
    const path = join(directory, 'shared.db');
    const writer = openNotes(path);
    const reader = openNotes(path);
    writer.transaction(() => {
      add(writer, 'unfinished');
      expect(count(reader)).toBe(0);
    });
    expect(count(reader)).toBe(1);
  });

  it('that are closed say so', () => {
    const store = openNotes(join(directory, 'closed.db'));
    add(store, 'before');
    store.close();
    expect(() => add(store, 'after')).toThrow('the store is closed');
    expect(() => store.transaction(() => 1)).toThrow('the store is closed');
  });

  it('that cannot be opened are named with what is wrong', () => {
    const damaged = join(directory, 'damaged.db');
    writeFileSync(damaged, 'surely no database '.repeat(500));
    expect(() => openStore(damaged)).toThrow(/damaged\.db cannot be opened: it is no database or a damaged one/);
    mkdirSync(join(directory, 'folder.db'));
    expect(() => openStore(join(directory, 'folder.db'))).toThrow(/it is a directory/);
    expect(() => openStore(join(damaged, 'x.db'))).toThrow(/is a file, not a directory/);
  });
});

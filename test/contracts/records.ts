import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { RecordStore } from '../../src/infra/store/records.ts';

export interface RecordsUnderTest {
  readonly records: RecordStore;
  /** Puts a text where that record's value is. */
  poison(collection: string, key: string, text: string): Promise<void>;
  /** Lets what is stored age; the clock of the process is moved already. */
  age(ms: number): Promise<void>;
  close(): Promise<void>;
}

const Note = z.object({ text: z.string(), stars: z.number().nullable() });
const note = (text: string, stars: number | null = null) => ({ text, stars });
/** Of a clock that stands still but for `pass`. */
const TTL_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** What every RecordStore promises; each test gets an empty one. */
export function recordsContract(name: string, open: () => Promise<RecordsUnderTest>): void {
  let under: RecordsUnderTest;

  async function opened(): Promise<RecordsUnderTest> {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    under = await open();
    onTestFinished(() => under.close());
    return under;
  }

  async function pass(ms: number): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    await under.age(ms);
  }

  for (const maxInMemory of [undefined, 2]) {
    const options = { name: 'notes', schema: Note, ...(maxInMemory === undefined ? {} : { maxInMemory }) };
    const where = maxInMemory === undefined ? '' : ' that holds some in memory';

    describe(`a collection of ${name}${where}`, () => {
      const collection = async () => (await opened()).records.collection(options);

      it('has nothing under a key until it is set, replaced, deleted', async () => {
        const notes = await collection();
        expect(await notes.get('a')).toBeUndefined();
        await notes.set('a', note('one', 5));
        expect(await notes.get('a')).toEqual(note('one', 5));
        await notes.set('a', note('two'));
        expect(await notes.get('a')).toEqual(note('two'));
        expect(await notes.get('A')).toBeUndefined();
        await notes.delete('a');
        await notes.delete('a');
        expect(await notes.get('a')).toBeUndefined();
      });

      it('keeps texts and keys of every kind', async () => {
        const notes = await collection();
        const keys = ['', 'telegram:-100', 'ünï\u0001 \n"', 'x'.repeat(3_000), '*', 'a:b', 'a'];
        for (const key of keys) await notes.set(key, note(`of ${key}`));
        for (const key of keys) expect(await notes.get(key)).toEqual(note(`of ${key}`));
      });

      it('ends a record at a moment, unless it is made to stay or set again', async () => {
        const notes = await collection();
        for (const key of ['ends', 'stays', 'set']) await notes.set(key, note(key));
        const at = Date.now() + TTL_MS;
        for (const key of ['ends', 'stays', 'set', 'absent']) await notes.expire(key, at);
        await notes.expire('stays', null);
        await notes.set('set', note('again'));
        expect(await notes.get('absent')).toBeUndefined();
        await pass(TTL_MS + 20);
        const fresh = [await notes.get('stays'), await notes.get('set'), await notes.get('ends')];
        expect(fresh).toEqual([note('stays'), note('again'), undefined]);
      });

      it('moves a record, once, and never over one that is there', async () => {
        const notes = await collection();
        await notes.get('new');
        await notes.set('old', note('moved'));
        await notes.expire('old', Date.now() + TTL_MS);
        await notes.move('old', 'new');
        await notes.move('old', 'new');
        await notes.move('new', 'new');
        expect([await notes.get('old'), await notes.get('new')]).toEqual([undefined, note('moved')]);
        await notes.set('other', note('late'));
        await notes.move('other', 'new');
        expect([await notes.get('other'), await notes.get('new')]).toEqual([undefined, note('moved')]);
        await pass(TTL_MS + 20);
        expect(await notes.get('new')).toEqual(note('moved'));
      });

      it('that moves nothing leaves the end of the record that is there as it was', async () => {
        const notes = await collection();
        await notes.set('new', note('there'));
        await notes.expire('new', Date.now() + TTL_MS);
        await notes.move('absent', 'new');
        await notes.set('old', note('late'));
        await notes.move('old', 'new');
        await pass(TTL_MS + 20);
        expect(await notes.get('new')).toBeUndefined();
      });

      it('drops what was tampered with instead of giving it out', async () => {
        const under = await opened();
        const notes = under.records.collection(options);
        for (const text of ['{"text":7,"stars":null}', '{"text":"x"}', 'no JSON', '', 'null', '"text"']) {
          await notes.set('a', note('right'));
          await under.poison('notes', 'a', text);
          expect(await notes.get('a'), text).toBeUndefined();
        }
      });
    });
  }

  describe(`collections of ${name}`, () => {
    it('never meet', async () => {
      const { records } = await opened();
      const one = records.collection({ name: 'one', schema: Note });
      const two = records.collection({ name: 'two', schema: Note });
      await one.set('key', note('one'));
      expect(await two.get('key')).toBeUndefined();
      await two.delete('key');
      expect(await one.get('key')).toEqual(note('one'));
    });

    it('let records go when their time is over, counted from the last time they were set', async () => {
      const notes = (await opened()).records.collection({ name: 'short', schema: Note, ttlMs: TTL_MS, maxRecords: 10 });
      await notes.set('a', note('a'));
      await notes.set('b', note('b'));
      await pass(TTL_MS / 2);
      await notes.set('b', note('b'));
      await pass(TTL_MS / 2 + 20);
      expect([await notes.get('a'), await notes.get('b')]).toEqual([undefined, note('b')]);
    });

    it('let records that are renewed by reading go when they were not read for that time', async () => {
      const ttlMs = 3 * DAY_MS;
      const options = { name: 'read', schema: Note, ttlMs, maxRecords: 10, maxInMemory: 2, isRenewedByReading: true };
      const notes = (await opened()).records.collection(options);
      for (const key of ['read', 'unread']) await notes.set(key, note(key));
      for (const read of [1, 2, 3]) {
        await pass(2 * DAY_MS);
        expect(await notes.get('read'), `${read}`).toEqual(note('read'));
      }
      expect(await notes.get('unread')).toBeUndefined();
      // The clock of a real Redis stays where it was, so there the record lives for the days that have passed as well.
      await pass(ttlMs + 6 * DAY_MS + 20);
      expect(await notes.get('read')).toBeUndefined();
    });

    it('are bounded: those that were set first make room, but for one that was renewed since', async () => {
      const options = { name: 'renewed', schema: Note, ttlMs: TTL_MS, maxRecords: 2 };
      const notes = (await opened()).records.collection(options);
      for (const key of ['a', 'b']) {
        await notes.set(key, note(key));
        await pass(5);
      }
      await notes.expire('a', Date.now() + TTL_MS);
      // The first write and every 500th after it count them.
      for (let write = 0; write < 499; write += 1) await notes.set('c', note('c'));
      expect([await notes.get('a'), await notes.get('b')]).toEqual([note('a'), undefined]);
    });

    it('are bounded: those that were set or read first make room, where reading renews', async () => {
      const options = { name: 'used', schema: Note, maxRecords: 2, isRenewedByReading: true };
      const notes = (await opened()).records.collection(options);
      for (const key of ['a', 'b']) {
        await notes.set(key, note(key));
        await pass(5);
      }
      expect(await notes.get('a')).toEqual(note('a'));
      // The first write and every 500th after it count them.
      for (let write = 0; write < 499; write += 1) await notes.set('c', note('c'));
      expect([await notes.get('a'), await notes.get('b')]).toEqual([note('a'), undefined]);
    });

    it('are bounded: those that were set first make room', async () => {
      const notes = (await opened()).records.collection({ name: 'bounded', schema: Note, maxRecords: 100 });
      for (let place = 0; place < 901; place += 1) await notes.set(`old ${place}`, note('old'));
      await pass(5);
      const keys = Array.from({ length: 100 }, (_, place) => `new ${place}`);
      // The first write and every 500th after it count them.
      for (const key of keys) await notes.set(key, note(key));
      expect(await Promise.all(keys.map(key => notes.get(key)))).toEqual(keys.map(key => note(key)));
      const old = await Promise.all(Array.from({ length: 901 }, (_, place) => notes.get(`old ${place}`)));
      expect(old.every(each => each === undefined)).toBe(true);
    });
  });

  describe(`groups of ${name}`, () => {
    const options = { name: 'grouped', schema: Note, ttlMs: TTL_MS, maxRecords: 10_000 };

    it('list their records, the newest first, and are deleted as a whole', async () => {
      const notes = (await opened()).records.groupedCollection(options);
      for (const key of ['1', '2', '3']) {
        await notes.set(`sari ${key}`, note(key), 'sari');
        await pass(2);
      }
      await notes.set('budi 1', note('his'), 'budi');
      await notes.set('none', note('none'), null);
      expect(await notes.listGroup('sari')).toEqual([note('3'), note('2'), note('1')]);
      expect(await notes.listGroup('wati')).toEqual([]);
      await notes.deleteGroup('sari');
      await notes.deleteGroup('wati');
      expect(await notes.listGroup('sari')).toEqual([]);
      expect(await notes.get('sari 1')).toBeUndefined();
      expect([await notes.get('budi 1'), await notes.get('none')]).toEqual([note('his'), note('none')]);
    });

    it('lose a record that is deleted by itself', async () => {
      const notes = (await opened()).records.groupedCollection(options);
      await notes.set('a', note('a'), 'sari');
      await pass(2);
      await notes.set('b', note('b'), 'sari');
      await notes.delete('a', 'sari');
      await notes.delete('a', 'sari');
      expect(await notes.get('a')).toBeUndefined();
      expect(await notes.listGroup('sari')).toEqual([note('b')]);
    });

    it('of any size are deleted whole', async () => {
      const notes = (await opened()).records.groupedCollection({ ...options, ttlMs: 60_000 });
      await Promise.all(Array.from({ length: 2_500 }, (_, place) => notes.set(`${place}`, note('x'), 'sari')));
      expect(await notes.listGroup('sari')).toHaveLength(2_500);
      await notes.deleteGroup('sari');
      expect(await notes.listGroup('sari')).toEqual([]);
      expect(await notes.get('1234')).toBeUndefined();
    });

    it('lose the records whose time is over, and keep the others', async () => {
      const notes = (await opened()).records.groupedCollection(options);
      await notes.set('a', note('a'), 'sari');
      await pass(TTL_MS / 2);
      await notes.set('b', note('b'), 'sari');
      await pass(TTL_MS / 2 + 20);
      expect(await notes.listGroup('sari')).toEqual([note('b')]);
      await pass(TTL_MS);
      expect(await notes.listGroup('sari')).toEqual([]);
    });

    it('leave out what was tampered with', async () => {
      const under = await opened();
      const notes = under.records.groupedCollection(options);
      await notes.set('a', note('a'), 'sari');
      await pass(2);
      await notes.set('b', note('b'), 'sari');
      await under.poison('grouped', 'a', '[]');
      expect(await notes.listGroup('sari')).toEqual([note('b')]);
    });
  });
}

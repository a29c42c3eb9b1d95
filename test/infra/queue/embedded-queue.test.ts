import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/errors.ts';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import type { Claim, Handler, Queue, QueueEntry, QueueLimits, Verdict } from '../../../src/infra/queue/queue.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { queueContract } from '../../contracts/queue.ts';
import { createRecordingLog } from '../../fakes/log.ts';

const Row = z.record(z.string(), z.unknown());

function dumpOf(store: Store): string {
  return JSON.stringify(store.all('SELECT * FROM queue', [], Row));
}

queueContract('an embedded queue', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medley-queue-'));
  const stores: Store[] = [];
  const openFile = () => {
    const store = openStore(join(folder, 'medley.db'));
    stores.push(store);
    return store;
  };
  return {
    isShared: false,
    worker: ['file', join(folder, 'medley.db')],
    open: async limits => createEmbeddedQueue({ store: openFile(), log: createRecordingLog(), limits }),
    dump: async () => dumpOf(openFile()),
    async close() {
      for (const store of stores) store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

/** The steps by which 0.2.0 made its table. */
const STEPS_OF_0_2_0 = [
  `CREATE TABLE queue (
    id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, chat TEXT NOT NULL, owner TEXT NOT NULL, payload TEXT NOT NULL,
    at_once INTEGER NOT NULL, turn INTEGER NOT NULL, at INTEGER NOT NULL, due INTEGER NOT NULL,
    holder TEXT NOT NULL, lease INTEGER NOT NULL, lapses INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX queue_waiting ON queue (turn) WHERE state = 'waiting'`,
  `CREATE INDEX queue_delayed ON queue (due) WHERE state = 'delayed'`,
  `CREATE INDEX queue_by_chat ON queue (chat, turn) WHERE state <> 'done'`,
  `CREATE INDEX queue_unfinished ON queue (at) WHERE state <> 'done'`,
  `CREATE INDEX queue_done ON queue (at) WHERE state = 'done'`,
];

describe('an embedded queue over what 0.2.0 left', () => {
  it('goes on where that stopped', async () => {
    const store = openStore(':memory:');
    onTestFinished(() => store.close());
    store.migrate('queue', STEPS_OF_0_2_0);
    const at = Date.now();
    for (const [id, state, chat, turn] of [
      ['held', 'claimed', 'discord:1', 0],
      ['next', 'waiting', 'discord:1', 1],
      ['done', 'done', '', 0],
    ] as const) {
      const sql = `INSERT INTO queue VALUES (?, ?, ?, 'sari', ?, 1, ?, ?, 0, '', 0, 0)`;
      store.run(sql, [id, state, chat, `payload of ${id}`, turn, at]);
    }
    const queue = createEmbeddedQueue({ store, log: createRecordingLog() });
    onTestFinished(() => queue.close());
    const place = { lane: 'discord:1', fairBy: 'discord:1', owner: 'sari', payload: 'payload of new' };
    expect(await queue.add({ ...place, id: 'new' })).toEqual({ outcome: 'accepted', ahead: 2 });
    expect(await queue.add({ ...place, id: 'done' })).toEqual({ outcome: 'known' });
    const seen: (readonly [string, string])[] = [];
    queue.work(
      async ({ lane, payload }) => {
        seen.push([lane, payload]);
        return { done: true };
      },
      { concurrency: 4 },
    );
    await expect.poll(() => seen).toEqual(['held', 'next', 'new'].map(id => ['discord:1', `payload of ${id}`]));
  });
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('an embedded queue in time', () => {
  let store: Store;
  let now: number;
  let queue: Queue;
  let log: ReturnType<typeof createRecordingLog>;

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    store = openStore(':memory:');
    now = 0;
    log = createRecordingLog();
    queue = open();
  });

  afterEach(async () => {
    await queue.close();
    store.close();
    vi.useRealTimers();
  });

  function open(limits: Partial<QueueLimits> = {}, over = store): Queue {
    return createEmbeddedQueue({ store: over, log, limits, now: () => now + Date.now() });
  }

  const entry = (id: string): QueueEntry => ({ id, lane: 'square', fairBy: 'square', owner: 'sari', payload: 'x' });
  const rows = () => store.all('SELECT id, state FROM queue ORDER BY rowid', [], Row);
  const finish = async () => {
    queue.work(async () => ({ done: true }), { concurrency: 4 });
    await vi.advanceTimersByTimeAsync(10);
  };

  it('knows what is done for a day and drops what was never done after a week', async () => {
    await queue.add(entry('done'));
    await finish();
    await queue.drain();
    await queue.add(entry('stuck'));
    now += DAY - 1_000;
    expect(await queue.add(entry('done'))).toEqual({ outcome: 'known' });
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(rows()).toEqual([{ id: 'stuck', state: 'waiting' }]);
    now += 6 * DAY;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(rows()).toEqual([]);
    expect((await queue.stats()).oldestAt).toBeUndefined();
    expect(log.at('warn').map(({ message }) => message)).toEqual([expect.stringContaining('never finished')]);
  });

  it('keeps so many ids of what is done and no more, the newest', async () => {
    await queue.close();
    queue = open({ marks: 50, entriesPerFairBy: 10_000 });
    queue.work(async () => ({ done: true }), { concurrency: 4 });
    for (let n = 0; n < 2_000; n += 1) {
      now += 1;
      await queue.add(entry(`n${n}`));
      if (n % 100 === 0) await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rows().length).toBeLessThan(700);
    expect(rows().at(-1)).toMatchObject({ id: 'n1999' });
  });

  it('writes what became of an entry when the store takes it again', async () => {
    let isBroken = false;
    const breakable: Store = {
      ...store,
      run(sql, params) {
        if (isBroken) throw new AppError('internal', 'the disk is full');
        return store.run(sql, params);
      },
    };
    await queue.close();
    queue = open({}, breakable);
    await queue.add(entry('a'));
    let finish: (verdict: Verdict) => void = () => undefined;
    let claims = 0;
    queue.work(
      () => {
        claims += 1;
        return new Promise(resolve => (finish = resolve));
      },
      { concurrency: 1 },
    );
    await vi.advanceTimersByTimeAsync(10);
    isBroken = true;
    finish({ done: true });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log.at('error')).not.toEqual([]);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rows()).toEqual([{ id: 'a', state: 'done' }]);
    expect(claims).toBe(1);
  });

  it('runs nothing whose claim was not written, and goes on when the store takes it again', async () => {
    // As on a full disk, only the end of the statement fails, when its row was returned already.
    store.run('CREATE TABLE parents (id INTEGER PRIMARY KEY)');
    store.run('CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)');
    store.run('CREATE TRIGGER late AFTER UPDATE ON queue BEGIN INSERT INTO children VALUES (1); END');
    await queue.add(entry('a'));
    const handler = vi.fn<Handler>(async () => ({ done: true }));
    queue.work(handler, { concurrency: 1 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(handler).not.toHaveBeenCalled();
    store.run('DROP TRIGGER late');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(handler).toHaveBeenCalledTimes(1);
    expect(rows()).toEqual([{ id: 'a', state: 'done' }]);
  });

  it('runs what was claimed and never ran when its lease is over', async () => {
    const store = openStore(':memory:');
    onTestFinished(() => store.close());
    const queue = createEmbeddedQueue({ store, log: createRecordingLog(), limits: { leaseMs: 60 } });
    onTestFinished(() => queue.close());
    for (const id of ['lost', 'next']) {
      await queue.add({ id, lane: 'square', fairBy: 'square', owner: 'sari', payload: '', atOnce: 1 });
    }
    store.run(`UPDATE queue SET state = 'claimed', holder = 'nobody', lease = 1 WHERE id = 'lost'`, []);
    const seen: string[] = [];
    queue.work(
      async ({ id }) => {
        seen.push(id);
        return { done: true };
      },
      { concurrency: 2 },
    );
    await expect.poll(() => seen.toSorted()).toEqual(['lost', 'next']);
  });

  it('keeps no one waiting when the clock is set back, while it runs or before it starts', async () => {
    const seen: string[] = [];
    const handler: Handler = async ({ id }) => {
      seen.push(id);
      return { done: true };
    };
    queue.work(handler, { concurrency: 4 });
    await queue.add({ ...entry('runs'), delayMs: 30_000 });
    now -= 2 * HOUR;
    await vi.advanceTimersByTimeAsync(29_000);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(seen).toEqual(['runs']);
    await queue.add({ ...entry('stands'), delayMs: 30_000 });
    await queue.close();
    queue = open();
    queue.work(handler, { concurrency: 4 });
    await vi.advanceTimersByTimeAsync(61_000);
    expect(seen).toEqual(['runs', 'stands']);
  });

  it('refuses what a process writes whose entries another has taken', async () => {
    await queue.add(entry('a'));
    let held: Claim | undefined;
    queue.work(
      claim => {
        held = claim;
        return new Promise(() => undefined);
      },
      { concurrency: 1 },
    );
    await vi.advanceTimersByTimeAsync(10);
    const other = open();
    expect(await held?.save('too late')).toBe(false);
    expect(held?.signal.aborted).toBe(true);
    expect(rows()).toEqual([{ id: 'a', state: 'waiting' }]);
    await other.close();
  });
});

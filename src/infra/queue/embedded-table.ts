import * as z from 'zod';
import type { Store } from '../store/store.ts';
import type { QueueEntry } from './queue.ts';
import type { ClaimLease } from './queue-worker.ts';

/**
 * The steps that make the queue's table. A `delayed` entry waits for `due`, a `claimed` one is held by the worker
 * `holder` until `lease`, of a `done` one only the id is kept. `turn` is the round in which an entry is served; each
 * account (`fair_by`) has one entry a round. Times are unix milliseconds.
 */
const STEPS = [
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
  // Up to 0.2.0 a lane was a whole account (column `chat`), such as a Discord server; now `fair_by` names the account.
  `DROP INDEX queue_by_chat;
  ALTER TABLE queue RENAME COLUMN chat TO lane;
  ALTER TABLE queue ADD COLUMN fair_by TEXT NOT NULL DEFAULT '';
  UPDATE queue SET fair_by = lane`,
  `CREATE INDEX queue_by_lane ON queue (lane) WHERE state <> 'done'`,
  `CREATE INDEX queue_by_account ON queue (fair_by, turn) WHERE state <> 'done'`,
];

/** The columns of an entry that is done: lane, account, owner and payload are cleared, so that only its id is left. */
const BARE = `state = 'done', lane = '', fair_by = '', owner = '', payload = '', holder = '', at = :at`;

const ClaimedRow = z.object({
  id: z.string(),
  lane: z.string(),
  payload: z.string(),
  atOnce: z.number(),
  turn: z.number(),
  addedAt: z.number(),
  lostWorkers: z.number(),
});

const EntryRow = z.object({
  id: z.string(),
  lane: z.string(),
  fairBy: z.string(),
  owner: z.string(),
  payload: z.string(),
  atOnce: z.number(),
});

const Backlog = z.object({ ahead: z.number(), count: z.number(), last: z.number().nullable(), total: z.number() });
const Figure = z.object({ value: z.number().nullable() });
const Counts = z.object({ state: z.string(), count: z.number() });

export type EmbeddedTable = ReturnType<typeof createEmbeddedTable>;

/**
 * The rows of an embedded queue. Each change is one statement, so that a process killed at any moment leaves a valid
 * table.
 * @throws AppError `internal` when the store cannot be read or written
 */
export function createEmbeddedTable(store: Store) {
  store.migrate('queue', STEPS);
  return { ...additions(store), ...claims(store), ...changes(store), ...figures(store) };
}

function additions(store: Store) {
  return {
    has: (id: string) => figureOf(store, 'SELECT 1 AS value FROM queue WHERE id = :id', { id }) !== undefined,

    /** Counts unfinished entries of the lane, of `fairBy` and of all, and finds the highest `turn` of `fairBy`. */
    backlog({ lane, fairBy }: Pick<QueueEntry, 'lane' | 'fairBy'>): z.output<typeof Backlog> {
      const sql = `SELECT (SELECT count(*) FROM queue WHERE lane = :lane AND state <> 'done') AS ahead,
        (SELECT count(*) FROM queue WHERE state <> 'done') AS total, count(*) AS count, max(turn) AS last FROM queue WHERE fair_by = :fairBy AND state <> 'done'`;
      return store.get(sql, { lane, fairBy }, Backlog) ?? { ahead: 0, count: 0, last: null, total: 0 };
    },

    /** Adds an entry; returns false when its id is in the table already. */
    insert(entry: QueueEntry, { turn, atOnce, at }: { turn: number; atOnce: number; at: number }): boolean {
      const { id, lane, fairBy, owner, payload, delayMs = 0 } = entry;
      const { changes } = store.run(
        `INSERT INTO queue (id, state, lane, fair_by, owner, payload, at_once, turn, at, due, holder, lease, lapses)
        VALUES (:id, :state, :lane, :fairBy, :owner, :payload, :atOnce, :turn, :at, :due, '', 0, 0) ON CONFLICT (id) DO NOTHING`,
        {
          ...{ id, lane, fairBy, owner, payload, atOnce, turn, at },
          state: delayMs > 0 ? 'delayed' : 'waiting',
          due: delayMs > 0 ? at + delayMs : 0,
        },
      );
      return changes > 0;
    },
  };
}

function claims(store: Store) {
  return {
    /** Claims the waiting entry with the lowest `turn` among those whose lane is not in `busy`. */
    claim(busy: readonly string[], { token, until }: { readonly token: string; readonly until: number }) {
      return store.get(
        `UPDATE queue SET state = 'claimed', holder = :token, lease = :until WHERE rowid = (
          SELECT rowid FROM queue WHERE state = 'waiting' AND lane NOT IN (SELECT value FROM json_each(:busy))
          ORDER BY turn, rowid LIMIT 1
        ) RETURNING id, lane, payload, at_once AS atOnce, turn, at AS addedAt, lapses AS lostWorkers`,
        { token, until, busy: JSON.stringify(busy) },
        ClaimedRow,
      );
    },

    /** Replaces the payload. This method and the next two return false when the lease is lost. */
    save({ id, token }: ClaimLease, payload: string): boolean {
      const sql = `UPDATE queue SET payload = :payload WHERE id = :id AND state = 'claimed' AND holder = :token`;
      return store.run(sql, { id, token, payload }).changes > 0;
    },
    settle({ id, token }: ClaimLease, at: number): boolean {
      const sql = `UPDATE queue SET ${BARE} WHERE id = :id AND state = 'claimed' AND holder = :token`;
      return store.run(sql, { id, token, at }).changes > 0;
    },
    /** Returns a claimed entry to the queue, delayed until `due` (0: no delay). Its turn becomes no earlier than `turn`. */
    release({ id, token }: ClaimLease, due: number, turn: number, payload: string | undefined): boolean {
      const { changes } = store.run(
        `UPDATE queue SET state = :state, due = :due, turn = max(turn, :turn), holder = '',
          payload = coalesce(:payload, payload)
        WHERE id = :id AND state = 'claimed' AND holder = :token`,
        { id, token, due, turn, state: due > 0 ? 'delayed' : 'waiting', payload: payload ?? null },
      );
      return changes > 0;
    },

    renew(ids: readonly string[], until: number): void {
      const sql = `UPDATE queue SET lease = :until WHERE state = 'claimed' AND id IN (SELECT value FROM json_each(:ids))`;
      store.run(sql, { until, ids: JSON.stringify(ids) });
    },
    /** Makes entries claimable again whose lease ended before `moment`. */
    expire(moment: number): number {
      const sql = `UPDATE queue SET state = 'waiting', holder = '', lapses = lapses + 1 WHERE state = 'claimed' AND lease < ?`;
      return store.run(sql, [moment]).changes;
    },
  };
}

function changes(store: Store) {
  return {
    /** Makes delayed entries claimable whose time has come, at most `most` of them. */
    wake(now: number, most: number): void {
      store.run(
        `UPDATE queue SET state = 'waiting', due = 0
        WHERE rowid IN (SELECT rowid FROM queue WHERE state = 'delayed' AND due <= ? ORDER BY due LIMIT ?)`,
        [now, most],
      );
    },
    /** Shortens delays, so that no entry waits beyond the time `latest`. */
    hurry(latest: number): void {
      store.run(`UPDATE queue SET due = :latest WHERE state = 'delayed' AND due > :latest`, { latest });
    },
    promote(id: string): void {
      store.run(`UPDATE queue SET state = 'waiting', due = 0 WHERE id = ? AND state = 'delayed'`, [id]);
    },

    cancel(id: string, at: number): boolean {
      const sql = `UPDATE queue SET ${BARE} WHERE id = :id AND state IN ('waiting', 'delayed')`;
      return store.run(sql, { id, at }).changes > 0;
    },
    remove(id: string): boolean {
      return store.run(`DELETE FROM queue WHERE id = ? AND state IN ('waiting', 'delayed')`, [id]).changes > 0;
    },
    unclaimed(): readonly QueueEntry[] {
      return store.all(
        `SELECT id, lane, fair_by AS fairBy, owner, payload, at_once AS atOnce FROM queue
        WHERE state IN ('waiting', 'delayed') ORDER BY turn, rowid`,
        [],
        EntryRow,
      );
    },
    forget(owner: string, at: number): number {
      const sql = `UPDATE queue SET ${BARE} WHERE owner = :owner AND state <> 'done' AND state <> 'claimed'`;
      return store.run(sql, { owner, at }).changes;
    },

    /**
     * Deletes up to `most` ids of finished entries: those that ended before `before`, and all but the newest `marks`.
     */
    dropMarks({ before, marks, most }: { before: number; marks: number; most: number }): number {
      const { changes } = store.run(
        `DELETE FROM queue WHERE rowid IN (
          SELECT rowid FROM queue WHERE state = 'done' AND (
            at <= :before OR at < (SELECT at FROM queue WHERE state = 'done' ORDER BY at DESC LIMIT 1 OFFSET :marks)
          ) ORDER BY at LIMIT :most)`,
        { before, marks: marks - 1, most },
      );
      return changes;
    },
    /** Deletes unfinished entries that were added before the time `before`, unless a worker holds them. */
    dropOld(before: number): number {
      const sql = `DELETE FROM queue WHERE state <> 'done' AND state <> 'claimed' AND at <= ?`;
      return store.run(sql, [before]).changes;
    },
  };
}

function figures(store: Store) {
  return {
    nextDue: () => figureOf(store, `SELECT min(due) AS value FROM queue WHERE state = 'delayed'`),
    firstTurn: () => figureOf(store, `SELECT min(turn) AS value FROM queue WHERE state = 'waiting'`),
    oldest: () => figureOf(store, `SELECT min(at) AS value FROM queue WHERE state = 'waiting'`),
    counts(): ReadonlyMap<string, number> {
      const sql = `SELECT state, count(*) AS count FROM queue WHERE state <> 'done' GROUP BY state`;
      return new Map(store.all(sql, {}, Counts).map(({ state, count }) => [state, count]));
    },
  };
}

function figureOf(
  store: Store,
  sql: string,
  params: Readonly<Record<string, string | number>> = {},
): number | undefined {
  return store.get(sql, params, Figure)?.value ?? undefined;
}

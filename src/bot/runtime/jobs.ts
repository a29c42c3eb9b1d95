import { z } from 'zod';
import type { Store } from '../../infra/store/store.ts';

/** Accepted work that has not been delivered yet, durable: a process killed in the middle finishes it after its restart. */
export interface Job {
  /** Unique across platforms and the same for a repeat of the same event, e.g. `discord:MESSAGE_ID`. Names no person. */
  readonly id: string;
  readonly platform: 'discord' | 'telegram';
  readonly userId: string;
  readonly chatId: string;
  /** Canonical links; never a message's text. */
  readonly links: readonly string[];
  /** What the platform needs to answer, as its own JSON: message id, topic, interaction token and its end. */
  readonly target: string;
  /** `sending`: it may have reached the chat; only a platform that recognises a repeat may try again. */
  readonly state: 'accepted' | 'sending';
  /** When it was accepted; while it is `sending`, when that began first. */
  readonly since: number;
}

/** @throws AppError `internal` from every method when the store cannot be read or written */
export interface Jobs {
  /** False when a job with this id is known already, done or not: gateway replays and repeated updates end here. */
  accept(job: Omit<Job, 'state' | 'since'>): boolean;
  /** Before anything of its answer is sent, not while that is still fetched. */
  sending(id: string): void;
  /** The platform has refused what was sent, so nothing reached the chat: it may be tried again. */
  notSent(id: string): void;
  /** Delivered, given up or told about: kept as a bare id for a day so that a replay is recognised. */
  done(id: string): void;
  /** Oldest first. Call it before anything new is accepted, so that it holds what the last process left. */
  pending(platform: Job['platform']): readonly Job[];
  /** What that person asked for is no longer pending; nothing but the bare ids stays. */
  forgetUser(platform: string, userId: string): void;
}

export interface JobsOptions {
  readonly store: Store;
  readonly now?: () => number;
  /** Rows kept, pending ones and bare ids, the newest. Default 100 000. */
  readonly maxRows?: number;
}

const DAY_MS = 24 * 3_600_000;
/** Bare ids: a gateway replays minutes, Telegram keeps updates for a day. */
const DONE_MS = DAY_MS;
const PENDING_MS = 7 * DAY_MS;
/** Rows may pass their bound by this many before they are counted again. */
const SWEEP_EVERY = 500;
const SWEEP_EVERY_MS = 3_600_000;

const STEPS = [
  `CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL, platform TEXT NOT NULL, user_id TEXT NOT NULL,
    chat_id TEXT NOT NULL, links TEXT NOT NULL, target TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT`,
  `CREATE INDEX jobs_pending ON jobs (platform, at) WHERE state <> 'done'`,
  'CREATE INDEX jobs_by_age ON jobs (state, at)',
];

const JobRow = z
  .object({
    id: z.string(),
    state: z.enum(['accepted', 'sending']),
    platform: z.enum(['discord', 'telegram']),
    user_id: z.string(),
    chat_id: z.string(),
    links: z.string(),
    target: z.string(),
    at: z.number(),
  })
  .transform(
    ({ user_id: userId, chat_id: chatId, links, at: since, ...rest }): Job => ({
      ...rest,
      userId,
      chatId,
      links: Links.parse(JSON.parse(links)),
      since,
    }),
  );
const Links = z.array(z.string());

/** @throws AppError `internal` when the store cannot be read or written */
export function createJobs({ store, now = Date.now, maxRows = 100_000 }: JobsOptions): Jobs {
  store.migrate('jobs', STEPS);
  let accepted = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;

  function sweep(): void {
    const at = now();
    store.transaction(() => {
      store.run(`DELETE FROM jobs WHERE state = 'done' AND at <= ?`, [at - DONE_MS]);
      store.run(`DELETE FROM jobs WHERE state <> 'done' AND at <= ?`, [at - PENDING_MS]);
      store.run('DELETE FROM jobs WHERE rowid <= (SELECT rowid FROM jobs ORDER BY rowid DESC LIMIT 1 OFFSET ?)', [
        maxRows,
      ]);
    });
    accepted = 0;
    sweptAt = at;
  }

  /** A bare id: who, where and what are gone. */
  const BARE = `state = 'done', platform = '', user_id = '', chat_id = '', links = '[]', target = '', at = :at`;

  return {
    accept({ id, platform, userId, chatId, links, target }) {
      if (accepted >= SWEEP_EVERY || now() - sweptAt >= SWEEP_EVERY_MS) sweep();
      accepted += 1;
      const { changes } = store.run(
        `INSERT INTO jobs (id, state, platform, user_id, chat_id, links, target, at)
        VALUES (:id, 'accepted', :platform, :userId, :chatId, :links, :target, :at) ON CONFLICT (id) DO NOTHING`,
        { id, platform, userId, chatId, links: JSON.stringify(links), target, at: now() },
      );
      return changes > 0;
    },
    sending(id) {
      store.run(`UPDATE jobs SET state = 'sending', at = :at WHERE id = :id AND state = 'accepted'`, { id, at: now() });
    },
    notSent(id) {
      store.run(`UPDATE jobs SET state = 'accepted' WHERE id = ? AND state = 'sending'`, [id]);
    },
    done(id) {
      store.run(`UPDATE jobs SET ${BARE} WHERE id = :id`, { id, at: now() });
    },
    pending(platform) {
      sweep();
      return store.all(
        `SELECT id, state, platform, user_id, chat_id, links, target, at FROM jobs
        WHERE platform = ? AND state <> 'done' ORDER BY at, rowid`,
        [platform],
        JobRow,
      );
    },
    forgetUser(platform, userId) {
      store.run(`UPDATE jobs SET ${BARE} WHERE state <> 'done' AND platform = :platform AND user_id = :userId`, {
        platform,
        userId,
        at: now(),
      });
    },
  };
}

import * as z from 'zod';
import type { Store } from '../../infra/store/store.ts';

/** A request as version 0.1.0 kept it until it was answered, in a table of its own. */
export interface OldJob {
  /** `PLATFORM:EVENT` */
  readonly id: string;
  readonly platform: 'discord' | 'telegram';
  readonly userId: string;
  readonly chatId: string;
  /** Canonical links; never a message's text. */
  readonly links: readonly string[];
  /** What the platform needs to answer, as its own JSON. */
  readonly target: string;
  /** `sending`: it may have reached the chat. */
  readonly state: 'accepted' | 'sending';
  /** Unix milliseconds. */
  readonly since: number;
}

const OldJobRow = z
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
    ({ user_id: userId, chat_id: chatId, links, at: since, ...rest }): OldJob => ({
      ...rest,
      userId,
      chatId,
      links: z.array(z.string()).parse(JSON.parse(links)),
      since,
    }),
  );

const LIFE_MS = 7 * 24 * 3_600_000;

/**
 * What version 0.1.0 had accepted and not answered, the oldest first; empty when it never wrote to this file.
 * @throws AppError `internal` when the store cannot be read
 */
export function readOldJobs(store: Store, now: number = Date.now()): readonly OldJob[] {
  if (!hasTable(store)) return [];
  return store.all(
    `SELECT id, state, platform, user_id, chat_id, links, target, at FROM jobs WHERE state <> 'done' AND at > ? ORDER BY at, rowid`,
    [now - LIFE_MS],
    OldJobRow,
  );
}

/** It is a request of this version now, or will not be answered. @throws AppError `internal` when the store cannot be written */
export function forgetOldJob(store: Store, { id }: OldJob): void {
  store.run('DELETE FROM jobs WHERE id = ?', [id]);
}

function hasTable(store: Store): boolean {
  const rows = store.all(`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'jobs'`, [], z.unknown());
  return rows.length > 0;
}

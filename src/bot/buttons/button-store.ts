import { z } from 'zod';
import type { Store } from '../../infra/store/store.ts';
import type { ButtonStore } from './button-token.ts';

const STEPS = [
  `CREATE TABLE actions (
    key TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL, owner_tag TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX actions_by_expiry ON actions (expires_at)',
  'CREATE INDEX actions_by_owner ON actions (owner_tag)',
];

const ActionRow = z.object({ json: z.string() });

/** Long button arguments in the durable store. */
export function createButtonStore(store: Store): ButtonStore {
  store.migrate('actions', STEPS);
  return {
    put({ key, json, ownerTag, expiresAt }) {
      store.run(
        `INSERT INTO actions (key, json, owner_tag, expires_at) VALUES (:key, :json, :ownerTag, :expiresAt)
        ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at`,
        { key, json, ownerTag, expiresAt },
      );
    },
    get: (key, now) =>
      store.get('SELECT json FROM actions WHERE key = ? AND expires_at > ?', [key, now], ActionRow)?.json,
    deleteExpired(now) {
      store.run('DELETE FROM actions WHERE expires_at <= ?', [now]);
    },
    deleteOwner(ownerTag) {
      store.run('DELETE FROM actions WHERE owner_tag = ?', [ownerTag]);
    },
  };
}

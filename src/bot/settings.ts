import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Store } from '../infra/store.ts';

export interface UserSettings {
  /** BCP 47 tag of a language Medley speaks, or null for automatic. */
  readonly language: string | null;
}

/** Durable settings by `${platform}:${userId}`. Absent rows read as defaults. */
export interface SettingsStore {
  user(key: string): UserSettings;
  setUser(key: string, change: Partial<UserSettings>): void;
  /** Deletes the settings of that person. */
  forgetUser(key: string): void;
}

export interface SettingsStoreOptions {
  readonly store: Store;
  readonly now?: () => number;
  /** People whose settings are held in memory, so that a message costs no query. Default 10 000. */
  readonly maxCached?: number;
}

const STEPS = [
  `CREATE TABLE users (
    key TEXT NOT NULL PRIMARY KEY, language TEXT, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
];

const DEFAULTS: UserSettings = { language: null };

const UserRow = z.object({ language: z.string().nullable() });

/** @throws AppError `internal` when the store cannot be read or written; so do all methods. */
export function createSettingsStore({
  store,
  now = Date.now,
  maxCached = 10_000,
}: SettingsStoreOptions): SettingsStore {
  store.migrate('settings', STEPS);
  const cached = new LRUCache<string, UserSettings>({ max: maxCached });

  function user(key: string): UserSettings {
    const known = cached.get(key);
    if (known) return known;
    const settings = store.get('SELECT language FROM users WHERE key = ?', [key], UserRow) ?? DEFAULTS;
    cached.set(key, settings);
    return settings;
  }

  function forgetUser(key: string): void {
    store.run('DELETE FROM users WHERE key = ?', [key]);
    cached.delete(key);
  }

  return {
    user,
    forgetUser,
    setUser(key, change) {
      const settings: UserSettings = { ...user(key), ...change };
      // Nobody is on record for having chosen nothing.
      if (settings.language === null) return forgetUser(key);
      store.run(
        `INSERT INTO users (key, language, updated_at) VALUES (:key, :language, :at)
        ON CONFLICT (key) DO UPDATE SET language = excluded.language, updated_at = excluded.updated_at`,
        { key, language: settings.language, at: now() },
      );
      cached.set(key, settings);
    },
  };
}

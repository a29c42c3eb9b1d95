import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { RULESETS, type Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { Store } from '../../infra/store/store.ts';
import { type SourceId, sourceIdSchema } from '../../media/post.ts';

export interface UserSettings {
  /** BCP 47 tag of a language Medley speaks, or null for automatic. */
  readonly language: string | null;
  /** The person's osu! player, and the ruleset they want to see when they name none. */
  readonly player: LinkedPlayer | null;
}

export interface LinkedPlayer {
  readonly id: number;
  readonly name: string;
  /** Null for what that player plays most. */
  readonly mode: Ruleset | null;
}

/** What the admins of a group chose for it. */
export interface ChatSettings {
  /** Whether pasted links are answered unasked; null for what is usual in such a chat, which is yes. */
  readonly autoDetect: boolean | null;
  /** Whether pasted links of osu! are answered unasked. */
  readonly osuLinks: boolean;
  /** Whether the embed of a message is hidden once its link is answered, where Medley may do so. */
  readonly suppressEmbeds: boolean;
  /** Whether replies quote what was written under a post. */
  readonly captions: boolean;
  /** BCP 47 tag, for those who chose none themselves; null for what the platform says. */
  readonly language: string | null;
  /** Sites whose links are left alone. */
  readonly disabledSources: readonly SourceId[];
}

/**
 * Durable settings, of people by `callerKey` and of chats by `chatKey`. Absent rows read as defaults.
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface SettingsStore {
  user(key: string): UserSettings;
  setUser(key: string, change: Partial<UserSettings>): void;
  /** Deletes the settings of that person. */
  forgetUser(key: string): void;
  chat(key: string): ChatSettings;
  setChat(key: string, change: Partial<ChatSettings>): void;
  forgetChat(key: string): void;
  /** The chat has a new id. What was set under the new one already stays. */
  moveChat(from: string, to: string): void;
  /** Medley was removed from the chat at that moment (unix milliseconds), or is back (null). After 30 days away its settings are deleted. */
  markChatLeft(key: string, at: number | null): void;
}

export interface SettingsStoreOptions {
  readonly store: Store;
  readonly now?: () => number;
  /** People, and chats, whose settings are held in memory, so that a message costs no query. Default 10 000. */
  readonly maxCached?: number;
}

export const CHAT_DEFAULTS: ChatSettings = {
  autoDetect: null,
  osuLinks: false,
  suppressEmbeds: true,
  captions: true,
  language: null,
  disabledSources: [],
};

const USER_DEFAULTS: UserSettings = { language: null, player: null };
const LEFT_MS = 30 * 24 * 3_600_000;
const SESSION_MS = 90 * 24 * 3_600_000;
const MAX_SESSIONS = 50_000;
const PURGE_EVERY_MS = 3_600_000;

const STEPS = [
  `CREATE TABLE users (
    key TEXT NOT NULL PRIMARY KEY, language TEXT, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE chats (
    key TEXT NOT NULL PRIMARY KEY, settings TEXT NOT NULL, left_at INTEGER, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX chats_left ON chats (left_at) WHERE left_at IS NOT NULL',
  'ALTER TABLE users ADD COLUMN player TEXT',
];

/** A player written by another version in another way reads as none. */
const Player = z.object({
  id: z.number().int().positive(),
  name: z.string(),
  mode: z.enum(RULESETS).nullable().catch(null),
});
const UserRow = z
  .object({ language: z.string().nullable(), player: z.string().nullable() })
  .transform(({ language, player }): UserSettings => {
    return { language, player: player === null ? null : (Player.safeParse(JSON.parse(player)).data ?? null) };
  });

/** What is missing or was written otherwise by another version reads as the default. */
const Chosen = z.object({
  autoDetect: z.boolean().nullable().catch(CHAT_DEFAULTS.autoDetect),
  osuLinks: z.boolean().catch(CHAT_DEFAULTS.osuLinks),
  suppressEmbeds: z.boolean().catch(CHAT_DEFAULTS.suppressEmbeds),
  captions: z.boolean().catch(CHAT_DEFAULTS.captions),
  language: z.string().nullable().catch(CHAT_DEFAULTS.language),
  // A source that this version does not have stays switched off for the one that has it.
  disabledSources: z.array(sourceIdSchema).catch([]),
});
const ChatRow = z.object({ settings: z.string() }).transform(row => Chosen.parse(JSON.parse(row.settings)));

/** @throws AppError `internal` when the store cannot be read or written */
export function createSettingsStore({
  store,
  now = Date.now,
  maxCached = 10_000,
}: SettingsStoreOptions): SettingsStore {
  store.migrate('settings', STEPS);
  const users = new LRUCache<string, UserSettings>({ max: maxCached });
  const chats = new LRUCache<string, ChatSettings>({ max: maxCached });
  let purgedAt = Number.NEGATIVE_INFINITY;

  function user(key: string): UserSettings {
    const known = users.get(key);
    if (known) return known;
    const settings = store.get('SELECT language, player FROM users WHERE key = ?', [key], UserRow) ?? USER_DEFAULTS;
    users.set(key, settings);
    return settings;
  }

  function forgetUser(key: string): void {
    store.run('DELETE FROM users WHERE key = ?', [key]);
    users.delete(key);
  }

  function chat(key: string): ChatSettings {
    const known = chats.get(key);
    if (known) return known;
    purgeLeft();
    const settings = store.get('SELECT settings FROM chats WHERE key = ?', [key], ChatRow) ?? CHAT_DEFAULTS;
    chats.set(key, settings);
    return settings;
  }

  function forgetChat(key: string): void {
    store.run('DELETE FROM chats WHERE key = ?', [key]);
    chats.delete(key);
  }

  function purgeLeft(): void {
    const at = now();
    if (at - purgedAt < PURGE_EVERY_MS) return;
    const { changes } = store.run('DELETE FROM chats WHERE left_at <= ?', [at - LEFT_MS]);
    // A browser's session is nobody we know: old ones are dropped, and no flood of them fills the disk.
    store.run("DELETE FROM users WHERE key >= 'web:' AND key < 'web;' AND updated_at <= ?", [at - SESSION_MS]);
    store.run(
      `DELETE FROM users WHERE key IN (SELECT key FROM users WHERE key >= 'web:' AND key < 'web;'
      ORDER BY updated_at DESC LIMIT -1 OFFSET ?)`,
      [MAX_SESSIONS],
    );
    if (changes > 0) chats.clear();
    purgedAt = at;
  }

  purgeLeft();

  return {
    user,
    forgetUser,
    setUser(key, change) {
      purgeLeft();
      const settings: UserSettings = { ...user(key), ...change };
      // A person who chose nothing is not stored.
      if (settings.language === null && settings.player === null) return forgetUser(key);
      store.run(
        `INSERT INTO users (key, language, player, updated_at) VALUES (:key, :language, :player, :at) ON CONFLICT (key)
        DO UPDATE SET language = excluded.language, player = excluded.player, updated_at = excluded.updated_at`,
        { key, language: settings.language, player: settings.player && JSON.stringify(settings.player), at: now() },
      );
      users.set(key, settings);
    },
    chat,
    forgetChat,
    setChat(key, change) {
      const settings: ChatSettings = { ...chat(key), ...change };
      const json = JSON.stringify(settings);
      if (json === JSON.stringify(CHAT_DEFAULTS)) return forgetChat(key);
      store.run(
        `INSERT INTO chats (key, settings, updated_at) VALUES (:key, :json, :at)
        ON CONFLICT (key) DO UPDATE SET settings = excluded.settings, left_at = NULL, updated_at = excluded.updated_at`,
        { key, json, at: now() },
      );
      chats.set(key, settings);
    },
    moveChat(from, to) {
      if (from === to) return;
      store.transaction(() => {
        store.run(
          `INSERT INTO chats (key, settings, updated_at) SELECT ?, settings, updated_at FROM chats WHERE key = ?
          ON CONFLICT (key) DO NOTHING`,
          [to, from],
        );
        store.run('DELETE FROM chats WHERE key = ?', [from]);
      });
      chats.delete(from);
      chats.delete(to);
    },
    markChatLeft(key, at) {
      purgeLeft();
      store.run('UPDATE chats SET left_at = :at WHERE key = :key AND left_at IS NOT :at', { key, at });
    },
  };
}

import { openStore } from '../../../src/infra/store/store.ts';

const DAY = 24 * 3_600_000;

/** The steps of 0.1.0, by the names it gave them. */
const STEPS = {
  settings: [
    `CREATE TABLE users (
    key TEXT NOT NULL PRIMARY KEY, language TEXT, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE chats (
    key TEXT NOT NULL PRIMARY KEY, settings TEXT NOT NULL, left_at INTEGER, updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX chats_left ON chats (left_at) WHERE left_at IS NOT NULL',
    'ALTER TABLE users ADD COLUMN player TEXT',
  ],
  actions: [
    `CREATE TABLE actions (
    key TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL, owner_tag TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX actions_by_expiry ON actions (expires_at)',
    'CREATE INDEX actions_by_owner ON actions (owner_tag)',
  ],
  served: [
    `CREATE TABLE served (
    key TEXT NOT NULL, map_id INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (key, map_id)
  ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX served_by_age ON served (at)',
  ],
  'sent-files': [
    `CREATE TABLE sent_files (
    holder TEXT NOT NULL, source TEXT NOT NULL, post_id TEXT NOT NULL, item INTEGER NOT NULL, form TEXT NOT NULL,
    variant_key TEXT NOT NULL, file_id TEXT NOT NULL, kind TEXT NOT NULL, used_at INTEGER NOT NULL,
    PRIMARY KEY (holder, source, post_id, item, form)
  ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX sent_files_by_use ON sent_files (used_at)',
  ],
};

/**
 * A database as version 0.1.0 left it: tables of its own for settings, sent files, buttons and recommendations.
 *
 * @param now unix milliseconds at which it was left
 * @param button key, JSON and owner tag of a button whose arguments are stored
 */
export function writeVersion010(
  path: string,
  now: number,
  button?: { readonly key: string; readonly json: string; readonly ownerTag: string },
): void {
  const store = openStore(path);
  for (const [name, steps] of Object.entries(STEPS)) store.migrate(name, steps);
  const player = JSON.stringify({ id: 31, name: 'paper "crane"', mode: 'mania' });
  const user = 'INSERT INTO users (key, language, player, updated_at) VALUES (?, ?, ?, ?)';
  store.run(user, ['discord:300', 'id', player, now]);
  store.run(user, ['telegram:7', 'en', null, now]);
  store.run(user, ['discord:301', null, player, now]);
  store.run(user, ['discord:302', 'id', '{damaged', now]);
  store.run(user, ['web:sari', 'id', null, now]);
  store.run(user, ['web:old', 'id', null, now - 91 * DAY]);
  const chat = 'INSERT INTO chats (key, settings, left_at, updated_at) VALUES (?, ?, ?, ?)';
  const settings = JSON.stringify({ autoDetect: false, captions: true, language: 'id', disabledSources: ['facebook'] });
  store.run(chat, ['discord:guild', settings, null, now]);
  store.run(chat, ['telegram:-100', JSON.stringify({ captions: false }), now - 10 * DAY, now - 10 * DAY]);
  store.run(chat, ['telegram:-200', JSON.stringify({ captions: false }), now - 31 * DAY, now - 31 * DAY]);
  store.run(chat, ['telegram:-300', '{damaged', null, now]);
  const action = 'INSERT INTO actions (key, json, owner_tag, expires_at) VALUES (?, ?, ?, ?)';
  store.run(action, ['anyone', JSON.stringify(['help', { command: 'x' }]), '', now + DAY]);
  if (button !== undefined) store.run(action, [button.key, button.json, button.ownerTag, now + DAY]);
  const served = 'INSERT INTO served (key, map_id, at) VALUES (?, ?, ?)';
  for (const map of [1, 2]) store.run(served, ['discord:300', map, now - DAY]);
  store.run(served, ['discord:300', 3, now]);
  store.run(served, ['discord:300', 4, now - 29 * DAY]);
  store.run(served, ['telegram:7', 5, now]);
  const sent = 'INSERT INTO sent_files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
  for (const [item, form] of [
    [0, 'original'],
    [1, 'audio'],
  ] as const) {
    store.run(sent, ['telegram:77', 'instagram', 'C9Reef', item, form, '720x1280', `file-${item}`, 'video', now]);
  }
  // What a table of another module holds is left alone.
  store.migrate('notes', ['CREATE TABLE notes (text TEXT) STRICT']);
  store.run('INSERT INTO notes VALUES (?)', ['kept']);
  store.close();
}

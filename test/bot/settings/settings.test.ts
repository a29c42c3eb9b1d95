import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createButtonStore } from '../../../src/bot/buttons/button-store.ts';
import { createButtonTokens } from '../../../src/bot/buttons/button-token.ts';
import { CHAT_DEFAULTS, createSettingsStore } from '../../../src/bot/settings/settings.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';

let folder: string;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medley-settings-'));
  store = openStore(join(folder, 'medley.db'));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function reopened(): Store {
  store.close();
  store = openStore(join(folder, 'medley.db'));
  return store;
}

const Count = z.object({ n: z.number() });

describe('the settings store', () => {
  it('has defaults for everyone', () => {
    expect(createSettingsStore({ store }).user('web:sari')).toEqual({ language: null, player: null });
  });

  it('keeps what was set through a restart', () => {
    const settings = createSettingsStore({ store });
    settings.setUser('web:sari', { language: 'id' });
    settings.setUser('web:sari', {});
    expect(settings.user('web:sari')).toEqual({ language: 'id', player: null });
    expect(createSettingsStore({ store: reopened() }).user('web:sari')).toEqual({ language: 'id', player: null });
  });

  it('keeps nothing about people who chose nothing, or want to be forgotten', () => {
    const settings = createSettingsStore({ store });
    const rows = () => store.get('SELECT count(*) AS n FROM users', [], Count)?.n;
    settings.user('web:reader');
    settings.setUser('web:sari', { language: 'id' });
    settings.setUser('web:budi', { language: 'en' });
    settings.setUser('web:budi', { language: null });
    expect(rows()).toBe(1);
    settings.forgetUser('web:sari');
    expect(settings.user('web:sari')).toEqual({ language: null, player: null });
    expect(rows()).toBe(0);
  });

  it('asks the store once for people who write often', () => {
    let queries = 0;
    const counting: Store = {
      ...store,
      get(sql, params, row) {
        queries += 1;
        return store.get(sql, params, row);
      },
    };
    const settings = createSettingsStore({ store: counting, maxCached: 2 });
    for (let message = 0; message < 10; message += 1) settings.user('web:sari');
    expect(queries).toBe(1);
    settings.user('web:a');
    settings.user('web:b');
    settings.user('web:sari');
    expect(queries).toBe(4);
  });
});

describe('the settings of chats', () => {
  const DAY = 24 * 3_600_000;
  const rows = () => store.get('SELECT count(*) AS n FROM chats', [], Count)?.n;

  it('have defaults, and keep what was set through a restart', () => {
    const settings = createSettingsStore({ store });
    expect(settings.chat('discord:guild')).toEqual({
      autoDetect: null,
      osuLinks: false,
      suppressEmbeds: true,
      captions: true,
      language: null,
      disabledSources: [],
    });
    settings.setChat('discord:guild', { autoDetect: false, disabledSources: ['facebook'] });
    settings.setChat('discord:guild', { language: 'id' });
    const set = { ...CHAT_DEFAULTS, autoDetect: false, language: 'id', disabledSources: ['facebook'] };
    expect(settings.chat('discord:guild')).toEqual(set);
    expect(createSettingsStore({ store: reopened() }).chat('discord:guild')).toEqual(set);
  });

  it('leave no row where all is as usual, or is to be forgotten', () => {
    const settings = createSettingsStore({ store });
    settings.setChat('discord:a', { captions: false });
    settings.setChat('discord:a', { captions: true });
    settings.setChat('discord:b', { captions: false });
    expect(rows()).toBe(1);
    settings.forgetChat('discord:b');
    expect([rows(), settings.chat('discord:b').captions]).toEqual([0, true]);
  });

  it('read what another version wrote as far as they know it', () => {
    createSettingsStore({ store });
    const json = '{"captions":false,"language":7,"disabledSources":["pigeons"],"new":1}';
    store.run('INSERT INTO chats (key, settings, updated_at) VALUES (?, ?, 0)', ['discord:a', json]);
    expect(createSettingsStore({ store }).chat('discord:a')).toEqual({
      ...CHAT_DEFAULTS,
      captions: false,
      disabledSources: ['pigeons'],
    });
  });

  it('move with the chat, once, and never over what is set there', () => {
    const settings = createSettingsStore({ store });
    settings.setChat('telegram:-1', { captions: false });
    settings.moveChat('telegram:-1', 'telegram:-100');
    settings.moveChat('telegram:-1', 'telegram:-100');
    settings.moveChat('telegram:-100', 'telegram:-100');
    expect(settings.chat('telegram:-100').captions).toBe(false);
    expect(settings.chat('telegram:-1').captions).toBe(true);
    settings.setChat('telegram:-2', { language: 'id' });
    settings.moveChat('telegram:-2', 'telegram:-100');
    expect(settings.chat('telegram:-100')).toMatchObject({ captions: false, language: null });
    expect(rows()).toBe(1);
  });

  it('go 30 days after Medley was removed, unless it came back', () => {
    let now = 0;
    const settings = createSettingsStore({ store, now: () => now });
    for (const key of ['discord:left', 'discord:back', 'discord:stays']) settings.setChat(key, { captions: false });
    settings.markChatLeft('discord:left', 0);
    settings.markChatLeft('discord:back', 0);
    settings.markChatLeft('discord:unknown', 0);
    settings.markChatLeft('discord:back', null);
    now = 30 * DAY - 1;
    settings.chat('discord:anything');
    expect(rows()).toBe(3);
    now = 30 * DAY + 3_600_000;
    settings.chat('discord:something');
    expect(rows()).toBe(2);
    expect(settings.chat('discord:left').captions).toBe(true);
    expect(settings.chat('discord:back').captions).toBe(false);
    settings.markChatLeft('discord:stays', now);
    now += 31 * DAY;
    expect(createSettingsStore({ store, now: () => now }).chat('discord:stays').captions).toBe(true);
  });

  it('cost a query only once for a chat that is talked in', () => {
    let queries = 0;
    const counting: Store = {
      ...store,
      get(sql, params, row) {
        queries += 1;
        return store.get(sql, params, row);
      },
    };
    const settings = createSettingsStore({ store: counting });
    for (let message = 0; message < 10; message += 1) settings.chat('discord:a');
    expect(queries).toBe(1);
  });
});

describe('long button arguments in the store', () => {
  const key = Buffer.alloc(32, 3);
  const long = { command: 'download', values: { link: 'x'.repeat(300), audio: true }, owner: 'web:sari' };

  it('live through a restart, for a week', () => {
    let now = 1_000;
    const token = createButtonTokens({ key, store: createButtonStore(store), now: () => now }).encode(long);
    const restarted = createButtonTokens({ key, store: createButtonStore(reopened()), now: () => now });
    expect(restarted.decode(token, 'web:sari')).toEqual(long);
    now += 7 * 24 * 3_600_000;
    expect(() => restarted.decode(token, 'web:sari')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('are one row for a button shown often, and leave no expired rows', () => {
    let now = 0;
    const actions = createButtonTokens({ key, store: createButtonStore(store), now: () => now });
    const rows = () => store.get('SELECT count(*) AS n FROM actions', [], Count)?.n;
    actions.encode(long);
    actions.encode(long);
    expect(rows()).toBe(1);
    now = 8 * 24 * 3_600_000;
    actions.encode({ ...long, owner: 'web:budi' });
    expect(rows()).toBe(1);
    actions.forget('web:budi');
    expect(rows()).toBe(0);
  });

  it('name nobody', () => {
    createButtonTokens({ key, store: createButtonStore(store) }).encode({ ...long, owner: 'web:sari' });
    const row = z.object({ owner_tag: z.string(), json: z.string() });
    expect(JSON.stringify(store.all('SELECT owner_tag, json FROM actions', [], row))).not.toContain('sari');
  });
});

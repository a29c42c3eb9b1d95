import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { createButtonTokens } from '../../../src/bot/stores/button-token.ts';
import { CHAT_DEFAULTS, createSettingsStore } from '../../../src/bot/stores/settings.ts';
import { hasRecords } from '../../../src/infra/store/adopted-tables.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { createSentFiles, type SentFileKey } from '../../../src/media/delivery/sent-files.ts';
import { embeddedRecords } from '../../records.ts';
import { writeVersion010 } from './version-0-1-0.ts';

let folder: string;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medley-old-'));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function open(): Store {
  store = openStore(join(folder, 'medley.db'));
  return store;
}

const Name = z.object({ name: z.string() });
const tables = () =>
  store.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", [], Name).map(({ name }) => name);
const onFailure = (error: unknown) => {
  throw error;
};

describe('a database of version 0.1.0', () => {
  it('keeps its settings, files, buttons and recommendations', async () => {
    const key = Buffer.alloc(32, 5);
    const long = { command: 'download', values: { link: 'x'.repeat(300), audio: true }, owner: 'discord:300' };
    // The token and its row are those of 0.1.0: the digest of the same JSON under the same key.
    const scratch = openStore(':memory:');
    const made = createButtonTokens({ key, records: embeddedRecords(scratch), onFailure });
    const token = made.encode(long);
    await made.stored();
    const Row = z.object({ key: z.string(), value: z.string(), group_key: z.string() });
    const row = scratch.get('SELECT key, value, group_key FROM records', [], Row);
    scratch.close();
    const now = Date.now();
    const button = { key: row?.key ?? '', json: row?.value ?? '', ownerTag: row?.group_key ?? '' };
    writeVersion010(join(folder, 'medley.db'), now, button);

    const records = embeddedRecords(open());
    expect(tables()).toEqual(['migrations', 'notes', 'records']);
    const settings = createSettingsStore({ records });
    const player = { id: 31, name: 'paper "crane"', mode: 'mania', proven: false };
    expect(await settings.user('discord:300')).toEqual({ language: 'id', player, view: null });
    expect(await settings.user('telegram:7')).toEqual({ language: 'en', player: null, view: null });
    expect(await settings.user('discord:301')).toEqual({ language: null, player, view: null });
    expect(await settings.user('discord:302')).toEqual({ language: 'id', player: null, view: null });
    expect(await settings.user('web:sari')).toEqual({ language: 'id', player: null, view: null });
    expect(await settings.user('web:old')).toEqual({ language: null, player: null, view: null });
    const guild = { ...CHAT_DEFAULTS, autoDetect: false, language: 'id', disabledSources: ['facebook'] };
    expect(await settings.chat('discord:guild')).toEqual(guild);
    expect((await settings.chat('telegram:-100')).captions).toBe(false);
    expect(await settings.chat('telegram:-200')).toEqual(CHAT_DEFAULTS);
    expect(await settings.chat('telegram:-300')).toEqual(CHAT_DEFAULTS);
    const Ends = z.object({ expires_at: z.number().nullable() });
    const ends = (name: string) => store.get('SELECT expires_at FROM records WHERE key = ?', [name], Ends)?.expires_at;
    expect([ends('telegram:-100'), ends('discord:guild')]).toEqual([now + 20 * 24 * 3_600_000, null]);

    const buttons = createButtonTokens({ key, records, onFailure });
    expect(await buttons.decode(token, 'discord:300')).toEqual(long);
    await buttons.forget('discord:300');
    await expect(buttons.decode(token, 'discord:300')).rejects.toMatchObject({ params: { hint: 'expiredButton' } });

    const history = createRecommendationHistory({ records });
    expect(await history.mapsOf('discord:300')).toEqual(new Set([1, 2, 3]));
    await history.forgetUser('discord:300');
    expect([await history.mapsOf('discord:300'), await history.mapsOf('telegram:7')]).toEqual([
      new Set(),
      new Set([5]),
    ]);

    const files = createSentFiles({ records, onFailure });
    const file: SentFileKey = {
      holder: 'telegram:77',
      source: 'instagram',
      postId: 'C9Reef',
      index: 1,
      form: 'audio',
    };
    expect(await files.get(file)).toEqual({ variantKey: '720x1280', fileId: 'file-1', kind: 'video' });
    expect(await files.get({ ...file, index: 0 })).toBeUndefined();
    expect(store.get('SELECT text FROM notes', [], z.object({ text: z.string() }))?.text).toBe('kept');
  });

  it('is taken over once, and opens again', async () => {
    writeVersion010(join(folder, 'medley.db'), Date.now());
    const settings = createSettingsStore({ records: embeddedRecords(open()) });
    await settings.setUser('discord:300', { language: 'en' });
    store.close();
    expect((await createSettingsStore({ records: embeddedRecords(open()) }).user('discord:300')).language).toBe('en');
  });

  it('is known to hold records before and after it is taken over, and an empty one not to', async () => {
    open();
    expect(hasRecords(store)).toBe(false);
    embeddedRecords(store);
    expect(hasRecords(store)).toBe(false);
    store.close();
    rmSync(join(folder, 'medley.db'));
    writeVersion010(join(folder, 'medley.db'), Date.now());
    expect(hasRecords(open())).toBe(true);
    expect(tables()).toContain('users');
    embeddedRecords(store);
    expect(hasRecords(store)).toBe(true);
  });

  it('that is empty is taken over too', () => {
    embeddedRecords(open());
    expect(tables()).toEqual(['migrations', 'records']);
  });
});

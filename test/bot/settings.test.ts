import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createActionTokens } from '../../src/bot/action.ts';
import { createActionStore } from '../../src/bot/action-store.ts';
import { createSettingsStore } from '../../src/bot/settings.ts';
import { openStore, type Store } from '../../src/infra/store.ts';

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
    expect(createSettingsStore({ store }).user('web:sari')).toEqual({ language: null });
  });

  it('keeps what was set through a restart', () => {
    const settings = createSettingsStore({ store });
    settings.setUser('web:sari', { language: 'id' });
    settings.setUser('web:sari', {});
    expect(settings.user('web:sari')).toEqual({ language: 'id' });
    expect(createSettingsStore({ store: reopened() }).user('web:sari')).toEqual({ language: 'id' });
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
    expect(settings.user('web:sari')).toEqual({ language: null });
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

describe('long button arguments in the store', () => {
  const key = Buffer.alloc(32, 3);
  const long = { command: 'download', values: { link: 'x'.repeat(300), audio: true }, owner: 'web:sari' };

  it('live through a restart, for a week', () => {
    let now = 1_000;
    const token = createActionTokens({ key, store: createActionStore(store), now: () => now }).encode(long);
    const restarted = createActionTokens({ key, store: createActionStore(reopened()), now: () => now });
    expect(restarted.decode(token, 'web:sari')).toEqual(long);
    now += 7 * 24 * 3_600_000;
    expect(() => restarted.decode(token, 'web:sari')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('are one row for a button shown often, and leave no expired rows', () => {
    let now = 0;
    const actions = createActionTokens({ key, store: createActionStore(store), now: () => now });
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
    createActionTokens({ key, store: createActionStore(store) }).encode({ ...long, owner: 'web:sari' });
    const row = z.object({ owner_tag: z.string(), json: z.string() });
    expect(JSON.stringify(store.all('SELECT owner_tag, json FROM actions', [], row))).not.toContain('sari');
  });
});

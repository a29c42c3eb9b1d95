import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callerKey } from '../../../src/bot/contract/request.ts';
import { CHAT_DEFAULTS } from '../../../src/bot/contract/settings.ts';
import {
  chatSettingsOf,
  createSettingsStore,
  isChannelOn,
  isFiltered,
  readableChatSettings,
} from '../../../src/bot/stores/settings-store.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { embeddedRecords } from '../../records.ts';
import { sampleCaller } from '../sample.ts';

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

function open(now?: () => number) {
  return createSettingsStore({ records: embeddedRecords(store, now) });
}

/** The store, and how often it was asked. */
function counted(): { readonly store: Store; queries(): number } {
  let queries = 0;
  return {
    store: {
      ...store,
      get(sql, params, row) {
        queries += 1;
        return store.get(sql, params, row);
      },
    },
    queries: () => queries,
  };
}

const Count = z.object({ n: z.number() });
const rows = () => store.get('SELECT count(*) AS n FROM records', [], Count)?.n;
const DAY = 24 * 3_600_000;

describe('the settings of people', () => {
  it('have defaults', async () => {
    expect(await open().user('web:sari')).toEqual({ language: null, player: null, view: null });
  });

  it.each(['web:sari', 'discord:300'])('of %s are kept through a restart', async key => {
    const settings = open();
    await settings.setUser(key, { language: 'id' });
    await settings.setUser(key, {});
    expect(await settings.user(key)).toEqual({ language: 'id', player: null, view: null });
    reopened();
    expect(await open().user(key)).toEqual({ language: 'id', player: null, view: null });
  });

  it('leave nothing of people who chose nothing, or want to be forgotten', async () => {
    const settings = open();
    await settings.user('web:reader');
    await settings.setUser('telegram:1', { language: 'id' });
    await settings.setUser('web:sari', { language: 'id' });
    await settings.setUser('web:budi', { language: 'en' });
    await settings.setUser('web:budi', { language: null });
    expect(rows()).toBe(2);
    await settings.forgetUser('web:sari');
    await settings.forgetUser('telegram:1');
    expect(await settings.user('web:sari')).toEqual({ language: null, player: null, view: null });
    expect(await settings.user('telegram:1')).toEqual({ language: null, player: null, view: null });
    expect(rows()).toBe(0);
  });

  it('are asked for once for people who write often', async () => {
    const { store: counting, queries } = counted();
    const settings = createSettingsStore({ records: embeddedRecords(counting), maxInMemory: 2 });
    const before = queries();
    for (let message = 0; message < 10; message += 1) await settings.user('web:sari');
    expect(queries() - before).toBe(1);
    for (const key of ['web:a', 'web:b', 'web:sari']) await settings.user(key);
    expect(queries() - before).toBe(4);
  });

  it('of browsers go after 90 days, those of accounts stay', async () => {
    let now = 0;
    const settings = open(() => now);
    await settings.setUser('web:sari', { language: 'id' });
    await settings.setUser('discord:1', { language: 'id' });
    now = 91 * DAY;
    expect((await settings.user('web:sari')).language).toBeNull();
    expect((await settings.user('discord:1')).language).toBe('id');
    expect(rows()).toBe(1);
  });

  it('of browsers stay while they are used', async () => {
    let now = 0;
    const settings = open(() => now);
    for (const key of ['web:sari', 'web:budi']) await settings.setUser(key, { language: 'id' });
    for (let day = 30; day <= 180; day += 30) {
      now = day * DAY;
      expect((await settings.user('web:sari')).language, `${day}`).toBe('id');
    }
    expect((await settings.user('web:budi')).language).toBeNull();
  });

  it('of browsers are renewed once a day', async () => {
    let [now, writes] = [0, 0];
    const counting: Store = {
      ...store,
      run(sql, params) {
        if (sql.startsWith('UPDATE')) writes += 1;
        return store.run(sql, params);
      },
    };
    const settings = createSettingsStore({ records: embeddedRecords(counting, () => now) });
    await settings.setUser('web:sari', { language: 'id' });
    for (let hour = 0; hour < 48; hour += 1) {
      now = hour * 3_600_000;
      await settings.user('web:sari');
    }
    expect(writes).toBe(2);
  });
});

describe('the settings of chats', () => {
  it('have defaults, and keep what was set through a restart', async () => {
    const settings = open();
    expect(await settings.chat('discord:guild')).toEqual({
      autoDetect: null,
      prefix: null,
      osuLinks: false,
      offChannels: [],
      onlyChannels: [],
      quotedLinks: null,
      view: 'card',
      sensitive: 'restricted',
      albumCap: null,
      offRoles: [],
      offWords: [],
      silent: null,
      quietErrors: false,
      noticeSeconds: 30,
      deleteSource: false,
      suppressEmbeds: true,
      captions: true,
      language: null,
      sources: {},
    });
    await settings.setChat('discord:guild', { autoDetect: false, sources: { facebook: false } });
    await settings.setChat('discord:guild', { language: 'id' });
    const set = { ...CHAT_DEFAULTS, autoDetect: false, language: 'id', sources: { facebook: false } };
    expect(await settings.chat('discord:guild')).toEqual(set);
    reopened();
    expect(await open().chat('discord:guild')).toEqual(set);
  });

  it('leave no record where all is as usual, or is to be forgotten', async () => {
    const settings = open();
    await settings.setChat('discord:a', { captions: false });
    await settings.setChat('discord:a', { captions: true });
    await settings.setChat('discord:b', { captions: false });
    expect(rows()).toBe(1);
    await settings.forgetChat('discord:b');
    expect([rows(), (await settings.chat('discord:b')).captions]).toEqual([0, true]);
  });

  it('read what another version wrote as far as they know it', async () => {
    await open().setChat('discord:a', { captions: false });
    const json = '{"captions":false,"language":7,"sources":{"pigeons":false},"new":1}';
    store.run('UPDATE records SET value = ?', [json]);
    const kept = { ...CHAT_DEFAULTS, captions: false, sources: { pigeons: false } };
    expect(await open().chat('discord:a')).toEqual(kept);
    const odd =
      '{"captions":false,"sources":{"pigeons":false},"view":"hologram","albumCap":0,"noticeSeconds":-1,"onlyChannels":7}';
    store.run('UPDATE records SET value = ?', [odd]);
    expect(await open().chat('discord:a')).toEqual(kept);
  });

  it.each([
    ['Great GIVEAWAY today https://x.example', [], true],
    ['giveaways, all of them', [], false],
    ['a flash sale!', [], true],
    ['nothing of that', ['7'], true],
    ['nothing of that', ['8'], false],
  ])('leave links alone by words and roles: %s %o', (text, roleIds, isExpected) => {
    expect(isFiltered({ offRoles: ['7'], offWords: ['giveaway', 'flash sale'] }, { roleIds }, text)).toBe(isExpected);
  });

  it('are answered in the channels that the rules leave, and threads go by their channel', () => {
    const isOn = (offChannels: string[], onlyChannels: string[], chatId: string, parentChatId?: string) =>
      isChannelOn({ offChannels, onlyChannels }, { chatId, ...(parentChatId !== undefined && { parentChatId }) });
    expect([isOn([], [], '1'), isOn(['1'], [], '1'), isOn(['1'], [], '2'), isOn(['1'], [], '2', '1')]).toEqual([
      ...[true, false, true, false],
    ]);
    expect([
      isOn([], ['1'], '1'),
      isOn([], ['1'], '2'),
      isOn([], ['1'], '2', '1'),
      isOn(['2'], ['1'], '2', '1'),
    ]).toEqual([...[true, false, true, false]]);
  });

  it('of a person alone with Medley are their own', async () => {
    const settings = open();
    const caller = sampleCaller({ chatKind: 'private' });
    await settings.setUser(callerKey(caller), { view: 'media' });
    expect(await chatSettingsOf({ settings }, caller)).toEqual({ ...CHAT_DEFAULTS, noticeSeconds: 0, view: 'media' });
    expect(await chatSettingsOf({ settings }, { ...caller, chatKind: 'group' })).toEqual(CHAT_DEFAULTS);
  });

  it('move with the chat, once, and never over what is set there', async () => {
    const settings = open();
    await settings.setChat('telegram:-1', { captions: false });
    await settings.moveChat('telegram:-1', 'telegram:-100');
    await settings.moveChat('telegram:-1', 'telegram:-100');
    await settings.moveChat('telegram:-100', 'telegram:-100');
    expect((await settings.chat('telegram:-100')).captions).toBe(false);
    expect((await settings.chat('telegram:-1')).captions).toBe(true);
    await settings.setChat('telegram:-2', { language: 'id' });
    await settings.moveChat('telegram:-2', 'telegram:-100');
    expect(await settings.chat('telegram:-100')).toMatchObject({ captions: false, language: null });
    expect(rows()).toBe(1);
  });

  it('go 30 days after Medley was removed, unless it came back', async () => {
    let now = 0;
    const settings = open(() => now);
    for (const key of ['discord:left', 'discord:back', 'discord:stays'])
      await settings.setChat(key, { captions: false });
    await settings.markChatLeft('discord:left', 0);
    await settings.markChatLeft('discord:back', 0);
    await settings.markChatLeft('discord:unknown', 0);
    await settings.markChatLeft('discord:back', null);
    now = 30 * DAY - 1;
    await settings.chat('discord:anything');
    expect(rows()).toBe(3);
    now = 30 * DAY + 3_600_000;
    await settings.chat('discord:something');
    expect(rows()).toBe(2);
    expect((await settings.chat('discord:left')).captions).toBe(true);
    expect((await settings.chat('discord:back')).captions).toBe(false);
    await settings.markChatLeft('discord:stays', now);
    now += 31 * DAY;
    expect((await open(() => now).chat('discord:stays')).captions).toBe(true);
  });

  it('cost a query only once for a chat that is talked in', async () => {
    const { store: counting, queries } = counted();
    const settings = createSettingsStore({ records: embeddedRecords(counting) });
    const before = queries();
    for (let message = 0; message < 10; message += 1) await settings.chat('discord:a');
    expect(queries() - before).toBe(1);
  });

  it('that cannot be read are never overwritten, and nothing is hidden or deleted by those who must go on', async () => {
    const settings = open();
    const caller = sampleCaller({ chatKind: 'group' });
    const failures: unknown[] = [];
    const onUnreadable = (error: unknown) => failures.push(error);
    expect(await readableChatSettings({ settings }, caller, onUnreadable)).toEqual(CHAT_DEFAULTS);
    store.close();
    // What was read before counts.
    expect(await readableChatSettings({ settings }, caller, onUnreadable)).toEqual(CHAT_DEFAULTS);
    expect(failures).toEqual([]);
    const elsewhere = { ...caller, chatId: 'never read' };
    const readable = await readableChatSettings({ settings }, elsewhere, onUnreadable);
    expect(readable).toEqual({ ...CHAT_DEFAULTS, suppressEmbeds: false, noticeSeconds: 0 });
    expect(failures).toMatchObject([{ code: 'internal' }]);
    await expect(settings.setChat('web:never read', { captions: false })).rejects.toMatchObject({ code: 'internal' });
  });
});

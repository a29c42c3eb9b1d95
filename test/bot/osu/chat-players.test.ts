import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { callerKey, chatKey } from '../../../src/bot/contract/request.ts';
import { isProvenHere } from '../../../src/bot/osu/chat-players.ts';
import { createChatMemory } from '../../../src/bot/stores/chat-memory.ts';
import { createSettingsStore } from '../../../src/bot/stores/settings-store.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { embeddedRecords } from '../../records.ts';
import { sampleCaller } from '../sample.ts';

function open() {
  const store = openStore(':memory:');
  onTestFinished(() => store.close());
  const records = embeddedRecords(store);
  const stored = createSettingsStore({ records });
  const read: string[] = [];
  const settings: typeof stored = {
    ...stored,
    user(key) {
      read.push(key);
      return stored.user(key);
    },
  };
  const memory = createChatMemory({ records, onFailure: error => expect.unreachable(String(error)) });
  const inGroup = (userId: string, chatId = 'tea house') =>
    sampleCaller({ platform: 'discord', chatKind: 'group', chatId, userId, rateKey: userId });
  const join = async (userId: string, id: number, proven: boolean, chatId?: string) => {
    const caller = inGroup(userId, chatId);
    await stored.setUser(callerKey(caller), { player: { id, name: `player ${id}`, mode: null, proven } });
    await memory.members.note(chatKey(caller), callerKey(caller));
  };
  const isProven = (id: number, caller = inGroup('budi')) => isProvenHere(id, caller, { memory, settings });
  return {
    settings,
    read,
    inGroup,
    join,
    isProven,
    rows: () => store.all("SELECT key FROM records WHERE collection = 'proven-users'", [], z.unknown()).length,
  };
}

it('a player is proven where the one who signed in is a member, and nobody else is looked up for it', async () => {
  const { read, inGroup, join, isProven } = open();
  for (let index = 0; index < 40; index += 1) await join(`member ${index}`, 100 + index, true);
  await join('sari', 7, true);
  await join('dewi', 7, false);
  await join('wati', 8, true, 'far away');
  expect(await isProven(7)).toBe(true);
  expect(read).toEqual([callerKey(inGroup('sari'))]);
  expect(await isProven(8)).toBe(false);
  expect(await isProven(9)).toBe(false);
  expect(read).toHaveLength(1);
  expect(await isProven(7, { ...inGroup('sari'), chatKind: 'private' })).toBe(true);
  expect(await isProven(7, { ...inGroup('dewi'), chatKind: 'private' })).toBe(false);
});

it('what is kept of it goes with the link, and with the person', async () => {
  const { settings, inGroup, join, isProven, rows } = open();
  const sari = callerKey(inGroup('sari'));
  await join('sari', 7, true);
  await settings.setUser(sari, { language: 'id' });
  expect(await settings.provenUsers(7)).toEqual([sari]);
  await join('sari', 8, true);
  expect([await isProven(7), await isProven(8), rows()]).toEqual([false, true, 1]);
  await settings.setUser(sari, { player: null });
  expect([await isProven(8), rows()]).toEqual([false, 0]);
  await join('sari', 7, true);
  await settings.forgetUser(sari);
  expect([await isProven(7), rows()]).toEqual([false, 0]);
  await settings.setUser('web:sari', { player: { id: 7, name: 'player 7', mode: null, proven: true } });
  expect(rows()).toBe(0);
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TrackedPlayer } from '../../../src/bot/contract/chat-memory.ts';
import { createChatMemory } from '../../../src/bot/stores/chat-memory.ts';
import { MAX_TRACKED } from '../../../src/bot/stores/tracked-players.ts';
import { AppError } from '../../../src/errors.ts';
import type { RecordStore } from '../../../src/infra/store/records.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { embeddedRecords } from '../../records.ts';
import { sampleCaller } from '../sample.ts';

const DAY_MS = 86_400_000;
const inChat = (chatId: string, own: object = {}) =>
  sampleCaller({ platform: 'telegram', chatId, chatKind: 'group', ...own });
const crane: TrackedPlayer = { id: 31, name: 'paper crane', mode: 'taiko' };

function open() {
  const store = openStore(':memory:');
  const clock = { ms: Date.UTC(2026, 10, 1) };
  const now = () => clock.ms;
  const failures: unknown[] = [];
  const memory = createChatMemory({
    records: embeddedRecords(store, now),
    onFailure: error => failures.push(error),
    now,
  });
  /** All that is stored, as text. */
  const stored = () => JSON.stringify(store.all('SELECT * FROM records', [], z.record(z.string(), z.unknown())));
  return { memory, clock, stored, failures };
}

describe('the map last shown', () => {
  it('is that of its chat, for 30 days', async () => {
    const { memory, clock } = open();
    await memory.maps.remember(inChat('a'), { id: 7, ruleset: 'osu' });
    await memory.maps.remember(inChat('a'), { id: 8, ruleset: 'taiko' });
    expect(await memory.maps.last(inChat('a', { userId: 'budi' }))).toEqual({ id: 8, ruleset: 'taiko' });
    expect(await memory.maps.last(inChat('b'))).toBeUndefined();
    clock.ms += 31 * DAY_MS;
    const later = createChatMemory({ records: embeddedRecords(undefined, () => clock.ms), onFailure: () => undefined });
    expect(await later.maps.last(inChat('a'))).toBeUndefined();
  });

  it('of a private chat belongs to the person, that of a group does not', async () => {
    const { memory } = open();
    const alone = sampleCaller({ platform: 'telegram', userId: 'sari', chatId: 'sari' });
    await memory.maps.remember(alone, { id: 7, ruleset: 'osu' });
    await memory.maps.remember(inChat('a', { userId: 'sari' }), { id: 8, ruleset: 'osu' });
    await memory.forgetUser('telegram:sari');
    expect(await memory.maps.last(alone)).toBeUndefined();
    expect(await memory.maps.last(inChat('a'))).toEqual({ id: 8, ruleset: 'osu' });
  });

  it('is none where the store fails, which is seen', async () => {
    const fail = () => Promise.reject(new AppError('internal', 'the disk is full'));
    const collection = { get: fail, set: fail, delete: fail, expire: fail, move: fail };
    const grouped = { get: fail, set: fail, listGroup: fail, delete: fail, deleteGroup: fail };
    const records: RecordStore = { collection: () => collection, groupedCollection: () => grouped };
    const failures: unknown[] = [];
    const { maps } = createChatMemory({ records, onFailure: error => failures.push(error) });
    await maps.remember(inChat('a'), { id: 7, ruleset: 'osu' });
    expect(await maps.last(inChat('a'))).toBeUndefined();
    expect(failures).toHaveLength(2);
  });
});

describe('members of a chat', () => {
  it('are listed by their last visit, for 90 days', async () => {
    const { memory, clock } = open();
    await memory.members.note('telegram:a', 'telegram:sari');
    clock.ms += 2 * DAY_MS;
    await memory.members.note('telegram:a', 'telegram:budi');
    clock.ms += 1;
    await memory.members.note('telegram:b', 'telegram:sari');
    expect(await memory.members.list('telegram:a')).toEqual(['telegram:budi', 'telegram:sari']);
    clock.ms += 2 * DAY_MS;
    await memory.members.note('telegram:a', 'telegram:sari');
    expect(await memory.members.list('telegram:a')).toEqual(['telegram:sari', 'telegram:budi']);
    clock.ms += 89 * DAY_MS;
    expect(await memory.members.list('telegram:a')).toEqual(['telegram:sari']);
  });

  it('are forgotten in every chat, without a trace', async () => {
    const { memory, stored } = open();
    for (const chat of ['telegram:a', 'telegram:b']) await memory.members.note(chat, 'telegram:sari');
    await memory.members.note('telegram:a', 'telegram:budi');
    await memory.forgetUser('telegram:sari');
    expect(await memory.members.list('telegram:a')).toEqual(['telegram:budi']);
    expect(await memory.members.list('telegram:b')).toEqual([]);
    expect(stored()).not.toContain('sari');
    expect(stored()).toContain('budi');
  });

  it('move with their chat, and go when Medley leaves it', async () => {
    const { memory, stored } = open();
    await memory.members.note('telegram:a', 'telegram:sari');
    await memory.moveChat('telegram:a', 'telegram:-100a');
    expect(await memory.members.list('telegram:-100a')).toEqual(['telegram:sari']);
    await memory.leaveChat('telegram:-100a');
    expect(stored()).not.toContain('sari');
  });
});

describe('tracked players', () => {
  it('are those of a chat, each once, so many at most', async () => {
    const { memory } = open();
    const { tracked } = memory;
    expect(await tracked.add(inChat('a'), crane)).toBe(true);
    expect(await tracked.add(inChat('a'), { ...crane, name: 'paper boat' })).toBe(true);
    expect(await tracked.list(inChat('a'))).toEqual([{ ...crane, name: 'paper boat' }]);
    const others = Array.from({ length: MAX_TRACKED }, (_, index) => ({ ...crane, id: 100 + index }));
    const added = await Promise.all(others.map(each => tracked.add(inChat('a'), each)));
    expect(added.filter(each => !each)).toHaveLength(1);
    expect(await tracked.list(inChat('a'))).toHaveLength(MAX_TRACKED);
    expect(await tracked.list(inChat('b'))).toEqual([]);
    expect(await tracked.remove(inChat('a'), crane)).toBe(true);
    expect(await tracked.remove(inChat('a'), crane)).toBe(false);
  });

  it('go when Medley leaves the group, and with the group to its new id', async () => {
    const { memory } = open();
    const { tracked } = memory;
    const channel = sampleCaller({ platform: 'discord', chatId: 'c1', groupId: 'g1', chatKind: 'group' });
    await tracked.add(channel, crane);
    await tracked.add(inChat('a'), crane);
    await memory.leaveChat('discord:g1');
    expect(await tracked.list(channel)).toEqual([]);
    await memory.moveChat('telegram:a', 'telegram:-100a');
    expect(await tracked.chats()).toEqual([
      { platform: 'telegram', chatId: '-100a', group: 'telegram:-100a', players: [crane] },
    ]);
    expect(await tracked.list(inChat('-100a'))).toEqual([crane]);
  });
});

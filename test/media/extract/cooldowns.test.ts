import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { COOLDOWNS, createCooldowns } from '../../../src/media/extract/cooldowns.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { chain, fail, ok, strategy } from './chain-fixture.ts';

const HOUR_MS = 3_600_000;

function open() {
  const store = openStore(':memory:');
  onTestFinished(() => store.close());
  let now = 1_760_000_000_000;
  const log = createRecordingLog();
  const collection = embeddedRecords(store).groupedCollection(COOLDOWNS);
  const start = (outgoing?: string) =>
    createCooldowns({ source: 'toy', collection, log, now: () => now, ...(outgoing !== undefined && { outgoing }) });
  return {
    start,
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

it('is known at once where it was noted, and to others with the same outgoing address', async () => {
  const { start, now, pass } = open();
  const [one, other, elsewhere] = [start(), start(), start('192.0.2.7')];
  const until = now() + HOUR_MS;
  one.set('endpoint a', until);
  pass(5);
  other.set('endpoint b', until);
  expect(one.until('endpoint a')).toBe(until);
  await Promise.all([one.close(), other.close()]);
  pass(1_000);
  for (const cooldowns of [one, other, elsewhere]) await cooldowns.refresh();
  expect([one, other].map(cooldowns => ['a', 'b'].map(name => cooldowns.until(`endpoint ${name}`)))).toEqual([
    [until, until],
    [until, until],
  ]);
  expect(elsewhere.until('endpoint a')).toBe(0);
});

it('goes by what was noted last', async () => {
  const { start, now, pass } = open();
  const [one, other] = [start(), start()];
  one.set('site', now() + HOUR_MS);
  await one.close();
  await other.refresh();
  pass(1_000);
  other.clear('site');
  await other.close();
  pass(1_000);
  await one.refresh();
  expect(one.until('site')).toBe(0);
});

it('is what this process knows while the store is away', async () => {
  const log = createRecordingLog();
  const away = () => Promise.reject(new AppError('internal', 'the store is away'));
  const collection = { get: away, set: away, listGroup: away, delete: away, deleteGroup: away };
  const cooldowns = createCooldowns({ source: 'toy', collection, log });
  cooldowns.set('endpoint a', Date.now() + HOUR_MS);
  await cooldowns.close();
  await cooldowns.refresh();
  expect(cooldowns.until('endpoint a')).toBeGreaterThan(Date.now());
  expect(log.at('warn').length).toBeGreaterThan(0);
});

it('has a dead strategy asked last by the first post after a restart too', async () => {
  const { start, now } = open();
  const strategies = [strategy('a', fail('upstream_changed')), strategy('b', ok)];
  const before = start();
  await chain(strategies, { cooldowns: before, now }).round();
  await before.close();
  const next = chain(strategies, { cooldowns: start(), now });
  expect(await next.round()).toEqual(['b']);
  expect(next.figures()[0]?.coolsUntil).toBeGreaterThan(now());
});

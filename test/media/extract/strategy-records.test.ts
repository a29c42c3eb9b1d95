import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { afterFailure, afterSuccess, UNTRIED } from '../../../src/media/extract/strategy-record.ts';
import { createStoredStrategyRecords } from '../../../src/media/extract/strategy-records.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { chain, fail, ok, strategy } from './chain-fixture.ts';

const NOW = 1_760_000_000_000;
const DAY_MS = 24 * 3_600_000;

function open(): Store {
  const store = openStore(':memory:');
  onTestFinished(() => store.close());
  return store;
}

describe('records of strategies', () => {
  it('order the first post after a restart', async () => {
    const store = open();
    const log = createRecordingLog();
    const strategies = [strategy('a', fail('upstream_changed')), strategy('b', ok)];
    const before = createStoredStrategyRecords({ store, log });
    const first = chain(strategies, { records: before });
    for (let post = 0; post < 4; post += 1) await first.round();
    await before.close();
    const next = chain(strategies, { records: createStoredStrategyRecords({ store, log }) });
    expect(await next.round()).toEqual(['b']);
    expect(next.figures()[0]?.coolsUntil).toBeGreaterThan(Date.now());
    expect(log.at()).toEqual([]);
  });

  it('are written once for many changes, some time later', async () => {
    const store = open();
    const records = createStoredStrategyRecords({ store, log: createRecordingLog(), writeAfterMs: 3_000 });
    const changes = () => store.run('SELECT 1').changes;
    expect(changes()).toBe(0);
    for (let took = 1; took <= 50; took += 1) await records.save('instagram', 'a', afterSuccess(UNTRIED, took));
    expect(await records.load('instagram')).toEqual(new Map());
    await expect.poll(async () => [...(await records.load('instagram'))]).toEqual([['a', afterSuccess(UNTRIED, 50)]]);
    expect(await records.load('facebook')).toEqual(new Map());
  });

  it('of strategies that are no longer asked are forgotten', async () => {
    const store = open();
    let now = NOW;
    const log = createRecordingLog();
    const save = async (name: string) => {
      const records = createStoredStrategyRecords({ store, log, now: () => now });
      await records.save('instagram', name, afterFailure(UNTRIED, now));
      await records.close();
      return [...(await records.load('instagram')).keys()];
    };
    expect(await save('old')).toEqual(['old']);
    now += 20 * DAY_MS;
    expect(await save('new')).toEqual(['new', 'old']);
    now += 11 * DAY_MS;
    expect(await save('new')).toEqual(['new']);
  });

  it('that cannot be read or written stop nothing', async () => {
    const store = openStore(':memory:');
    const log = createRecordingLog();
    const records = createStoredStrategyRecords({ store, log });
    store.run('INSERT INTO strategy_records VALUES (?, ?, ?, ?)', [
      'facebook',
      'a',
      '{"successes":1,"failures":0,"streak":3,"latencies":[4],"restsUntil":0,"triedAt":0}',
      NOW,
    ]);
    store.run('INSERT INTO strategy_records VALUES (?, ?, ?, ?)', ['facebook', 'b', 'not json', NOW]);
    expect(await records.load('facebook')).toEqual(new Map());
    store.close();
    const { run } = chain([strategy('a', ok)], { records, log });
    expect((await run()).strategy).toBe('a');
    await records.close();
    expect(log.at('warn').map(({ message }) => message)).toEqual([
      'what was learnt of the strategies could not be read',
      'what was learnt of the strategies could not be written',
    ]);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../../src/infra/store/store.ts';
import { type GatewaySession, openSessionRecord } from '../../../../src/platforms/discord/incoming/sessions.ts';
import { createRecordingLog } from '../../../fakes/log.ts';
import { embeddedRecords } from '../../../records.ts';

const session = (sessionId: string, sequence: number): GatewaySession => ({
  sessionId,
  sequence,
  resumeURL: 'wss://gateway.example',
  shardId: 0,
  shardCount: 1,
});

describe('the record of sessions', () => {
  let records: ReturnType<typeof embeddedRecords>;
  let isSettled = false;
  const open = () => openSessionRecord({ records, key: 'auto', isSettled: () => isSettled, log: createRecordingLog() });

  beforeEach(() => {
    records = embeddedRecords(openStore(':memory:'));
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it('has a session from its start, beside those that were not caught up with', async () => {
    const first = await open();
    expect(first.left).toEqual([]);
    first.note(0, session('one', 1));
    // That process ends without a word, and so does the next.
    await vi.advanceTimersByTimeAsync(0);
    const second = await open();
    const two = session('two', 1);
    second.note(0, two);
    two.sequence = 5;
    await vi.advanceTimersByTimeAsync(0);
    const third = await open();
    expect(third.left).toEqual([session('one', 1), session('two', 1)]);
    await Promise.all([first, second, third].map(each => each.close()));
  });

  it('has the oldest, which missed the least, and the newest, when many processes ended early', async () => {
    const opened = [];
    for (let id = 1; id <= 9; id += 1) {
      const each = await open();
      opened.push(each);
      each.note(0, session(`s${id}`, 1));
      await vi.advanceTimersByTimeAsync(0);
    }
    const last = await open();
    expect(last.left.map(({ sessionId }) => sessionId)).toEqual(['s1', 's2', 's6', 's7', 's8', 's9']);
    await Promise.all([...opened, last].map(each => each.close()));
  });

  it('goes as far as what was heard is accepted, and then leaves the earlier ones', async () => {
    const first = await open();
    const three = session('three', 1);
    first.note(0, three);
    three.sequence = 8;
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await open()).left.at(-1)).toEqual(session('three', 1));
    isSettled = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await open()).left).toEqual([session('three', 8)]);
    three.sequence = 9;
    await first.close();
    expect((await open()).left).toEqual([session('three', 9)]);
  });
});

import { expect, it } from 'vitest';
import { createRegisteredMenus } from '../../../src/bot/stores/registered-menus.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';

it('sends menus again that a platform did not take, and then remembers them', async () => {
  const menus = createRegisteredMenus(embeddedRecords(), createRecordingLog(), 1);
  const { signal } = new AbortController();
  let calls = 0;
  const register = async () => {
    calls += 1;
    if (calls < 3) throw new Error('503');
  };
  await menus.keep('chat:1', ['help'], register, signal);
  expect(calls).toBe(3);
  await menus.keep('chat:1', ['help'], register, signal);
  expect(calls).toBe(3);
});

it('gives up in the end, and at once where the platform is left', async () => {
  const menus = createRegisteredMenus(embeddedRecords(), createRecordingLog(), 1);
  const leaving = new AbortController();
  let calls = 0;
  const register = async () => {
    calls += 1;
    throw new Error('400');
  };
  await expect(menus.keep('chat:1', [], register, leaving.signal)).rejects.toThrow('400');
  expect(calls).toBe(10);
  leaving.abort();
  await expect(menus.keep('chat:1', [], register, leaving.signal)).rejects.toThrow('400');
  expect(calls).toBe(11);
});

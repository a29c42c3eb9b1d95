import { expect, it } from 'vitest';
import { createRegisteredMenus } from '../../../src/bot/stores/registered-menus.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';

it('registers once for the same menus, and again for others', async () => {
  const menus = createRegisteredMenus(embeddedRecords(), createRecordingLog());
  const registered: string[] = [];
  const keep = (english: string) =>
    menus.keep('discord:1', english, async () => {
      registered.push(english);
    });
  for (const english of ['a', 'a', 'b']) await keep(english);
  expect(registered).toEqual(['a', 'b']);
});

it('registers while the store is away, and says so', async () => {
  const store = openStore(':memory:');
  const log = createRecordingLog();
  const menus = createRegisteredMenus(embeddedRecords(store), log);
  store.close();
  let count = 0;
  await menus.keep('discord:1', 'a', async () => {
    count += 1;
  });
  expect(count).toBe(1);
  expect(log.at('info')).toHaveLength(2);
});

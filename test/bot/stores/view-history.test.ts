import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Request, RequestBody } from '../../../src/bot/contract/request.ts';
import { createButtonTokens, createViewHistory, SHOWN_VIEWS } from '../../../src/bot/stores/buttons.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';

const envelope = {
  id: 'discord:1',
  platform: 'discord',
  chat: { id: '20', kind: 'group' as const },
  user: { id: '300', rateKey: '300', locales: [] },
  at: 0,
  replyTo: null,
};
const pasted: Request = {
  ...envelope,
  kind: 'links',
  what: [{ url: 'https://osu.ppy.sh/b/9000014', spoiler: false }],
  unasked: true,
};
const opened: Request = { ...envelope, kind: 'button', what: { token: 'abc' } };

function open(store = openStore(':memory:')) {
  const names: Readonly<Record<RequestBody['kind'], string>> = {
    ...{ links: 'beatmap info', button: 'osu profile', command: 'help', line: 'help', talk: 'help' },
  };
  const records = embeddedRecords(store);
  const actions = createButtonTokens({ key: Buffer.alloc(32, 7), records, onFailure: () => undefined });
  const history = createViewHistory({
    ...{ platform: 'discord', records, tagOf: actions.tagOf, log: createRecordingLog() },
    dispatcher: { commandOf: async ask => names[ask.kind] },
  });
  return { ...history, actions };
}

it('who goes back to a card that nobody asked for asks for it now', async () => {
  const history = open();
  await history.keep('7', await history.next(pasted, undefined), pasted);
  await history.keep('7', await history.next(opened, { messageId: '7' }), opened);
  const { unasked, ...before } = Object.assign({ unasked: undefined }, await history.before('7'));
  expect(before).toEqual({ kind: 'links', what: pasted.what });
  expect(unasked).not.toBe(true);
});

it('a message shows what was opened in it last', async () => {
  const history = open();
  expect(await history.depth('7', pasted)).toBe(0);
  await history.keep('7', await history.next(pasted, undefined), pasted);
  expect([await history.depth('7', pasted), await history.depth('7', opened)]).toEqual([1, undefined]);
  await history.keep('7', await history.next(opened, { messageId: '7' }), opened);
  expect([await history.depth('7', pasted), await history.depth('7', opened)]).toEqual([undefined, 2]);
});

it('names nobody on record, and forgets what a person was shown with what their buttons need', async () => {
  const store = openStore(':memory:');
  const { actions, ...history } = open(store);
  for (const message of ['7', '8']) await history.keep(message, await history.next(pasted, undefined), pasted);
  const other = { ...pasted, user: { ...pasted.user, id: '400' } };
  await history.keep('9', await history.next(other, undefined), other);
  const kept = () => store.all('SELECT key, group_key, value FROM records', [], z.record(z.string(), z.string()));
  expect(kept().map(({ key }) => key)).toEqual(['discord:7', 'discord:8', 'discord:9']);
  expect(JSON.stringify(kept())).not.toContain('discord:300');
  await actions.forget('discord:300');
  expect(kept().map(({ key }) => key)).toEqual(['discord:9']);
});

it('forgets what a person was shown by 0.2.0, which kept it under their own id', async () => {
  const store = openStore(':memory:');
  const { actions, depth } = open(store);
  const earlier = embeddedRecords(store).groupedCollection(SHOWN_VIEWS);
  await earlier.set('discord:7', [{ kind: 'links', what: pasted.what }], 'discord:300');
  expect(await depth('7', pasted)).toBe(1);
  await actions.forget('discord:300');
  expect(await depth('7', pasted)).toBe(0);
});

import { expect, it } from 'vitest';
import type { Request, RequestBody } from '../../../src/bot/contract/request.ts';
import { createViewHistory } from '../../../src/bot/stores/buttons.ts';
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

function open() {
  const names: Readonly<Record<RequestBody['kind'], string>> = {
    ...{ links: 'beatmap info', button: 'osu profile', command: 'help', line: 'help', talk: 'help' },
  };
  return createViewHistory({
    platform: 'discord',
    records: embeddedRecords(openStore(':memory:')),
    dispatcher: { commandOf: async ask => names[ask.kind] },
    log: createRecordingLog(),
  });
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

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createJobs } from '../../../src/bot/runtime/jobs.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { telegramDraftOf } from '../../../src/platforms/telegram/adopted-jobs.ts';
import { createEventIds } from '../../../src/platforms/telegram/incoming/envelope.ts';
import { TelegramReplyTo } from '../../../src/platforms/telegram/reply-to.ts';
import { answersIn, BUDI, openStage, PHOTO, SARI } from './stage.ts';

const EVENT = 'k7RtqXw2bYd0aLmZp4sV1A';

/** As version 0.1.0 wrote it. */
function pending(id: string, links: readonly string[], target: object, chatId = '-1001000000001') {
  const jobs = createJobs({ store: openStore(':memory:') });
  const row = { id, platform: 'telegram' as const, userId: '512', chatId, links, target: JSON.stringify(target) };
  jobs.accept(row);
  const [job] = jobs.pending('telegram');
  return job ?? expect.unreachable('nothing is pending');
}

describe('a job of version 0.1.0', () => {
  it('about a link becomes the request of that link', () => {
    const url = 'https://www.instagram.com/reel/DYnightsky7/';
    const target = { message: 31, thread: 77, group: true, locales: ['id'], spoilers: [url] };
    const draft = telegramDraftOf(pending(`telegram:${EVENT}:2`, [url], target));
    expect(draft).toEqual({
      eventId: `${EVENT}:2`,
      chat: { id: '-1001000000001', kind: 'group' },
      user: { id: '512', rateKey: '512', locales: ['id'] },
      replyTo: { chat: -1_001_000_000_001, isGroup: true, thread: 77, message: 31 },
      kind: 'links',
      what: [{ url, spoiler: true }],
    });
    expect(TelegramReplyTo.safeParse(draft?.replyTo).success).toBe(true);
  });

  it('that was the first of its message has the id that the message has today', () => {
    const target = { message: 31, group: true, locales: [], spoilers: [] };
    expect(telegramDraftOf(pending(`telegram:${EVENT}:0`, ['https://x.example/'], target))?.eventId).toBe(EVENT);
    const named = createHmac('sha256', 'secret').update('question -100 31').digest('base64url').slice(0, 22);
    expect(createEventIds('secret')(-100, 31)).toBe(named);
  });

  it('about a command becomes that command', () => {
    const command = { name: 'download', options: { link: 'https://www.instagram.com/p/DXtramshed1/', item: 2 } };
    const target = { message: 5, group: false, locales: ['en'], spoilers: [], command };
    expect(telegramDraftOf(pending(`telegram:${EVENT}`, [], target, '512'))).toEqual({
      eventId: EVENT,
      chat: { id: '512', kind: 'private' },
      user: { id: '512', rateKey: '512', locales: ['en'], isChatAdmin: true },
      replyTo: { chat: 512, isGroup: false, message: 5 },
      kind: 'command',
      what: command,
    });
  });

  it.each([
    ['without links or a command', `telegram:${EVENT}`, '{"message":5,"group":false,"locales":[]}', '512'],
    ['with another target', `telegram:${EVENT}`, '{"message":"five"}', '512'],
    ['with a target that is no JSON', `telegram:${EVENT}`, '{', '512'],
    ['of another platform', `discord:${EVENT}`, '{"message":5,"group":false,"locales":[]}', '512'],
    ['in no chat', `telegram:${EVENT}`, '{"message":5,"group":false,"locales":[]}', 'none'],
  ])('%s is given up', (_, id, target, chatId) => {
    const job = { id, userId: '512', chatId, links: [], target, since: 1 };
    expect(telegramDraftOf({ ...job, platform: 'telegram', state: 'accepted' })).toBeUndefined();
  });

  it('is answered; where its answer may stand already, only the sentence about that comes', async () => {
    const { fake, runtime, settled } = await openStage();
    const target = JSON.stringify({ message: 1, group: false, locales: ['en'], spoilers: [] });
    const row = { platform: 'telegram' as const, links: [PHOTO], target, since: 1 };
    for (const [state, person] of [
      ['accepted', SARI],
      ['sending', BUDI],
    ] as const) {
      const ids = { id: `telegram:${person.id}-event:0`, userId: `${person.id}`, chatId: `${person.id}` };
      const draft = telegramDraftOf({ ...row, ...ids, state }) ?? expect.unreachable('it is readable');
      fake.message({ from: person, text: 'hello' });
      await fake.waitFor(() => answersIn(fake, person.id)[0]);
      expect(await runtime.accept('telegram', draft)).toBe('accepted');
      expect(await runtime.accept('telegram', draft)).toBe('known');
    }
    await settled();
    expect(answersIn(fake, SARI.id)[1]?.file?.kind).toBe('photo');
    expect(answersIn(fake, BUDI.id).map(({ text }) => text)[1]).toBe(createTranslator(['en']).messages.requests.unsure);
    expect([SARI, BUDI].map(({ id }) => answersIn(fake, id).length)).toEqual([2, 2]);
  });
});

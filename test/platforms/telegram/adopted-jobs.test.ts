import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { telegramDraftOf } from '../../../src/platforms/telegram/adopted-jobs.ts';
import { createEventIds } from '../../../src/platforms/telegram/incoming/envelope.ts';
import { TelegramReplyTo } from '../../../src/platforms/telegram/reply-to.ts';
import { answersIn, BUDI, openStage, PHOTO, SARI } from './stage.ts';

const ROW = { platform: 'telegram', userId: '512', state: 'accepted', since: 1_790_000_000_000 } as const;
const EVENT = 'k7RtqXw2bYd0aLmZp4sV1A';

/** As version 0.1.0 wrote it. */
function pending(id: string, links: readonly string[], target: object, chatId = '-1001000000001') {
  return { id, ...ROW, chatId, links, target: JSON.stringify(target) };
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
    expect(telegramDraftOf({ ...ROW, id, chatId, links: [], target })).toBeUndefined();
  });

  it('is answered; where its answer may stand already, only the sentence about that comes', async () => {
    const { fake, runtime, settled } = await openStage();
    const target = { message: 1, group: false, locales: ['en'], spoilers: [] };
    for (const [mayStand, person] of [
      [false, SARI],
      [true, BUDI],
    ] as const) {
      fake.message({ from: person, text: 'hello' });
      await fake.waitFor(() => answersIn(fake, person.id)[0]);
      const job = {
        ...pending(`telegram:${person.id}-event:0`, [PHOTO], target, `${person.id}`),
        userId: `${person.id}`,
      };
      const draft = telegramDraftOf(job) ?? expect.unreachable('it is readable');
      expect(await runtime.adopt('telegram', draft, mayStand)).toBe('accepted');
      expect(await runtime.adopt('telegram', draft, mayStand)).toBe('known');
    }
    await settled();
    expect(answersIn(fake, SARI.id)[1]?.file?.kind).toBe('photo');
    expect(answersIn(fake, BUDI.id)[1]?.text).toBe(createTranslator(['en']).messages.requests.unsure);
    expect([SARI, BUDI].map(({ id }) => answersIn(fake, id).length)).toEqual([2, 2]);
  });
});

import { describe, expect, it } from 'vitest';
import { answersIn, BUDI, CAROUSEL, GROUP, ORIGINAL, openStage, PHOTO, PRIVATE, REEL, SARI, SILENT } from './stage.ts';

const OVER = /^Too many requests\. Please try again in \d+ seconds\.$/;

describe('people over their limit', () => {
  it('are told so for every message, with the time to wait', async () => {
    const { fake, jobs } = await openStage({ userLimit: 2 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    for (const [place, text] of [REEL, CAROUSEL, `/download ${REEL}`, SILENT].entries()) {
      fake.message({ from: SARI, text });
      const notice = await fake.waitFor(() => answersIn(fake, SARI.id)[place + 1]);
      expect(notice.text).toMatch(OVER);
    }
    await fake.waitFor(() => jobs.pending('telegram').length === 0 || undefined);
    expect(fake.problems).toEqual([]);
  });

  it('are told so in a group too, each in reply to their message, without a sound, and not for long', async () => {
    const { fake, calls } = await openStage({ userLimit: 2, limits: { noticeMs: 300 } });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    const asked = [REEL, CAROUSEL, SILENT].map(text => fake.message({ chat: GROUP, from: SARI, text }));
    await fake.waitFor(() => calls('sendMessage')[2]);
    const notices = calls('sendMessage').map(({ params }) => params);
    expect(notices.map(({ text }) => text)).toEqual([0, 1, 2].map(() => expect.stringMatching(OVER)));
    expect(notices.map(({ disable_notification: silent }) => silent)).toEqual([true, true, true]);
    const replied = notices.map(({ reply_parameters: to }) => to);
    expect(replied).toEqual(asked.map(id => expect.objectContaining({ message_id: id })));
    // Other people have a limit of their own.
    fake.message({ chat: GROUP, from: BUDI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id).filter(({ file }) => file !== undefined)[1]);
    await fake.waitFor(() => answersIn(fake, GROUP.id).length === 2 || undefined);
    expect(fake.problems).toEqual([]);
  });

  it('do not make Medley flood a group: of many messages at once the last speaks for the rest', async () => {
    const { fake, calls, jobs } = await openStage({ userLimit: 2 });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    let last = 0;
    for (let n = 0; n < 12; n += 1) last = fake.message({ chat: GROUP, from: SARI, text: REEL });
    await fake.waitFor(() => calls('sendMessage')[5], 9_000);
    await fake.waitFor(() => jobs.pending('telegram').length === 0 || undefined, 9_000);
    expect(calls('sendMessage')).toHaveLength(6);
    expect(calls('sendMessage').at(-1)?.params.reply_parameters).toMatchObject({ message_id: last });
  }, 15_000);
});

describe('a failure among several links', () => {
  it('says which link, as code, which Telegram makes no link of', async () => {
    const { fake, calls } = await openStage();
    fake.message({ from: SARI, text: `${PHOTO} ${PRIVATE}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    const { text, entities, link_preview_options: preview } = calls('sendMessage')[0]?.params ?? {};
    const label = 'instagram.com/p/DXprivatebo';
    expect(text).toMatch(new RegExp(`^${label}: \\p{Lu}.*\\.$`, 'u'));
    expect(entities).toEqual([{ type: 'code', offset: 0, length: label.length }]);
    expect(preview).toEqual({ is_disabled: true });
    expect(fake.problems).toEqual([]);
  });

  it('of which the answer got lost says so for that link alone', async () => {
    const { fake } = await openStage();
    fake.fault({ method: 'sendVideo', errorCode: 502, description: 'Bad Gateway' });
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    const words = answersIn(fake, SARI.id).flatMap(({ text }) => text ?? []);
    expect(words).toEqual([expect.stringContaining(`${ORIGINAL.slice(12, -1)}: Telegram did not say whether`)]);
  });
});

describe('a rate limit of ten minutes', () => {
  const fault = { errorCode: 429, description: 'Too Many Requests: retry after 600', parameters: { retry_after: 600 } };

  it('is told as ten minutes, not as trouble of ours', async () => {
    const { fake } = await openStage();
    fake.fault({ method: 'sendPhoto', ...fault });
    fake.message({ from: SARI, text: PHOTO });
    const notice = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(notice.text).toBe('Telegram asks me to slow down. Please try again in 10 minutes.');
  });

  it('is told on a pressed button as well', async () => {
    const { fake } = await openStage();
    fake.message({ from: SARI, text: '/settings' });
    const page = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const data = /"callback_data":"([^"]*)"/.exec(JSON.stringify(page.replyMarkup))?.[1] ?? '';
    fake.fault({ method: 'editMessageText', ...fault });
    const query = fake.callbackQuery({ data, message: { chatId: SARI.id, messageId: page.messageId }, from: SARI });
    const told = await fake.waitFor(() => fake.callbackAnswers.get(query));
    expect(told).toMatchObject({ show_alert: true, text: expect.stringMatching(/Telegram .* 10 (minutes|menit)\.$/) });
  });
});

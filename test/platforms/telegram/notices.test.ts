import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { answersIn, BUDI, CAROUSEL, GROUP, openStage, PHOTO, PRIVATE, REEL, SARI, SILENT } from './stage.ts';

const t = createTranslator(['en']).messages;
const OVER = /^Too many requests\. Please try again in \d+ seconds\.$/;
const WAITS = /^That was a lot at once\. One link waits and follows by itself in \d+ seconds\.$/;

describe('people over their limit', () => {
  it('are told so for every message, with the time to wait', async () => {
    const { fake, queue } = await openStage({ userLimit: 2 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    for (const [place, text] of [REEL, CAROUSEL, `/download ${REEL}`, SILENT].entries()) {
      fake.message({ from: SARI, text });
      const notice = await fake.waitFor(() => answersIn(fake, SARI.id)[place + 1]);
      expect(notice.text).toMatch(text.startsWith('/') ? OVER : WAITS);
    }
    await expect.poll(() => queue.stats()).toMatchObject({ waiting: 3, running: 0 });
    expect(fake.problems).toEqual([]);
  });

  it('get what waits for it by itself, when their time has come', async () => {
    const { fake, settled } = await openStage({ userLimit: 2, userWindowMs: 5_000 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[2]);
    await settled();
    expect(answersIn(fake, SARI.id).map(({ file, text }) => file?.kind ?? text)).toEqual([
      'photo',
      expect.stringMatching(/^That was a lot at once\./),
      'video',
    ]);
  });

  it('are told so in a group too, each in reply to their message, and nobody else sees it', async () => {
    const { fake, calls } = await openStage({ userLimit: 2 });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    const asked = fake.message({ chat: GROUP, from: SARI, text: REEL });
    const notice = await fake.waitFor(() => answersIn(fake, GROUP.id)[1]);
    expect(notice).toMatchObject({ text: expect.stringMatching(WAITS), replyTo: asked, onlyFor: SARI.id });
    expect(calls('deleteMessage')).toEqual([]);
    expect(fake.problems).toEqual([]);
  });

  it('are told so where Telegram shows nothing to one alone: without a sound, and not for long', async () => {
    const { fake, calls } = await openStage({ userLimit: 2, limits: { noticeMs: 300, ephemeralMs: 0 } });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    const asked = [REEL, `/download ${CAROUSEL}`, SILENT].map(text => fake.message({ chat: GROUP, from: SARI, text }));
    await fake.waitFor(() => calls('sendMessage')[2]);
    const notices = calls('sendMessage').map(({ params }) => params);
    for (const { text } of notices) expect(text).toMatch(new RegExp(`${OVER.source}|${WAITS.source}`));
    expect(notices.map(({ disable_notification: silent }) => silent)).toEqual([true, true, true]);
    const replied = notices.map(({ reply_parameters: to }) => to);
    for (const id of asked) expect(replied).toContainEqual(expect.objectContaining({ message_id: id }));
    // Other people have a limit of their own.
    fake.message({ chat: GROUP, from: BUDI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id).filter(({ file }) => file !== undefined)[1]);
    await fake.waitFor(() => answersIn(fake, GROUP.id).length === 2 || undefined);
    expect(fake.problems).toEqual([]);
  });

  it('do not make Medley flood a group: of many messages at once a few are told of, the others a little later', async () => {
    const { fake, calls } = await openStage({ userLimit: 2 });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    for (let n = 0; n < 12; n += 1) fake.message({ chat: GROUP, from: SARI, text: REEL });
    const notices = () => calls('sendMessage').filter(({ params }) => WAITS.test(`${params.text}`));
    await fake.waitFor(() => notices()[4]);
    await pause(500);
    expect(notices()).toHaveLength(5);
    await fake.waitFor(() => notices()[5]);
  });
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

  it('of which the answer got lost keeps no other link from its answer', async () => {
    const { fake } = await openStage();
    fake.fault({ method: 'sendVideo', errorCode: 502, description: 'Bad Gateway' });
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    const words = answersIn(fake, SARI.id).flatMap(({ text }) => text ?? []);
    expect(words).toEqual([t.requests.unsure]);
    expect(answersIn(fake, SARI.id).map(({ file }) => file?.kind)).toEqual([undefined, 'photo']);
  });
});

describe('a failure that may pass', () => {
  /** A site that gives no answer to the first request. */
  function silentOnce() {
    let isFirst = true;
    return () => {
      if (!isFirst) return {};
      isFirst = false;
      throw new AppError('upstream_unavailable', 'no answer', { params: { site: 'Instagram' } });
    };
  }

  it.each([
    ['in a private chat', { id: SARI.id }, SARI],
    ['in a group, for whoever presses', GROUP, BUDI],
  ])('has a button that asks in another way, and the file stands in its place %s', async (_, chat, presser) => {
    const { fake } = await openStage({ post: silentOnce(), limits: { ephemeralMs: 0 } });
    fake.message({ ...(chat === GROUP && { chat: GROUP }), from: SARI, text: REEL });
    const told = await fake.waitFor(() => answersIn(fake, chat.id)[0]);
    const [, label, data = ''] =
      /"text":"([^"]*)","callback_data":"([^"]*)"/.exec(JSON.stringify(told.replyMarkup)) ?? [];
    expect(label).toBe(t.post.anotherWay);
    fake.callbackQuery({ data, message: { chatId: chat.id, messageId: told.messageId }, from: presser });
    await fake.waitFor(() => answersIn(fake, chat.id).find(({ file }) => file?.kind === 'video'));
    await fake.waitFor(() => answersIn(fake, chat.id).length === 1 || undefined);
    expect(fake.problems).toEqual([]);
  });
});

describe('a rate limit of ten minutes', () => {
  const fault = { errorCode: 429, description: 'Too Many Requests: retry after 600', parameters: { retry_after: 600 } };

  it('is waited for, by that chat alone', async () => {
    const { fake, calls, queue } = await openStage({ runtime: { concurrency: 1 } });
    fake.fault({ method: 'sendPhoto', ...fault });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => calls('sendPhoto')[0]);
    fake.message({ from: SARI, text: REEL });
    fake.message({ from: BUDI, text: PHOTO });
    expect((await fake.waitFor(() => answersIn(fake, BUDI.id)[0])).file?.kind).toBe('photo');
    expect(answersIn(fake, SARI.id)).toEqual([]);
    await expect.poll(() => queue.stats()).toMatchObject({ waiting: 2, running: 0 });
  });

  it('is told on a pressed button', async () => {
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

import { describe, expect, it } from 'vitest';
import { answersIn, buttonsOf, CAROUSEL, GROUP, ORIGINAL, openStage, PHOTO, PRIVATE, REEL, SARI } from './stage.ts';

const CHANNEL = { id: -1_001_000_000_003, type: 'channel', title: 'Lighthouse news' } as const;

describe('a channel', () => {
  it('has the links of its posts answered, without buttons that its readers could not use', async () => {
    const { fake, calls } = await openStage();
    fake.setMember(CHANNEL.id, fake.botId, 'administrator', { can_post_messages: true });
    const post = fake.message({ chat: CHANNEL, text: REEL });
    const answer = await fake.waitFor(() => answersIn(fake, CHANNEL.id)[0]);
    expect(answer).toMatchObject({ replyTo: post, file: { kind: 'video' } });
    expect(buttonsOf(answer).map(({ url }) => url)).toEqual([ORIGINAL]);
    expect(calls('sendChatAction')).toEqual([]);
    expect(fake.problems).toEqual([]);
  });

  it('is answered once, and not in its discussion group as well, to which its posts are forwarded', async () => {
    const { fake, settings, settled, outcomes, calls } = await openStage();
    await settings.setChat(`telegram:${GROUP.id}`, { deleteSource: true });
    const forwarded = { chat: GROUP, senderChat: CHANNEL, extra: { is_automatic_forward: true } };
    fake.message({ ...forwarded, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    fake.message({ chat: CHANNEL, text: REEL });
    fake.message({ ...forwarded, text: REEL });
    await fake.waitFor(() => answersIn(fake, CHANNEL.id)[0]);
    await settled();
    expect(outcomes).toHaveLength(2);
    expect(answersIn(fake, GROUP.id)).toHaveLength(1);
    // Its comments would go with it.
    expect(calls('deleteMessage')).toEqual([]);
  });

  it('keeps the answer to a link in its comments, also where that link is deleted, and its writer may delete it', async () => {
    const { fake, settings, settled } = await openStage();
    await settings.setChat(`telegram:${GROUP.id}`, { deleteSource: true });
    fake.setMember(GROUP.id, fake.botId, 'administrator', { can_delete_messages: true });
    const post = fake.message({
      chat: GROUP,
      senderChat: CHANNEL,
      text: 'news',
      extra: { is_automatic_forward: true },
    });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO, replyTo: post });
    const answer = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    await settled();
    expect(answer).toMatchObject({ replyTo: post, file: { kind: 'photo' } });
    const [data = ''] = buttonsOf(answer).flatMap(({ data: each }) => each ?? []);
    const press = { data, message: { chatId: GROUP.id, messageId: answer.messageId }, from: SARI };
    const query = fake.callbackQuery(press);
    await fake.waitFor(() => fake.callbackAnswers.get(query));
    expect(answer.deleted).toBe(true);
  });

  it('gets an album and nothing behind it', async () => {
    const { fake, settled } = await openStage();
    fake.message({ chat: CHANNEL, text: CAROUSEL });
    await fake.waitFor(() => answersIn(fake, CHANNEL.id)[4]);
    await settled();
    expect(answersIn(fake, CHANNEL.id)).toHaveLength(5);
  });

  it('has a link answered that comes into a post by an edit', async () => {
    const { fake } = await openStage();
    const post = fake.message({ chat: CHANNEL, text: 'soon' });
    fake.edit(CHANNEL.id, post, `now: ${PHOTO}`);
    expect((await fake.waitFor(() => answersIn(fake, CHANNEL.id)[0])).file?.kind).toBe('photo');
  });

  it('shows what could not be brought for a short while only', async () => {
    const { fake, calls } = await openStage({ limits: { noticeMs: 100 } });
    fake.message({ chat: CHANNEL, text: PRIVATE });
    await fake.waitFor(() => calls('deleteMessage')[0]);
    expect(calls('sendMessage')[0]?.params.disable_notification).toBe(true);
    expect(answersIn(fake, CHANNEL.id)).toEqual([]);
  });

  it('that lets Medley read and not write is left in peace', async () => {
    const { fake, outcomes, log } = await openStage();
    const description = 'Bad Request: need administrator rights in the channel chat';
    fake.fault({ method: /^send/, errorCode: 400, description, times: 99 });
    fake.message({ chat: CHANNEL, text: PHOTO });
    await fake.waitFor(() => outcomes[0]);
    expect(outcomes).toEqual(['gone']);
    expect(log.at('error')).toEqual([]);
  });

  it('does not lend its settings to those who read it', async () => {
    const { fake, settings } = await openStage();
    const reader = { id: 902, first_name: 'Reader', language_code: 'en' };
    fake.message({ chat: CHANNEL, text: '/settings' });
    const page = await fake.waitFor(() => answersIn(fake, CHANNEL.id)[0]);
    const data = buttonsOf(page).find(({ text }) => /Captions/.test(text))?.data ?? '';
    const message = { chatId: CHANNEL.id, messageId: page.messageId };
    const query = fake.callbackQuery({ data, message, from: reader });
    expect(await fake.waitFor(() => fake.callbackAnswers.get(query))).toMatchObject({ show_alert: true });
    expect((await settings.chat(`telegram:${CHANNEL.id}`)).captions).toBe(true);
  });
});

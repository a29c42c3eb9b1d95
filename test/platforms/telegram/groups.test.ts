import { describe, expect, it } from 'vitest';
import { answersIn, BUDI, FORUM, GROUP, openStage, PHOTO, REEL, SARI, type Stage } from './stage.ts';

const KEY = `telegram:${GROUP.id}`;

async function pressed({ fake }: Stage, queryId: string) {
  return fake.waitFor(() => fake.callbackAnswers.get(queryId));
}

function buttonOf(message: { readonly replyMarkup: unknown }, label: RegExp): string {
  const found = JSON.stringify(message.replyMarkup).match(/\{"text":"([^"]*)","callback_data":"([^"]*)"/g) ?? [];
  const button = found.find(each => label.test(each));
  return /"callback_data":"([^"]*)"/.exec(button ?? '')?.[1] ?? '';
}

describe('settings of a group', () => {
  it('are changed by its admins alone', async () => {
    const { fake, settings } = await openStage();
    fake.setMember(GROUP.id, SARI.id, 'administrator');
    fake.message({ chat: GROUP, from: BUDI, text: '/settings links:no' });
    const refusal = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(refusal.text).toMatch(/admin/i);
    expect((await settings.chat(KEY)).autoDetect).toBeNull();
    fake.message({ chat: GROUP, from: SARI, text: '/settings links:no' });
    await expect.poll(async () => (await settings.chat(KEY)).autoDetect).toBe(false);
    fake.message({ chat: GROUP, from: BUDI, text: PHOTO });
    fake.message({ chat: GROUP, from: BUDI, text: `/download ${PHOTO}` });
    await fake.waitFor(() => answersIn(fake, GROUP.id).find(({ file }) => file !== undefined));
    expect(answersIn(fake, GROUP.id).filter(({ file }) => file !== undefined)).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('are changed by anonymous admins too, who press buttons under their own name', async () => {
    const stage = await openStage();
    const { fake, settings } = stage;
    fake.setMember(GROUP.id, SARI.id, 'administrator');
    fake.message({ chat: GROUP, senderChat: GROUP, text: '/settings captions:no' });
    const page = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect((await settings.chat(KEY)).captions).toBe(false);
    const data = buttonOf(page, /Captions/);
    const at = { chatId: GROUP.id, messageId: page.messageId };
    const refused = await pressed(stage, fake.callbackQuery({ data, message: at, from: BUDI }));
    expect(refused.show_alert).toBe(true);
    await pressed(stage, fake.callbackQuery({ data, message: at, from: SARI }));
    expect((await settings.chat(KEY)).captions).toBe(true);
    expect(page.edits).toBe(1);
  });

  it('show what Medley may do here', async () => {
    const { fake } = await openStage({
      prepare: ({ me }) => Object.assign(me, { can_read_all_group_messages: false }),
    });
    fake.setMember(GROUP.id, SARI.id, 'creator');
    fake.setMember(GROUP.id, fake.botId, 'restricted', {
      can_send_messages: true,
      can_send_videos: false,
      can_send_photos: true,
    });
    fake.message({ chat: GROUP, from: SARI, text: '/settings' });
    const { text = '' } = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(text).toContain('✓ Write here');
    expect(text).toContain('✗ Send photos and videos');
    expect(text).toContain('✗ See pasted links');
    expect(text).toContain('BotFather');
    expect(fake.problems).toEqual([]);
  });

  it('move with the group when it becomes a supergroup', async () => {
    const { fake, settings } = await openStage();
    const old = { id: -500, type: 'group', title: 'Old' } as const;
    fake.message({ chat: old, from: SARI, text: 'hi' });
    await settings.setChat('telegram:-500', { autoDetect: false });
    fake.migrate(-500, -1_001_000_000_777);
    await expect.poll(async () => (await settings.chat('telegram:-1001000000777')).autoDetect).toBe(false);
    expect((await settings.chat('telegram:-500')).autoDetect).toBeNull();
  });

  it('are marked when Medley is removed, and kept when it is back', async () => {
    const marks: [string, boolean][] = [];
    const { fake, settings } = await openStage();
    const markChatLeft = settings.markChatLeft.bind(settings);
    Object.assign(settings, {
      markChatLeft(key: string, at: number | null) {
        marks.push([key, at !== null]);
        return markChatLeft(key, at);
      },
    });
    fake.myChatMember({ chat: GROUP, status: 'kicked' });
    fake.myChatMember({ chat: GROUP, status: 'member' });
    fake.myChatMember({ chat: { id: SARI.id, type: 'private' }, status: 'kicked' });
    await fake.waitFor(() => marks[2]);
    expect(marks).toEqual([
      [KEY, true],
      [KEY, false],
      [`telegram:${SARI.id}`, true],
    ]);
  });

  it('are marked when Telegram says at an answer that the group was deleted', async () => {
    const { fake, settings } = await openStage();
    const marks: string[] = [];
    const markChatLeft = settings.markChatLeft.bind(settings);
    Object.assign(settings, {
      markChatLeft(key: string, at: number | null) {
        marks.push(key);
        return markChatLeft(key, at);
      },
    });
    fake.fault({ method: /^send/, errorCode: 403, description: 'Forbidden: the group chat was deleted', times: 9 });
    fake.message({ chat: GROUP, from: SARI, text: '/about' });
    await fake.waitFor(() => marks[0]);
    expect(marks).toEqual([KEY]);
  });
});

describe('a button', () => {
  it('changes the message it stands under, and only for whom it was made', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.message({ from: SARI, text: '/settings' });
    const page = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const at = { chatId: SARI.id, messageId: page.messageId };
    const data = buttonOf(page, /Indonesia/);
    const stranger = await pressed(stage, fake.callbackQuery({ data, message: at, from: BUDI }));
    expect(stranger.text).toContain('milik orang lain');
    expect(page.edits).toBe(0);
    const own = await pressed(stage, fake.callbackQuery({ data, message: at, from: SARI }));
    expect(own.text).toBeUndefined();
    expect(page.text).toContain('Pengaturan');
    expect(fake.problems).toEqual([]);
  });

  it('that nobody made is refused calmly', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.message({ from: SARI, text: '/settings' });
    const page = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const at = { chatId: SARI.id, messageId: page.messageId };
    const answer = await pressed(stage, fake.callbackQuery({ data: 'forged', message: at, from: SARI }));
    expect(answer.text).toContain('no longer works');
  });

  it('that could not do its work says so', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    const { messageId, ...answer } = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    const description = "Bad Request: message can't be deleted for everyone";
    fake.fault({ method: 'deleteMessage', errorCode: 400, description });
    const press = { data: buttonOf(answer, /Delete/), message: { chatId: GROUP.id, messageId }, from: SARI };
    const said = await pressed(stage, fake.callbackQuery(press));
    expect(said).toMatchObject({ show_alert: true, text: expect.stringContaining('48 hours') });
  });

  it('says nothing where what it is to delete has gone already', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    const { messageId, ...answer } = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    fake.fault({ method: 'deleteMessage', errorCode: 400, description: 'Bad Request: message to delete not found' });
    const press = { data: buttonOf(answer, /Delete/), message: { chatId: GROUP.id, messageId }, from: SARI };
    expect((await pressed(stage, fake.callbackQuery(press))).text).toBeUndefined();
  });

  it('shows a translation to whoever presses, and leaves the post of words as it is', async () => {
    const translation = { isForeign: () => true, translate: async () => 'The harbour sleeps.' };
    const stage = await openStage({ services: { translation }, post: () => ({ items: [], missingItems: 0 }) });
    const { fake } = stage;
    fake.message({ chat: GROUP, from: SARI, text: `/download ${PHOTO}` });
    const { messageId, ...post } = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    const at = { chatId: GROUP.id, messageId };
    fake.message({ chat: GROUP, from: BUDI, text: 'hm' });
    await pressed(stage, fake.callbackQuery({ data: buttonOf(post, /Translate/), message: at, from: BUDI }));
    const [first, second] = answersIn(fake, GROUP.id);
    expect(first).toMatchObject({ edits: 0, text: post.text });
    expect(second).toMatchObject({ onlyFor: BUDI.id, text: expect.stringContaining('The harbour sleeps.') });
  });

  it('takes an answer away for whoever asked, and for admins, and for nobody else', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.setMember(GROUP.id, 999, 'administrator');
    for (const presser of [SARI, { id: 999, first_name: 'Admin' }]) {
      fake.message({ chat: GROUP, from: SARI, text: PHOTO });
      const answer = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
      const at = { chatId: GROUP.id, messageId: answer.messageId };
      const data = buttonOf(answer, /Delete/);
      expect((await pressed(stage, fake.callbackQuery({ data, message: at, from: BUDI }))).show_alert).toBe(true);
      expect(answer.deleted).toBe(false);
      await pressed(stage, fake.callbackQuery({ data, message: at, from: presser }));
      expect(answer.deleted).toBe(true);
    }
    expect(fake.problems).toEqual([]);
  });
});

describe('a closed topic', () => {
  it('is a missing right: the person who asked is told what to do, once, where they can be told', async () => {
    const { fake, outcomes, log } = await openStage();
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    for (const link of [PHOTO, REEL]) {
      fake.message({ chat: FORUM, from: SARI, text: link, messageThreadId: 77 });
      fake.closeTopic(FORUM.id, 77);
    }
    const told = await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(told.text).toBe(
      'I could not answer you: that topic is closed. Reopen it, or make me an admin who may manage topics.',
    );
    await fake.waitFor(() => outcomes[2]);
    expect(outcomes).toEqual(['answered', 'gone', 'gone']);
    expect(answersIn(fake, FORUM.id)).toEqual([]);
    expect(answersIn(fake, SARI.id)).toHaveLength(2);
    expect(log.at('error')).toEqual([]);
  });
});

describe('a remark in a group', () => {
  it('that concerns one person is shown to them alone', async () => {
    const { fake } = await openStage();
    fake.message({ chat: GROUP, from: BUDI, text: '/settings links:no' });
    const refusal = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(refusal.onlyFor).toBe(BUDI.id);
    expect(fake.problems).toEqual([]);
  });

  it('is shown to all where it cannot be shown to one', async () => {
    const { fake, calls } = await openStage();
    const when = ({ params }: { readonly params: object }) => 'ephemeral_message_parameters' in params;
    fake.fault({ method: 'sendMessage', when, errorCode: 400, description: 'Bad Request: USER_INVALID', times: 9 });
    fake.message({ chat: GROUP, from: BUDI, text: '/settings links:no' });
    const refusal = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(refusal.onlyFor).toBeUndefined();
    expect(calls('sendMessage').map(({ params }) => params.disable_notification)).toEqual([true, true]);
  });
});

describe('a group that Medley was added to', () => {
  const added = { chat: GROUP, status: 'member', from: BUDI } as const;

  it.each([
    ['links are seen', true, 'member', 'Tempelkan tautan', 'BotFather'],
    ['links are not seen', false, 'member', 'Jadikan saya admin', 'lewat /settings'],
    ['an admin sees links', false, 'administrator', 'Tempelkan tautan', 'Jadikan saya admin'],
  ] as const)('is told in one message that %s, and what to do', async (_, readsAll, status, words, others) => {
    const { fake, settled } = await openStage({
      prepare: ({ me, setMember, botId }) => {
        Object.assign(me, { can_read_all_group_messages: readsAll });
        setMember(GROUP.id, botId, 'left');
      },
    });
    fake.myChatMember({ ...added, status });
    const greeting = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(greeting.text).toContain(words);
    expect(greeting.text).not.toContain(others);
    // What Telegram says for those who follow the invitation, and a later promotion.
    fake.message({ chat: GROUP, from: BUDI, text: `/start@${fake.username} true` });
    fake.myChatMember({ ...added, status: 'administrator' });
    fake.message({ chat: GROUP, from: BUDI, text: `/about@${fake.username}` });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[1]);
    await settled();
    expect(answersIn(fake, GROUP.id)).toHaveLength(2);
    expect(fake.problems).toEqual([]);
  });

  it.each(['before', 'after'])(
    'is not greeted again when it becomes a supergroup, %s it is said that it moved',
    async order => {
      const old = { id: -500, type: 'group', title: 'Old' } as const;
      const to = { id: -1_001_000_000_777, type: 'supergroup', title: 'Old' } as const;
      const { fake, settled, calls } = await openStage();
      fake.message({ chat: old, from: SARI, text: 'hi' });
      fake.fault({ method: 'getChatMember', delayMs: 500 });
      const join = () => {
        const medley = { id: fake.botId, is_bot: true, first_name: 'Medley' };
        const change = {
          old_chat_member: { status: 'left', user: medley },
          new_chat_member: { status: 'member', user: medley },
        };
        fake.update({ my_chat_member: { chat: to, from: SARI, date: 1_790_000_000, ...change } });
      };
      if (order === 'before') {
        join();
        await fake.waitFor(() => calls('getChatMember')[0]);
      }
      fake.migrate(old.id, to.id);
      if (order === 'after') join();
      fake.message({ chat: to, from: SARI, text: `/about@${fake.username}` });
      await fake.waitFor(() => answersIn(fake, to.id)[0]);
      await settled();
      expect(answersIn(fake, to.id).map(({ text }) => text)).toEqual([expect.stringContaining('Medley 1.2.3')]);
    },
  );

  it('is told what else is missing', async () => {
    const { fake } = await openStage({ prepare: ({ setMember, botId }) => setMember(GROUP.id, botId, 'left') });
    fake.myChatMember({
      ...added,
      from: SARI,
      status: 'restricted',
      rights: { is_member: true, can_send_videos: false },
    });
    const greeting = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    expect(greeting.text).toContain('until then I can only send links');
  });

  it('is a channel: its readers are told nothing', async () => {
    const channel = { id: -1_001_000_000_003, type: 'channel', title: 'News' } as const;
    const { fake, calls, settled } = await openStage({
      prepare: ({ setMember, botId }) => setMember(channel.id, botId, 'left'),
    });
    fake.myChatMember({ chat: channel, status: 'administrator', from: SARI });
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await settled();
    expect(calls('sendMessage')).toHaveLength(1);
  });
});

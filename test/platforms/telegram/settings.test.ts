import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  answersIn,
  BUDI,
  buttonsOf,
  CAROUSEL,
  GROUP,
  ORIGINAL,
  openStage,
  PRIVATE,
  REEL,
  SARI,
  SILENT,
  type Stage,
} from './stage.ts';

const KEY = `telegram:${GROUP.id}`;

const answers = ({ fake }: Stage) => answersIn(fake, GROUP.id);

describe('the settings of a Telegram group', () => {
  it.each([
    [{}, ['true', 'true']],
    [{ silent: false }, ['undefined', 'true']],
  ])('notify of %o: %o, once for all links of a message', async (set, expected) => {
    const stage = await openStage();
    await stage.settings.setChat(KEY, set);
    stage.fake.message({ chat: GROUP, from: SARI, text: `${REEL} ${SILENT}` });
    await stage.fake.waitFor(() => answers(stage)[1]);
    const calls = stage.calls(/^send(Video|Photo)$/);
    const silent = calls.map(({ params }) => `${params.disable_notification}`);
    expect([silent[0], silent.at(-1)]).toEqual(expected);
    expect(stage.fake.problems).toEqual([]);
  });

  it('answer without a sound when a button is pressed, too', async () => {
    const stage = await openStage();
    const { fake } = stage;
    await stage.settings.setChat(KEY, { silent: true });
    fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    const end = await fake.waitFor(() => answers(stage)[5]);
    const data = buttonsOf(end)[0]?.data ?? '';
    fake.callbackQuery({ data, message: { chatId: GROUP.id, messageId: end.messageId }, from: SARI });
    await fake.waitFor(() => answers(stage)[6]);
    const sent = stage.calls(/^send(?!ChatAction)/);
    expect(sent.map(({ params }) => `${params.disable_notification}`)).toEqual(sent.map(() => 'true'));
    expect(sent.length).toBeGreaterThan(2);
  });

  it('show files alone, and no more than so many', async () => {
    const stage = await openStage();
    await stage.settings.setChat(KEY, { view: 'media', albumCap: 2 });
    stage.fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    await stage.fake.waitFor(() => answers(stage)[1]);
    await stage.settled();
    const files = answers(stage).filter(({ file }) => file !== undefined);
    expect(files).toHaveLength(2);
    expect(files[0]?.caption).toContain('2 of 5 shown');
    expect(files[0]?.caption).not.toContain('@');
  });

  it('leave a new site alone until an admin switches it on, but where it is asked for', async () => {
    const stage = await openStage({ services: { sites: [{ id: 'instagram', name: 'Newcomer' }] } });
    const { fake } = stage;
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    fake.message({ chat: GROUP, from: SARI, text: `/download ${REEL}` });
    await fake.waitFor(() => answers(stage)[0]);
    await stage.settled();
    expect(answers(stage)).toHaveLength(1);
    await stage.settings.setChat(KEY, { sources: { instagram: true } });
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    await fake.waitFor(() => answers(stage)[1]);
    expect(fake.problems).toEqual([]);
  });

  it('keep a sensitive post to private chats, until an admin wants it behind a spoiler', async () => {
    const stage = await openStage({ post: () => ({ sensitive: true }) });
    const { fake } = stage;
    fake.message({ from: SARI, text: REEL });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[0])).about.has_spoiler).toBe(true);
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    const withheld = await fake.waitFor(() => answers(stage)[0]);
    expect(withheld.text).toContain('only in age-restricted channels and private chats');
    expect(withheld.replyMarkup).toMatchObject({ inline_keyboard: [[{ url: ORIGINAL }]] });
    await stage.settings.setChat(KEY, { sensitive: 'spoiler' });
    fake.message({ chat: GROUP, from: SARI, text: REEL });
    expect((await fake.waitFor(() => answers(stage)[1])).about.has_spoiler).toBe(true);
    fake.message({ chat: GROUP, from: SARI, text: CAROUSEL });
    const album = await fake.waitFor(() => (answers(stage)[6] === undefined ? undefined : answers(stage).slice(2, 7)));
    expect(album.map(({ about }) => about.has_spoiler)).toEqual([true, true, true, true, true]);
    await stage.settings.setChat(KEY, { sensitive: 'never' });
    fake.message({ chat: GROUP, from: SARI, text: `/download ${REEL}` });
    await fake.waitFor(() => answers(stage).find(({ text = '' }) => text.includes('I do not show such posts')));
    expect(fake.problems).toEqual([]);
  });

  it('delete a message of nothing but a link once its file stands there in full', async () => {
    const stage = await openStage();
    const { fake, settings } = stage;
    await settings.setChat(KEY, { deleteSource: true });
    fake.setMember(GROUP.id, fake.botId, 'administrator', { can_delete_messages: true });
    fake.message({ chat: GROUP, from: SARI, text: `${REEL} view:media` });
    await fake.waitFor(() => stage.calls('deleteMessage')[0]);
    await stage.settled();
    expect(stage.calls('deleteMessage')).toHaveLength(1);
    expect(fake.problems).toEqual([]);
    // Words of a person are never lost.
    fake.message({ chat: GROUP, from: SARI, text: `look at this ${REEL}` });
    // What could not be brought is not taken away either.
    fake.message({ chat: GROUP, from: SARI, text: PRIVATE });
    await fake.waitFor(() => stage.outcomes[2]);
    expect(stage.calls('deleteMessage')).toHaveLength(1);
  });

  it('leave the message where Medley may not delete it', async () => {
    const stage = await openStage();
    await stage.settings.setChat(KEY, { deleteSource: true });
    stage.fake.message({ chat: GROUP, from: SARI, text: REEL });
    await stage.fake.waitFor(() => stage.log.at('info').find(({ message }) => /could not be deleted/.test(message)));
    expect(answers(stage).filter(({ file }) => file !== undefined)).toHaveLength(1);
  });

  it('say nothing of what fails', async () => {
    const stage = await openStage();
    await stage.settings.setChat(KEY, { quietErrors: true });
    stage.fake.message({ chat: GROUP, from: BUDI, text: PRIVATE });
    await stage.fake.waitFor(() => stage.outcomes[0]);
    expect(stage.calls('sendMessage')).toEqual([]);
    stage.fake.message({ chat: GROUP, from: BUDI, text: `/download ${PRIVATE}` });
    await stage.fake.waitFor(() => stage.outcomes[1]);
    expect(stage.calls('sendMessage')).toHaveLength(1);
  });

  it('leave quotes and forwards alone where they want that', async () => {
    const stage = await openStage();
    const { fake, settings } = stage;
    const origin = { type: 'hidden_user', sender_user_name: 'Somebody', date: 1 };
    const forward = () => fake.message({ chat: GROUP, from: SARI, text: REEL, extra: { forward_origin: origin } });
    await settings.setChat(KEY, { quotedLinks: false });
    forward();
    const quote = { type: 'blockquote', offset: 0, length: REEL.length };
    const url = { type: 'url', offset: 0, length: REEL.length };
    fake.message({ chat: GROUP, from: SARI, text: REEL, entities: [quote, url] });
    await pause(150);
    expect(answers(stage)).toEqual([]);
    await settings.setChat(KEY, { quotedLinks: null });
    forward();
    await fake.waitFor(() => answers(stage)[0]);
    expect(fake.problems).toEqual([]);
  });

  it('are shown to the admin alone, in sections on buttons whose answers take their place', async () => {
    const stage = await openStage();
    const { fake, settings, calls } = stage;
    fake.setMember(GROUP.id, SARI.id, 'administrator');
    fake.message({ chat: GROUP, from: SARI, text: '/settings' });
    let page = await fake.waitFor(() => answers(stage)[0]);
    const press = async (label: RegExp) => {
      const markup = JSON.stringify(page.replyMarkup);
      const buttons = markup.match(/\{"text":"([^"]*)","callback_data":"([^"]*)"/g) ?? [];
      const found = buttons.find(each => label.test(each)) ?? '';
      const data = /"callback_data":"([^"]*)"/.exec(found)?.[1] ?? '';
      const query = fake.callbackQuery({
        data,
        message: { chatId: GROUP.id, messageId: page.messageId },
        from: SARI,
      });
      page = await fake.waitFor(() => answers(stage).find(({ messageId }) => messageId > page.messageId));
      expect(calls('sendMessage').at(-1)?.params.ephemeral_message_parameters).toEqual({
        receiver_user_id: SARI.id,
        callback_query_id: query,
        replace_callback_query_message: true,
      });
    };
    await press(/Answers/);
    await press(/Delete answered links: off/);
    expect((await settings.chat(KEY)).deleteSource).toBe(true);
    await press(/Posts: words only/);
    expect((await settings.chat(KEY)).view).toBe('text');
    expect(JSON.stringify(page.replyMarkup)).toContain('✓ Posts: words only');
    await press(/Back/);
    expect(JSON.stringify(page.replyMarkup)).toContain('Failures');
    expect(answers(stage).map(({ onlyFor }) => onlyFor)).toEqual(answers(stage).map(() => SARI.id));
    expect(calls(/^edit/)).toEqual([]);
    expect(fake.problems).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { ALI, botOf, call, FILM, GROUP, PHOTO, start } from './rehearsal.ts';

const chat_id = ALI.id;

describe.runIf(process.env.SPECS_DIR)('the machine-readable Bot API', () => {
  it('finds nothing wrong with what telegraf sends', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const photo = fake.addFile({ kind: 'photo', bytes: 9 });
    const keyboard = { inline_keyboard: [[{ text: 'Original', url: 'https://example.com/' }]] };
    await telegram.getMe();
    await telegram.setMyCommands([{ command: 'a', description: 'b' }], { scope: { type: 'chat', chat_id: GROUP } });
    await telegram.sendChatAction(chat_id, 'upload_video');
    const { message_id } = await telegram.sendMessage(chat_id, 'link', {
      entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://example.com/' }],
      link_preview_options: { is_disabled: true },
      reply_markup: keyboard,
      reply_parameters: { message_id: 1, allow_sending_without_reply: true },
    });
    const entities = [{ type: 'bold' as const, offset: 0, length: 1 }];
    await telegram.sendVideo(chat_id, FILM, {
      ...{ width: 1, height: 2, duration: 3, supports_streaming: true, has_spoiler: true },
      ...{ thumbnail: PHOTO, caption: 'a', caption_entities: entities, reply_markup: keyboard },
    });
    await telegram.sendMediaGroup(chat_id, [
      { type: 'video', media: FILM, width: 1, height: 2, duration: 3, thumbnail: PHOTO, supports_streaming: true },
      { type: 'photo', media: photo, caption: 'a', caption_entities: entities },
    ]);
    const inline = fake.inlineQuery({ query: 'a' });
    await telegram.answerInlineQuery(inline, [
      { type: 'photo', id: 'a', photo_file_id: photo },
      { type: 'article', id: 'b', title: 'b', input_message_content: { message_text: 'c' }, reply_markup: keyboard },
      {
        ...{ type: 'video', id: 'c', title: 'c', mime_type: 'video/mp4' },
        ...{ video_url: 'https://example.com/c.mp4', thumbnail_url: 'https://example.com/c.jpg' },
      },
    ]);
    await telegram.callApi('setMessageReaction', { chat_id, message_id, reaction: [{ type: 'emoji', emoji: '👀' }] });
    await telegram.getChatMember(chat_id, fake.botId);
    await telegram.deleteMessage(chat_id, message_id);
    expect(fake.problems).toEqual([]);
  });

  it('names what is unknown, missing or of another type, at any depth', async () => {
    const fake = await start();
    const button = { text: 'a', callback_data: 'a', colour: 'red' };
    await call(fake, 'sendMessage', {
      ...{ chat_id, text: 'a', silently: true, disable_notification: 'perhaps' },
      ...{ entities: [{ type: 'bold', offset: 0, length: 1, bold: true }] },
      ...{ reply_markup: { inline_keyboard: [[button]] } },
      ...{ link_preview_options: { is_disabled: 1 } },
    });
    expect([...fake.problems].sort()).toEqual(
      [
        'silently is no parameter',
        'disable_notification is not Boolean',
        'entities[0].bold is no field of MessageEntity',
        'reply_markup.inline_keyboard[0][0].colour is no field of InlineKeyboardButton',
        'link_preview_options.is_disabled is not Boolean',
      ]
        .map(what => `sendMessage: specification: ${what}`)
        .sort(),
    );
  });

  it('takes mixed albums, and closes each kind of item', async () => {
    const fake = await start();
    const photo = { type: 'photo', media: fake.addFile({ kind: 'photo', bytes: 9 }) };
    const video = { type: 'video', media: fake.addFile({ kind: 'video', bytes: 9 }) };
    await call(fake, 'sendMediaGroup', { chat_id, media: [photo, video] });
    expect(fake.problems).toEqual([]);
    await call(fake, 'sendMediaGroup', {
      chat_id,
      media: [
        { ...photo, width: 3 },
        { ...video, width: 'wide' },
      ],
    });
    expect(fake.problems.map(problem => problem.replace('sendMediaGroup: specification: ', ''))).toEqual([
      'media[0].width is no field of InputMediaPhoto',
      'media[1].width is not Integer',
      expect.stringContaining('width'),
    ]);
  });
});

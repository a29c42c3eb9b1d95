import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALI, botOf, call, FILM, FORUM, GROUP, refusal, start } from './rehearsal.ts';

const chat_id = ALI.id;

describe('texts', () => {
  it('hold 1 to 4096 characters, captions 1024', async () => {
    const fake = await start({ specsDir: '' });
    const video = fake.addFile({ kind: 'video', bytes: 9 });
    for (const text of ['a', '🌊'.repeat(4096)]) await call(fake, 'sendMessage', { chat_id, text });
    for (const caption of ['', 'é'.repeat(1024)]) await call(fake, 'sendVideo', { chat_id, video, caption });
    expect(fake.problems).toEqual([]);
    expect(await call(fake, 'sendMessage', { chat_id, text: ' ' })).toBe('Bad Request: message text is empty');
    expect(await call(fake, 'sendMessage', { chat_id, text: 'a'.repeat(4097) })).toBe(
      'Bad Request: message is too long',
    );
    expect(await call(fake, 'sendVideo', { chat_id, video, caption: 'a'.repeat(1025) })).toBe(
      'Bad Request: message caption is too long',
    );
    const media = [1024, 1025].map(length => ({ type: 'video', media: video, caption: 'a'.repeat(length) }));
    expect(await call(fake, 'sendMediaGroup', { chat_id, media })).toBe('Bad Request: message caption is too long');
    expect(fake.problems).toHaveLength(4);
  });

  it('are counted without their markup', async () => {
    const fake = await start({ specsDir: '' });
    const text = `<b>${'a'.repeat(4090)}</b><a href="https://example.com/">&lt;link&gt;</a>`;
    await call(fake, 'sendMessage', { chat_id, text, parse_mode: 'HTML' });
    expect(fake.messages.get(`${ALI.id}:1`)).toMatchObject({
      entities: [
        { type: 'bold', offset: 0, length: 4090 },
        { type: 'text_link', offset: 4090, length: 6, url: 'https://example.com/' },
      ],
    });
    expect(fake.problems).toEqual([]);
    for (const broken of ['<b>', '<b></i>', '<div>a</div>', '1 < 2']) {
      const said = await call(fake, 'sendMessage', { chat_id, text: broken, parse_mode: 'HTML' });
      expect(said).toContain("can't parse entities");
    }
  });

  it('have entities inside them, between whole characters', async () => {
    const fake = await start({ specsDir: '' });
    const tell = (entity: object) =>
      call(fake, 'sendMessage', { chat_id, text: 'a🌊b', entities: [{ type: 'bold', ...entity }] });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -1, max: 5 }), fc.integer({ min: -1, max: 5 }), async (offset, length) => {
        const before = fake.problems.length;
        await tell({ offset, length });
        const whole = [0, 1, 3, 4];
        const isRight = length > 0 && whole.includes(offset) && whole.includes(offset + length);
        expect(fake.problems.length - before).toBe(isRight ? 0 : 1);
      }),
      { numRuns: 40 },
    );
    await tell({ type: 'text_link', offset: 0, length: 1 });
    expect(fake.problems.at(-1)).toContain('has no address');
  });
});

describe('commands', () => {
  it('are kept by scope and language', async () => {
    const fake = await start({ specsDir: '' });
    const { telegram } = botOf(fake);
    const start_ = [{ command: 'start', description: 'Begin' }];
    const mulai = [{ command: 'start', description: 'Mulai' }];
    await telegram.setMyCommands(start_);
    await telegram.setMyCommands(mulai, { scope: { type: 'all_private_chats' }, language_code: 'id' });
    expect(await telegram.getMyCommands()).toEqual(start_);
    expect(await telegram.getMyCommands({ scope: { type: 'all_private_chats' }, language_code: 'id' })).toEqual(mulai);
    expect(fake.commands.get('all_private_chats id')).toEqual(mulai);
    expect(fake.commands.get('all_private_chats')).toBeUndefined();
    expect(fake.problems).toEqual([]);
  });

  it('have names, descriptions and languages of a certain form', async () => {
    const fake = await start({ specsDir: '' });
    const set = (command: string, description: string, more: object = {}) =>
      call(fake, 'setMyCommands', { commands: [{ command, description }], ...more });
    expect(await set('Start', 'Begin')).toContain('BOT_COMMAND_INVALID');
    expect(await set('a'.repeat(33), 'Begin')).toContain('BOT_COMMAND_INVALID');
    expect(await set('start', '')).toContain('DESCRIPTION_INVALID');
    expect(await set('start', 'a'.repeat(257))).toContain('DESCRIPTION_INVALID');
    expect(await set('start', 'Begin', { language_code: 'en-GB' })).toContain('LANG_CODE_INVALID');
    expect(await set('start', 'Begin', { scope: { type: 'chat' } })).toContain('BotCommandScope');
    expect(fake.problems).toHaveLength(6);
  });
});

describe('notices', () => {
  it('hold 200 characters', async () => {
    const fake = await start({ specsDir: '' });
    const id = fake.inlineQuery({ query: '' });
    expect(await call(fake, 'answerCallbackQuery', { callback_query_id: id, text: 'a'.repeat(201) })).toContain(
      'TOO_LONG',
    );
  });
});

describe('requests', () => {
  it('of unknown methods or without what is needed are problems', async () => {
    const fake = await start({ specsDir: '' });
    expect(await call(fake, 'sendVideos', { chat_id })).toBe('Not Found');
    await call(fake, 'sendMessage', { chat_id });
    await call(fake, 'sendMessage', { chat_id, text: 'a', reply_parameters: '[object Object]' });
    await call(fake, 'sendMediaGroup', { chat_id, media: [{ type: 'photo', media: 'attach://lost' }, {}] });
    expect(fake.problems).toMatchObject([
      'sendVideos: no such method here',
      expect.stringContaining('at text'),
      'sendMessage: reply_parameters is not JSON',
      'sendMediaGroup: media is no list of media',
      'sendMediaGroup: attach://lost names no file of the form',
    ]);
  });

  it('may carry everything as text', async () => {
    const fake = await start({ specsDir: '' });
    const source = fake.message({ from: ALI, text: 'hello' });
    const reply_parameters = JSON.stringify({ message_id: source });
    const sent = await call(fake, 'sendMessage', { chat_id: String(chat_id), text: '[1]', reply_parameters });
    expect(sent).toMatchObject({ text: '[1]', reply_to_message: { message_id: source, text: 'hello' } });
    expect(fake.problems).toEqual([]);
  });
});

describe('edits', () => {
  it('change what the bot sent, and only when something changes', async () => {
    const fake = await start({ specsDir: '' });
    const { telegram } = botOf(fake);
    const { message_id } = await telegram.sendMessage(chat_id, 'one');
    const film = await telegram.sendVideo(chat_id, FILM);
    const theirs = fake.message({ from: ALI, text: 'hello' });
    await telegram.editMessageText(chat_id, message_id, undefined, 'two');
    await telegram.editMessageCaption(chat_id, film.message_id, undefined, 'a film');
    await telegram.editMessageReplyMarkup(chat_id, message_id, undefined, {
      inline_keyboard: [[{ text: 'Original', url: 'https://example.com/' }]],
    });
    await telegram.editMessageMedia(chat_id, film.message_id, undefined, { type: 'photo', media: FILM });
    expect(fake.messages.get(`${chat_id}:${message_id}`)).toMatchObject({ text: 'two', edits: 2 });
    expect(fake.messages.get(`${chat_id}:${film.message_id}`)).toMatchObject({ file: { kind: 'photo' }, edits: 2 });
    const said: string[] = [];
    const wrong = [
      () => telegram.editMessageText(chat_id, message_id, undefined, 'three'),
      () => telegram.editMessageText(chat_id, message_id, undefined, 'three'),
      () => telegram.editMessageText(chat_id, film.message_id, undefined, 'a film'),
      () => telegram.editMessageCaption(chat_id, message_id, undefined, 'a film'),
      () => telegram.editMessageText(chat_id, theirs, undefined, 'bye'),
      () => telegram.editMessageText(chat_id, 99, undefined, 'bye'),
    ];
    for (const edit of wrong) said.push(await refusal(edit()));
    expect(said.map(line => line.replace(/^400 Bad Request: |: .*/g, ''))).toEqual([
      'no error',
      'message is not modified',
      'there is no text in the message to edit',
      'there is no caption in the message to edit',
      "message can't be edited",
      'message to edit not found',
    ]);
  });
});

describe('rates', () => {
  it('are one call a second in a chat and twenty messages a minute in a group', async () => {
    let at = 1_800_000_000_000;
    const fake = await start({ now: () => at });
    const { telegram } = botOf(fake);
    const photo = { type: 'photo' as const, media: fake.addFile({ kind: 'photo', bytes: 9 }) };
    const album = Array.from({ length: 10 }, () => photo);
    fake.enforceRates(true);
    await telegram.sendMessage(chat_id, 'one');
    expect(await refusal(telegram.sendMessage(chat_id, 'two'))).toBe('429 Too Many Requests: retry after 1');
    await telegram.sendMessage(FORUM, 'elsewhere');
    at += 1000;
    await telegram.sendMessage(chat_id, 'two');
    await telegram.sendMediaGroup(GROUP, album);
    at += 10_000;
    await telegram.sendMediaGroup(GROUP, album);
    at += 5000;
    const error = await telegram.sendMessage(GROUP, 'more').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ response: { error_code: 429, parameters: { retry_after: 45 } } });
    at += 45_000;
    await telegram.sendMessage(GROUP, 'more');
    expect(fake.problems).toEqual([]);
  });
});

import { Telegraf } from 'telegraf';
import { describe, expect, it } from 'vitest';
import { serveHttp } from './loopback.ts';
import { ALI, botOf, call, FILM, GROUP, launch, refusal, start } from './telegram/rehearsal.ts';
import { createFakeTelegram } from './telegram.ts';

describe('updates', () => {
  it('come by long polling, and answers stand in the chat', async () => {
    const fake = await start();
    const bot = botOf(fake);
    bot.command('hello', ctx => ctx.reply('Hello there', { entities: [{ type: 'bold', offset: 0, length: 5 }] }));
    await launch(fake, bot);
    const asked = fake.message({ from: ALI, text: '/hello' });
    const answer = await fake.waitFor(() => fake.messages.get(`${ALI.id}:${asked + 1}`));
    expect(answer).toMatchObject({ byBot: true, text: 'Hello there', entities: [{ type: 'bold' }] });
    expect(fake.requests.map(({ method }) => method)).toEqual(['getMe', 'deleteWebhook', 'sendMessage']);
    expect(fake.problems).toEqual([]);
  });

  it('carry the addresses and commands of a text, in UTF-16 units', async () => {
    const fake = await start();
    const bot = botOf(fake);
    const seen: unknown[] = [];
    bot.on('text', ctx => {
      seen.push(ctx.message.entities);
    });
    await launch(fake, bot);
    fake.message({ from: ALI, text: '🌊 https://example.com/a, /go@medley_fake_bot' });
    await fake.waitFor(() => seen[0]);
    expect(seen[0]).toEqual([
      { type: 'url', offset: 3, length: 21 },
      { type: 'bot_command', offset: 26, length: 19 },
    ]);
  });

  it('are confirmed by the next poll and not given twice', async () => {
    const fake = await start();
    const bot = botOf(fake);
    const seen: string[] = [];
    bot.on('text', ctx => {
      seen.push(ctx.message.text);
    });
    await launch(fake, bot);
    for (const text of ['one', 'two', 'three']) fake.message({ from: ALI, text });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    expect(seen).toEqual(['one', 'two', 'three']);
  });

  it('may be written by hand, and what is in them is known afterwards', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const chat = { id: -40, type: 'group', title: 'By hand' };
    const message = { message_id: 7, date: 1, chat, text: 'hello' };
    fake.update({ callback_query: { id: 'press', from: ALI, chat_instance: '1', data: 'a', message } });
    await telegram.sendMessage(-40, 'hello', { reply_parameters: { message_id: 7 } });
    await telegram.answerCbQuery('press');
    expect(await telegram.getUpdates(0, 100, 0, undefined)).toMatchObject([{ callback_query: { id: 'press' } }]);
    expect(fake.problems).toEqual([]);
  });

  it('stop at privacy mode in groups', async () => {
    const fake = await start();
    fake.me.can_read_all_group_messages = false;
    const chat = { id: GROUP, type: 'supergroup' as const };
    for (const text of ['https://example.com/', '/go', '/go@another_bot', '@medley_fake_bot hi'])
      fake.message({ chat, text });
    expect(fake.pendingUpdates).toBe(2);
    fake.setMember(GROUP, { id: fake.botId, is_bot: true }, 'administrator');
    fake.message({ chat, text: 'https://example.com/' });
    expect(fake.pendingUpdates).toBe(3);
  });

  it('end with 409 when another instance polls, and with 401 once the token is gone', async () => {
    const fake = await start();
    const { over } = await launch(fake, botOf(fake));
    fake.conflict();
    expect(await over).toMatchObject({ response: { error_code: 409 } });
    const again = await launch(fake, botOf(fake));
    fake.revokeToken();
    fake.message({ from: ALI, text: 'hello' });
    expect(await again.over).toMatchObject({ response: { error_code: 401, description: 'Unauthorized' } });
    expect(await refusal(new Telegraf('1:no', { telegram: { apiRoot: fake.apiUrl } }).telegram.getMe())).toBe(
      '401 Unauthorized',
    );
  });

  it('keep no poll and no connection open after close', async () => {
    const fake = await createFakeTelegram();
    const poll = fetch(`${fake.apiUrl}bot${fake.token}/getUpdates?timeout=50`).then(
      answer => answer.status,
      () => 'cut',
    );
    await fake.waitFor(() => fake.isPolled || undefined);
    await fake.close();
    expect([200, 'cut']).toContain(await poll);
  });
});

describe('the webhook', () => {
  it('is called with its secret, in order, and again until the bot takes it', async () => {
    let port = 0;
    const fake = await start({
      resolve: url => (url.startsWith('https://medley.example/') ? `http://127.0.0.1:${port}` : undefined),
    });
    const bot = botOf(fake);
    const seen: string[] = [];
    bot.on('text', ctx => {
      seen.push(ctx.message.text);
    });
    const hook = await bot.createWebhook({ domain: 'medley.example', path: '/hook', secret_token: 's3cret' });
    let refused = 0;
    ({ port } = await serveHttp((request, response) => {
      if (refused++ < 2) response.writeHead(503).end();
      else void hook(request, response);
    }));
    expect(fake.webhook).toMatchObject({ url: 'https://medley.example/hook', secret: 's3cret' });
    fake.message({ from: ALI, text: 'one' });
    fake.message({ from: ALI, text: 'two' });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    expect(seen).toEqual(['one', 'two']);
    const update = { message: { message_id: 90, date: 1, chat: { id: ALI.id, type: 'private' }, text: 'three' } };
    expect(await fake.deliverByWebhook(update, 'wrong')).toMatchObject({ status: 403 });
    expect(await fake.deliverByWebhook(update, null)).toMatchObject({ status: 403 });
    expect(await fake.deliverByWebhook(update)).toMatchObject({ status: 200 });
    expect(seen).toEqual(['one', 'two', 'three']);
    expect(fake.problems).toEqual([]);
  });

  it('is exclusive with polling, and wants https, a known port and a plain secret', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    expect(await refusal(telegram.setWebhook('http://medley.example/'))).toContain('An HTTPS URL must be provided');
    expect(await refusal(telegram.setWebhook('https://medley.example:3000/'))).toContain('only on ports');
    expect(await refusal(telegram.setWebhook('https://medley.example/', { secret_token: 'ö' }))).toContain('secret');
    await telegram.setWebhook('https://medley.example:8443/');
    expect(await telegram.getWebhookInfo()).toMatchObject({ url: 'https://medley.example:8443/' });
    expect(await refusal(telegram.getUpdates(0, 100, 0, undefined))).toMatch(/^409 Conflict: can't use getUpdates/);
    await telegram.deleteWebhook();
    expect(await telegram.getUpdates(0, 100, 0, undefined)).toEqual([]);
  });
});

describe('inline mode', () => {
  it('goes from placeholder to video without a new file', async () => {
    const fake = await start();
    const bot = botOf(fake);
    const film = fake.addFile({ kind: 'video', bytes: 9 });
    bot.on('inline_query', ctx =>
      ctx.answerInlineQuery(
        [
          {
            type: 'article',
            id: 'wait',
            title: 'Film',
            input_message_content: { message_text: 'One moment' },
            reply_markup: { inline_keyboard: [[{ text: '…', callback_data: 'wait' }]] },
          },
          { type: 'video', id: 'film', video_file_id: film, title: 'Film' },
        ],
        { cache_time: 0, is_personal: true },
      ),
    );
    bot.on('chosen_inline_result', async ctx => {
      const { inline_message_id: id } = ctx.chosenInlineResult;
      if (id !== undefined) await ctx.editMessageMedia({ type: 'video', media: film, caption: 'Film' });
    });
    await launch(fake, bot);
    const query = fake.inlineQuery({ query: 'https://example.com/', from: ALI });
    expect((await fake.waitFor(() => fake.inlineAnswers.get(query))).results).toHaveLength(2);
    expect(fake.chosenInlineResult({ resultId: 'film', from: ALI })).toBeUndefined();
    const id = fake.chosenInlineResult({ resultId: 'wait', from: ALI }) ?? '';
    await fake.waitFor(() => fake.inlineMessages.get(id)?.file);
    expect(fake.inlineMessages.get(id)).toMatchObject({ caption: 'Film', file: { fileId: film }, edits: 1 });
    const { telegram } = bot;
    const upload = telegram.editMessageMedia(undefined, undefined, id, { type: 'video', media: FILM });
    expect(await refusal(upload)).toContain('new files cannot be uploaded');
    expect(fake.problems).toEqual(['editMessageMedia: an inline message takes no new files']);
  });

  it('refuses answers that are late, too many or badly named', async () => {
    const fake = await start();
    const { telegram } = botOf(fake);
    const article = (id: string) => ({
      type: 'article' as const,
      id,
      title: 'A',
      input_message_content: { message_text: 'A' },
    });
    const late = fake.inlineQuery({ query: 'a' });
    fake.expireQuery(late);
    expect(await refusal(telegram.answerInlineQuery(late, []))).toContain('query is too old');
    expect(fake.problems).toEqual([]);
    const query = fake.inlineQuery({ query: 'a' });
    const many = Array.from({ length: 51 }, (_, index) => article(String(index)));
    expect(await refusal(telegram.answerInlineQuery(query, many))).toContain('RESULTS_TOO_MUCH');
    expect(await refusal(telegram.answerInlineQuery(query, [article('é'.repeat(33))]))).toContain('RESULT_ID_INVALID');
    expect(await refusal(telegram.answerInlineQuery(query, [article('a'), article('a')]))).toContain('DUPLICATE');
    const lost = { type: 'video' as const, id: 'a', title: 'A', video_file_id: 'BAACAgnever' };
    expect(await refusal(telegram.answerInlineQuery(query, [lost]))).toContain('wrong file identifier');
    await telegram.answerInlineQuery(query, [article('é'.repeat(32))]);
    expect(fake.problems).toHaveLength(3);
  });
});

describe('buttons', () => {
  it('are pressed and answered once', async () => {
    const fake = await start();
    const bot = botOf(fake);
    bot.on('callback_query', async ctx => {
      await ctx.answerCbQuery('Gone');
      await ctx.deleteMessage();
    });
    await launch(fake, bot);
    const keyboard = { inline_keyboard: [[{ text: 'Delete', callback_data: 'x'.repeat(64) }]] };
    const sent = await bot.telegram.sendMessage(ALI.id, 'A film', { reply_markup: keyboard });
    const pressed = fake.callbackQuery({
      data: 'x'.repeat(64),
      message: { chatId: ALI.id, messageId: sent.message_id },
      from: ALI,
    });
    expect(await fake.waitFor(() => fake.callbackAnswers.get(pressed))).toMatchObject({ text: 'Gone' });
    await fake.waitFor(() => fake.messages.get(`${ALI.id}:${sent.message_id}`)?.deleted || undefined);
    expect(await refusal(bot.telegram.answerCbQuery(pressed))).toContain('query is too old');
    expect(fake.problems).toEqual([]);
  });

  it('carry 1-64 bytes and one action each', async () => {
    const fake = await start();
    const send = (button: object) => {
      const keyboard = { inline_keyboard: [[{ text: 'b', ...button }]] };
      return call(fake, 'sendMessage', { chat_id: ALI.id, text: 'a', reply_markup: keyboard });
    };
    expect(await send({ callback_data: 'x'.repeat(65) })).toContain('BUTTON_DATA_INVALID');
    expect(await send({ callback_data: '' })).toContain('BUTTON_DATA_INVALID');
    expect(await send({})).toContain('unallowed');
    expect(await send({ url: 'javascript:alert(1)' })).toContain('is invalid');
    expect(fake.problems).toHaveLength(4);
  });
});

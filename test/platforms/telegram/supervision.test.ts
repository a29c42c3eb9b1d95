import { setTimeout as pause } from 'node:timers/promises';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { AppError } from '../../../src/errors.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { answersIn, openStage, PHOTO, REEL, SARI, type StageOptions } from './stage.ts';

describe('polling', () => {
  it('goes on after a failure of Telegram, and answers what came meanwhile', async () => {
    const { fake, log } = await openStage();
    fake.fault({
      method: 'getUpdates',
      errorCode: 409,
      description: 'Conflict: terminated by other getUpdates request',
      times: 2,
    });
    // The poll that waits now ends with this.
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const line = await fake.waitFor(() => log.lines.find(({ message }) => message === 'not connected'));
    const message = expect.stringContaining('terminated by other getUpdates request');
    expect(line.details).toMatchObject({ err: { message } });
    fake.message({ from: SARI, text: REEL });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[1])).file?.kind).toBe('video');
  });

  it('asks only for the updates it reads', async () => {
    const { fake } = await openStage();
    const id = fake.message({ from: SARI, text: 'hello' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    fake.update({ message_reaction: { chat: { id: SARI.id, type: 'private' }, message_id: id } });
    expect(fake.pendingUpdates).toBe(0);
  });

  it('says what to do when the token is revoked', async () => {
    const { fake, log, runtime } = await openStage();
    fake.fault({ method: /^(getMe|getUpdates)$/, errorCode: 401, description: 'Unauthorized', times: 3 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => log.at('error').find(({ message }) => message === 'the token is refused'));
    expect((await runtime.status()).platforms).toMatchObject([
      { state: 'refused', reason: expect.stringMatching(/401 Unauthorized; TELEGRAM_TOKEN .* @BotFather/) },
    ]);
    expect(fake.isPolled).toBe(false);
  });

  it('confirms an update only when it is stored', async () => {
    let isBroken = true;
    const { fake, settled } = await openStage({
      queueOver: queue => ({
        ...queue,
        add: entry => (isBroken ? Promise.reject(new AppError('internal', 'disk full')) : queue.add(entry)),
      }),
    });
    fake.message({ from: SARI, text: PHOTO });
    await pause(600);
    expect([fake.pendingUpdates, answersIn(fake, SARI.id).length]).toEqual([1, 0]);
    isBroken = false;
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    await settled();
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
  });

  it('leaves what could not be stored to the next process', async () => {
    let isBroken = true;
    const { fake, restart, settled } = await openStage({
      queueOver: queue => ({
        ...queue,
        add: entry => (isBroken ? Promise.reject(new AppError('internal', 'disk full')) : queue.add(entry)),
      }),
    });
    fake.message({ from: SARI, text: PHOTO });
    await pause(200);
    isBroken = false;
    await restart();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await settled();
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
  });

  it('takes the webhook of another time away', async () => {
    const { fake } = await openStage({
      prepare: ({ apiUrl, token }) =>
        void fetch(`${apiUrl}bot${token}/setWebhook`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ url: 'https://elsewhere.example/hook' }),
        }),
    });
    await fake.waitFor(() => (fake.isPolled && fake.webhook === undefined ? true : undefined));
  });
});

describe('starting', () => {
  it('says so when the token is refused', async () => {
    const { fake, runtime, log } = await openStage({ start: false });
    fake.revokeToken();
    await runtime.start();
    expect((await runtime.status()).platforms).toMatchObject([
      { state: 'away', reason: expect.stringMatching(/TELEGRAM_TOKEN .* @BotFather/) },
    ]);
    await fake.waitFor(() => log.at('error').find(({ message }) => message === 'the token is refused'));
  });

  it('goes on in the background while Telegram is out of reach', async () => {
    const { fake, runtime, log } = await openStage({ start: false });
    fake.fault({ method: 'getMe', errorCode: 502, description: 'Bad Gateway', times: 2 });
    await runtime.start();
    expect(log.at('warn').map(({ message }) => message)).toContain('not connected');
    await fake.waitFor(() => fake.isPolled || undefined);
    fake.message({ from: SARI, text: PHOTO });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[0])).file?.kind).toBe('photo');
  });

  it('warns when privacy mode hides what is pasted', async () => {
    const { log } = await openStage({ prepare: ({ me }) => Object.assign(me, { can_read_all_group_messages: false }) });
    expect(
      log
        .at('warn')
        .map(({ message }) => message)
        .join(),
    ).toContain('privacy mode is on');
    const { log: quiet } = await openStage();
    expect(quiet.at('warn')).toEqual([]);
  });

  it('sets the menus of commands by chat and language, and only when they changed', async () => {
    const stage = await openStage();
    const { fake, calls, restart } = stage;
    // Telegram knows languages by two letters.
    const codes = LANGUAGES.map(({ tag }) => tag.split('-', 1)[0] ?? '');
    await fake.waitFor(() => fake.commands.get(`all_chat_administrators ${codes.at(-1)}`));
    expect([...fake.commands.keys()].toSorted()).toEqual(
      ['private_chats', 'group_chats', 'chat_administrators']
        .flatMap(kind => codes.map(code => `all_${kind} ${code === 'en' ? '' : code}`))
        .toSorted(),
    );
    const english = fake.commands.get('all_private_chats ')?.find(({ command }) => command === 'download');
    const indonesian = fake.commands.get('all_private_chats id')?.find(({ command }) => command === 'download');
    expect(english?.description).toContain('Show');
    expect(indonesian?.description).toContain('Tampilkan');
    const menus = fake.commands.size;
    expect(calls('setMyCommands')).toHaveLength(menus);
    // Where there is no English menu, there is no other, so those are not asked for.
    expect(calls('getMyCommands')).toHaveLength(3);
    const record = () => stage.records.collection({ name: 'registered-menus', schema: z.string() });
    await expect.poll(() => record().get(`telegram:${fake.me.id}`)).toBeDefined();
    await restart();
    await fake.waitFor(() => (calls('getMe').length === 2 ? true : undefined));
    await fake.waitFor(() => fake.isPolled || undefined);
    expect(calls('getMyCommands')).toHaveLength(3);
    await record().set(`telegram:${fake.me.id}`, 'of a version before');
    await restart();
    await fake.waitFor(() => (calls('getMyCommands').length === 3 + menus ? true : undefined));
    expect(calls('setMyCommands')).toHaveLength(menus);
    expect(fake.problems).toEqual([]);
  });
});

describe('an owner', () => {
  it('is told something in private, as plain text', async () => {
    const { fake, platform } = await openStage();
    fake.message({ from: SARI, text: 'hello' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await platform.tell?.(`${SARI.id}`, `*a source* is down https://x.example/ ${'x'.repeat(5_000)}`);
    const { text = '', entities } = await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(text).toMatch(/^\*a source\* is down .*…$/);
    expect([text.length, entities]).toEqual([4_096, []]);
    expect(fake.problems).toEqual([]);
  });
});

describe('a webhook', () => {
  const secret = 'a_long-secret_word';

  async function openWebhook(options: StageOptions = {}) {
    let origin = '';
    const stage = await openStage({
      ...options,
      start: false,
      runtime: { drainMs: 500 },
      webhook: { secret, publicUrl: 'https://medley.example' },
      telegram: { resolve: url => (url.startsWith('https://medley.example/') ? origin : undefined) },
    });
    const server = fastify();
    if (stage.platform.plugin) await server.register(stage.platform.plugin);
    origin = await server.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    return { ...stage, server };
  }

  it('brings updates, which are answered at once and taken once', async () => {
    const { fake, runtime, sandbox } = await openWebhook();
    await runtime.start();
    expect(fake.webhook).toMatchObject({
      secret,
      url: expect.stringMatching(/^https:\/\/medley\.example\/telegram\/[\w-]{32}$/),
    });
    expect(fake.webhook?.allowedUpdates).not.toContain('message_reaction');
    sandbox.faults.set('facebook.*', 'hang');
    fake.message({ from: SARI, text: 'https://www.facebook.com/watch/?v=731904415522087' });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    fake.message({ from: SARI, text: PHOTO });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[0])).file?.kind).toBe('photo');
    expect(fake.problems).toEqual([]);
  });

  it('that already pushes while it is being set brings nothing twice', async () => {
    const { fake, runtime, sandbox, settled, calls } = await openWebhook();
    sandbox.faults.set('instagram.*', 'delay:500');
    fake.message({ from: SARI, text: PHOTO });
    fake.fault({ method: 'setWebhook', errorCode: 502, afterSend: true });
    await runtime.start();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await fake.waitFor(() => calls('setWebhook')[1]);
    await settled();
    await runtime.stop();
    expect(calls('setWebhook')).toHaveLength(2);
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
  });

  it('takes nothing from others', async () => {
    const { fake, runtime, server } = await openWebhook();
    await runtime.start();
    const update = {
      message: { message_id: 5, date: 1, chat: { id: SARI.id, type: 'private' }, from: SARI, text: PHOTO },
    };
    for (const wrong of ['wrong', null, secret.toUpperCase()]) {
      expect((await fake.deliverByWebhook(update, wrong)).status).toBe(403);
    }
    const guess = await server.inject({ method: 'POST', url: '/telegram/webhook', payload: update });
    expect(guess.statusCode).toBe(404);
    expect((await fake.deliverByWebhook({ message: 'nonsense' })).status).toBe(200);
    expect(answersIn(fake, SARI.id)).toEqual([]);
  });

  it('lets Telegram keep what comes while it does not listen', async () => {
    const { fake, runtime } = await openWebhook();
    await runtime.start();
    await runtime.stop();
    const update = {
      message: { message_id: 5, date: 1, chat: { id: SARI.id, type: 'private' }, from: SARI, text: PHOTO },
    };
    expect((await fake.deliverByWebhook(update)).status).toBe(503);
    expect(fake.webhook).toBeDefined();
  });

  it('lets Telegram keep what could not be stored', async () => {
    let isBroken = true;
    const { fake, runtime } = await openWebhook({
      queueOver: queue => ({
        ...queue,
        add: entry => (isBroken ? Promise.reject(new AppError('internal', 'disk full')) : queue.add(entry)),
      }),
    });
    await runtime.start();
    const update = {
      message: { message_id: 5, date: 1, chat: { id: SARI.id, type: 'private' }, from: SARI, text: PHOTO },
    };
    const delivery = fake.deliverByWebhook(update);
    await pause(100);
    await runtime.stop();
    isBroken = false;
    expect((await delivery).status).toBe(503);
  });
});

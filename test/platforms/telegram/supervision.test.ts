import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { LANGUAGES } from '../../../src/i18n/translate.ts';
import { answersIn, openStage, PHOTO, REEL, SARI } from './stage.ts';

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
    await fake.waitFor(() => log.lines.find(({ message }) => message.includes('another process polls')));
    fake.message({ from: SARI, text: REEL });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[1])).file?.kind).toBe('video');
  });

  it('asks only for the updates it reads', async () => {
    const { fake } = await openStage();
    const id = fake.message({ from: SARI, text: 'hello' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    fake.edit(SARI.id, id, 'hello again');
    expect(fake.pendingUpdates).toBe(0);
  });

  it('ends with what to do when the token is revoked', async () => {
    const { fake, log } = await openStage();
    fake.revokeToken();
    fake.message({ from: SARI, text: PHOTO });
    const line = await fake.waitFor(() => log.at('error').find(({ message }) => message.includes('TELEGRAM_TOKEN')));
    expect(line.message).toContain('@BotFather');
    await fake.waitFor(() => (fake.isPolled ? undefined : true));
  });
});

describe('starting', () => {
  it('fails with what to do when the token is refused', async () => {
    const { fake, platform } = await openStage({ start: false });
    fake.revokeToken();
    await expect(platform.start()).rejects.toThrow(/TELEGRAM_TOKEN.*BotFather/);
  });

  it('does not keep the house waiting while Telegram is out of reach', async () => {
    const { fake, platform, log } = await openStage({ start: false });
    fake.fault({ method: 'getMe', errorCode: 502, description: 'Bad Gateway', times: 2 });
    await platform.start();
    expect(log.at('warn').map(({ message }) => message)).toContain('Telegram is out of reach; trying again');
    await fake.waitFor(() => fake.isPolled || undefined);
    fake.message({ from: SARI, text: PHOTO });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[0])).file?.kind).toBe('photo');
  });

  it('answers although the store cannot tell what is left of an earlier process', async () => {
    const { fake, platform, jobs, log } = await openStage({ start: false });
    Object.assign(jobs, {
      pending() {
        throw new AppError('internal', 'disk full');
      },
    });
    await platform.start();
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(log.at('error')).toHaveLength(1);
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
    const { fake, calls, restart } = await openStage();
    await fake.waitFor(() => fake.commands.get('all_chat_administrators id'));
    expect([...fake.commands.keys()].toSorted()).toEqual(
      ['private_chats', 'group_chats', 'chat_administrators']
        .flatMap(kind => LANGUAGES.map(({ tag }) => `all_${kind} ${tag === 'en' ? '' : tag}`))
        .toSorted(),
    );
    const english = fake.commands.get('all_private_chats ')?.find(({ command }) => command === 'download');
    const indonesian = fake.commands.get('all_private_chats id')?.find(({ command }) => command === 'download');
    expect(english?.description).toContain('Show');
    expect(indonesian?.description).toContain('Tampilkan');
    const menus = fake.commands.size;
    expect(calls('setMyCommands')).toHaveLength(menus);
    await restart();
    await fake.waitFor(() => (calls('getMyCommands').length === 2 * menus ? true : undefined));
    expect(calls('setMyCommands')).toHaveLength(menus);
    expect(fake.problems).toEqual([]);
  });
});

describe('a webhook', () => {
  const secret = 'a_long-secret_word';

  async function openWebhook() {
    let origin = '';
    const stage = await openStage({
      start: false,
      limits: { drainMs: 500, closeMs: 200 },
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
    const { fake, platform, sandbox } = await openWebhook();
    await platform.start();
    expect(fake.webhook).toMatchObject({
      secret,
      url: expect.stringMatching(/^https:\/\/medley\.example\/telegram\/[\w-]{32}$/),
    });
    expect(fake.webhook?.allowedUpdates).not.toContain('edited_message');
    sandbox.faults.set('facebook.*', 'hang');
    fake.message({ from: SARI, text: 'https://www.facebook.com/watch/?v=731904415522087' });
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    fake.message({ from: SARI, text: PHOTO });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[0])).file?.kind).toBe('photo');
    expect(fake.problems).toEqual([]);
  });

  it('that already pushes while it is being set brings nothing twice', async () => {
    const { fake, platform, sandbox, jobs, calls } = await openWebhook();
    sandbox.faults.set('instagram.*', 'delay:500');
    fake.message({ from: SARI, text: PHOTO });
    fake.fault({ method: 'setWebhook', errorCode: 502, afterSend: true, times: 3 });
    await platform.start();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await fake.waitFor(() => (jobs.pending('telegram').length === 0 ? true : undefined));
    await platform.stop();
    expect(calls('setWebhook')).toHaveLength(4);
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
  });

  it('takes nothing from anybody else', async () => {
    const { fake, platform, server } = await openWebhook();
    await platform.start();
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

  it('lets Telegram keep what comes while nobody listens', async () => {
    const { fake, platform } = await openWebhook();
    await platform.start();
    await platform.stop();
    const update = {
      message: { message_id: 5, date: 1, chat: { id: SARI.id, type: 'private' }, from: SARI, text: PHOTO },
    };
    expect((await fake.deliverByWebhook(update)).status).toBe(503);
    expect(fake.webhook).toBeDefined();
  });
});

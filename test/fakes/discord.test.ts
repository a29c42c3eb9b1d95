import { createHash } from 'node:crypto';
import { ApplicationCommandType, type Client, Events, type Interaction, type Message, MessageFlags } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect, login, makeClient, serveDiscord, standing } from './discord/bot.ts';
import { createFakeDiscord, type FakeDiscord } from './discord.ts';

const messagesOf = (client: Client) => collect<Message>(listener => client.on(Events.MessageCreate, listener));
const interactionsOf = (client: Client) =>
  collect<Interaction>(listener => client.on(Events.InteractionCreate, listener));

async function channelOf(client: Client, id: string) {
  const channel = await client.channels.fetch(id);
  if (channel?.isSendable() !== true) throw new Error('not a channel to write in');
  return channel;
}

const posts = (fake: FakeDiscord) =>
  fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));

describe('a discord.js bot on the fake', () => {
  it('logs in, registers commands, reads a message, answers an interaction with a file', async () => {
    const { fake, guildId, channelId } = await serveDiscord();
    const client = await login(fake);
    expect(client.guilds.cache.get(guildId)?.name).toBe('Harbour');

    await client.application.commands.set([
      { name: 'download', description: 'Get a video', type: ApplicationCommandType.ChatInput },
      { name: 'Get media', type: ApplicationCommandType.Message },
    ]);
    expect(fake.commands).toMatchObject([{ name: 'download' }, { name: 'Get media' }]);
    expect((await client.application.commands.fetch()).map(({ name }) => name)).toEqual(['download', 'Get media']);

    const messages = messagesOf(client);
    const id = fake.message({ guildId, content: 'look: https://www.instagram.com/reel/abc/' });
    const message = await fake.waitFor(() => messages.find(each => each.id === id));
    expect(message).toMatchObject({ channelId, content: 'look: https://www.instagram.com/reel/abc/' });

    const interactions = interactionsOf(client);
    fake.interaction({ kind: 'command', name: 'download', options: { link: 'https://example.com/x' }, guildId });
    const interaction = await fake.waitFor(() => interactions[0]);
    if (!interaction.isChatInputCommand()) throw new Error('not a command');
    expect(interaction.options.getString('link')).toBe('https://example.com/x');
    expect(interaction.attachmentSizeLimit).toBe(10 * 1024 * 1024);
    await interaction.deferReply();
    const bytes = Buffer.alloc(300_000, 7);
    const edited = await interaction.editReply({ content: 'here', files: [{ attachment: bytes, name: 'clip.mp4' }] });
    expect(edited.attachments.first()).toMatchObject({ name: 'clip.mp4', size: 300_000 });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(fake.messages.get(edited.id)).toMatchObject({
      body: { content: 'here' },
      files: [{ field: 'files[0]', name: 'clip.mp4', bytes: 300_000, sha256 }],
      flags: 0,
    });
    const followUp = await interaction.followUp({ content: 'more', flags: MessageFlags.Ephemeral });
    await interaction.deleteReply(followUp);
    expect(fake.messages.get(followUp.id)).toMatchObject({ deleted: true });
    await interaction.deleteReply();
    expect(standing(fake)).toEqual([]);
    expect(fake.problems).toEqual([]);
  });

  it('presses its buttons, chooses, completes, uses the message menu', async () => {
    const { fake, guildId, channelId } = await serveDiscord();
    const client = await login(fake);
    const interactions = interactionsOf(client);
    const next = (place: number) => fake.waitFor(() => interactions[place]);
    const row = (component: object) => ({ type: 1, components: [component] });
    const sent = await (await channelOf(client, channelId)).send({
      flags: MessageFlags.IsComponentsV2,
      components: [
        { type: 10, content: 'pages' },
        row({ type: 2, style: 2, label: 'Next', custom_id: 'page:2' }),
        row({ type: 3, custom_id: 'choose', options: [{ label: 'One', value: '1' }] }),
      ],
    });

    fake.interaction({ kind: 'button', customId: 'page:2', guildId });
    const button = await next(0);
    if (!button.isButton()) throw new Error('not a button');
    expect(button.message.id).toBe(sent.id);
    await button.update({ components: [{ type: 10, content: 'page two' }] });
    expect(fake.messages.get(sent.id)?.body).toMatchObject({ components: [{ content: 'page two' }] });

    fake.interaction({ kind: 'select', customId: 'choose', values: ['1'], messageId: sent.id });
    const select = await next(1);
    if (!select.isStringSelectMenu()) throw new Error('not a select');
    expect(select.values).toEqual(['1']);
    await select.deferUpdate();
    await select.followUp('chosen');

    fake.interaction({ kind: 'autocomplete', name: 'download', options: { link: 'https' }, guildId });
    const typing = await next(2);
    if (!typing.isAutocomplete()) throw new Error('not a completion');
    expect(typing.options.getFocused()).toBe('https');
    await typing.respond([{ name: 'A link', value: 'https://example.com' }]);

    const author = fake.message({ guildId, content: 'unread' });
    fake.interaction({ kind: 'message-command', name: 'Get media', targetMessage: author, locale: 'id' });
    const menu = await next(3);
    if (!menu.isMessageContextMenuCommand()) throw new Error('not a menu');
    expect(menu.targetMessage).toMatchObject({ id: author, content: 'unread' });
    expect(menu.locale).toBe('id');
    const { resource } = await menu.reply({ content: 'got it', withResponse: true });
    expect(fake.messages.get(resource?.message?.id ?? '')?.body.content).toBe('got it');
    expect(fake.problems).toEqual([]);
  });

  it('talks in a direct conversation', async () => {
    const { fake } = await serveDiscord();
    const client = await login(fake);
    const messages = messagesOf(client);
    const id = fake.message({ content: 'hello?', authorId: '300' });
    const message = await fake.waitFor(() => messages.find(each => each.id === id));
    expect(message).toMatchObject({ content: 'hello?', guildId: null });
    const answer = await message.reply('hello');
    expect(fake.messages.get(answer.id)).toMatchObject({ channelId: message.channelId, own: true });
    const interactions = interactionsOf(client);
    fake.interaction({ kind: 'command', name: 'help', userId: '300' });
    const interaction = await fake.waitFor(() => interactions[0]);
    expect(interaction).toMatchObject({ channelId: message.channelId, guildId: null, user: { id: '300' } });
    expect(fake.problems).toEqual([]);
  });

  it('suppresses the embed of another, who sees it come back when it was too early', async () => {
    const { fake, guildId } = await serveDiscord();
    const client = await login(fake);
    const messages = messagesOf(client);
    const updates = collect<Message>(listener => client.on(Events.MessageUpdate, (_old, message) => listener(message)));
    const id = fake.message({ guildId, content: 'https://example.com/reel' });
    await (await fake.waitFor(() => messages[0])).suppressEmbeds(true);
    expect(fake.messages.get(id)).toMatchObject({ flags: 4, own: false });
    fake.update(id, { flags: 0, embeds: [{ type: 'video', url: 'https://example.com/reel' }] });
    const unfurled = await fake.waitFor(() => updates.find(each => each.embeds.length > 0));
    expect(unfurled).toMatchObject({ id, editedTimestamp: null });
    expect(fake.problems).toEqual([]);
  });
});

describe('what a bot may look up', () => {
  it('is what stands there', async () => {
    const { fake, guildId, channelId } = await serveDiscord();
    const client = await login(fake);
    const id = fake.message({ guildId, content: 'first', authorId: '300' });
    const channel = await channelOf(client, channelId);
    await channel.sendTyping();
    const sent = await channel.send('second');
    expect((await channel.messages.fetch({ limit: 1 })).map(({ content }) => content)).toEqual(['second']);
    expect((await channel.messages.fetch(id)).author.id).toBe('300');
    await sent.delete();
    await expect(channel.messages.fetch({ message: sent.id, force: true })).rejects.toMatchObject({ code: 10008 });
    const guild = await client.guilds.fetch({ guild: guildId, force: true });
    expect((await guild.members.fetch({ user: fake.botUserId, force: true })).roles.cache.size).toBe(2);
    expect((await guild.members.fetch({ user: '300', force: true })).permissions.bitfield).toBe(0n);
    expect((await client.application.fetch()).flags.has('GatewayMessageContentLimited')).toBe(true);
    expect(fake.problems).toEqual([]);
  });
});

describe('the gateway', () => {
  it('sends after a cut what was missed, once, and again when told to', async () => {
    const { fake, guildId } = await serveDiscord();
    const messages = messagesOf(await login(fake));
    fake.drop();
    const id = fake.message({ guildId, content: 'while you were out' });
    await fake.waitFor(() => messages.find(each => each.id === id));
    expect(fake.gateway).toMatchObject({ identifies: 1, resumes: 1 });
    expect(messages).toHaveLength(1);
    fake.replay();
    await fake.waitFor(() => messages[1]);
    expect(messages.map(each => each.id)).toEqual([id, id]);
    expect(fake.problems).toEqual([]);
  });

  it('asks to reconnect, and is resumed', async () => {
    const { fake } = await serveDiscord();
    const client = await login(fake);
    const resumed = new Promise(resolve => client.on(Events.ShardResume, resolve));
    fake.requestReconnect();
    await resumed;
    expect(fake.gateway).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('ends a session, and is asked for a new one', async () => {
    const { fake, guildId } = await serveDiscord();
    const messages = messagesOf(await login(fake));
    fake.invalidSession(false);
    await fake.waitFor(() => (fake.gateway.identifies === 2 ? true : undefined));
    const id = fake.message({ guildId, content: 'still there?' });
    await fake.waitFor(() => messages.find(each => each.id === id));
  });

  it('does not resume a session it has forgotten', async () => {
    const { fake, guildId } = await serveDiscord();
    const messages = messagesOf(await login(fake));
    fake.drop();
    fake.invalidSession(false);
    await fake.waitFor(() => (fake.gateway.identifies === 2 ? true : undefined));
    const id = fake.message({ guildId, content: 'who am I?' });
    await fake.waitFor(() => messages.find(each => each.id === id));
    expect(fake.gateway.resumes).toBe(1);
  });

  it('lets a connection die unnoticed, until its heartbeats are missed', async () => {
    const { fake } = await serveDiscord({ heartbeatIntervalMs: 100 });
    const client = await login(fake);
    await fake.waitFor(() => (fake.gateway.heartbeats > 1 ? true : undefined));
    const resumed = new Promise(resolve => client.on(Events.ShardResume, resolve));
    fake.muteHeartbeats(true);
    await fake.waitFor(() => (fake.gateway.resumes > 0 ? true : undefined));
    fake.muteHeartbeats(false);
    await resumed;
  });

  it('closes with 4014 when a privileged intent is not switched on', async () => {
    const { fake } = await serveDiscord();
    fake.refuseIntents();
    await expect(login(fake)).rejects.toThrow('Used disallowed intents');
    const client = await login(fake, { intents: ['Guilds', 'GuildMessages', 'DirectMessages'] });
    expect((await client.application.fetch()).flags.has('GatewayMessageContentLimited')).toBe(false);
    expect(fake.problems).toEqual([]);
  });

  it('refuses a wrong token', async () => {
    const { fake } = await serveDiscord();
    await expect(makeClient(fake).login('no.such.token')).rejects.toThrow('An invalid token was provided');
  });

  it('empties messages for who may not read them, but not those meant for the bot', async () => {
    const { fake, guildId, channelId } = await serveDiscord();
    const client = await login(fake, { intents: ['Guilds', 'GuildMessages', 'DirectMessages'] });
    const own = await (await channelOf(client, channelId)).send('mine');
    const messages = messagesOf(client);
    const ids = [
      fake.message({ guildId, content: 'not for you', embeds: [{ title: 'x' }] }),
      fake.message({ guildId, content: `<@${fake.botUserId}> for you` }),
      fake.message({ guildId, content: 'an answer', replyTo: own.id, mentions: [fake.botUserId] }),
      fake.message({ content: 'in private' }),
    ];
    await fake.waitFor(() => messages.find(each => each.id === ids.at(-1)));
    const contents = ids.map(id => messages.find(each => each.id === id)?.content);
    expect(contents).toEqual(['', `<@${fake.botUserId}> for you`, 'an answer', 'in private']);
    expect(messages.find(each => each.id === ids[0])?.embeds).toEqual([]);
  });

  it('sends each guild to its own shard', async () => {
    const fake = await createFakeDiscord({ shards: 2, guildIds: [`${5n << 22n}`, `${6n << 22n}`] });
    onTestFinished(() => fake.close());
    const client = await login(fake, { shards: 'auto' });
    expect(client.guilds.cache.get(`${5n << 22n}`)?.shardId).toBe(1);
    expect(client.guilds.cache.get(`${6n << 22n}`)?.shardId).toBe(0);
  });

  it('survives being told anything, as does the client', async () => {
    const { fake, guildId } = await serveDiscord();
    const client = await login(fake);
    const messages = messagesOf(client);
    fake.dispatch('NO_SUCH_EVENT', { x: 1 });
    fake.dispatch('TYPING_START', {});
    const id = fake.message({ guildId, content: 'and on' });
    await fake.waitFor(() => messages.find(each => each.id === id));
  });
});

describe('faults', () => {
  it('makes the client wait as long as a 429 says', async () => {
    const { fake, channelId } = await serveDiscord();
    const channel = await channelOf(await login(fake), channelId);
    fake.fault({ method: 'POST', path: /messages$/, status: 429, headers: { 'retry-after': '0.3' } });
    await channel.send('patient');
    const [refused, taken] = posts(fake);
    expect([refused?.status, taken?.status]).toEqual([429, 200]);
    expect(Number(taken?.at) - Number(refused?.at)).toBeGreaterThanOrEqual(290);
    expect(standing(fake)).toHaveLength(1);
  });

  it('strikes as often as told, then lets through', async () => {
    const { fake, channelId } = await serveDiscord();
    const channel = await channelOf(await login(fake), channelId);
    fake.fault({ method: 'POST', path: /messages$/, status: 503, times: 2 });
    await channel.send('third time lucky');
    expect(posts(fake).map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(standing(fake)).toHaveLength(1);
  });

  it.each([
    ['answers 502 after the work', { status: 502 }],
    ['never answers', { hang: true }],
  ])('%s: the nonce sent again gives the first message', async (_name, fault) => {
    const { fake, channelId } = await serveDiscord();
    const channel = await channelOf(await login(fake, { rest: { timeout: 3_000 } }), channelId);
    fake.fault({ method: 'POST', path: /messages$/, afterSend: true, ...fault });
    const sent = await channel.send('once');
    expect(standing(fake).map(({ id }) => id)).toEqual([sent.id]);
    expect(posts(fake)).toHaveLength(2);
  });

  it('cuts the connection when the work is done', async () => {
    const { fake, channelId } = await serveDiscord();
    const channel = await channelOf(await login(fake), channelId);
    fake.fault({ method: 'POST', path: /messages$/, afterSend: true, cut: true });
    await expect(channel.send('heard, not answered')).rejects.toThrow();
    expect(standing(fake)).toHaveLength(1);
    expect(posts(fake)[0]?.status).toBeUndefined();
  });

  it('knows nothing of an upload that was broken off', async () => {
    const { fake, channelId } = await serveDiscord();
    const stop = new AbortController();
    const body = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode('--x\r\n')),
    });
    const headers = { authorization: `Bot ${fake.token}`, 'content-type': 'multipart/form-data; boundary=x' };
    const init = { method: 'POST', headers, body, duplex: 'half' as const, signal: stop.signal };
    const sending = fetch(`${fake.apiUrl}/v10/channels/${channelId}/messages`, init).catch((error: unknown) => error);
    setTimeout(() => stop.abort(), 50);
    expect(await sending).toMatchObject({ name: 'AbortError' });
    await fetch(`${fake.apiUrl}/v10/gateway`, { headers: { 'user-agent': 'DiscordBot (https://e.com, 1)' } });
    expect(fake.requests).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('takes a nonce for new again after minutes, and without enforce_nonce at once', async () => {
    const { fake, channelId } = await serveDiscord();
    const channel = await channelOf(await login(fake), channelId);
    const message = { content: 'x', nonce: 'n1', enforceNonce: true };
    const first = await channel.send(message);
    expect((await channel.send(message)).id).toBe(first.id);
    fake.advance(10 * 60_000);
    expect((await channel.send(message)).id).not.toBe(first.id);
    await channel.send({ content: 'x', nonce: 'n1', enforceNonce: false });
    expect(standing(fake)).toHaveLength(3);
  });

  it('leaves nothing open', async () => {
    const fake = await createFakeDiscord();
    const client = await login(fake, { rest: { timeout: 60_000, retries: 0 } });
    fake.fault({ path: /users/, hang: true });
    fake.fault({ path: /channels/, delayMs: 60_000 });
    const hung = client.rest.get('/users/@me').catch((error: unknown) => error);
    const slow = client.rest.get('/channels/1').catch((error: unknown) => error);
    const waiting = fake.waitFor(() => undefined, 60_000).catch((error: unknown) => error);
    await fake.waitFor(() => fake.requests.find(({ path }) => path === '/channels/1'));
    await client.destroy();
    await fake.close();
    for (const end of await Promise.all([hung, slow, waiting])) expect(end).toBeInstanceOf(Error);
    await expect(fetch(`${fake.apiUrl}/v10/gateway`)).rejects.toThrow();
  });
});

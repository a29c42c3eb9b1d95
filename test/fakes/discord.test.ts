import { createHash } from 'node:crypto';
import {
  ApplicationCommandType,
  Client,
  Events,
  GatewayIntentBits,
  type Interaction,
  type Message,
  MessageFlags,
  Options,
  Partials,
} from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeDiscord, type FakeDiscord, type FakeDiscordOptions } from './discord.ts';

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.MessageContent,
  GatewayIntentBits.DirectMessages,
];

async function fakeDiscord(options: FakeDiscordOptions = {}): Promise<FakeDiscord> {
  const fake = await createFakeDiscord(options);
  onTestFinished(() => fake.close());
  return fake;
}

function makeClient(fake: FakeDiscord, intents: readonly GatewayIntentBits[] = INTENTS): Client {
  const client = new Client({
    intents: [...intents],
    partials: [Partials.Channel, Partials.Message],
    allowedMentions: { parse: [], repliedUser: false },
    // discord.js keeps the second sight of a message it remembers from its listeners.
    makeCache: Options.cacheWithLimits({ MessageManager: 0 }),
    enforceNonce: true,
    rest: { api: fake.apiUrl, retries: 3 },
  });
  client.on(Events.Error, () => {});
  onTestFinished(() => client.destroy());
  return client;
}

async function login(fake: FakeDiscord, intents?: readonly GatewayIntentBits[]): Promise<Client<true>> {
  const client = makeClient(fake, intents);
  const ready = new Promise<Client<true>>(resolve => client.once(Events.ClientReady, resolve));
  await client.login(fake.token);
  return ready;
}

function collect<T>(subscribe: (listener: (value: T) => void) => void): readonly T[] {
  const seen: T[] = [];
  subscribe(value => seen.push(value));
  return seen;
}

const messagesOf = (client: Client) =>
  collect<Message>(listener => {
    client.on(Events.MessageCreate, listener);
  });
const interactionsOf = (client: Client) =>
  collect<Interaction>(listener => {
    client.on(Events.InteractionCreate, listener);
  });
const standing = (fake: FakeDiscord) => [...fake.messages.values()].filter(each => each.own && !each.deleted);

describe('a bot on the fake Discord', () => {
  it('logs in, registers commands, reads a message, answers an interaction with a file', async () => {
    const fake = await fakeDiscord();
    const { id: guildId, channelId } = fake.addGuild({ name: 'Harbour' });
    const client = await login(fake);
    expect(client.guilds.cache.get(guildId)?.name).toBe('Harbour');

    const commands = [
      { name: 'download', description: 'Get a video', type: ApplicationCommandType.ChatInput },
    ] as const;
    await client.application.commands.set([...commands]);
    expect(fake.commands).toMatchObject([{ name: 'download' }]);
    expect((await client.application.commands.fetch()).map(({ name }) => name)).toEqual(['download']);

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

  it('hears after a cut what it missed, once', async () => {
    const fake = await fakeDiscord();
    const { guildId } = guildOf(fake);
    const client = await login(fake);
    const messages = messagesOf(client);
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

  it('gives one message for a nonce sent twice', async () => {
    const fake = await fakeDiscord();
    const { channelId } = guildOf(fake);
    const client = await login(fake);
    fake.fault({ method: 'POST', path: /messages$/, status: 502, afterSend: true });
    const channel = await client.channels.fetch(channelId);
    if (channel?.isSendable() !== true) throw new Error('not a text channel');
    const sent = await channel.send('once');
    expect(standing(fake).map(({ id }) => id)).toEqual([sent.id]);
    expect(fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'))).toHaveLength(2);
  });
});

function guildOf(fake: FakeDiscord) {
  const { id: guildId, channelId } = fake.addGuild();
  return { guildId, channelId };
}

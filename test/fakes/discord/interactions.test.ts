import { type ChatInputCommandInteraction, Events, MessageFlags, type RESTError } from 'discord.js';
import { expect, it } from 'vitest';
import type { FakeDiscord } from '../discord.ts';
import { login, serveDiscord, standing } from './bot.ts';
import type { InteractionOptions } from './interactions.ts';

async function command(options: Partial<InteractionOptions> = {}) {
  const { fake, guildId } = await serveDiscord();
  const client = await login(fake);
  const come = new Promise<ChatInputCommandInteraction>(resolve =>
    client.on(Events.InteractionCreate, interaction => {
      if (interaction.isChatInputCommand()) resolve(interaction);
    }),
  );
  const { token } = fake.interaction({ kind: 'command', name: 'download', guildId, ...options });
  return { fake, interaction: await come, token, guildId };
}

const refused = (code: number, status: number) => expect.objectContaining({ code, status });

/** Answers twice, by two processes as it were: discord.js itself remembers only its own. */
const defer = (fake: FakeDiscord, interaction: ChatInputCommandInteraction) =>
  fetch(`${fake.apiUrl}/v10/interactions/${interaction.id}/${interaction.token}/callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'DiscordBot (https://example.com, 1)' },
    body: JSON.stringify({ type: 5 }),
  });

it('is unknown after three seconds without an answer', async () => {
  const { fake, interaction } = await command();
  fake.advance(3001);
  await expect(interaction.deferReply()).rejects.toEqual(refused(10062, 404));
  await expect(interaction.editReply('late')).rejects.toThrow();
  expect(standing(fake)).toEqual([]);
});

it('is known after three seconds in which this machine stood still', async () => {
  const { interaction } = await command();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_100);
  await interaction.deferReply();
});

it('is answered once', async () => {
  const { fake, interaction } = await command();
  const first = await defer(fake, interaction);
  expect([first.status, first.headers.get('content-type'), await first.text()]).toEqual([204, null, '']);
  const second = await defer(fake, interaction);
  const { code }: Partial<RESTError> = JSON.parse(await second.text());
  expect([second.status, code]).toEqual([400, 40060]);
  expect(standing(fake)).toHaveLength(1);
});

it('has a token for fifteen minutes', async () => {
  const { fake, interaction } = await command();
  await interaction.deferReply();
  fake.advance(14 * 60_000);
  await interaction.editReply('in time');
  fake.advance(61_000);
  await expect(interaction.editReply('too late')).rejects.toEqual(refused(50027, 401));
});

it('can lose its token sooner', async () => {
  const { fake, interaction, token } = await command();
  await interaction.deferReply();
  fake.expireInteraction(token);
  await expect(interaction.followUp('x')).rejects.toEqual(refused(50027, 401));
});

it('has no webhook before it is answered', async () => {
  const { interaction } = await command();
  await expect(interaction.webhook.send('too soon')).rejects.toEqual(refused(10015, 404));
});

it('turns the first follow-up after a deferral into its answer', async () => {
  const { fake, interaction } = await command();
  await interaction.deferReply({ flags: MessageFlags.Ephemeral });
  const [deferred] = standing(fake);
  expect(deferred?.flags).toBe(MessageFlags.Ephemeral | MessageFlags.Loading);
  const sent = await interaction.followUp('the answer');
  expect(sent.id).toBe(deferred?.id);
  expect(standing(fake)).toMatchObject([{ flags: MessageFlags.Ephemeral, body: { content: 'the answer' } }]);
});

it('allows five follow-ups where the app is only the user’s', async () => {
  const { fake, interaction } = await command({ authorizingIntegrationOwners: { '1': '300' }, userId: '300' });
  await interaction.reply('one');
  for (let count = 0; count < 5; count++) await interaction.followUp(`follow-up ${count}`);
  await expect(interaction.followUp('one too many')).rejects.toEqual(refused(40094, 400));
  expect(standing(fake)).toHaveLength(6);
});

it('takes files up to its own limit', async () => {
  const { fake, interaction } = await command({ attachmentSizeLimit: 1000 });
  await interaction.deferReply();
  const file = (bytes: number) => ({ files: [{ attachment: Buffer.alloc(bytes, 1), name: 'clip.mp4' }] });
  await expect(interaction.editReply(file(1001))).rejects.toEqual(refused(40005, 413));
  await interaction.editReply(file(1000));
  expect(standing(fake)[0]?.files).toMatchObject([{ bytes: 1000 }]);
  expect(fake.problems).toEqual([]);
});

it('keeps the files an edit names, and adds the new', async () => {
  const { fake, interaction } = await command();
  const bytes = (value: number) => Buffer.alloc(10, value);
  const { id } = await interaction
    .reply({ files: [{ attachment: bytes(1), name: 'a.jpg' }], withResponse: true })
    .then(({ resource }) => resource?.message ?? { id: '' });
  await interaction.editReply({ content: 'both', files: [{ attachment: bytes(2), name: 'b.jpg' }] });
  // discord.js lists the new files alone, which drops the old ones.
  expect(fake.messages.get(id)?.files).toMatchObject([{ name: 'b.jpg' }]);
  await interaction.editReply({ content: 'same files' });
  expect(fake.messages.get(id)?.files).toMatchObject([{ name: 'b.jpg' }]);
  await interaction.editReply({ content: 'none', attachments: [] });
  expect(fake.messages.get(id)).toMatchObject({ files: [], body: { content: 'none' } });
});

it('complains of an answer of the wrong kind', async () => {
  const { fake, interaction } = await command();
  const response = await fetch(`${fake.apiUrl}/v10/interactions/${interaction.id}/${interaction.token}/callback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'DiscordBot (https://example.com, 1)' },
    body: JSON.stringify({ type: 6 }),
  });
  expect(response.status).toBe(400);
  expect(fake.problems).toContainEqual(expect.stringContaining('type 6 does not answer a command'));
});

import { Client, type ClientOptions, Events, GatewayIntentBits, Options, Partials } from 'discord.js';
import { onTestFinished } from 'vitest';
import { createFakeDiscord, type FakeDiscord, type FakeDiscordOptions } from '../discord.ts';
import { useStockFormData } from './stock-form-data.ts';

const ALL_INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.MessageContent,
  GatewayIntentBits.DirectMessages,
];

/** A fake for the length of the running test, with one guild. */
export async function serveDiscord(options: FakeDiscordOptions = {}) {
  const fake = await createFakeDiscord(options);
  onTestFinished(() => fake.close());
  const { id: guildId, channelId } = fake.addGuild({ name: 'Harbour' });
  return { fake, guildId, channelId };
}

/** A discord.js client of the fake, not logged in. */
export function makeClient(fake: FakeDiscord, options: Partial<ClientOptions> = {}): Client {
  // Other files of the worker share its globals.
  onTestFinished(useStockFormData());
  const client = new Client({
    intents: ALL_INTENTS,
    partials: [Partials.Channel, Partials.Message],
    allowedMentions: { parse: [], repliedUser: false },
    // discord.js keeps the second sight of a message it remembers from its listeners.
    makeCache: Options.cacheWithLimits({ MessageManager: 0 }),
    enforceNonce: true,
    // The five seconds between identifies are discord.js's own affair.
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
    ...options,
    rest: { api: fake.apiUrl, ...options.rest },
  });
  client.on(Events.Error, () => {});
  onTestFinished(() => client.destroy());
  return client;
}

export async function login(fake: FakeDiscord, options?: Partial<ClientOptions>): Promise<Client<true>> {
  const client = makeClient(fake, options);
  const ready = new Promise<Client<true>>(resolve => client.once(Events.ClientReady, resolve));
  await client.login(fake.token);
  return ready;
}

/** A list that fills with what a listener is given. */
export function collect<T>(subscribe: (listener: (value: T) => void) => void): readonly T[] {
  const seen: T[] = [];
  subscribe(value => seen.push(value));
  return seen;
}

/** The bot's messages that stand. */
export const standing = (fake: FakeDiscord) => [...fake.messages.values()].filter(each => each.own && !each.deleted);

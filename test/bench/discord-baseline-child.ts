/** The bot to compare with: what discord.js offers, used as its guide shows. Arguments: API, token, CDN. */
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { useStockFormData } from '../fakes/discord/stock-form-data.ts';
import { gauge } from './discord-gauge.ts';

useStockFormData();
const [api = '', token = '', cdn = ''] = process.argv.slice(2);
const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
const client = new Client({
  intents: [Guilds, GuildMessages, DirectMessages, MessageContent],
  rest: { api, timeout: 120_000 },
});
client.on(Events.MessageCreate, async message => {
  const id = /instagram\.com\/p\/([\w-]+)/.exec(message.content)?.[1];
  if (message.author.bot || id === undefined) return;
  const answer = await fetch(`${cdn}/${id}.mp4`);
  const file = Buffer.from(await answer.arrayBuffer());
  await message.reply({ files: [{ attachment: file, name: `${id}.mp4` }] });
});
client.once(Events.ClientReady, () => console.log('ready'));
gauge();
await client.login(token);

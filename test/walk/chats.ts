/** The traced program, and a person on every platform who asks it for a post. The fakes end with this process. */
import { join } from 'node:path';
import { request } from 'undici';
import { startChild } from '../bench/child.ts';
import { createFakeDiscord } from '../fakes/discord.ts';
import { createFakeTelegram } from '../fakes/telegram.ts';
import { connect } from '../platforms/web/page-client.ts';
import { createSandbox } from '../sandbox/sandbox.ts';

/** Resolves when the answer has come. */
export type Ask = (link: string) => Promise<unknown>;

export async function openChats(main: string, folder: string) {
  const sandbox = await createSandbox({ generate: true });
  const discord = await createFakeDiscord();
  const telegram = await createFakeTelegram({ resolve: () => sandbox.origin });
  const child = await startChild('Medley', [main], {
    ...{ DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: '0', USER_LIMIT: '1000/60' },
    UPSTREAM_OVERRIDES: sandbox.overrides,
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    ...{ TELEGRAM_TOKEN: telegram.token, TELEGRAM_API_URL: telegram.apiUrl },
    // People set these for the real bot. They are empty because absent ones would be read from .env. Without a PATH there is no yt-dlp.
    ...{ REDIS_URL: '', INSTAGRAM_COOKIES_FILE: '', UPSTREAM_PROXY: '', PATH: '' },
  });
  const origin = /http:\S+(?=\/$)/.exec(child.line)?.[0] ?? '';
  await discord.waitFor(() => (discord.isHeard && telegram.isPolled) || undefined);
  const guildId = discord.addGuild().id;
  const page = await connect(origin);

  async function oneMore(count: () => number, ask: () => unknown): Promise<void> {
    const before = count();
    ask();
    await discord.waitFor(() => count() > before || undefined);
  }

  const discordFiles = () => [...discord.messages.values()].filter(({ own, files }) => own && files.length > 0).length;
  const messages = () => discord.messages.size;
  const telegramFiles = () => [...telegram.messages.values()].filter(({ byBot, file }) => byBot && file).length;
  const asks = {
    discord: link => oneMore(discordFiles, () => discord.message({ guildId, content: link })),
    telegram: link =>
      oneMore(telegramFiles, () => {
        const id = 1_000 + telegram.messages.size;
        telegram.addChat({ id, type: 'private' });
        telegram.message({ from: { id, first_name: 'Sari', language_code: 'en' }, text: link });
      }),
    web(text) {
      const id = String(page.heard.length);
      page.send({ type: 'message', id, text });
      return page.hear('done', frame => frame.id === id);
    },
    help: () => oneMore(messages, () => discord.interaction({ kind: 'command', name: 'help', guildId })),
    async igdownload(url) {
      // On a connection of its own, as a stranger asks.
      const { statusCode, body } = await request(`${origin}/api/igdownload`, { query: { url }, reset: true });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`/api/igdownload: ${statusCode} ${text}`);
    },
  } satisfies Record<string, Ask>;

  return { child, asks };
}

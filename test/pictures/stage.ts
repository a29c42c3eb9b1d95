import { request } from 'undici';
import { type Chats, openChats } from '../end-to-end/chats.ts';
import type { ChatMessage } from '../fakes/discord/records.ts';
import { keepFiles } from '../fakes/kept-files.ts';
import type { FakeMessage } from '../fakes/telegram.ts';
import { SANDBOX_OSU } from '../sandbox/osu.ts';
import { renderDiscordMessage } from './discord-view.ts';
import { FILE_HOST } from './html.ts';
import { renderTelegramMessage } from './telegram-view.ts';

const PERSON = '300';
/** Enough that nobody is recommended the same twice. */
const BEATMAPSETS = 600;
const QUIET_MS = 1_500;
const PATIENCE_MS = 30_000;

/** What is done in a chat: a line that is written, or a command of Discord's menu. */
export interface Deed {
  readonly text: string;
  /** For Discord, where commands are no text. */
  readonly command?: { readonly name: string; readonly options?: Readonly<Record<string, string>> };
}

/** The built program in its chats, all of it on loopback. */
export interface Stage {
  /** HTML of each message that answers. */
  discord(deed: Deed): Promise<readonly string[]>;
  telegram(deed: Deed): Promise<readonly string[]>;
  /** Where its web chat is. */
  readonly origin: string;
  /** What the browser that draws asks for; undefined for what is not there. */
  fetchFile(url: string): Promise<{ readonly type: string; readonly body: Buffer } | undefined>;
  close(): Promise<void>;
}

export async function openStage(examples: string): Promise<Stage> {
  const files = keepFiles();
  const chats = await openChats({
    sandbox: { beatmapsets: BEATMAPSETS },
    environment: {
      OSU_CLIENT_ID: String(SANDBOX_OSU.clientId),
      OSU_CLIENT_SECRET: SANDBOX_OSU.clientSecret,
      WEB_EXAMPLES: examples,
      LOG_LEVEL: 'warn',
    },
  });
  // So that Telegram's files pass through here.
  chats.canFetch = false;
  const program = await chats.start();
  const origin = await program.ready;
  await chats.discord.waitFor(() => chats.discord.commands, PATIENCE_MS);

  return {
    origin,
    async discord({ text, command }) {
      const before = new Set(chats.discord.messages.keys());
      const where = { guildId: chats.guildId, channelId: chats.channelId };
      if (command === undefined) chats.discord.message({ ...where, content: text, authorId: PERSON });
      else
        chats.discord.interaction({ kind: 'command', ...command, ...where, userId: PERSON, memberPermissions: ADMIN });
      const answers = await settled(
        () => discordAnswers(chats, before),
        ({ body, edits }) => [body, edits.length],
      );
      return answers.map(renderDiscordMessage);
    },
    async telegram({ text }) {
      const before = new Set(chats.telegram.messages.keys());
      chats.telegram.message({ from: { id: 512, first_name: 'Sari', language_code: 'en' }, text });
      const answers = await settled(
        () => telegramAnswers(chats, before),
        ({ text: now, caption, edits, file }) => [now, caption, edits, file?.sha256],
      );
      return albumsOf(answers).map(renderTelegramMessage);
    },
    async fetchFile(url) {
      const { host, pathname, search } = new URL(url);
      if (host === FILE_HOST) {
        const body = files.get(pathname.slice(1));
        return body === undefined ? undefined : { type: typeOf(body), body };
      }
      const { statusCode, headers, body } = await request(chats.sandbox.origin + pathname + search, {
        headers: { host },
      });
      const bytes = Buffer.from(await body.arrayBuffer());
      return statusCode === 200 ? { type: String(headers['content-type']), body: bytes } : undefined;
    },
    close: () => chats.close(),
  };
}

const ADMIN = 8n;

function discordAnswers({ discord }: Chats, before: ReadonlySet<string>): readonly ChatMessage[] {
  return [...discord.messages].flatMap(([id, message]) =>
    before.has(id) || !message.own || message.deleted || isAwaited(message) ? [] : [message],
  );
}

/** Acknowledged, and nothing said yet. */
function isAwaited({ body, files }: ChatMessage): boolean {
  return files.length === 0 && !Array.isArray(body.components);
}

function telegramAnswers({ telegram }: Chats, before: ReadonlySet<string>): readonly FakeMessage[] {
  return [...telegram.messages].flatMap(([id, message]) =>
    before.has(id) || !message.byBot || message.deleted ? [] : [message],
  );
}

/** Messages of one media group belong together. */
function albumsOf(messages: readonly FakeMessage[]): readonly (readonly FakeMessage[])[] {
  const albums = new Map<string, FakeMessage[]>();
  for (const message of messages) {
    const key = message.mediaGroupId ?? `message ${message.messageId}`;
    albums.set(key, [...(albums.get(key) ?? []), message]);
  }
  return [...albums.values()];
}

/** What stands there when something came and nothing has changed for a while. */
async function settled<T>(read: () => readonly T[], mark: (message: T) => unknown): Promise<readonly T[]> {
  const until = Date.now() + PATIENCE_MS;
  let [seen, since] = ['', Date.now()];
  while (Date.now() < until) {
    const now = read();
    const written = JSON.stringify(now.map(mark));
    if (written !== seen) [seen, since] = [written, Date.now()];
    else if (now.length > 0 && Date.now() - since > QUIET_MS) return now;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error('no answer came');
}

function typeOf(body: Buffer): string {
  if (body.subarray(4, 8).toString('latin1') === 'ftyp') return 'video/mp4';
  return body.subarray(1, 4).toString('latin1') === 'PNG' ? 'image/png' : 'image/jpeg';
}

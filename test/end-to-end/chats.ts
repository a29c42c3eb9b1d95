import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeDiscord, type FakeDiscord } from '../fakes/discord.ts';
import { createFakeTelegram, type FakeTelegram } from '../fakes/telegram.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import { type Program, startProgram } from './program.ts';

/** Has one file with sound in its best size, so nothing needs to be made out of it. */
export const REEL = 'https://www.instagram.com/reel/DYnightsky7/';
export const REEL_FILE = 'sea-720.mp4';
export const PHOTO = 'https://www.instagram.com/p/DXtramshed1/';
export const PHOTO_FILE = 'photo-tram.jpg';
export const SILENT = 'https://www.instagram.com/reel/DZsilentsky/';
export const SILENT_FILE = 'silent-540.mp4';
export const WATCH = 'https://www.facebook.com/watch/?v=846215530917743';
export const WATCH_FILE = 'sky-640.mp4';

export const SARI = { id: 512, first_name: 'Sari', language_code: 'en' };
export const BUDI = { id: 513, first_name: 'Budi', language_code: 'en' };
export const GROUP = { id: -1_001_000_000_001, type: 'supergroup', title: 'Harbour' } as const;

/** Discord and Telegram on loopback, the sandbox as the rest of the world, and a folder that outlives a process. */
export interface Chats {
  readonly sandbox: Sandbox;
  readonly discord: FakeDiscord;
  readonly telegram: FakeTelegram;
  readonly guildId: string;
  /** Of that guild. */
  readonly channelId: string;
  /** Whether Telegram can fetch from the CDN by itself; true at first. */
  canFetch: boolean;
  /** Starts the built program over the same data as the one before. Resolves when it hears what is said on both platforms. */
  start(): Promise<Program>;
  close(): Promise<void>;
}

const START_MS = 30_000;

export interface ChatsOptions {
  readonly sandbox?: SandboxOptions;
  /** Of the program, besides what the chats need. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function openChats(options: ChatsOptions = {}): Promise<Chats> {
  const sandbox = await createSandbox(options.sandbox);
  const discord = await createFakeDiscord();
  const { id: guildId, channelId } = discord.addGuild({ name: 'Harbour' });
  let canFetch = true;
  const telegram = await createFakeTelegram({
    resolve: url => (canFetch && /\.(cdninstagram\.com|fbcdn\.net)\//.test(url) ? sandbox.origin : undefined),
  });
  for (const { id } of [SARI, BUDI]) telegram.addChat({ id, type: 'private' });
  telegram.addChat(GROUP);
  const folder = await mkdtemp(join(tmpdir(), 'medley-chats-'));
  const programs: Program[] = [];

  /** Sessions begun or resumed: a restart with the same texts looks at no commands. */
  function sessions(): number {
    return discord.gateway.identifies + discord.gateway.resumes;
  }

  return {
    sandbox,
    discord,
    telegram,
    guildId,
    channelId,
    get canFetch() {
      return canFetch;
    },
    set canFetch(next) {
      canFetch = next;
    },
    async start() {
      await telegram.waitFor(() => !telegram.isPolled || undefined);
      const before = sessions();
      const program = await startProgram({
        DATA_DIR: folder,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        TELEGRAM_TOKEN: telegram.token,
        TELEGRAM_API_URL: telegram.apiUrl,
        UPSTREAM_OVERRIDES: sandbox.overrides,
        USER_LIMIT: '1000/60',
        ...options.environment,
      });
      programs.push(program);
      await program.ready;
      await discord.waitFor(() => (sessions() > before && discord.isHeard) || undefined, START_MS);
      await telegram.waitFor(() => telegram.isPolled || undefined, START_MS);
      return program;
    },
    async close() {
      await Promise.all(programs.map(program => program.kill()));
      await Promise.all([discord.close(), telegram.close()]);
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** SHA-256, in hexadecimal, of a file of the sandbox. */
export function sha256Of(name: string): string {
  return createHash('sha256')
    .update(readFileSync(new URL(`../fixtures/media/${name}`, import.meta.url)))
    .digest('hex');
}

/** Medley's messages on Discord that stand there and hold a file, in one channel or all. */
export function discordFiles({ discord }: Pick<Chats, 'discord'>, channelId?: string) {
  return [...discord.messages.values()].filter(
    message =>
      message.own &&
      !message.deleted &&
      message.files.length > 0 &&
      (channelId === undefined || message.channelId === channelId),
  );
}

/** Medley's messages in a chat of Telegram that stand there and hold a file. */
export function telegramFiles({ telegram }: Pick<Chats, 'telegram'>, chatId: number) {
  return [...telegram.messages.values()].filter(
    ({ byBot, chatId: where, deleted, file }) => byBot && where === chatId && !deleted && file !== undefined,
  );
}

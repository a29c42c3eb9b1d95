import { describe, expect, it, onTestFinished } from 'vitest';
import type { TelegramRequest } from '../fakes/telegram/call.ts';
import { createRedisServer, redisMissing, redisNote } from '../redis-server.ts';
import {
  BUDI,
  type Chats,
  type ChatsOptions,
  discordFiles,
  openChats,
  REEL,
  REEL_FILE,
  SARI,
  sha256Of,
  telegramFiles,
} from './chats.ts';
import type { Program } from './program.ts';

/** `docker stop` and others kill a process ten seconds after they asked it to end. */
const STOP_MS = 9_500;

async function open(options?: ChatsOptions): Promise<Chats> {
  const chats = await openChats(options);
  onTestFinished(() => chats.close());
  // So that Medley has to upload.
  chats.canFetch = false;
  return chats;
}

/** Milliseconds from SIGTERM to the end. */
async function stop({ child, ended }: Program): Promise<number> {
  const since = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  return performance.now() - since;
}

const isUpload = ({ files }: TelegramRequest) => files.length > 0;
const never = new Promise<void>(() => undefined);

describe('a stop', () => {
  it('is over before the process would be killed, whatever is under way', async () => {
    const chats = await open();
    const { discord, telegram, guildId, channelId } = chats;
    const program = await chats.start();
    telegram.fault({ method: 'sendVideo', until: never, when: isUpload });
    discord.fault({ method: 'POST', path: new RegExp(`^/channels/${channelId}/messages$`), until: never });
    telegram.message({ from: SARI, text: REEL });
    discord.message({ guildId, content: REEL });
    await telegram.waitFor(() => telegram.requests.find(isUpload));
    await discord.waitFor(() =>
      discord.requests.find(({ method, path }) => method === 'POST' && path.endsWith('/messages')),
    );
    chats.sandbox.faults.set('instagram.*', 'hang');
    const hanging = fetch(`${await program.ready}api/igdownload?url=https://www.instagram.com/p/DXtramshed1/`);
    hanging.catch(() => undefined);
    expect(await stop(program)).toBeLessThan(STOP_MS);
  });

  it('begins no upload, which would be cut: the next process sends it, and nothing is said to be missing', async () => {
    const chats = await open();
    const { discord, guildId, telegram, sandbox } = chats;
    const program = await chats.start();
    let isEnded = false;
    sandbox.faults.set('instagram.*', 'delay:1500');
    telegram.fault({ method: 'sendVideo', until: never, when: call => isUpload(call) && !isEnded });
    telegram.message({ from: SARI, text: REEL });
    discord.message({ guildId, content: REEL });
    await telegram.waitFor(() => sandbox.count('instagram.graphql-shortcode') || undefined);
    expect(await stop(program)).toBeLessThan(STOP_MS);
    expect(telegram.requests.filter(isUpload)).toEqual([]);

    expect(discordFiles(chats)).toEqual([]);

    isEnded = true;
    sandbox.faults.clear();
    await chats.start();
    await telegram.waitFor(() => telegramFiles(chats, SARI.id)[0]);
    await discord.waitFor(() => discordFiles(chats)[0]);
    const said = [...telegram.messages.values()].filter(({ byBot, chatId }) => byBot && chatId === SARI.id);
    expect(said.map(({ file }) => file?.sha256)).toEqual([sha256Of(REEL_FILE)]);
  });
});

describe.skipIf(redisMissing)(`a stop while Redis is away${redisNote}`, () => {
  it.each(['dead', 'frozen'])('does not wait for it: %s, after an answer that could not be noted', async state => {
    const redis = await createRedisServer('--maxmemory-policy', 'noeviction');
    onTestFinished(() => redis.stop());
    await redis.start();
    const chats = await open({ environment: { REDIS_URL: redis.url } });
    const { telegram } = chats;
    const program = await chats.start();
    let goOn = () => {};
    telegram.fault({
      method: 'sendVideo',
      when: isUpload,
      until: new Promise<void>(resolve => {
        goOn = resolve;
      }),
    });
    telegram.message({ from: SARI, text: REEL });
    await telegram.waitFor(() => telegram.requests.find(isUpload));
    if (state === 'dead') await redis.stop();
    else redis.freeze();
    onTestFinished(() => redis.thaw());
    goOn();
    await telegram.waitFor(() => telegramFiles(chats, SARI.id)[0]);
    telegram.message({ from: BUDI, text: REEL });
    await expect.poll(program.stderr).toContain('Redis is away');
    expect(await stop(program)).toBeLessThan(6_000);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlockList } from '../../src/bot/stores/exclusions.ts';
import { createSettingsStore } from '../../src/bot/stores/settings-store.ts';
import { createTranslator } from '../../src/i18n/translate.ts';
import { openRedisState, type SharedState } from '../../src/infra/redis/redis.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { redisMissing, redisNote } from '../redis-server.ts';
import { createSlowRedis, type SlowRedis } from '../slow-redis.ts';
import { type Chats, discordFiles, GROUP, openChats, PHOTO, REEL, SARI, telegramFiles } from './chats.ts';

const { errors } = createTranslator(['en']).messages;
/** Far beyond what other commands of Redis take, and what a Redis in the next town does. */
const SLOW_MS = 300;

describe.skipIf(redisMissing)(`the program over a Redis that is slow${redisNote}`, () => {
  let redis: SlowRedis;
  let shared: SharedState;
  let chats: Chats;

  beforeEach(async () => {
    redis = await createSlowRedis();
    await redis.start();
    shared = openRedisState({ url: redis.directUrl, log: createRecordingLog() });
    expect(await shared.isReady(30_000)).toBe(true);
    chats = await openChats({ environment: { REDIS_URL: redis.url, MEDIA_KEY: 'k'.repeat(43) } });
  });

  afterEach(async () => {
    await chats?.close();
    shared.close();
    await redis.stop();
  });

  /** All that Medley has written in that channel. */
  const written = (channelId: string) =>
    JSON.stringify([...chats.discord.messages.values()].filter(each => each.own && each.channelId === channelId));

  it('answers everybody rightly from the first message on', async () => {
    redis.slow(SLOW_MS);
    const quiet = chats.discord.addGuild({ name: 'Quiet' });
    const settings = createSettingsStore({ records: shared.records });
    await settings.setChat(`discord:${quiet.id}`, { autoDetect: false });
    await settings.setUser('discord:300', { language: 'id' });
    const medley = await chats.start();
    const { discord, telegram } = chats;
    discord.message({ guildId: quiet.id, content: REEL, authorId: '200' });
    discord.message({ guildId: chats.guildId, content: REEL, authorId: '300' });
    telegram.message({ from: SARI, chat: GROUP, text: PHOTO });
    telegram.message({ from: SARI, text: '/help' });
    const { token } = discord.interaction({ kind: 'command', name: 'help', guildId: quiet.id, userId: '300' });
    await discord.waitFor(() => discordFiles(chats, chats.channelId)[0], 60_000);
    await telegram.waitFor(() => telegramFiles(chats, GROUP.id)[0], 60_000);
    await telegram.waitFor(() => [...telegram.messages.values()].find(each => each.byBot && each.chatId === SARI.id));
    const answer = await discord.waitFor(
      () => discord.requests.find(({ method, path }) => method === 'PATCH' && path.includes(token)),
      60_000,
    );
    expect(JSON.stringify(answer.body)).toContain('Tempelkan tautan');
    expect(discordFiles(chats, quiet.channelId)).toEqual([]);
    expect(written(chats.channelId) + JSON.stringify([...telegram.messages.values()])).not.toContain(errors.internal);
    expect(discord.problems).toEqual([]);
    expect(medley.stderr()).not.toContain('"level":50');
  });

  it('shows posts, but not what is blocked, though Redis is lost before the first link', async () => {
    await createBlockList({ records: shared.records }).add('link', 'instagram:DXtramshed1');
    const medley = await chats.start();
    const address = await medley.ready;
    await redis.stop();
    const status = async (link: string) => (await fetch(`${address}api/post?url=${encodeURIComponent(link)}`)).status;
    await expect.poll(medley.stderr).toContain('Redis is away');
    expect(await status(REEL)).toBe(200);
    expect(await status(PHOTO)).toBe(403);
  });

  it('says one sentence to who waits for a command while Redis hangs, and brings links when it goes on', async () => {
    const quiet = chats.discord.addGuild({ name: 'Quiet' });
    await createSettingsStore({ records: shared.records }).setChat(`discord:${quiet.id}`, { autoDetect: false });
    await chats.start();
    const { discord } = chats;
    redis.freeze();
    const { token } = discord.interaction({ kind: 'command', name: 'help', guildId: quiet.id });
    discord.message({ guildId: quiet.id, content: PHOTO });
    discord.message({ guildId: chats.guildId, content: REEL });
    const first = await discord.waitFor(() => discord.requests.find(({ path }) => path.includes(token)), 10_000);
    expect(JSON.stringify(first.body)).toContain(errors.rate_limited_busy({}));
    redis.thaw();
    await discord.waitFor(() => discordFiles(chats, chats.channelId)[0], 60_000);
    expect(discordFiles(chats, quiet.channelId)).toEqual([]);
    expect(discord.problems).toEqual([]);
  });
});

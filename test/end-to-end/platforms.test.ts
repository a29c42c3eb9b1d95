import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BUDI,
  type Chats,
  discordFiles,
  GROUP,
  openChats,
  PHOTO,
  PHOTO_FILE,
  REEL,
  REEL_FILE,
  SARI,
  SILENT,
  SILENT_FILE,
  sha256Of,
  telegramFiles,
  WATCH,
  WATCH_FILE,
} from './chats.ts';
import type { Program } from './program.ts';

let chats: Chats;
let medley: Program;

beforeAll(async () => {
  chats = await openChats();
  medley = await chats.start();
});

afterAll(async () => {
  await chats?.close();
});

/** Files of earlier tests stand there already. */
let before: ReadonlySet<string>;

function standing() {
  const onTelegram = [...chats.telegram.messages.values()].filter(({ byBot, file }) => byBot && file !== undefined);
  return [
    ...discordFiles(chats).map(({ id, channelId, files }) => {
      return { key: `discord ${id}`, chat: channelId, hashes: files.map(({ sha256 }) => sha256) };
    }),
    ...onTelegram.map(({ chatId, messageId, file }) => {
      return { key: `telegram ${chatId} ${messageId}`, chat: String(chatId), hashes: [file?.sha256] };
    }),
  ];
}

const fresh = () => standing().filter(({ key }) => !before.has(key));

beforeEach(() => {
  before = new Set(standing().map(({ key }) => key));
});

afterEach(() => {
  expect(chats.discord.problems).toEqual([]);
  expect(chats.telegram.problems).toEqual([]);
  const complaints = medley.stderr().split('\n');
  expect(complaints.filter(line => /"level":(50|60)/.test(line))).toEqual([]);
});

/** Waits for one file, gives a second one the time to show itself, and says what came. */
async function brought() {
  const [first] = await chats.discord.waitFor(() => (fresh().length > 0 ? fresh() : undefined));
  const place = first?.key.startsWith('discord') ? 'discord' : 'telegram';
  await answeredHelp(place);
  return fresh().map(({ chat, hashes }) => ({ chat, hashes }));
}

let asked = 0;

/** A later request for help is answered after all that came before was taken. */
async function answeredHelp(place: 'discord' | 'telegram'): Promise<void> {
  asked += 1;
  if (place === 'discord') {
    const userId = String(9_000_000 + asked);
    chats.discord.message({ authorId: userId, content: '/help' });
    const channelId = [...chats.discord.messages.values()].findLast(({ authorId }) => authorId === userId)?.channelId;
    await chats.discord.waitFor(() =>
      [...chats.discord.messages.values()].find(message => message.own && message.channelId === channelId),
    );
  } else {
    const id = 9_000_000 + asked;
    chats.telegram.message({ from: { id, first_name: 'Dewi' }, text: '/help' });
    await chats.telegram.waitFor(() =>
      [...chats.telegram.messages.values()].find(({ byBot, chatId }) => byBot && chatId === id),
    );
  }
}

describe('on Discord, the reel’s own file comes once', () => {
  const REEL_ONCE = [{ chat: expect.any(String), hashes: [sha256Of(REEL_FILE)] }];

  it('when its link is pasted in a server, and the embed goes', async () => {
    const embeds = [{ type: 'video', url: REEL, title: 'A reel' }];
    const source = chats.discord.message({ guildId: chats.guildId, content: `look ${REEL}`, embeds });
    expect(await brought()).toEqual(REEL_ONCE);
    const answer = discordFiles(chats).at(-1);
    expect(answer?.body.message_reference).toMatchObject({ message_id: source });
    await chats.discord.waitFor(() => ((chats.discord.messages.get(source)?.flags ?? 0) & 4) !== 0 || undefined);
  });

  it('when its link is pasted in a private chat', async () => {
    chats.discord.message({ content: REEL, authorId: '300' });
    expect(await brought()).toEqual(REEL_ONCE);
  });

  it('by the message command', async () => {
    const targetMessage = { content: `seen: <${REEL}>` };
    const { guildId } = chats;
    chats.discord.interaction({ kind: 'message-command', name: 'Get media', targetMessage, guildId, userId: '300' });
    expect(await brought()).toEqual(REEL_ONCE);
  });

  it.each(['in a server', 'in a private chat'])('by /download %s', async place => {
    const where = place === 'in a server' ? { guildId: chats.guildId } : { userId: '301' };
    chats.discord.interaction({ kind: 'command', name: 'download', options: { link: REEL }, ...where });
    expect(await brought()).toEqual(REEL_ONCE);
  });
});

describe('on Telegram, the post’s own file comes once', () => {
  it.each([
    ['when Telegram fetches it', true, REEL, REEL_FILE],
    ['when it has to be uploaded', false, SILENT, SILENT_FILE],
    ['when Telegram holds it already', false, REEL, REEL_FILE],
  ])('in a private chat, %s', async (_, canFetch, text, file) => {
    chats.canFetch = canFetch;
    const replyTo = chats.telegram.message({ from: SARI, text });
    expect(await brought()).toEqual([{ chat: `${SARI.id}`, hashes: [sha256Of(file)] }]);
    expect(telegramFiles(chats, SARI.id).at(-1)).toMatchObject({ replyTo });
    chats.canFetch = true;
  });

  it('in a group', async () => {
    chats.telegram.message({ chat: GROUP, from: SARI, text: `look ${REEL}` });
    expect(await brought()).toEqual([{ chat: `${GROUP.id}`, hashes: [sha256Of(REEL_FILE)] }]);
  });

  it('when the link stands in a caption', async () => {
    const photo = [{ file_id: 'of-somebody', file_unique_id: 'else', width: 90, height: 90 }];
    chats.telegram.message({ from: BUDI, caption: `🌊🌊 holidays: ${PHOTO}`, extra: { photo } });
    expect(await brought()).toEqual([{ chat: `${BUDI.id}`, hashes: [sha256Of(PHOTO_FILE)] }]);
  });

  it('by /download', async () => {
    chats.telegram.message({ from: BUDI, text: `/download ${REEL}` });
    expect(await brought()).toEqual([{ chat: `${BUDI.id}`, hashes: [sha256Of(REEL_FILE)] }]);
  });

  it('in an inline message about a post that Telegram holds', async () => {
    const { telegram } = chats;
    const id = telegram.inlineQuery({ query: REEL, from: BUDI });
    const { results } = await telegram.waitFor(() => telegram.inlineAnswers.get(id));
    expect(results).toHaveLength(1);
    expect(telegram.files.get(String(results[0]?.video_file_id))?.sha256).toBe(sha256Of(REEL_FILE));
  });

  it('in an inline message about a post that was not shown yet', async () => {
    const { telegram } = chats;
    const id = telegram.inlineQuery({ query: WATCH, from: SARI });
    const { results } = await telegram.waitFor(() => telegram.inlineAnswers.get(id));
    const resultId = results[0]?.id ?? '';
    const inlineId = telegram.chosenInlineResult({ resultId, query: WATCH, from: SARI }) ?? '';
    const message = await telegram.waitFor(() => telegram.inlineMessages.get(inlineId));
    await telegram.waitFor(() => message.file);
    await answeredHelp('telegram');
    expect(message.file?.sha256).toBe(sha256Of(WATCH_FILE));
    expect(message.edits).toBe(1);
    const onTheWay = fresh().filter(
      ({ key }) => telegram.messages.get(key.replace('telegram ', '').replace(' ', ':'))?.deleted === false,
    );
    expect(onTheWay).toEqual([]);
  });
});

describe('an upstream that takes ten seconds', () => {
  it('keeps no other chat waiting, and is answered in the end', async () => {
    const { discord, telegram, sandbox, guildId, channelId } = chats;
    const slowlyBrought = () => fresh().filter(({ chat }) => chat === channelId || chat === `${GROUP.id}`);
    chats.canFetch = false;
    sandbox.clearRequests();
    sandbox.faults.set('cdn', 'delay:10000');
    const slow = 'https://www.instagram.com/reel/DVclaybowl1/';
    discord.message({ guildId, content: slow });
    telegram.message({ chat: GROUP, from: SARI, text: slow });
    await discord.waitFor(() =>
      sandbox.requests.find(({ method, endpoint }) => method === 'GET' && endpoint === 'cdn'),
    );
    sandbox.faults.clear();
    discord.message({ content: WATCH, authorId: '310' });
    telegram.message({ from: BUDI, text: WATCH });
    await discord.waitFor(() => (fresh().length === 2 ? true : undefined));
    expect(fresh().map(({ hashes }) => hashes)).toEqual([[sha256Of(WATCH_FILE)], [sha256Of(WATCH_FILE)]]);
    expect(slowlyBrought()).toEqual([]);
    await discord.waitFor(() => (slowlyBrought().length === 2 ? true : undefined));
  });
});

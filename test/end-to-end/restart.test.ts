import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  BUDI,
  type Chats,
  discordFiles,
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

async function open(): Promise<Chats> {
  const chats = await openChats();
  onTestFinished(async () => {
    await chats.close();
    expect(chats.discord.problems).toEqual([]);
    expect(chats.telegram.problems).toEqual([]);
  });
  return chats;
}

/** All answers that stand there on Discord, as the files they hold. */
function onDiscord(chats: Chats) {
  return discordFiles(chats)
    .map(({ files }) => files.map(({ sha256 }) => sha256))
    .toSorted();
}

function onTelegram(chats: Chats, chatId: number) {
  return telegramFiles(chats, chatId).map(({ file }) => file?.sha256);
}

/** Resolves when what was said now is answered on both, and with it all that lay there before. */
async function caughtUp({ discord, telegram }: Chats): Promise<void> {
  const [userId, id] = ['999', 999];
  discord.message({ authorId: userId, content: '/about' });
  telegram.message({ from: { id, first_name: 'Dewi' }, text: '/about' });
  const channelId = [...discord.messages.values()].find(({ authorId }) => authorId === userId)?.channelId;
  await discord.waitFor(() => [...discord.messages.values()].find(each => each.own && each.channelId === channelId));
  await telegram.waitFor(() => [...telegram.messages.values()].find(({ byBot, chatId }) => byBot && chatId === id));
  // Long enough for a second answer to show itself.
  await pause(300);
}

describe('a process that is killed', () => {
  it('before it delivers leaves its work to the next, which does it once', async () => {
    const chats = await open();
    const { discord, telegram, sandbox, guildId } = chats;
    const first = await chats.start();
    sandbox.faults.set('instagram.*', 'hang');
    sandbox.faults.set('facebook.page', 'hang');
    discord.message({ guildId, content: REEL });
    discord.interaction({ kind: 'command', name: 'download', options: { link: PHOTO }, guildId, userId: '300' });
    telegram.message({ from: SARI, text: SILENT });
    telegram.message({ from: BUDI, text: `/download ${WATCH}` });
    await discord.waitFor(() => sandbox.count('instagram.graphql-shortcode') >= 3 || undefined);
    await discord.waitFor(() => sandbox.count('facebook.page') >= 1 || undefined);
    await first.kill();
    expect(discordFiles(chats)).toEqual([]);

    sandbox.faults.clear();
    await chats.start();
    await discord.waitFor(() => discordFiles(chats)[1]);
    await telegram.waitFor(() => telegramFiles(chats, SARI.id)[0]);
    await telegram.waitFor(() => telegramFiles(chats, BUDI.id)[0]);
    await caughtUp(chats);
    expect(onDiscord(chats)).toEqual([[sha256Of(REEL_FILE)], [sha256Of(PHOTO_FILE)]].toSorted());
    expect(onTelegram(chats, SARI.id)).toEqual([sha256Of(SILENT_FILE)]);
    expect(onTelegram(chats, BUDI.id)).toEqual([sha256Of(WATCH_FILE)]);
  });

  it('while it delivers never brings anything twice: what was done unheard, what is done after its end', async () => {
    const chats = await open();
    const { discord, telegram, guildId } = chats;
    const first = await chats.start();
    let goOn = () => {};
    const late = {
      until: new Promise<void>(resolve => {
        goOn = resolve;
      }),
    };
    const unheard = { hang: true, afterSend: true };
    discord.fault({ method: 'POST', path: new RegExp(`^/channels/${chats.channelId}/messages$`), ...late });
    discord.message({ guildId, content: REEL });
    const posts = () => discord.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));
    await discord.waitFor(() => posts()[0]);
    discord.fault({ method: 'POST', path: /^\/channels\/\d+\/messages$/, ...unheard });
    discord.fault({ method: 'PATCH', path: /@original$/, ...unheard });
    discord.message({ content: SILENT, authorId: '300' });
    discord.interaction({ kind: 'command', name: 'download', options: { link: PHOTO }, guildId, userId: '300' });
    telegram.fault({ method: 'sendVideo', when: ({ params }) => params.chat_id === SARI.id, ...late });
    telegram.fault({ method: 'sendPhoto', when: ({ params }) => params.chat_id === BUDI.id, ...unheard });
    telegram.message({ from: SARI, text: REEL });
    telegram.message({ from: BUDI, text: PHOTO });
    await discord.waitFor(() => discordFiles(chats)[1]);
    await telegram.waitFor(() => telegramFiles(chats, BUDI.id)[0]);
    await telegram.waitFor(() => telegram.requests.find(({ params }) => 'video' in params));
    await first.kill();
    expect(onTelegram(chats, SARI.id)).toEqual([]);

    await chats.start();
    // Discord is asked again for both messages, and knows them for repeats.
    await discord.waitFor(() => posts().length === 4 || undefined);
    goOn();
    await discord.waitFor(() => discordFiles(chats)[2]);
    await telegram.waitFor(() => telegramFiles(chats, SARI.id)[0]);
    await caughtUp(chats);
    const files = [REEL_FILE, SILENT_FILE, PHOTO_FILE].map(name => [sha256Of(name)]);
    expect(onDiscord(chats)).toEqual(files.toSorted());
    expect(onTelegram(chats, SARI.id)).toEqual([sha256Of(REEL_FILE)]);
    expect(onTelegram(chats, BUDI.id)).toEqual([sha256Of(PHOTO_FILE)]);
    expect(telegram.requests.filter(({ method }) => /^send(Video|Photo)$/.test(method))).toHaveLength(2);
  });
});

describe('a gateway connection', () => {
  it('that is cut and resumed brings the missed link, once', async () => {
    const chats = await open();
    const { discord, guildId } = chats;
    await chats.start();
    discord.message({ guildId, content: PHOTO });
    await discord.waitFor(() => discordFiles(chats)[0]);
    discord.drop();
    discord.message({ guildId, content: REEL });
    await discord.waitFor(() => discordFiles(chats)[1]);
    expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
    discord.replay();
    await caughtUp(chats);
    expect(onDiscord(chats)).toEqual([[sha256Of(REEL_FILE)], [sha256Of(PHOTO_FILE)]].toSorted());
  });

  it('whose session is over is made anew, and answers once what is said from then on', async () => {
    const chats = await open();
    const { discord, guildId } = chats;
    await chats.start();
    discord.message({ guildId, content: PHOTO });
    await discord.waitFor(() => discordFiles(chats)[0]);
    discord.invalidSession(false);
    await discord.waitFor(() => discord.gateway.identifies === 2 || undefined);
    discord.message({ guildId, content: REEL });
    await discord.waitFor(() => discordFiles(chats)[1]);
    discord.replay();
    await caughtUp(chats);
    expect(onDiscord(chats)).toEqual([[sha256Of(REEL_FILE)], [sha256Of(PHOTO_FILE)]].toSorted());
  });
});

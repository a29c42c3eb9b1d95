import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import { ffmpegMissing, ffmpegNote } from '../ffmpeg.ts';
import { connect } from '../platforms/web/page-client.ts';
import { SITES } from '../sandbox/sites.ts';
import { type Chats, openChats } from './chats.ts';

const LINKS = SITES.flatMap(({ links }) => links).map(({ url, about, shows }, index) => ({
  url,
  about,
  site: sourceDescriptors.find(({ hosts }) => hosts.includes(new URL(url).hostname))?.name ?? '',
  user: 700_000 + index,
  /** A post of words alone has no file. */
  kind: shows === 'notice' ? 'a sentence' : /words/.test(about) ? 'words' : 'files',
}));
/** The people of the sandbox, one of whom wrote each post. */
const AUTHOR = /mara|skerrow|ostvik|omar/i;
/** By author and, where it is known, the day. */
const FILE_NAME = /^(?:SPOILER_)?[\w.-]{3,80}\.(?:mp4|jpg|mp3|m4a)$/;
const PATIENCE_MS = 60_000;

let chats: Chats;
let address = '';

/** What a chat holds now: its files by name, and all that is said. */
interface Shown {
  readonly files: readonly string[];
  readonly text: string;
}

/** Hosts of the site that the original is on, by the name that people know it by. */
const ORIGINALS: Readonly<Record<string, RegExp>> = {
  Threads: /www\.threads\.com\/t\//,
  TikTok: /www\.tiktok\.com\/@_\/video\//,
  X: /x\.com\/i\/status\//,
  Bluesky: /bsky\.app\/profile\//,
  Pinterest: /www\.pinterest\.com\/pin\//,
  Reddit: /www\.reddit\.com\/.*comments\//,
};

/** Waits until a chat shows what the link has, and nothing that does not belong to it. */
async function expectShown(look: () => Shown, { about, kind, site }: (typeof LINKS)[number]): Promise<void> {
  const told = () => {
    const { files, text } = look();
    if (text === '') return 'nothing yet';
    if (files.length > 0) return 'files';
    return AUTHOR.test(text) ? 'words' : 'a sentence';
  };
  await expect.poll(told, { message: about, timeout: PATIENCE_MS }).toBe(kind);
  if (kind === 'a sentence') return;
  const { files, text } = look();
  expect(text, about).toMatch(AUTHOR);
  // Its name stands before the counts, and a button leads to the original.
  expect(text, about).toContain(site);
  expect(text, about).toMatch(ORIGINALS[site] ?? /^$/);
  for (const name of files) expect(name, about).toMatch(FILE_NAME);
}

describe.skipIf(ffmpegMissing)(`every post of the newer sites, pasted in a private chat${ffmpegNote}`, () => {
  beforeAll(async () => {
    chats = await openChats();
    const medley = await chats.start();
    address = (await medley.ready).replace(/\/$/, '');
  });

  afterAll(async () => {
    await chats?.close();
  });

  it('comes on Discord', async () => {
    const { discord } = chats;
    for (const { url, user } of LINKS) discord.message({ content: url, authorId: String(user) });
    const all = () => [...discord.messages.values()];
    const shownTo = (user: number): Shown => {
      const channelId = all().find(({ authorId }) => authorId === String(user))?.channelId;
      const own = all().filter(message => message.own && !message.deleted && message.channelId === channelId);
      return {
        files: own.flatMap(({ files }) => files.map(({ name }) => name)),
        text: own.map(({ body }) => JSON.stringify(body)).join(),
      };
    };
    await Promise.all(LINKS.map(link => expectShown(() => shownTo(link.user), link)));
    expect(discord.problems).toEqual([]);
  });

  it('comes on Telegram', async () => {
    const { telegram } = chats;
    for (const { url, user: id } of LINKS) {
      telegram.addChat({ id, type: 'private' });
      telegram.message({ from: { id, first_name: 'Sari', language_code: 'en' }, text: url });
    }
    const shownTo = (user: number): Shown => {
      const own = [...telegram.messages.values()].filter(each => each.byBot && !each.deleted && each.chatId === user);
      const said = own.map(({ text = '', caption = '', replyMarkup, entities }) =>
        text + caption === '' ? '' : `${text} ${caption} ${JSON.stringify([replyMarkup, entities])}`,
      );
      const files = own.flatMap(({ file }) => (file === undefined ? [] : [file.name]));
      return { files, text: said.join('\n').trim() };
    };
    await Promise.all(LINKS.map(link => expectShown(() => shownTo(link.user), link)));
    expect(telegram.problems).toEqual([]);
  });

  it('comes on the web', async () => {
    const page = await connect(address);
    onTestFinished(() => page.socket.terminate());
    for (const link of LINKS) {
      page.send({ type: 'message', id: `${link.user}`, text: link.url });
      await page.hear('done', ({ id }) => id === `${link.user}`);
      // A quoted post comes in a reply of its own.
      const replies = page.heard.flatMap(each =>
        each.type === 'reply' && each.id === `${link.user}` ? each.reply : [],
      );
      const files = replies.flatMap(({ gallery }) => gallery.map(({ fileName }) => fileName));
      const shown = { files, text: JSON.stringify(replies) };
      await expectShown(() => shown, link);
    }
  });
});

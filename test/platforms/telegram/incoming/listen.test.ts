import { describe, expect, it } from 'vitest';
import { answersIn, BUDI, buttonsOf, GROUP, openStage, PHOTO, REEL, SARI, type Stage } from '../stage.ts';

const BOT = 'medley_fake_bot';

/** Asks for something that is always answered, and tells what else stands in the chat by then. */
async function others({ fake }: Stage, chatId: number): Promise<readonly (string | undefined)[]> {
  const chat = chatId === GROUP.id ? { chat: GROUP } : {};
  const asked = fake.message({ ...chat, from: SARI, text: `/about@${BOT}` });
  await fake.waitFor(() => answersIn(fake, chatId).find(({ replyTo }) => replyTo === asked));
  return answersIn(fake, chatId).flatMap(({ replyTo, text, file }) => (replyTo === asked ? [] : [text ?? file?.kind]));
}

describe('what Medley answers', () => {
  it('leaves alone what is said to others, by bots, or through them', async () => {
    const stage = await openStage();
    const { fake } = stage;
    fake.message({ chat: GROUP, from: SARI, text: `/download@another_bot ${REEL}` });
    fake.message({ chat: GROUP, from: { id: 900, is_bot: true, first_name: 'Bot' }, text: REEL });
    fake.message({
      chat: GROUP,
      from: SARI,
      text: REEL,
      extra: { via_bot: { id: 901, is_bot: true, first_name: 'Vid' } },
    });
    fake.message({ chat: GROUP, from: SARI, text: 'just talking' });
    fake.message({ chat: GROUP, from: SARI, text: '/play something' });
    fake.message({ chat: GROUP, from: SARI, text: 'https://www.youtube.com/watch?v=39ColarOWKo' });
    expect(await others(stage, GROUP.id)).toEqual([]);
    expect(fake.problems).toEqual([]);
  });

  it('takes commands that name it, in any case, and says what it does not know', async () => {
    const { fake } = await openStage();
    fake.message({ chat: GROUP, from: SARI, text: `/download@Medley_Fake_Bot ${PHOTO}` });
    expect((await fake.waitFor(() => answersIn(fake, GROUP.id)[0])).file?.kind).toBe('photo');
    fake.message({ chat: GROUP, from: SARI, text: `/play@${BOT} something` });
    expect((await fake.waitFor(() => answersIn(fake, GROUP.id)[1])).text).toContain('/play');
  });

  it('takes the link of the message that is replied to, when it is asked to', async () => {
    const { fake, settings } = await openStage();
    await settings.setChat(`telegram:${GROUP.id}`, { autoDetect: false });
    const theirs = fake.message({ chat: GROUP, from: BUDI, text: `have a look: ${PHOTO}` });
    fake.message({ chat: GROUP, from: SARI, text: 'what is that?', replyTo: theirs });
    fake.message({ chat: GROUP, from: SARI, text: '/download', replyTo: theirs });
    expect((await fake.waitFor(() => answersIn(fake, GROUP.id)[0])).file?.kind).toBe('photo');
    fake.message({ chat: GROUP, from: SARI, text: `@${BOT}`, replyTo: theirs });
    await fake.waitFor(() => answersIn(fake, GROUP.id)[1]);
    fake.message({ chat: GROUP, from: SARI, text: '/download view:text', replyTo: theirs });
    expect((await fake.waitFor(() => answersIn(fake, GROUP.id)[2])).text).toContain('Ostvik Tram Museum');
    expect(answersIn(fake, GROUP.id)).toHaveLength(3);
  });

  it.each([
    ['the preview of a message in another chat', { external_reply: { link_preview_options: { url: PHOTO } } }],
    ['what is quoted of it', { external_reply: {}, quote: { text: `see ${PHOTO}`, position: 0 } }],
  ])('takes the link in %s, when a command replies to that', async (_, extra) => {
    const { fake } = await openStage();
    fake.message({ chat: GROUP, from: SARI, text: '/download', extra });
    expect((await fake.waitFor(() => answersIn(fake, GROUP.id)[0])).file?.kind).toBe('photo');
  });

  it('takes the link behind a button of a post that is forwarded to it, in a private chat', async () => {
    const stage = await openStage();
    const { fake } = stage;
    const extra = {
      reply_markup: { inline_keyboard: [[{ text: 'Vote', callback_data: '1' }], [{ text: 'Source', url: PHOTO }]] },
    };
    fake.message({ from: SARI, text: 'what a day', extra });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[0])).file?.kind).toBe('photo');
    fake.message({ chat: GROUP, from: SARI, text: 'what a day', extra });
    expect(await others(stage, GROUP.id)).toEqual([]);
  });

  it('takes the link that a reply quotes, not the others of that message', async () => {
    const stage = await openStage();
    const { fake, settings } = stage;
    await settings.setChat(`telegram:${GROUP.id}`, { autoDetect: false });
    const theirs = fake.message({ chat: GROUP, from: BUDI, text: `${REEL} ${PHOTO}` });
    const quote = { text: PHOTO, position: REEL.length + 1 };
    fake.message({ chat: GROUP, from: SARI, text: `@${BOT}`, replyTo: theirs, extra: { quote } });
    expect(await others(stage, GROUP.id)).toEqual(['photo']);
  });

  it('answers a link once: not when the message is edited, nor when the update comes again', async () => {
    const stage = await openStage();
    const { fake } = stage;
    const id = fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    fake.edit(SARI.id, id, `${PHOTO} edited`);
    fake.update({
      message: { message_id: id, from: SARI, chat: { id: SARI.id, type: 'private' }, date: 1, text: PHOTO },
    });
    expect(await others(stage, SARI.id)).toEqual(['photo']);
  });

  it('answers a link once that stands below several photos of one album, and other links of the album as well', async () => {
    const stage = await openStage();
    const { fake } = stage;
    const chat = { id: SARI.id, type: 'private' };
    const photo = (id: number, caption: string, album: string) =>
      fake.update({
        message: { message_id: id, media_group_id: album, from: SARI, chat, date: 1, photo: [], caption },
      });
    photo(901, PHOTO, 'first');
    photo(902, `the same: ${PHOTO}`, 'first');
    photo(903, REEL, 'first');
    photo(904, PHOTO, 'second');
    await fake.waitFor(() => answersIn(fake, SARI.id)[2]);
    expect((await others(stage, SARI.id)).toSorted()).toEqual(['photo', 'photo', 'video']);
  });

  it('survives updates of any shape', async () => {
    const stage = await openStage();
    const { fake, log } = stage;
    fake.update({ message: { message_id: 'no number', chat: 5, text: 7 } });
    fake.update({
      message: { message_id: 3, chat: { id: 5, type: 'private' }, date: 1, from: SARI, text: 'x', entities: 'none' },
    });
    fake.update({ callback_query: { id: 9 } });
    expect(await others(stage, SARI.id)).toEqual([]);
    expect(log.at('warn').map(({ message }) => message)).toContain('an update could not be taken');
  });

  it('greets those who open the chat in three lines: what it does, and where to go from here', async () => {
    const { fake } = await openStage();
    fake.message({ from: SARI, text: '/start inline' });
    const greeting = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(greeting.text?.split('\n')).toHaveLength(3);
    expect(greeting.text).toContain('/beatmap_search');
    const [add, example, language] = buttonsOf(greeting);
    expect(add).toMatchObject({ text: 'Add to group', url: `https://t.me/${BOT}?startgroup=true` });
    expect([example?.text, language?.text]).toEqual(['Try it', 'Language']);
    const message = { chatId: SARI.id, messageId: greeting.messageId };
    fake.callbackQuery({ data: example?.data ?? '', message, from: SARI });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[1])).file?.kind).toBe('video');
    expect(greeting.edits).toBe(0);
    fake.callbackQuery({ data: language?.data ?? '', message, from: SARI });
    await fake.waitFor(() => (greeting.edits > 0 ? true : undefined));
    expect(buttonsOf(greeting).map(({ text }) => text)).toContain('Language: Bahasa Indonesia');
    expect(fake.problems).toEqual([]);
  });

  it.each([
    ['/help', ['/download'], ['Links', 'Beatmaps', 'Players', 'Settings and more']],
    ['/beatmap', ['/beatmap_search:', '/beatmap_info:'], ['Search', 'Info', 'Back']],
    ['/osu', ['/osu_profile:', '/osu_link:'], ['Profile', 'Recent', 'Link', 'Back']],
  ])('answers a bare %s with what there is to choose, by the names of the menu', async (line, names, labels) => {
    const { fake } = await openStage();
    fake.message({ chat: GROUP, from: SARI, text: line });
    const page = await fake.waitFor(() => answersIn(fake, GROUP.id)[0]);
    for (const name of names) expect(page.text).toContain(name);
    expect(page.text).not.toMatch(/\/(beatmap|osu) /);
    expect(buttonsOf(page).map(({ text }) => text)).toEqual(expect.arrayContaining(labels));
    expect(fake.problems).toEqual([]);
  });

  it('opens sections and commands of help in their place, and leads back', async () => {
    const { fake } = await openStage();
    fake.message({ from: SARI, text: '/help' });
    const page = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    const message = { chatId: SARI.id, messageId: page.messageId };
    for (const [label, words] of [
      ['Beatmaps', '/beatmap_search:'],
      ['Search', 'Usage: /beatmap_search query'],
      ['Back', '/beatmap_info:'],
      ['Back', 'Paste a link'],
    ] as const) {
      const data = buttonsOf(page).find(({ text }) => text === label)?.data ?? '';
      fake.callbackQuery({ data, message, from: SARI });
      await fake.waitFor(() => (page.text?.includes(words) ? true : undefined));
    }
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
    expect(fake.problems).toEqual([]);
  });

  it('speaks the language of the person', async () => {
    const { fake } = await openStage();
    fake.message({ from: BUDI, text: 'halo' });
    expect((await fake.waitFor(() => answersIn(fake, BUDI.id)[0])).text).toContain('Tempelkan');
  });
});

describe('a chat that asks too much', () => {
  it('is told so once', async () => {
    const { fake, sandbox } = await openStage({ queue: { perLane: 1, entriesPerFairBy: 2 } });
    sandbox.faults.set('instagram.*', 'hang');
    for (let n = 0; n < 6; n += 1) fake.message({ from: SARI, text: `https://www.instagram.com/p/Waits00000${n}/` });
    const notice = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(notice.text).toContain('Many people are asking at once');
    await fake.waitFor(() => (fake.pendingUpdates === 0 ? true : undefined));
    expect(answersIn(fake, SARI.id)).toHaveLength(1);
  });

  it('is told by its own limit with the time to wait, once', async () => {
    const { fake } = await openStage({ userLimit: 2 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    fake.message({ from: SARI, text: REEL });
    expect((await fake.waitFor(() => answersIn(fake, SARI.id)[1])).text).toContain('in ');
  });
});

describe('a slow site', () => {
  it('does not keep another chat waiting', async () => {
    const { fake, sandbox } = await openStage();
    sandbox.faults.set('facebook.*', 'hang');
    fake.message({ from: SARI, text: 'https://www.facebook.com/watch/?v=731904415522087' });
    await fake.waitFor(() => sandbox.count('facebook.page') || undefined);
    fake.message({ from: BUDI, text: PHOTO });
    expect((await fake.waitFor(() => answersIn(fake, BUDI.id)[0])).file?.kind).toBe('photo');
    expect(answersIn(fake, SARI.id)).toEqual([]);
  });
});

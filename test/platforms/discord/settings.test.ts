import { afterEach, describe, expect, it } from 'vitest';
import type { ChatSettings } from '../../../src/bot/contract/settings.ts';
import { AppError } from '../../../src/errors.ts';
import { link, photo, samplePost } from '../../bot/sample.ts';
import { settle } from '../../settle.ts';
import { all, LINK, openStage, ownMessages, type Stage, type StageOptions, textOf } from './stage.ts';

let stage: Stage | undefined;

async function open(settings: Partial<ChatSettings> = {}, options?: StageOptions): Promise<Stage> {
  stage = await openStage(options);
  await stage.services.settings.setChat(`discord:${stage.guildId}`, settings);
  return stage;
}

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  // Among these is any message that could ping someone.
  expect(over?.fake.problems ?? []).toEqual([]);
  expect(over?.held.size ?? 0).toBe(0);
});

const SILENT = 1 << 12;
const SUPPRESSED = 4;
const EPHEMERAL = 64;
const embed = { type: 'video', url: LINK, title: 'A reel' };

function reply({ fake }: Stage, place = 0) {
  return fake.waitFor(() => ownMessages(fake)[place]);
}

function paste(on: Stage, content = LINK): string {
  return on.fake.message({ guildId: on.guildId, content, embeds: [embed] });
}

function isSuppressed({ fake }: Stage, id: string): boolean {
  return ((fake.messages.get(id)?.flags ?? 0) & SUPPRESSED) !== 0;
}

describe('the settings of a server', () => {
  it('answer without a notification', async () => {
    const quiet = await open({});
    paste(quiet);
    expect((await reply(quiet)).flags & SILENT).toBe(SILENT);
    const loud = await open({ silent: false });
    paste(loud);
    expect((await reply(loud)).flags & SILENT).toBe(0);
  });

  it('answer without a notification in all messages that an answer takes', async () => {
    const items = Array.from({ length: 25 }, () => photo());
    const on = await open({ silent: true }, { answer: id => samplePost({ id, items }) });
    on.fake.interaction({
      ...{ kind: 'command', name: 'download', guildId: on.guildId, userId: '300' },
      options: { link: LINK },
    });
    expect((await reply(on, 1)).flags & SILENT).toBe(SILENT);
    expect((await reply(on, 2)).flags & SILENT).toBe(SILENT);
  });

  it('show files alone, and then hide the embed', async () => {
    const on = await open({ view: 'media' });
    const source = paste(on);
    const shown = await reply(on);
    expect(shown.files).toHaveLength(1);
    expect(textOf(shown)).toBe('');
    await on.fake.waitFor(() => isSuppressed(on, source) || undefined);
  });

  it('show words alone, and leave the embed, which is all there is to see', async () => {
    const on = await open({ view: 'text' });
    const source = paste(on);
    const shown = await reply(on);
    expect(shown.files).toEqual([]);
    expect(textOf(shown)).toContain('Tari Senja');
    await settle();
    expect(isSuppressed(on, source)).toBe(false);
  });

  it('are over-ruled by what is written beside a link', async () => {
    const on = await open({ view: 'text' });
    paste(on, `look ${LINK} view:media`);
    const shown = await reply(on);
    expect(shown.files).toHaveLength(1);
    expect(textOf(shown)).toBe('');
  });

  it('bound the files of one post, and say so', async () => {
    const items = Array.from({ length: 5 }, () => photo());
    const on = await open({ albumCap: 2 }, { answer: id => samplePost({ id, items }) });
    paste(on);
    const shown = await reply(on);
    expect(shown.files).toHaveLength(2);
    expect(textOf(shown)).toContain('2 of 5 shown');
  });

  it('say nothing of what fails, and the embed stays', async () => {
    const answer = () => Promise.reject(new AppError('private', 'private'));
    const on = await open({ quietErrors: true }, { answer });
    const source = paste(on);
    await on.fake.waitFor(() => on.asked[0]);
    await settle();
    expect(ownMessages(on.fake)).toEqual([]);
    expect(isSuppressed(on, source)).toBe(false);
    // Who asks Medley itself is answered.
    paste(on, `<@${on.fake.botUserId}> ${LINK}`);
    expect(textOf(await reply(on))).toContain('private');
  });

  it('show a quoted post below, in one message, and hide the embed once all is there', async () => {
    const author = { id: '7', username: 'noor.vale', name: 'Noor Vale', verified: null, avatarUrl: null };
    const quoted = {
      ...samplePost({ id: 'Orchard', author, caption: 'In the orchard', items: [photo()] }),
      quoted: null,
    };
    const on = await open({}, { answer: id => samplePost({ id, items: [], quoted }) });
    const source = paste(on);
    const shown = await reply(on);
    expect(textOf(shown)).toMatch(/Evening light.*Noor Vale.*Quoted post.*In the orchard/s);
    expect(shown.files).toHaveLength(1);
    expect(ownMessages(on.fake)).toHaveLength(1);
    await on.fake.waitFor(() => isSuppressed(on, source) || undefined);
  });

  it('leave a post of words to its embed where it was merely pasted, and show it where it was asked for', async () => {
    const on = await open({}, { answer: id => samplePost({ id, items: [] }) });
    const source = paste(on);
    await on.fake.waitFor(() => on.asked[0]);
    await settle();
    expect(ownMessages(on.fake)).toEqual([]);
    expect(isSuppressed(on, source)).toBe(false);
    paste(on, `<@${on.fake.botUserId}> ${LINK}`);
    expect(textOf(await reply(on))).toContain('Evening light over the harbour');
  });

  it('delete a notice after as long as they say', async () => {
    const answer = () => Promise.reject(new AppError('private', 'private'));
    const on = await open({ noticeSeconds: 1 }, { answer });
    paste(on);
    const notice = await reply(on);
    await on.fake.waitFor(() => on.fake.messages.get(notice.id)?.deleted || undefined);
  });

  it('delete it after a restart too', async () => {
    const answer = () => Promise.reject(new AppError('private', 'private'));
    const on = await open({ noticeSeconds: 4 }, { answer });
    paste(on);
    const notice = await reply(on);
    await settle();
    await on.platform.stop();
    expect(on.fake.messages.get(notice.id)?.deleted).toBe(false);
    await on.another().start();
    await on.fake.waitFor(() => on.fake.messages.get(notice.id)?.deleted || undefined);
  });

  it('leave a channel alone, or answer only in some', async () => {
    const on = await open();
    await on.services.settings.setChat(`discord:${on.guildId}`, { offChannels: [on.channelId] });
    paste(on);
    await settle();
    expect(on.asked).toEqual([]);
    await on.services.settings.setChat(`discord:${on.guildId}`, { offChannels: [], onlyChannels: ['1'] });
    paste(on);
    await settle();
    expect(on.asked).toEqual([]);
    await on.services.settings.setChat(`discord:${on.guildId}`, { onlyChannels: [on.channelId] });
    paste(on);
    await reply(on);
  });

  it('leave links alone beside words', async () => {
    const on = await open({ offWords: ['giveaway'] });
    paste(on, `Giveaway: ${LINK}`);
    await settle();
    expect(on.asked).toEqual([]);
    paste(on, `a gift: ${LINK}`);
    await reply(on);
  });

  it('answer links in quotes and forwards where they want that, and not otherwise', async () => {
    const on = await open();
    const quote = () => paste(on, `> ${LINK}\nlook at this`);
    const forward = () => on.fake.message({ guildId: on.guildId, content: '', forwards: LINK });
    quote();
    forward();
    await settle();
    expect(on.asked).toEqual([]);
    await on.services.settings.setChat(`discord:${on.guildId}`, { quotedLinks: true });
    quote();
    await reply(on);
    forward();
    await reply(on, 1);
  });

  it('are shown in menus and sections that stay where they are', async () => {
    const on = await open();
    const memberPermissions = 1n << 5n;
    on.fake.interaction({ kind: 'command', name: 'settings', guildId: on.guildId, userId: '300', memberPermissions });
    const page = await on.fake.waitFor(() => ownMessages(on.fake).find(({ body }) => body.components !== undefined));
    const buttons = () => all(on.fake.messages.get(page.id)?.body.components, 'label').map(String);
    expect(buttons()).toEqual(expect.arrayContaining(['Links', 'Answers', 'Failures']));
    const idOf = (label: string) => {
      const text = JSON.stringify(on.fake.messages.get(page.id)?.body.components);
      return new RegExp(`"label":"${label}","custom_id":"([^"]+)"`).exec(text)?.[1] ?? '';
    };
    const press = (customId: string, values?: string[]) =>
      on.fake.interaction({
        kind: values === undefined ? 'button' : 'select',
        customId,
        ...(values && { values }),
        guildId: on.guildId,
        userId: '300',
        memberPermissions,
        messageId: page.id,
      });
    press(idOf('Answers'));
    await on.fake.waitFor(() => buttons().includes('Back') || undefined);
    const text = JSON.stringify(on.fake.messages.get(page.id)?.body.components);
    const choice = /"label":"Posts: files only","value":"([^"]+)"/.exec(text)?.[1] ?? '';
    const menu = /"custom_id":"(menu:[^"]+)"/.exec(text)?.[1] ?? '';
    press(menu, [choice]);
    const isChosen = () => {
      const components = JSON.stringify(on.fake.messages.get(page.id)?.body.components);
      return components.includes('"label":"Posts: files only","default":true');
    };
    await on.fake.waitFor(() => isChosen() || undefined);
    expect((await on.services.settings.chat(`discord:${on.guildId}`)).view).toBe('media');
  });
});

describe('a new site', () => {
  it('is left alone where it is pasted, and answered where it is asked for, until an admin switches it on', async () => {
    const on = await open({}, { services: { sites: [{ id: 'instagram', name: 'Newcomer' }] } });
    paste(on, link('Silent01'));
    paste(on, `<@${on.fake.botUserId}> ${link('Asked02')}`);
    on.fake.message({ content: link('Alone03'), authorId: '300' });
    await on.fake.waitFor(() => ownMessages(on.fake)[1]);
    await on.services.settings.setChat(`discord:${on.guildId}`, { sources: { instagram: true } });
    paste(on, link('Seen04'));
    await on.fake.waitFor(() => ownMessages(on.fake)[2]);
    expect(on.asked.toSorted()).toEqual(['Alone03', 'Asked02', 'Seen04'].map(id => link(id)));
  });
});

describe('a sensitive post', () => {
  const answer = (id: string) => samplePost({ id, url: link(id), sensitive: true });
  const filesOf = ({ fake }: Stage, channelId: string | undefined) =>
    fake.waitFor(() => ownMessages(fake).find(each => each.channelId === channelId && each.files.length > 0));

  it('is a sentence and a link where a channel is open to all, until an admin wants it behind a spoiler', async () => {
    const on = await open({}, { answer });
    paste(on);
    const withheld = await reply(on);
    expect(textOf(withheld)).toContain('only in age-restricted channels and private chats');
    expect(withheld.files).toEqual([]);
    expect(all(withheld.body.components, 'url')).toEqual([link('SeaLight01')]);
    await on.services.settings.setChat(`discord:${on.guildId}`, { sensitive: 'spoiler' });
    paste(on);
    const shown = await reply(on, 1);
    expect(all(shown.body.components, 'items')).toMatchObject([[{ spoiler: true }]]);
    expect(all(shown.body.attachments, 'is_spoiler')).toEqual([true]);
  });

  it('is shown behind a spoiler in an age-restricted channel, its threads and private chats, by a link and by a command', async () => {
    const on = await open({}, { answer });
    const channels = [
      { id: '7001', nsfw: true },
      { id: '7002', nsfw: true },
      { id: '7003', type: 11, parentId: '7001' },
    ];
    const { id: guildId } = on.fake.addGuild({ name: 'Night market', channels });
    await settle();
    on.fake.message({ guildId, channelId: '7001', content: LINK });
    on.fake.message({ guildId, channelId: '7003', content: LINK });
    on.fake.interaction({
      ...{ kind: 'command', name: 'download', guildId, channelId: '7002', userId: '300' },
      options: { link: LINK },
    });
    const said = on.fake.message({ content: LINK, authorId: '300' });
    const places = [...channels.map(({ id }) => id), on.fake.messages.get(said)?.channelId];
    for (const channelId of places) {
      const shown = await filesOf(on, channelId);
      expect(all(shown.body.components, 'items')).toMatchObject([[{ spoiler: true }]]);
      expect(all(shown.body.attachments, 'is_spoiler')).toEqual([true]);
    }
  });
});

describe('/download', () => {
  it('shows a sensitive post in an age-restricted channel of a server that has not installed Medley', async () => {
    const on = await open({}, { answer: id => samplePost({ id, url: link(id), sensitive: true }) });
    const { id: guildId, channelId } = on.fake.addGuild({ channels: [{ nsfw: true }] });
    on.fake.dispatch('GUILD_DELETE', { id: guildId });
    on.fake.interaction({
      ...{ kind: 'command', name: 'download', guildId, channelId, userId: '300' },
      ...{ options: { link: LINK }, authorizingIntegrationOwners: { 1: '300' } },
    });
    const shown = await on.fake.waitFor(() => ownMessages(on.fake).find(({ body }) => all(body, 'url').length > 0));
    expect(all(shown.body.attachments, 'is_spoiler')).toEqual([true]);
  });

  it('hides files behind a spoiler, and shows them to one person alone', async () => {
    const on = await open();
    const ask = { kind: 'command' as const, name: 'download', guildId: on.guildId, userId: '300' };
    on.fake.interaction({ ...ask, options: { link: LINK, spoiler: true } });
    const hidden = await on.fake.waitFor(() => ownMessages(on.fake).find(({ files }) => files.length > 0));
    expect(all(hidden.body.components, 'spoiler')).toContain(true);
    expect(hidden.flags & EPHEMERAL).toBe(0);
    on.fake.interaction({ ...ask, options: { link: LINK, private: true } });
    const own = await on.fake.waitFor(() =>
      ownMessages(on.fake).find(({ id, files }) => files.length > 0 && id !== hidden.id),
    );
    expect(own.flags & EPHEMERAL).toBe(EPHEMERAL);
  });

  it('says in one sentence what is amiss with a clip', async () => {
    const on = await open();
    const ask = { kind: 'command' as const, name: 'download', guildId: on.guildId, userId: '300' };
    on.fake.interaction({ ...ask, options: { link: LINK, clip: '0:20-0:05' } });
    const said = await on.fake.waitFor(() => ownMessages(on.fake).find(each => textOf(each).includes('clip')));
    expect(textOf(said)).toContain('must end after it begins');
  });
});

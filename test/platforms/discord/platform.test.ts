import { MessageFlags, PermissionFlagsBits } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AppError } from '../../../src/errors.ts';
import { applicationIdOf } from '../../../src/platforms/discord/api/reply-to.ts';
import { photo, sampleItem, samplePost } from '../../bot/sample.ts';
import { settle } from '../../settle.ts';
import { all, LINK, link, openStage, ownMessages, type Stage, type StageOptions, sha256Of, textOf } from './stage.ts';

let stage: Stage | undefined;

async function open(options?: StageOptions): Promise<Stage> {
  stage = await openStage(options);
  return stage;
}

afterEach(async () => {
  const over = stage;
  stage = undefined;
  await over?.close();
  expect(over?.fake.problems ?? []).toEqual([]);
  expect(over?.held.size ?? 0).toBe(0);
});

const SUPPRESSED = 4;

/** Long enough for a second answer to show itself. */

function reply({ fake }: Stage, place = 0) {
  return fake.waitFor(() => ownMessages(fake)[place]);
}

function posts({ fake }: Stage) {
  return fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));
}

function isSuppressed({ fake }: Stage, id: string): boolean {
  return ((fake.messages.get(id)?.flags ?? 0) & SUPPRESSED) !== 0;
}

function suppressed(on: Stage, id: string) {
  return on.fake.waitFor(() => isSuppressed(on, id) || undefined);
}

const embed = { type: 'video', url: LINK, title: 'A reel' };
/** A button that opens the link. */
const BUTTON = [{ type: 1, components: [{ type: 2, style: 5, url: LINK }] }];

describe('a link in a server', () => {
  it('is answered by one reply with the file, and the embed of its message goes', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: `look ${LINK}`, embeds: [embed] });
    const answer = await reply(on);
    expect(answer.body.message_reference).toMatchObject({ message_id: source });
    expect(answer.channelId).toBe(on.channelId);
    expect(answer.files).toMatchObject([{ contentType: 'video/mp4', bytes: 40_000, sha256: sha256Of('SeaLight01') }]);
    expect(textOf(answer)).toContain('Tari Senja');
    await suppressed(on, source);
    expect(on.log.at()).toEqual([]);
  });

  it('asks for the original, and offers to delete the reply', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: LINK, authorId: '300' });
    const answer = await reply(on);
    expect(all(answer.body.components, 'url')).toContain(LINK);
    expect(all(answer.body.components, 'custom_id')).toEqual([`delete:300:${source}:embed`]);
  });

  it('is left alone in <brackets>, in code and in quotes', async () => {
    const on = await open();
    for (const content of [`<${LINK}>`, `\`${LINK}\``, `\`\`\`\n${LINK}\n\`\`\``, `> ${LINK}`, `>>> a\n${LINK}`]) {
      on.fake.message({ guildId: on.guildId, content });
    }
    const last = on.fake.message({ guildId: on.guildId, content: link('Last01') });
    expect((await reply(on)).body.message_reference).toMatchObject({ message_id: last });
    expect(on.asked).toEqual([link('Last01')]);
  });

  it('inside a spoiler gives a hidden answer, its words and its file', async () => {
    const on = await open();
    on.fake.message({ guildId: on.guildId, content: `the end: ||${LINK}||` });
    const answer = await reply(on);
    expect(answer.body.components).toMatchObject([{ type: 17, spoiler: true }]);
    expect(all(answer.body.components, 'items')).toMatchObject([[{ spoiler: true }]]);
    expect(all(answer.body.attachments, 'is_spoiler')).toEqual([true]);
  });

  it('inside a spoiler, beside another, is hidden alone', async () => {
    const on = await open();
    on.fake.message({ guildId: on.guildId, content: `${link('Seen01')} ||${LINK}||` });
    const { components } = (await reply(on)).body;
    expect(components).toMatchObject([{ type: 17 }, { type: 17, spoiler: true }]);
    expect(Array.isArray(components) && components[0]).not.toHaveProperty('spoiler');
  });

  it('inside a spoiler that cannot be had is not named to everyone', async () => {
    const on = await open({ answer: () => Promise.reject(new AppError('private', 'private')) });
    on.fake.message({ guildId: on.guildId, content: `||${LINK}|| ||${link('FarShore02')}||` });
    const answer = await reply(on);
    expect(textOf(answer)).toContain('SeaLight01');
    expect(all(answer.body.components, 'spoiler').length).toBeGreaterThan(0);
    expect(answer.body.components).toSatisfy((each: { spoiler?: boolean }[]) => each.every(({ spoiler }) => spoiler));
  });

  it('of bots, webhooks and Medley itself is ignored', async () => {
    const on = await open();
    const { guildId, fake } = on;
    fake.message({ guildId, content: LINK, bot: true });
    fake.message({ guildId, content: LINK, webhookId: '900' });
    fake.message({ guildId, content: LINK, authorId: fake.botUserId });
    fake.message({ guildId, content: LINK, type: 7 });
    fake.message({ guildId, content: link('Last01') });
    await fake.waitFor(() => ownMessages(fake).find(({ files }) => files.length > 0));
    expect(on.asked).toEqual([link('Last01')]);
  });

  it('among several is part of one reply', async () => {
    const on = await open();
    on.fake.message({ guildId: on.guildId, content: `${link('One01')} and ${link('Two02')} and ${link('Three03')}` });
    const answer = await reply(on);
    expect(answer.files.map(({ sha256 }) => sha256)).toEqual(['One01', 'Two02', 'Three03'].map(id => sha256Of(id)));
    await settle();
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('beyond the fifth of a message follows by itself, twenty of them in order', async () => {
    const on = await open();
    const ids = Array.from({ length: 20 }, (_, index) => `Post${String(index).padStart(2, '0')}`);
    const source = on.fake.message({ guildId: on.guildId, content: ids.map(link).join(' '), embeds: [embed] });
    await reply(on, 3);
    await suppressed(on, source);
    const answers = ownMessages(on.fake);
    expect(answers.map(({ files }) => files.length)).toEqual([5, 5, 5, 5]);
    expect(answers.flatMap(({ files }) => files.map(({ sha256 }) => sha256))).toEqual(ids.map(id => sha256Of(id)));
    expect(answers.map(({ body }) => body.message_reference)).toMatchObject(
      answers.map(() => ({ message_id: source })),
    );
    expect(new Set(answers.map(({ body }) => body.nonce)).size).toBe(4);
    expect(on.log.at()).toEqual([]);
  });

  it('beyond a person’s limit waits, which is said, and the embed stays until all has come', async () => {
    const on = await open({ units: 6 });
    const content = [1, 2, 3, 4].map(each => link(`Post0${each}`)).join(' ');
    const source = on.fake.message({ guildId: on.guildId, content, embeds: [embed] });
    expect((await reply(on)).files).toHaveLength(3);
    expect(textOf(await reply(on, 1))).toContain('One link waits and follows by itself in 60 seconds');
    expect(on.unfinished()).toHaveLength(1);
    expect(isSuppressed(on, source)).toBe(false);
  });

  it('is answered once, whatever Discord says again', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on);
    on.fake.update(source, { embeds: [embed] });
    on.fake.update(source, { content: `${LINK} (edited)` });
    on.fake.update(source, { embeds: [embed, embed] });
    on.fake.replay();
    await settle();
    expect(ownMessages(on.fake)).toHaveLength(1);
    expect(on.asked).toEqual([LINK]);
  });

  it('that was missed while the connection was cut is answered once', async () => {
    const on = await open();
    on.fake.drop();
    on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on);
    on.fake.replay();
    await settle();
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('is not answered when links are switched off', async () => {
    const on = await open();
    await on.services.settings.setChat(`discord:${on.guildId}`, { autoDetect: false });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await settle();
    expect(ownMessages(on.fake)).toHaveLength(0);
    on.fake.message({ guildId: on.guildId, content: `<@${on.fake.botUserId}> ${LINK}` });
    await reply(on);
  });

  it('is not answered where Medley may not write', async () => {
    const on = await open();
    const quiet = on.fake.addGuild({ permissions: PermissionFlagsBits.ViewChannel });
    on.fake.message({ guildId: quiet.id, content: LINK });
    await settle();
    expect(on.fake.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('is answered in a voice channel only where Medley may connect to it, as Discord wants', async () => {
    const on = await open();
    const permissions =
      PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages | PermissionFlagsBits.AttachFiles;
    const [closed, opened] = ['100000000000000001', '100000000000000002'];
    const { id: guildId } = on.fake.addGuild({
      permissions,
      channels: [
        { id: closed, type: 2 },
        { id: opened, type: 2, permissions: permissions | PermissionFlagsBits.Connect },
      ],
    });
    on.fake.message({ guildId, channelId: closed, content: LINK });
    await settle();
    expect(on.fake.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    on.fake.message({ guildId, channelId: opened, content: LINK });
    expect((await reply(on)).channelId).toBe(opened);
  });

  it('is answered in a thread by the rights that count there', async () => {
    const on = await open();
    const permissions =
      PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages | PermissionFlagsBits.AttachFiles;
    const parent = { id: '100000000000000001', permissions };
    const closed = on.fake.addGuild({
      permissions,
      channels: [parent, { type: 11, parentId: parent.id, id: '100000000000000002' }],
    });
    on.fake.message({ guildId: closed.id, channelId: '100000000000000002', content: LINK });
    await settle();
    expect(on.fake.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    on.fake.message({ guildId: closed.id, channelId: parent.id, content: LINK });
    expect((await reply(on)).channelId).toBe(parent.id);
  });

  it('that begins a post in a forum keeps its embed, which is the picture of the post there', async () => {
    const on = await open();
    const post = { type: 11, parentId: '100000000000000001', id: '100000000000000002' };
    const { id } = on.fake.addGuild({ channels: [{ id: post.parentId, type: 15 }, post] });
    const said = { guildId: id, channelId: post.id, content: LINK, embeds: [embed] };
    const first = on.fake.message({ ...said, id: post.id });
    const second = on.fake.message(said);
    await reply(on, 1);
    await settle();
    expect([isSuppressed(on, first), isSuppressed(on, second)]).toEqual([false, true]);
  });

  it('is answered where a reply to it mentions Medley, also beside another bot’s words', async () => {
    const on = await open();
    const first = on.fake.message({ guildId: on.guildId, content: `look: ${LINK}`, bot: true });
    const asking = on.fake.message({ guildId: on.guildId, content: `<@${on.fake.botUserId}>`, replyTo: first });
    const answer = await reply(on);
    expect(answer.files).toHaveLength(1);
    expect(answer.body.message_reference).toMatchObject({ message_id: asking });
  });

  it('is answered where the mention is of the role that Discord made for Medley, and of no other role', async () => {
    const on = await open();
    const { id: guildId } = on.fake.addGuild({ botRoleId: '900' });
    const first = on.fake.message({ guildId, content: `look: ${LINK}`, bot: true });
    on.fake.message({ guildId, content: '<@&901>', replyTo: first });
    const asking = on.fake.message({ guildId, content: '<@&900>', replyTo: first });
    expect((await reply(on)).body.message_reference).toMatchObject({ message_id: asking });
    on.fake.message({ guildId, content: '<@&900> /help' });
    expect(textOf(await reply(on, 1))).toContain('/download');
    expect(ownMessages(on.fake)).toHaveLength(2);
  });

  it.each([
    ['forwards it', { forwards: `look: ${LINK}` }],
    ['forwards a button that leads to it', { forwards: { components: BUTTON } }],
    ['has it as an embed', { bot: true, embeds: [{ url: LINK, title: 'Evening light' }] }],
    ['has it in the words of an embed', { bot: true, embeds: [{ type: 'rich', description: `[New post](${LINK})` }] }],
    [
      'has it in the words of a component',
      { bot: true, flags: 1 << 15, components: [{ type: 10, content: `a\n${LINK}\nb` }] },
    ],
    ['has a button that leads to it', { bot: true, components: BUTTON }],
  ])('is answered where a reply mentions Medley to a message that %s', async (_, other) => {
    const on = await open();
    const first = on.fake.message({ guildId: on.guildId, ...other });
    on.fake.message({ guildId: on.guildId, content: `<@${on.fake.botUserId}>`, replyTo: first });
    expect((await reply(on)).files).toHaveLength(1);
  });

  it('is answered in a private chat where it is in the embed of a message that is forwarded there', async () => {
    const on = await open();
    on.fake.message({ content: '', forwards: { embeds: [{ type: 'rich', url: LINK, title: 'Evening light' }] } });
    expect((await reply(on)).files).toHaveLength(1);
  });

  it('is left alone in a locked thread, where nothing could be posted', async () => {
    const on = await open();
    const thread = { type: 11, parentId: '100000000000000001', id: '100000000000000002', locked: true };
    const { id } = on.fake.addGuild({ channels: [{ id: thread.parentId }, thread] });
    on.fake.message({ guildId: id, channelId: thread.id, content: LINK });
    await settle();
    expect(on.fake.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('gets an address where Medley may not attach files', async () => {
    const on = await open();
    const permissions = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
    const { id } = on.fake.addGuild({ permissions });
    const source = on.fake.message({ guildId: id, content: LINK, embeds: [embed] });
    const answer = await reply(on);
    expect(answer.files).toEqual([]);
    expect(textOf(answer)).toContain(LINK);
    expect(answer.body.message_reference).toBeUndefined();
    await settle();
    expect(isSuppressed(on, source)).toBe(false);
  });

  it('that cannot be had is told about calmly, and its embed stays', async () => {
    const answer = () => Promise.reject(new AppError('private', 'private'));
    const on = await open({ answer });
    const source = on.fake.message({ guildId: on.guildId, content: LINK, embeds: [embed] });
    expect(textOf(await reply(on))).toContain('private');
    await settle();
    expect(isSuppressed(on, source)).toBe(false);
  });

  it('of which one came only as an address keeps the embeds', async () => {
    const on = await open({ sizes: ({ post }) => [post.id === 'SeaLight01' ? 40_000 : 0] });
    const content = `${LINK} ${link('FarShore02')}`;
    const source = on.fake.message({ guildId: on.guildId, content, embeds: [embed] });
    expect((await reply(on)).files).toHaveLength(1);
    await settle();
    expect(isSuppressed(on, source)).toBe(false);
  });

  it.each([
    `${LINK} https://example.com/else`,
    `> https://example.com/quoted\n${LINK}`,
    `> ${link('FarShore02')}\n${LINK}`,
  ])('beside other addresses keeps the embeds: %s', async content => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content, embeds: [embed] });
    await reply(on);
    await settle();
    expect(isSuppressed(on, source)).toBe(false);
  });
});

describe('embeds', () => {
  it('that come late are hidden as well', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: LINK });
    await suppressed(on, source);
    on.fake.update(source, { embeds: [embed], flags: 0 });
    await suppressed(on, source);
  });

  it('are hidden later where Discord wants to be left alone first', async () => {
    const on = await open();
    const headers = { 'retry-after': '1.5' };
    on.fake.fault({ method: 'PATCH', path: /messages\/\d+$/, status: 429, headers, times: 2 });
    const source = on.fake.message({ guildId: on.guildId, content: LINK, embeds: [embed] });
    await suppressed(on, source);
    expect(on.log.at('info').map(({ message }) => message)).not.toContain('discord: an embed could not be hidden');
  });

  it('of messages that were not answered are none of its business', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: 'https://example.com/' });
    on.fake.update(source, { embeds: [embed] });
    await settle();
    expect(isSuppressed(on, source)).toBe(false);
  });

  it('stay without the permission, or when the server wants it so', async () => {
    const on = await open();
    const permissions =
      PermissionFlagsBits.ViewChannel |
      PermissionFlagsBits.SendMessages |
      PermissionFlagsBits.AttachFiles |
      PermissionFlagsBits.ReadMessageHistory;
    const { id } = on.fake.addGuild({ permissions });
    await on.services.settings.setChat(`discord:${on.guildId}`, { suppressEmbeds: false });
    const sources = [id, on.guildId].map(guildId => on.fake.message({ guildId, content: LINK, embeds: [embed] }));
    await reply(on, 1);
    await settle();
    expect(sources.map(source => isSuppressed(on, source))).toEqual([false, false]);
    expect(on.fake.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
    // Deleting an answer shows only an embed again that Medley may have hidden.
    expect(
      all(
        ownMessages(on.fake).map(({ body }) => body.components),
        'custom_id',
      ).join(),
    ).not.toContain('embed');
  });

  it('can be shown again by each message of an answer that hides them', async () => {
    const items = Array.from({ length: 14 }, () => photo());
    const on = await open({ answer: id => samplePost({ id, url: link(id), items }) });
    const source = on.fake.message({ guildId: on.guildId, content: LINK, authorId: '300', embeds: [embed] });
    await reply(on, 1);
    await suppressed(on, source);
    const ids = ownMessages(on.fake).map(({ body }) => all(body.components, 'custom_id').map(String));
    expect(ids).toEqual([[`delete:300:${source}:embed`], [`delete:300:${source}:embed`]]);
  });
});

describe('embeds that a person hid', () => {
  const partly = { sizes: ({ post }: { post: { id: string } }) => [post.id === 'SeaLight01' ? 40_000 : 0] };
  const failing = (id: string) =>
    id === 'SeaLight01' ? samplePost({ id, url: LINK }) : Promise.reject(new AppError('private', 'private'));

  it.each([
    ['came as an address', { sizes: () => [] }, LINK],
    ['came partly as addresses', partly, `${LINK} ${link('FarShore02')}`],
    ['is partly a sentence', { answer: failing }, `${LINK} ${link('FarShore02')}`],
  ])('stay hidden when an answer is deleted that %s', async (_, options, content) => {
    const on = await open(options);
    const source = on.fake.message({ guildId: on.guildId, content, authorId: '300' });
    const answer = await reply(on);
    on.fake.update(source, { embeds: [embed], flags: SUPPRESSED });
    const [customId = ''] = all(answer.body.components, 'custom_id')
      .map(String)
      .filter(id => id.startsWith('delete'));
    on.fake.interaction({ kind: 'button', customId, userId: '300', messageId: answer.id });
    await on.fake.waitFor(() => (ownMessages(on.fake).length === 0 ? true : undefined));
    await settle();
    expect(isSuppressed(on, source)).toBe(true);
  });
});

describe('an edit', () => {
  it('that adds a link is answered, in reply to its message', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: 'look at this', embeds: [] });
    on.fake.update(source, { content: `look at this: ${LINK}` });
    const answer = await reply(on);
    expect(answer.body.message_reference).toMatchObject({ message_id: source });
    on.fake.update(source, { embeds: [embed] });
    await suppressed(on, source);
    await settle();
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('that adds a second link is answered with that one alone, once, and each answer is deleted by itself', async () => {
    const on = await open();
    const source = on.fake.message({ guildId: on.guildId, content: LINK, authorId: '300' });
    await reply(on);
    for (const content of [`${LINK} ${link('Other01')}`, `${link('Other01')} ${LINK} !`])
      on.fake.update(source, { content });
    const second = await reply(on, 1);
    await settle();
    expect(ownMessages(on.fake).map(({ files }) => files.map(({ sha256 }) => sha256))).toEqual(
      ['SeaLight01', 'Other01'].map(id => [sha256Of(id)]),
    );
    expect(second.body.message_reference).toMatchObject({ message_id: source });
    const [customId = ''] = all(second.body.components, 'custom_id').map(String);
    on.fake.interaction({ kind: 'button', customId, userId: '300', messageId: second.id });
    await on.fake.waitFor(() => (ownMessages(on.fake).length === 1 ? true : undefined));
    expect(ownMessages(on.fake)[0]?.files).toMatchObject([{ sha256: sha256Of('SeaLight01') }]);
  });

  it('is answered as a message would be: not where Medley may not write, nor of bots, nor of commands', async () => {
    const on = await open();
    const { fake, guildId } = on;
    const quiet = fake.addGuild({ permissions: PermissionFlagsBits.ViewChannel });
    const sources = [{ guildId: quiet.id }, { guildId, bot: true }].map(where =>
      fake.message({ ...where, content: 'look' }),
    );
    for (const source of sources) fake.update(source, { content: LINK });
    const talk = fake.message({ content: 'good morning', authorId: '300' });
    await reply(on);
    fake.update(talk, { content: 'good evening' });
    await settle();
    expect(on.asked).toEqual([]);
    expect(ownMessages(fake)).toHaveLength(1);
  });

  it('of an old message is left alone', async () => {
    const on = await open();
    const id = String((BigInt(Date.now() - 2 * 3_600_000 - 1_420_070_400_000) << 22n) | 7n);
    const source = on.fake.message({ guildId: on.guildId, content: 'look', id });
    on.fake.update(source, { content: LINK });
    await settle();
    expect(on.asked).toEqual([]);
  });

  it('after a restart, and while Medley is not there, is answered where its message was not', async () => {
    const on = await open();
    const answered = on.fake.message({ guildId: on.guildId, content: LINK });
    const [before, meanwhile] = [1, 2].map(() => on.fake.message({ guildId: on.guildId, content: 'look' }));
    await reply(on);
    await expect.poll(() => on.unfinished()).toEqual([]);
    await on.platform.stop();
    on.fake.update(meanwhile ?? '', { content: link('Missed01') });
    await on.another().start();
    await reply(on, 1);
    on.fake.update(answered, { content: `${LINK} !` });
    on.fake.update(before ?? '', { content: link('Later01') });
    await reply(on, 2);
    await settle();
    expect(on.asked).toEqual([LINK, link('Missed01'), link('Later01')]);
  });
});

describe('without the message content intent', () => {
  it('starts, says what is missing, and reads mentions and private chats', async () => {
    const on = await open({ idle: true });
    on.fake.refuseIntents();
    await on.platform.start();
    expect(on.log.at('warn').map(({ message }) => message)).toContainEqual(expect.stringContaining('Message Content'));
    on.fake.message({ guildId: on.guildId, content: LINK });
    on.fake.message({ guildId: on.guildId, content: `<@${on.fake.botUserId}> ${link('Asked01')}` });
    on.fake.message({ content: link('Direct01') });
    await reply(on, 1);
    expect([...on.asked].sort()).toEqual([link('Asked01'), link('Direct01')]);
  });
});

describe('a private chat', () => {
  it('answers links, commands that are typed, and talk', async () => {
    const on = await open();
    on.fake.message({ content: LINK, authorId: '300' });
    expect((await reply(on)).files).toMatchObject([{ sha256: sha256Of('SeaLight01') }]);
    on.fake.message({ content: '/help', authorId: '300' });
    expect(textOf(await reply(on, 1))).toContain('/download');
    on.fake.message({ content: 'good morning', authorId: '300' });
    expect(textOf(await reply(on, 2))).toContain('Paste a link');
  });
});

describe('uploads', () => {
  it('that are too large for Discord are tried smaller, then become a link', async () => {
    const on = await open({ sizes: () => [90_000, 60_000, 30_000] });
    on.fake.fault({ method: 'POST', path: /messages$/, status: 413, body: '<html>413</html>' });
    on.fake.fault({
      method: 'POST',
      path: /messages$/,
      status: 400,
      body: { code: 50045, message: 'File uploaded exceeds the maximum size' },
    });
    on.fake.message({ guildId: on.guildId, content: LINK });
    expect((await reply(on)).files).toMatchObject([{ bytes: 30_000 }]);

    on.fake.fault({
      method: 'POST',
      path: /messages$/,
      times: 3,
      status: 400,
      body: { code: 40005, message: 'too large' },
    });
    const source = on.fake.message({ guildId: on.guildId, content: link('Huge01'), embeds: [embed] });
    const answer = await reply(on, 1);
    expect(answer.files).toEqual([]);
    expect(textOf(answer)).toContain(link('Huge01'));
    await settle();
    expect(isSuppressed(on, source)).toBe(false);
  });

  it('that do not fit are played by a page, whose address stands alone so that Discord unfurls it', async () => {
    const page = 'https://medley.example/v/abc';
    const on = await open({ sizes: () => [], page });
    on.fake.message({ guildId: on.guildId, content: LINK });
    const [answer, player] = [await reply(on), await reply(on, 1)];
    expect(textOf(answer)).toContain('too large for this chat');
    expect(textOf(answer)).toContain(`[Play it here](${page})`);
    expect(player.body).toMatchObject({
      content: page,
      flags: MessageFlags.SuppressNotifications,
      message_reference: { message_id: answer.id },
    });
    expect(player.body.components).toBeUndefined();
  });

  it('that do not fit and are hidden are played behind a spoiler', async () => {
    const page = 'https://medley.example/v/abc';
    const on = await open({ sizes: () => [], page });
    on.fake.message({ guildId: on.guildId, content: `||${LINK}||` });
    const [answer, player] = [await reply(on), await reply(on, 1)];
    expect(answer.body.components).toMatchObject([{ spoiler: true }]);
    expect(player.body.content).toBe(`||${page}||`);
  });

  it('keep to what the server may be sent', async () => {
    const MIB = 1024 * 1024;
    const on = await open({ sizes: () => [12 * MIB, 40_000] });
    on.fake.message({ guildId: on.guildId, content: LINK });
    expect((await reply(on)).files).toMatchObject([{ bytes: 40_000 }]);
    const boosted = on.fake.addGuild({ premiumTier: 2 });
    on.fake.message({ guildId: boosted.id, content: LINK });
    expect((await reply(on, 1)).files).toMatchObject([{ bytes: 12 * MIB }]);
  });

  it.each([
    ['page', 'https://medley.example/v/abc', 'Play the whole video'],
    ['post', undefined, 'Open original'],
  ])('that are smaller than the site has them say so, with the way to the whole: the %s', async (_, page, label) => {
    const MIB = 1024 * 1024;
    const on = await open({ sizes: () => [65 * MIB, 9 * MIB], ...(page && { page }) });
    on.fake.message({ guildId: on.guildId, content: LINK });
    const answer = await reply(on);
    expect(answer.files).toMatchObject([{ bytes: 9 * MIB }]);
    expect(textOf(answer)).toContain(`Made smaller to fit here: 9.4 MB. [${label}](${page ?? LINK})`);
    const boosted = on.fake.addGuild({ premiumTier: 3 });
    on.fake.message({ guildId: boosted.id, content: LINK });
    expect(textOf(await reply(on, 1))).not.toContain('smaller');
  });

  it('that are too large for one request together come in several, in order, each in its best size', async () => {
    const MIB = 1024 * 1024;
    const best = [9, 8, 1, 7, 6];
    const on = await open({
      answer: id => samplePost({ id, url: link(id), items: best.map(() => sampleItem()) }),
      sizes: ({ index }) => [(best[index] ?? 0) * MIB, MIB / 2],
    });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on, 1);
    await settle();
    const messages = ownMessages(on.fake);
    const sizes = messages.map(({ files }) => files.map(({ bytes }) => bytes / MIB));
    expect(sizes).toEqual([best.slice(0, 3), best.slice(3)]);
    expect(messages.map(textOf).filter(text => text.includes('Tari Senja'))).toHaveLength(1);
    expect(messages.map(textOf).join()).not.toContain('smaller');
  });

  it('of a long carousel all come, ten in a message, each message a reply to the one before', async () => {
    const items = Array.from({ length: 24 }, () => photo());
    const on = await open({ answer: id => samplePost({ id, url: link(id), items }) });
    const source = on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on, 2);
    await settle();
    const messages = ownMessages(on.fake);
    const sent = messages.map(({ files }) => files.map(({ sha256 }) => sha256));
    expect(sent.map(({ length }) => length)).toEqual([10, 10, 4]);
    expect(sent.flat()).toEqual(items.map((_, index) => sha256Of('SeaLight01', index)));
    const answered = messages.map(({ body }) => body.message_reference);
    expect(answered).toMatchObject([source, messages[0]?.id, messages[1]?.id].map(id => ({ message_id: id })));
    expect(messages.map(textOf).filter(text => text.includes('Tari Senja'))).toHaveLength(1);
    expect(messages.map(({ body }) => all(body.components, 'custom_id').length)).toEqual([1, 1, 1]);
  });

  it('that were cut off after they had arrived do not stand there twice', async () => {
    const on = await open();
    on.fake.fault({ method: 'POST', path: /messages$/, status: 502, afterSend: true });
    on.fake.fault({ method: 'POST', path: /messages$/, cut: true, afterSend: true });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on);
    await on.fake.waitFor(() => on.fake.requests.filter(({ path }) => path.endsWith('/messages'))[2]);
    await settle();
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('wait for the rate limit', async () => {
    const on = await open();
    const headers = { 'retry-after': '0.2', 'x-ratelimit-scope': 'user' };
    on.fake.fault({
      method: 'POST',
      path: /messages$/,
      status: 429,
      headers,
      body: { retry_after: 0.2, global: false, message: 'wait' },
    });
    on.fake.message({ guildId: on.guildId, content: LINK });
    expect((await reply(on)).files).toHaveLength(1);
  });

  it.each([
    [50_001, 'Missing Access'],
    [50_007, 'Cannot send messages to this user'],
    [50_278, 'Cannot send messages to this user due to having no mutual guilds'],
  ])('are tried once where no message is accepted: %s', async (code, message) => {
    const on = await open();
    const route = { method: 'POST', path: /messages$/ };
    on.fake.fault({ ...route, status: 403, body: { code, message }, times: 9 });
    on.fake.message({ guildId: on.guildId, content: LINK });
    expect(await on.fake.waitFor(() => on.platform.outcomes[0])).toBe('gone');
    expect(on.fake.requests.filter(({ path }) => route.path.test(path))).toHaveLength(1);
  });

  it('to a message that was deleted meanwhile come without a reference to it', async () => {
    let proceed = () => {};
    const gate = new Promise<void>(resolve => {
      proceed = resolve;
    });
    const on = await open({ answer: id => gate.then(() => samplePost({ id, url: link(id) })) });
    const source = on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => on.asked[0]);
    on.fake.remove(source);
    proceed();
    const answer = await reply(on);
    expect(answer.files).toMatchObject([{ sha256: sha256Of('SeaLight01') }]);
    expect(answer.body.message_reference).toMatchObject({ message_id: source, fail_if_not_exists: false });
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
    expect(on.platform.outcomes).toEqual(['answered']);
    expect(posts(on)).toHaveLength(1);
  });

  it.each([
    [400, 50035, 'MESSAGE_REFERENCE_UNKNOWN_MESSAGE'],
    [404, 10008, 'Unknown Message'],
    [403, 160002, 'Cannot reply without permission to read message history'],
  ])('come without a reference when Discord refuses one: %s %s', async (status, code, message) => {
    const on = await open();
    on.fake.fault({ method: 'POST', path: /messages$/, status, body: { code, message } });
    on.fake.message({ guildId: on.guildId, content: LINK });
    const answer = await reply(on);
    expect(answer.files).toHaveLength(1);
    expect(answer.body.message_reference).toBeUndefined();
    const [refused, sent] = posts(on).map(({ body }) => body);
    expect(all(sent, 'nonce')).toEqual(all(refused, 'nonce'));
  });
});

describe('the connection', () => {
  it('survives dispatches nobody can read', async () => {
    const on = await open();
    for (const type of ['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'INTERACTION_CREATE', 'GUILD_CREATE', 'CHANNEL_UPDATE']) {
      for (const data of [null, 7, {}, { id: 5, author: null, embeds: [1] }]) on.fake.dispatch(type, data);
    }
    on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on);
    expect(on.log.at('error').map(({ message }) => message)).toContain('discord: a dispatch could not be handled');
  });

  it('comes back after an invalid session', async () => {
    const on = await open();
    on.fake.invalidSession(false);
    await on.fake.waitFor(() => (on.fake.gateway.identifies > 1 ? true : undefined));
    await on.fake.waitFor(() => {
      if (ownMessages(on.fake).length === 0)
        on.fake.message({ guildId: on.guildId, content: link(`Try${Date.now()}`) });
      return ownMessages(on.fake)[0];
    });
  });

  it('keeps the settings of a server that Medley came back to while it was away', async () => {
    const on = await open({ idle: true });
    const key = `discord:${on.guildId}`;
    const marks: unknown[] = [];
    const { settings } = on.services;
    const markChatLeft = settings.markChatLeft.bind(settings);
    const watched = {
      chat: settings.chat,
      markChatLeft(chat: string, at: number | null) {
        marks.push([chat, at]);
        return markChatLeft(chat, at);
      },
    };
    await on.another({ settings: watched }).start();
    expect(marks).toEqual([[key, null]]);
  });

  it('is refused with a clear message when the token is wrong', async () => {
    const on = await open({ idle: true, platform: { token: 'wrong.token.here' } });
    await on.platform.start();
    const refused = await on.fake.waitFor(() =>
      on.log.at('error').find(({ message }) => message === 'the token is refused'),
    );
    expect(refused.details).toMatchObject({
      err: { message: expect.stringContaining('copy it again from the Bot page') },
    });
    expect((await on.platform.runtime().status()).platforms).toMatchObject([{ state: 'refused' }]);
  });

  it('asks for the shards it was given', async () => {
    const on = await open({ idle: true, fake: { shards: 4 }, platform: { shards: { ids: [0, 1], total: 4 } } });
    await on.platform.start();
    expect(on.fake.gateway.identifies).toBe(2);
  });

  it('starts later when Discord is away, and the process goes on', async () => {
    const on = await open({ idle: true });
    on.fake.fault({ path: /gateway\/bot/, status: 503, times: 4 });
    await on.platform.start();
    on.fake.message({ guildId: on.guildId, content: 'nobody listens yet' });
    await on.fake.waitFor(() => (on.fake.gateway.identifies > 0 ? true : undefined));
  });
});

describe('commands', () => {
  it('are registered when they have changed, and only then', async () => {
    const on = await open();
    const puts = () => on.fake.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('/commands'));
    const gets = () => on.fake.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('/commands'));
    const record = () => on.records.collection({ name: 'registered-menus', schema: z.string() });
    const account = `discord:${applicationIdOf(on.fake.token)}`;
    await expect.poll(() => record().get(account)).toBeDefined();
    await on.platform.stop();
    const second = on.another();
    await second.start();
    await on.fake.waitFor(() => (on.fake.gateway.identifies > 1 ? true : undefined));
    await settle();
    expect(gets()).toHaveLength(1);
    await second.stop();
    await record().set(account, 'of a version before');
    await on.another().start();
    await on.fake.waitFor(() => gets()[1]);
    await settle();
    expect(puts()).toHaveLength(1);
  });
});

describe('commands in texts', () => {
  const idOf = (on: Stage, name: string) => on.fake.registered.find(each => each.name === name)?.id;

  async function help(on: Stage, command?: string): Promise<string> {
    const before = ownMessages(on.fake).length;
    const options = command === undefined ? {} : { options: { command } };
    on.fake.interaction({ kind: 'command', name: 'help', guildId: on.guildId, ...options });
    return textOf(
      await on.fake.waitFor(() =>
        ownMessages(on.fake)
          .slice(before)
          .find(message => textOf(message) !== ''),
      ),
    );
  }

  it('can be clicked, by the ids that they got when they were registered', async () => {
    const on = await open();
    await on.fake.waitFor(() => idOf(on, 'help'));
    const said = await help(on);
    expect(said).toContain(`</download:${idOf(on, 'download')}>`);
    expect(said).not.toContain('/download and');
    expect(await help(on, 'osu profile')).toContain(`</osu profile:${idOf(on, 'osu')}>`);
  });

  it('can be clicked in what other processes say, and after a restart', async () => {
    const on = await open();
    await on.fake.waitFor(() => idOf(on, 'help'));
    await help(on);
    await on.platform.stop();
    on.fake.fault({ method: 'GET', path: /commands$/, status: 500, times: 100 });
    await on.another().start();
    expect(await help(on)).toContain(`</download:${idOf(on, 'download')}>`);
  });

  it('are plain words until then', async () => {
    const on = await open({ idle: true });
    on.fake.fault({ method: 'GET', path: /commands$/, status: 500, times: 100 });
    await on.platform.start();
    expect(await help(on)).toContain('write /download and');
  });
});

describe('/forget', () => {
  it('offers no option, and asks before it deletes', async () => {
    const on = await open();
    await on.fake.waitFor(() => on.fake.registered[0]);
    expect(on.fake.registered.find(({ name }) => name === 'forget')?.options ?? []).toEqual([]);
    on.fake.interaction({ kind: 'command', name: 'forget', guildId: on.guildId, userId: '300' });
    const asked = await on.fake.waitFor(() => ownMessages(on.fake).find(message => textOf(message) !== ''));
    expect(all(asked.body.components, 'label')).toEqual(['Delete everything about me']);
    const [customId = ''] = all(asked.body.components, 'custom_id').map(String);
    on.fake.interaction({ kind: 'button', customId, userId: '300', messageId: asked.id });
    await on.fake.waitFor(() => /^Done\./.test(textOf(on.fake.messages.get(asked.id) ?? asked)) || undefined);
  });
});

describe('work', () => {
  it('of one slow chat does not keep another waiting', async () => {
    const answer = (id: string, { signal }: { signal?: AbortSignal }) =>
      id.startsWith('Slow')
        ? new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : samplePost({ id, url: link(id) });
    const on = await open({ answer });
    const other = on.fake.addGuild();
    for (let count = 0; count < 12; count += 1) {
      on.fake.message({ guildId: on.guildId, content: link(`Slow${count}`) });
    }
    await on.fake.waitFor(() => on.asked[0]);
    on.fake.message({ guildId: other.id, content: LINK });
    const brought = await on.fake.waitFor(() => ownMessages(on.fake).find(({ files }) => files.length > 0));
    expect(brought.channelId).toBe(other.channelId);
    await on.platform.stop();
    expect(on.unfinished()).toHaveLength(12);
  });

  it('that was accepted and not delivered is finished after the restart, once', async () => {
    const answer = (id: string, { signal }: { signal?: AbortSignal }) =>
      on.asked.length === 1
        ? new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : samplePost({ id, url: link(id) });
    const on: Stage = await open({ answer: (id, options) => answer(id, options) });
    const source = on.fake.message({ guildId: on.guildId, content: `||${LINK}||` });
    await on.fake.waitFor(() => on.asked[0]);
    await on.platform.stop();
    expect(ownMessages(on.fake)).toHaveLength(0);
    await on.another().start();
    const answered = await reply(on);
    expect(answered.body.message_reference).toMatchObject({ message_id: source });
    expect(answered.body.components).toMatchObject([{ type: 17, spoiler: true }]);
    expect(all(answered.body.components, 'items')).toMatchObject([[{ spoiler: true }]]);
    await expect.poll(() => on.unfinished()).toEqual([]);
    await settle();
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('that was delivered is done, and stopping ends in time, although Discord does not say that the embed is hidden', async () => {
    const on = await open();
    on.fake.fault({ method: 'PATCH', path: /messages\/\d+$/, hang: true, times: 9 });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => on.fake.requests.find(({ method }) => method === 'PATCH'));
    await expect.poll(() => on.unfinished()).toEqual([]);
    const since = Date.now();
    await on.platform.stop();
    expect(Date.now() - since).toBeLessThan(8_000);
  });

  it('that may have been delivered is repeated where Discord can tell, so that it stands there once', async () => {
    const on = await open();
    on.fake.fault({ method: 'POST', path: /messages$/, hang: true, afterSend: true });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on);
    await on.platform.stop();
    expect(on.unfinished()).toEqual([expect.stringContaining('"sending":{"key":"0"')]);
    await on.another().start();
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
    expect(posts(on)).toHaveLength(2);
    expect(ownMessages(on.fake)).toHaveLength(1);
  });

  it('that was still fetching its file is finished, however long that is ago', async () => {
    const on = await open({ idle: true });
    let fetches = 0;
    const deliver = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        fetches += 1;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const first = on.another({ delivery: { deliver } });
    await first.start();
    on.fake.message({ guildId: on.guildId, content: LINK });
    await on.fake.waitFor(() => fetches || undefined);
    await first.stop();
    expect(on.unfinished()).toEqual([expect.not.stringContaining('"sending"')]);
    await on.another({ now: () => Date.now() + 10 * 60_000 }).start();
    expect((await reply(on)).files).toHaveLength(1);
  });

  it('that may have been delivered long ago is not repeated, but the person is told', async () => {
    const on = await open();
    on.fake.fault({ method: 'POST', path: /messages$/, hang: true, afterSend: true });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on);
    await on.platform.stop();
    await on.another({ now: () => Date.now() + 10 * 60_000 }).start();
    expect(textOf(await reply(on, 1))).toContain('could not find out whether my answer arrived');
    await on.fake.waitFor(() => (on.unfinished().length === 0 ? true : undefined));
    expect(ownMessages(on.fake).map(({ files }) => files.length)).toEqual([1, 0]);
  });

  it('shows that it is under way when it takes a while', async () => {
    const signs = (): readonly unknown[] => on.fake.requests.filter(({ path }) => path.endsWith('/typing'));
    const answer = async (id: string) => {
      await on.fake.waitFor(() => signs()[0]);
      return samplePost({ id, url: link(id) });
    };
    const on: Stage = await open({ answer });
    on.fake.message({ guildId: on.guildId, content: LINK });
    await reply(on);
    expect(signs()).toHaveLength(1);
  });

  it('leaves no token in the log', async () => {
    const on = await open();
    on.fake.fault({ method: 'PATCH', path: /@original/, status: 500 });
    const { token } = on.fake.interaction({ kind: 'command', name: 'help', guildId: on.guildId });
    await on.fake.waitFor(() => on.log.at('info').find(({ message }) => message.includes('sent again')));
    on.fake.fault({ method: 'PATCH', path: /@original/, status: 400, body: { code: 50_035, message: 'no' }, times: 9 });
    await on.fake.waitFor(() => on.log.at('warn').find(({ message }) => message.includes('does not take')));
    const said = JSON.stringify(on.log.lines, (_, value) =>
      value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : value,
    );
    expect(said).not.toContain(token);
    expect(said).not.toContain(on.fake.token);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { Draft } from '../../../src/bot/contract/chat-platform.ts';
import type { OldJob } from '../../../src/bot/runtime/old-jobs.ts';
import { discordDraftOf } from '../../../src/platforms/discord/adopted-jobs.ts';
import { DiscordReplyTo } from '../../../src/platforms/discord/reply-to.ts';
import { all, LINK, link, openStage, ownMessages, type Stage } from './stage.ts';

const NOW = Date.UTC(2026, 9, 1);

const place = {
  channelId: '200',
  guildId: '100',
  isPrivate: false,
  locales: ['id'],
  spoilers: [true, false],
  fileBytes: 1_000,
};
const message = {
  kind: 'message',
  ...place,
  messageId: '1573942861395656707',
  flags: 0,
  direct: false,
  canReply: true,
  canAttach: false,
  isOnlyLinks: true,
};
const interaction = {
  kind: 'interaction',
  ...place,
  token: 'secret',
  until: NOW + 60_000,
  isPersonal: false,
  isEphemeral: false,
  command: { name: 'download', linkOption: 'link', values: { audio: true } },
};

function job(target: object, change: Partial<OldJob> = {}): OldJob {
  const links = [LINK, link('Second01')];
  const parts = { id: 'discord:1573942861395656707', platform: 'discord' as const, userId: '300', chatId: '200' };
  return { ...parts, links, target: JSON.stringify(target), state: 'accepted', since: NOW - 1_000, ...change };
}

function replyTo(draft: Draft<DiscordReplyTo> | undefined) {
  return DiscordReplyTo.parse(draft?.replyTo);
}

describe('a job of version 0.1.0', () => {
  it('of a message becomes its links', () => {
    const draft = discordDraftOf(job(message), NOW);
    expect(draft).toMatchObject({
      eventId: '1573942861395656707',
      chat: { id: '200', kind: 'group', groupId: '100' },
      user: { id: '300', rateKey: '300', locales: ['id'] },
      kind: 'links',
      what: [
        { url: LINK, spoiler: true },
        { url: link('Second01'), spoiler: false },
      ],
    });
    expect(replyTo(draft)).toMatchObject({
      kind: 'message',
      rights: { attach: false, reply: true },
      isOnlyLinks: true,
    });
  });

  it('of an interaction becomes its command, or the links of the message it was about', () => {
    const draft = discordDraftOf(job(interaction), NOW);
    expect(draft).toMatchObject({
      until: NOW + 60_000,
      kind: 'command',
      what: { name: 'download', options: { link: LINK, audio: true } },
    });
    expect(replyTo(draft)).toMatchObject({ kind: 'interaction', token: 'secret', isEphemeral: false });
    expect(discordDraftOf(job({ ...interaction, command: null }), NOW)).toMatchObject({ kind: 'links' });
  });

  it.each<readonly [string, OldJob]>([
    ['whose token is dead', job({ ...interaction, until: NOW })],
    ['whose answer may stand, longer ago than Discord knows a repeat', job(message, { state: 'sending', since: 0 })],
    ['without links', job(message, { links: [] })],
    ['of another version', job({ kind: 'letter' })],
    ['that is no JSON', job({}, { target: '{' })],
  ])('%s is over', (_, old) => {
    expect(discordDraftOf(old, NOW)).toBeUndefined();
  });
});

describe('a job whose answer may have been sent a moment ago', () => {
  let stage: Stage | undefined;

  afterEach(async () => {
    await stage?.close();
    expect(stage?.fake.problems ?? []).toEqual([]);
  });

  it('is answered with the nonce it had then', async () => {
    stage = await openStage({ idle: true });
    const { fake, guildId, channelId } = stage;
    const messageId = fake.message({ guildId, content: LINK });
    const target = { ...message, fileBytes: 1_000_000, guildId, channelId, messageId, canAttach: true };
    const old = { id: `discord:${messageId}`, chatId: channelId, links: [LINK], state: 'sending' as const };
    const draft = discordDraftOf(job(target, { ...old, since: Date.now() }));
    if (draft === undefined) throw new Error('no draft');
    const process = stage.another();
    await process.start(host => host.accept(draft));
    const answer = await fake.waitFor(() => ownMessages(fake)[0]);
    expect(answer.body.nonce).toBe(`${messageId}-0`);
    // The words of a hidden link are hidden with its file.
    expect(all(answer.body.components, 'spoiler')).toEqual([true, true]);
  });
});

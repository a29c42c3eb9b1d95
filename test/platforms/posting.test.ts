import { PermissionFlagsBits } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reply } from '../../src/bot/contract/reply-parts.ts';
import { openStage as openDiscord, ownMessages } from './discord/stage.ts';
import { openStage as openTelegram } from './telegram/stage.ts';

const NEWS = reply({ blocks: [{ kind: 'text', text: ['a new best play'] }] });
const { signal } = new AbortController();

describe('what nobody has just asked for', () => {
  it('is posted in a Discord channel, once for one event', async () => {
    const stage = await openDiscord();
    onTestFinished(() => stage.close());
    const { fake, guildId, channelId } = stage;
    await stage.platform.start();
    const runtime = stage.platform.runtime();
    const target = { platform: 'discord', chatId: channelId, group: `discord:${guildId}`, eventId: 'track:1' };
    expect(await runtime.post(target, NEWS, signal)).toBe('posted');
    expect(await runtime.post(target, NEWS, signal)).toBe('posted');
    expect(ownMessages(fake)).toHaveLength(1);
    expect(JSON.stringify(ownMessages(fake)[0]?.body)).toContain('a new best play');
    expect(await runtime.post({ ...target, eventId: 'track:2' }, NEWS, signal)).toBe('posted');
    expect(ownMessages(fake)).toHaveLength(2);
    expect(await runtime.post({ ...target, chatId: '1', eventId: 'track:3' }, NEWS, signal)).toBe('gone');
    const quiet = fake.addGuild({ channels: [{ permissions: PermissionFlagsBits.ViewChannel }] }).channelId;
    expect(await runtime.post({ ...target, chatId: quiet, eventId: 'track:4' }, NEWS, signal)).toBe('barred');
    expect(fake.problems).toEqual([]);
  });

  it('is posted in a chat of Telegram; where Medley is no longer, it is known', async () => {
    const stage = await openTelegram();
    const { fake, runtime } = stage;
    const id = -1_001_000_000_777;
    fake.addChat({ id, type: 'supergroup', title: 'Quay' });
    const target = { platform: 'telegram', chatId: String(id), group: `telegram:${id}`, eventId: 'track:1' };
    expect(await runtime.post(target, NEWS, signal)).toBe('posted');
    const said = [...fake.messages.values()].filter(({ byBot, chatId }) => byBot && chatId === id);
    expect(said.map(({ text }) => text)).toEqual([expect.stringContaining('a new best play')]);
    fake.fault({
      method: 'sendMessage',
      errorCode: 400,
      description: 'Bad Request: not enough rights to send text messages to the chat',
    });
    expect(await runtime.post({ ...target, eventId: 'track:3' }, NEWS, signal)).toBe('barred');
    fake.setMember(id, fake.botId, 'kicked');
    // It waits for the second that Telegram wants between two messages to a chat.
    expect(await runtime.post({ ...target, eventId: 'track:2' }, NEWS, signal)).toBe('gone');
    expect(fake.problems).toEqual([]);
  });

  it('counts as posted when it is unknown whether it arrived', async () => {
    const { fake, runtime } = await openTelegram();
    fake.addChat({ id: -1_001_000_000_778, type: 'supergroup', title: 'Pier' });
    fake.fault({ method: /^send/, drop: true, afterSend: true });
    const chatId = '-1001000000778';
    const target = { platform: 'telegram', chatId, group: `telegram:${chatId}`, eventId: 'track:1' };
    expect(await runtime.post(target, NEWS, signal)).toBe('posted');
    expect([...fake.messages.values()].filter(({ byBot }) => byBot)).toHaveLength(1);
  });

  it('is not posted where nobody is', async () => {
    const { runtime } = await openTelegram();
    const target = { platform: 'web', chatId: 'a', group: 'web:a', eventId: 'track:1' };
    await expect(runtime.post(target, NEWS, signal)).rejects.toThrow('nothing can be posted on web');
  });
});

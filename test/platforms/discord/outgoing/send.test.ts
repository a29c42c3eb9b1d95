import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sending } from '../../../../src/bot/contract/chat-platform.ts';
import type { Reply } from '../../../../src/bot/contract/reply.ts';
import { reply } from '../../../../src/bot/contract/reply-parts.ts';
import type { Request } from '../../../../src/bot/contract/request.ts';
import { CHAT_DEFAULTS } from '../../../../src/bot/contract/settings.ts';
import { Deletions } from '../../../../src/bot/runtime/deletions.ts';
import { errorNotice } from '../../../../src/bot/views/notice.ts';
import { AppError } from '../../../../src/errors.ts';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import { createDiscordApi } from '../../../../src/platforms/discord/api/discord-api.ts';
import type { DiscordReplyTo, MessageReplyTo } from '../../../../src/platforms/discord/api/reply-to.ts';
import { createSend } from '../../../../src/platforms/discord/outgoing/send.ts';
import { createRecordingLog } from '../../../fakes/log.ts';

const t = createTranslator(['en']);
const { signal } = new AbortController();
const to: MessageReplyTo = {
  kind: 'message',
  channelId: '20',
  messageId: '1573986674973605894',
  flags: 0,
  fileBytes: 1_000,
  rights: { send: true, attach: true, reply: true, manage: false, content: true },
  isOnlyLinks: true,
};

function requestIn(kind: 'group' | 'private'): Request {
  return {
    id: `discord:${to.messageId}`,
    platform: 'discord',
    chat: { id: to.channelId, kind },
    user: { id: '300', rateKey: '300', locales: [] },
    at: 0,
    replyTo: to,
    kind: 'links',
    what: [{ url: 'https://www.instagram.com/p/SeaLight01/', spoiler: false }],
  };
}

/** Sends it, and says what was posted and deleted after half a minute. */
async function send(replies: readonly Reply[], kind: 'group' | 'private' = 'group', settings = CHAT_DEFAULTS) {
  const log = createRecordingLog();
  const deleted: string[] = [];
  const posted: string[] = [];
  const api = createDiscordApi({ token: 'a.b.c', apiUrl: undefined, log });
  const none = async () => undefined;
  const send = createSend({
    ...{ log, delivery: { deliver: () => Promise.reject(new Error('nothing is fetched here')) } },
    api: { ...api, post: async (_, __, { nonce }) => ({ id: `${posted.push(nonce)}`, isConfirmed: true }) },
    commandIds: { current: async () => new Map() },
    gateway: { client: undefined, applicationId: '1', readsMessages: true },
    parts: { add: none, of: async () => [] },
    history: { before: none, depth: none, next: async () => [], keep: none },
    embeds: { suppress: () => undefined, restore: none, onUpdate: () => undefined, close: none },
  });
  const discord = { id: 'discord', deleteMessage: async (_: string, id: string) => void deleted.push(id) };
  const leaving = new Deletions([discord], undefined, log, Date.now);
  async function* given() {
    yield* replies;
  }
  const sendOnce: Sending['sendOnce'] = (key, call) => call(`0-${key}`);
  const sending: Sending<DiscordReplyTo> = {
    ...{
      request: requestIn(kind),
      to,
      t,
      settings,
      signal,
      isFirst: true,
      isLast: true,
      expected: 1,
      sentKeys: [],
      sendOnce,
    },
    deleteLater: (...messages) => leaving.deleteLater('discord', ...messages),
  };
  await send(given(), sending);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(deleted).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_500);
  await api.close();
  await leaving.close();
  return { posted: posted.length, deleted };
}

const failed = errorNotice(new AppError('private', 'private'), t, { visibility: 'caller' });

describe('what concerns one person in a server', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('leaves after half a minute', async () => {
    expect(await send([failed])).toEqual({ posted: 1, deleted: ['1'] });
  });

  it('stays beside what concerns all', async () => {
    const shown = reply({ blocks: [{ kind: 'text', text: ['A harbour'] }] });
    expect(await send([failed, shown])).toEqual({ posted: 1, deleted: [] });
  });

  it('stays where the chat wants it to', async () => {
    const settings = { ...CHAT_DEFAULTS, noticeSeconds: 0 };
    expect(await send([failed], 'group', settings)).toEqual({ posted: 1, deleted: [] });
  });

  it('stays in a private chat', async () => {
    expect(await send([failed], 'private')).toEqual({ posted: 1, deleted: [] });
  });
});

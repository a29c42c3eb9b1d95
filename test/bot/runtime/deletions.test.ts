import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import type { Request } from '../../../src/bot/contract/request.ts';
import { CHAT_DEFAULTS, type ChatSettings } from '../../../src/bot/contract/settings.ts';
import { DELETIONS, Deletions } from '../../../src/bot/runtime/deletions.ts';
import { noticeLifeMs } from '../../../src/bot/stores/settings-store.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { samplePost } from '../sample.ts';

const envelope = {
  id: 'discord:1',
  platform: 'discord',
  chat: { id: '20', kind: 'group' as const },
  user: { id: '300', rateKey: '300', locales: [] },
  at: 0,
  replyTo: null,
};
const pasted: Request = { ...envelope, kind: 'links', what: [] };
const remark = reply({ tone: 'notice', blocks: [{ kind: 'text', text: ['That post is private.'] }] });
const post = reply({
  gallery: [{ kind: 'media', post: samplePost(), index: 0, form: 'original', spoiler: false }],
});
const lifeOf = (replies: readonly Reply[], change: Partial<ChatSettings> = {}, request: Request = pasted) =>
  noticeLifeMs(replies, { request, settings: { ...CHAT_DEFAULTS, ...change } });

describe('a message that was to go', () => {
  it('stays if another process keeps it', async () => {
    const deleted: string[] = [];
    const platform = { id: 'discord', deleteMessage: async (_: string, id: string) => void deleted.push(id) };
    const records = embeddedRecords();
    const open = () => new Deletions([platform], records, createRecordingLog(), Date.now);
    const [one, other] = [open(), open()];
    one.deleteLater('discord', '20', ['1', '2'], 400);
    await expect.poll(() => records.groupedCollection(DELETIONS).listGroup('discord')).toHaveLength(2);
    expect(await other.keep('discord', '20', '1')).toBe(true);
    expect(await other.keep('discord', '20', '3')).toBe(false);
    await expect.poll(() => deleted).toEqual(['2']);
    await Promise.all([one.close(), other.close()]);
    expect(deleted).toEqual(['2']);
  });
});

describe('messages of which more are to go than this process has timers for', () => {
  it('are all deleted, by this process and after a restart', async () => {
    const deleted = new Set<string>();
    const platform = { id: 'discord', deleteMessage: async (_: string, id: string) => void deleted.add(id) };
    const records = embeddedRecords();
    const ids = Array.from({ length: 6_000 }, (_, n) => `${n}`);
    const first = new Deletions([platform], records, createRecordingLog(), Date.now);
    first.deleteLater('discord', '20', ids, 2_000);
    await expect.poll(() => deleted.size, { timeout: 20_000 }).toBe(ids.length);
    first.deleteLater('discord', '21', ids, 60_000);
    await first.close();
    deleted.clear();
    const next = new Deletions([platform], records, createRecordingLog(), () => Date.now() + 60_000);
    await next.resume();
    await expect.poll(() => deleted.size, { timeout: 20_000 }).toBe(ids.length);
    await next.close();
  });
});

describe('a message goes by itself', () => {
  it('when it holds nothing but notices about pasted links', () => {
    expect(lifeOf([remark])).toBe(30_000);
    const button = { kind: 'button', label: 'Try another way', token: 'x', style: 'secondary' } as const;
    expect(lifeOf([{ ...remark, actions: [button], retry: { afterMs: 0 } }])).toBe(30_000);
    expect(lifeOf([remark, { ...remark, outdatedMs: 5_000 }], { noticeSeconds: 300 })).toBe(5_000);
  });

  it('never when an answer stands in it, or can still take its place', () => {
    expect(lifeOf([remark, post])).toBeUndefined();
    expect(lifeOf([{ ...remark, later: Promise.resolve(post) }])).toBeUndefined();
    expect(lifeOf([{ ...remark, actions: [{ kind: 'link', label: 'Open', url: 'https://example.com/' }] }])).toBe(
      undefined,
    );
  });

  it('never in private chats, for commands, or where the chat wants notices to stay', () => {
    expect(lifeOf([remark], { noticeSeconds: 0 })).toBeUndefined();
    expect(lifeOf([remark], {}, { ...pasted, chat: { id: '20', kind: 'private' } })).toBeUndefined();
    expect(lifeOf([remark], {}, { ...envelope, kind: 'command', what: { name: 'help', options: {} } })).toBeUndefined();
  });
});

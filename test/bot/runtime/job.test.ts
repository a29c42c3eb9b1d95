import { describe, expect, it } from 'vitest';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import type { Request } from '../../../src/bot/contract/request.ts';
import { newJob, readJob, writeJob } from '../../../src/bot/runtime/job.ts';
import { storeReply } from '../../../src/bot/runtime/stored-reply.ts';

const REQUEST: Request = {
  id: 'telegram:8812',
  platform: 'telegram',
  chat: { id: '-1001', kind: 'group', groupId: '-1001' },
  user: { id: '300', rateKey: '300', locales: ['id'] },
  at: 1_790_000_000_000,
  replyTo: { chat: -1001 },
  kind: 'links',
  what: [{ url: 'https://www.instagram.com/p/SeaLight01/', spoiler: true, view: 'media' }],
  unasked: true,
};

describe('a stored job', () => {
  it('is read back as it was written, with a version', () => {
    const job = newJob(REQUEST);
    job.progress.sent.push('0');
    job.progress.notice = { kind: 'waiting', next: 1, links: 2, afterMs: 5_000 };
    expect(JSON.parse(writeJob(job))).toEqual({ version: 2, ...job });
    expect(readJob(writeJob(job))).toMatchObject(job);
  });

  it('is read from what 0.2.0 wrote', () => {
    const kept = storeReply(reply({ blocks: [{ kind: 'text', text: ['stars'] }] }));
    const progress = {
      ...{ next: 1, paid: 2, stands: ['0', '1'], isWaitSaid: true, tries: 3, lapses: 4, kept },
      sending: { key: '2', until: 1_790_000_001_000, next: 2 },
      owed: { sentence: 'limited', next: 2, links: 3, afterMs: 40_000 },
    };
    expect(readJob(JSON.stringify({ request: REQUEST, progress }))).toEqual({
      request: REQUEST,
      progress: {
        ...{ next: 1, paid: 2, sent: ['0', '1'], isWaitSaid: true, tries: 3, lostWorkers: 4, reply: kept },
        sending: { key: '2', until: 1_790_000_001_000, next: 2 },
        notice: { kind: 'limited', next: 2, links: 3, afterMs: 40_000 },
      },
    });
    const { what: _what, unasked: _unasked, ...envelope } = REQUEST;
    const pressed = { ...envelope, kind: 'button', what: { token: 'abc', isAside: true } };
    expect(readJob(JSON.stringify({ request: pressed, progress }))?.request).toMatchObject({
      what: { token: 'abc', isEphemeral: true },
    });
    const fresh = { next: 0, paid: 0, stands: [], isWaitSaid: false, tries: 0, lapses: 0 };
    expect(readJob(JSON.stringify({ request: REQUEST, progress: fresh }))).toEqual(newJob(REQUEST));
  });

  it('is not read from any other shape', () => {
    const { progress } = newJob(REQUEST);
    for (const payload of ['', '{}', 'null', JSON.stringify({ version: 3, request: REQUEST, progress })])
      expect(readJob(payload)).toBeUndefined();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createJobs, type Job, type Jobs, type JobsOptions } from '../../../src/bot/runtime/jobs.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let folder: string;
let store: Store;
let now: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medley-jobs-'));
  store = openStore(join(folder, 'medley.db'));
  now = 1_000;
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<JobsOptions> = {}): Jobs {
  return createJobs({ store, now: () => now, ...options });
}

function restarted(): Jobs {
  store.close();
  store = openStore(join(folder, 'medley.db'));
  return open();
}

function job(n: number, change: Partial<Job> = {}): Omit<Job, 'state' | 'since'> {
  return {
    id: `discord:${n}`,
    platform: 'discord',
    userId: 'sari',
    chatId: 'square',
    links: ['https://www.instagram.com/reel/Reef/'],
    target: '{"messageId":"77"}',
    ...change,
  };
}

const Row = z.record(z.string(), z.unknown());
const rows = () => store.all('SELECT * FROM jobs', [], Row);

describe('jobs', () => {
  it('are accepted once, whether they are under way or done', () => {
    const jobs = open();
    expect(jobs.accept(job(1))).toBe(true);
    expect(jobs.accept(job(1))).toBe(false);
    jobs.sending('discord:1');
    expect(jobs.accept(job(1))).toBe(false);
    jobs.done('discord:1');
    expect(jobs.accept(job(1))).toBe(false);
    expect(jobs.accept(job(2))).toBe(true);
    expect(restarted().accept(job(1))).toBe(false);
  });

  it('are found again after a restart, oldest first, with how far they came', () => {
    const jobs = open();
    jobs.accept(job(1));
    now += 1;
    jobs.accept(job(2, { links: [], userId: 'budi' }));
    now += 1;
    jobs.accept(job(3));
    jobs.accept(job(4, { id: 'telegram:4', platform: 'telegram' }));
    jobs.sending('discord:2');
    jobs.done('discord:3');
    const found = restarted().pending('discord');
    expect(found).toEqual([
      { ...job(1), state: 'accepted', since: 1_000 },
      { ...job(2), links: [], userId: 'budi', state: 'sending', since: 1_002 },
    ]);
  });

  it('are as if never sent when the platform refused them, unless they are done', () => {
    const jobs = open();
    jobs.accept(job(1));
    jobs.sending('discord:1');
    jobs.notSent('discord:1');
    expect(jobs.pending('discord')).toMatchObject([{ state: 'accepted' }]);
    jobs.done('discord:1');
    jobs.notSent('discord:1');
    expect(restarted().pending('discord')).toEqual([]);
  });

  it('leave nothing but a bare id when they are done, for a day', () => {
    const jobs = open();
    jobs.accept(job(1));
    now += HOUR;
    jobs.done('discord:1');
    expect(JSON.stringify(rows())).not.toMatch(/sari|square|instagram|77/);
    now += DAY - 1;
    jobs.accept(job(2));
    expect(jobs.accept(job(1))).toBe(false);
    now += HOUR;
    jobs.accept(job(3));
    expect(rows()).toHaveLength(2);
    expect(jobs.accept(job(1))).toBe(true);
  });

  it('are dropped when they are older than a week', () => {
    const jobs = open();
    jobs.accept(job(1));
    now += 7 * DAY - 1;
    expect(jobs.pending('discord')).toHaveLength(1);
    now += 1;
    expect(jobs.pending('discord')).toEqual([]);
    expect(rows()).toEqual([]);
  });

  it('of a person who wants to be forgotten are over, and name him no more', () => {
    const jobs = open();
    jobs.accept(job(1));
    jobs.accept(job(2, { userId: 'budi' }));
    jobs.accept(job(3, { id: 'telegram:3', platform: 'telegram' }));
    jobs.forgetUser('discord', 'sari');
    expect(jobs.pending('discord').map(({ userId }) => userId)).toEqual(['budi']);
    expect(jobs.pending('telegram')).toHaveLength(1);
    expect(jobs.accept(job(1))).toBe(false);
    jobs.sending('discord:1');
    jobs.done('discord:1');
    expect(jobs.pending('discord')).toHaveLength(1);
  });

  it('are bounded, the newest kept', () => {
    const jobs = open({ maxRows: 100 });
    for (let n = 0; n < 1_200; n += 1) {
      now += 1;
      jobs.accept(job(n));
    }
    expect(rows().length).toBeLessThanOrEqual(600);
    expect(jobs.pending('discord')).toHaveLength(100);
    expect(jobs.pending('discord').at(-1)?.id).toBe('discord:1199');
  });

  it('that nobody knows may be told about without harm', () => {
    const jobs = open();
    jobs.sending('discord:9');
    jobs.done('discord:9');
    expect(jobs.accept(job(9))).toBe(true);
  });
});

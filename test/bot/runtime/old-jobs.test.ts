import { describe, expect, it } from 'vitest';
import { forgetOldJob, readOldJobs } from '../../../src/bot/runtime/old-jobs.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';

const NOW = 1_790_000_000_000;
const DAY_MS = 86_400_000;

/** As version 0.1.0 made it. */
function oldStore(): Store {
  const store = openStore(':memory:');
  store.run(`CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL, platform TEXT NOT NULL, user_id TEXT NOT NULL,
    chat_id TEXT NOT NULL, links TEXT NOT NULL, target TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT`);
  return store;
}

function keep(store: Store, id: string, state: string, at: number): void {
  const row = [id, state, state === 'done' ? '' : 'discord', '80', '90', '["https://x.example/a"]', '{"a":1}', at];
  store.run('INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)', row);
}

describe('requests of version 0.1.0', () => {
  it('are those that were not answered within a week, the oldest first', () => {
    const store = oldStore();
    keep(store, 'discord:3', 'sending', NOW - 1_000);
    keep(store, 'discord:2', 'accepted', NOW - DAY_MS);
    keep(store, 'discord:1', 'accepted', NOW - 8 * DAY_MS);
    keep(store, 'discord:0', 'done', NOW - 2_000);
    const job = { platform: 'discord', userId: '80', chatId: '90', links: ['https://x.example/a'], target: '{"a":1}' };
    expect(readOldJobs(store, NOW)).toEqual([
      { ...job, id: 'discord:2', state: 'accepted', since: NOW - DAY_MS },
      { ...job, id: 'discord:3', state: 'sending', since: NOW - 1_000 },
    ]);
  });

  it('are not there when they were taken over, nor in a file that never had any', () => {
    const store = oldStore();
    keep(store, 'discord:2', 'accepted', NOW);
    for (const job of readOldJobs(store, NOW)) forgetOldJob(store, job);
    expect(readOldJobs(store, NOW)).toEqual([]);
    expect(readOldJobs(openStore(':memory:'), NOW)).toEqual([]);
  });
});

/**
 * A DATA_DIR that 0.2.0 wrote: settings of a person, of a group on Telegram and of a server on Discord, a linked player, an opt-out, and
 * a link that a process had accepted when it was killed.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createOptOuts } from '../../src/bot/stores/exclusions.ts';
import { createSettingsStore } from '../../src/bot/stores/settings-store.ts';
import { loadConfig } from '../../src/config.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { openStorage } from '../../src/storage.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { createRedisServer, redisMissing, redisNote } from '../redis-server.ts';
import { BUDI, type Chats, GROUP, openChats, PHOTO_FILE, SARI, sha256Of, telegramFiles } from './chats.ts';
import { runEntry } from './entry.ts';

const WRITTEN = fileURLToPath(new URL('../fixtures/data-dir-0.2.0', import.meta.url));
const GUILD = '1574477051673444354';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'medley-0.2.0-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  for (const name of ['medley.db', 'media.key']) copyFileSync(join(WRITTEN, name), join(dataDir, name));
  makeRecent();
});

/** A request that has waited for a week is dropped, so the one that waits was accepted just now. */
function makeRecent(): void {
  const store = openStore(join(dataDir, 'medley.db'));
  const { changes } = store.run(
    `UPDATE queue SET at = :now, payload = json_set(payload, '$.request.at', :now) WHERE state = 'claimed'`,
    { now: Date.now() },
  );
  expect(changes).toBe(1);
  // 0.2.0 listed the sites that an admin had switched off.
  store.run(`UPDATE records SET value = json_set(value, '$.disabledSources', json('["facebook"]')) WHERE key = ?`, [
    `discord:${GUILD}`,
  ]);
  store.close();
}

/** Starts the program over the data, and again after it has answered. */
async function expectOneAnswer(chats: Chats): Promise<void> {
  const answers = () => telegramFiles(chats, SARI.id).map(({ file }) => file?.sha256);
  const program = await chats.start();
  await chats.telegram.waitFor(() => answers()[0]);
  await pause(300);
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  const next = await chats.start();
  await pause(300);
  expect(answers()).toEqual([sha256Of(PHOTO_FILE)]);
  next.child.kill('SIGTERM');
  expect(await next.ended).toBe(0);
}

async function expectEverything(environment: Readonly<Record<string, string>>): Promise<void> {
  const storage = await openStorage(loadConfig({ DATA_DIR: dataDir, ...environment }), createRecordingLog());
  onTestFinished(() => storage.close());
  const settings = createSettingsStore({ records: storage.records });
  const player = { id: 4_400_001, name: 'lamp post', mode: null, proven: false };
  expect(await settings.user(`telegram:${SARI.id}`)).toMatchObject({ language: 'id', player });
  expect(await settings.chat(`telegram:${GROUP.id}`)).toMatchObject({ captions: false, prefix: 'm!' });
  expect(await settings.chat(`discord:${GUILD}`)).toMatchObject({
    ...{ autoDetect: false, language: 'id', sources: { facebook: false } },
  });
  const optOuts = createOptOuts({ records: storage.records, key: storage.keyFor('opt-outs') });
  expect(await optOuts.has(`telegram:${BUDI.id}`)).toBe(true);
  expect(await optOuts.has(`telegram:${SARI.id}`)).toBe(false);
}

async function open(environment: Readonly<Record<string, string>>): Promise<Chats> {
  const chats = await openChats({ environment });
  onTestFinished(async () => {
    await chats.close();
    expect(chats.telegram.problems).toEqual([]);
  });
  return chats;
}

describe('a DATA_DIR of version 0.2.0', () => {
  it('starts embedded: everything is there, and the request is answered once', async () => {
    await expectOneAnswer(await open({ DATA_DIR: dataDir }));
    await expectEverything({});
  });

  describe.skipIf(redisMissing)(`with Redis${redisNote}`, () => {
    it('starts after `migrate`: everything is there, and the request is answered once', async () => {
      const redis = await createRedisServer(
        '--appendonly',
        'yes',
        '--maxmemory-policy',
        'noeviction',
        '--dir',
        dataDir,
      );
      onTestFinished(() => redis.stop());
      await redis.start();
      const { code, stdout, stderr } = await runEntry('migrate', [redis.url], { DATA_DIR: dataDir });
      expect([code, stderr]).toEqual([0, '']);
      for (const line of [
        'settings of people: 1 copied',
        'settings of groups: 2 copied',
        'requests that wait: 1 moved',
      ])
        expect(stdout).toContain(`${line}\n`);
      const environment = { REDIS_URL: redis.url };
      // What processes share is in Redis, the key of opt-outs too.
      await expectOneAnswer(await open({ ...environment, DATA_DIR: join(dataDir, 'elsewhere') }));
      await expectEverything({ ...environment, DATA_DIR: join(dataDir, 'another') });
    });
  });
});

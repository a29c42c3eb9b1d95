import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cookie } from 'tough-cookie';
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createMemoryRateLimiter } from '../../../src/infra/rate-limit/rate-limit.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { ACCOUNTS, type AccountPaused, type Accounts, createAccounts } from '../../../src/media/extract/accounts.ts';
import { readCookies } from '../../../src/media/extract/cookies-file.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';

const HOUR = 3_600_000;

function session(name: string) {
  return { name, cookies: [new Cookie({ key: 'sid', value: `secret of ${name}`, domain: 'toy.example' })] };
}

/** The accounts of several processes with one store. */
function setUp(names: readonly string[], pace = { everyMs: 8_000, perDay: 300 }) {
  const store = openStore(':memory:');
  onTestFinished(() => store.close());
  // Noon, so that no day ends within a test.
  let at = 1_800_000_000_000 - (1_800_000_000_000 % (24 * HOUR)) + 12 * HOUR;
  const log = createRecordingLog();
  const paused: AccountPaused[] = [];
  const collection = embeddedRecords(store).collection(ACCOUNTS);
  const start = (): Accounts =>
    createAccounts({
      source: 'toy',
      sessions: names.map(session),
      sessionCookie: 'sid',
      pace,
      // As after a restart: it remembers nothing.
      limiter: { consume: async rule => ({ allowed: true, limit: rule.limit, remaining: 0, resetAt: at }) },
      collection,
      log,
      now: () => at,
      onChallenge: each => paused.push(each),
    });
  return { start, log, paused, pass: (ms: number) => (at += ms) };
}

/** The name of the account that was asked, or the milliseconds to wait. */
function ask(accounts: Accounts): Promise<string | number | undefined> {
  return accounts.use(async ({ name }) => name).catch(error => (error as AppError).retryAfterMs);
}

it('asks an account again only after its pause, and so often a day', async () => {
  const { start, pass } = setUp(['one'], { everyMs: 8_000, perDay: 3 });
  const accounts = start();
  expect(await ask(accounts)).toBe('one');
  expect(accounts.isReady()).toBe(false);
  pass(3_000);
  expect(await ask(accounts)).toBe(5_000);
  for (const _ of [2, 3]) {
    pass(8_000);
    expect(await ask(accounts)).toBe('one');
  }
  pass(HOUR);
  expect(accounts.isReady()).toBe(false);
  expect(await ask(accounts)).toBeGreaterThan(10 * HOUR);
  pass(12 * HOUR);
  expect(await ask(accounts)).toBe('one');
});

it('asks several in turn', async () => {
  const { start, pass } = setUp(['one', 'two', 'three']);
  const accounts = start();
  const asked = [];
  for (let turn = 0; turn < 4; turn += 1) {
    asked.push(await ask(accounts));
    pass(1);
  }
  expect(asked.slice(0, 3).sort()).toEqual(['one', 'three', 'two']);
  expect(asked[3]).toBe(7_997);
});

it('goes on after a restart, and beside another process, where it was', async () => {
  const { start, pass } = setUp(['one']);
  expect(await ask(start())).toBe('one');
  pass(2_000);
  expect(await ask(start())).toBe(6_000);
});

it('lets one process at a time have an account', async () => {
  const limiter = createMemoryRateLimiter();
  const open = () =>
    createAccounts({
      source: 'toy',
      sessions: [session('one')],
      sessionCookie: 'sid',
      pace: { everyMs: 60_000, perDay: 300 },
      limiter,
      log: createRecordingLog(),
    });
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask(open())));
  expect(asked.filter(each => each === 'one')).toHaveLength(1);
});

it('leaves an account that is to prove itself alone for a day, in every process, and says so', async () => {
  const { start, pass, paused, log } = setUp(['one', 'two']);
  const accounts = start();
  await accounts.use(async account => account.pause('challenge'));
  const [{ account = '', until = 0 } = {}] = paused;
  expect(paused).toHaveLength(1);
  expect(until).toBeGreaterThan(0);
  expect(JSON.stringify(log)).not.toContain('secret of');
  const other = ['one', 'two'].find(name => name !== account);
  for (let hour = 0; hour < 23; hour += 1) {
    pass(HOUR);
    expect(await ask(start())).toBe(other);
  }
  pass(2 * HOUR);
  const names = [await ask(accounts), await ask(accounts)];
  expect(names.sort()).toEqual(['one', 'two']);
});

it('has none without the cookie of a session, and asks nothing then', async () => {
  const { start } = setUp([]);
  const accounts = start();
  expect([accounts.isEmpty, accounts.isReady()]).toEqual([true, false]);
  await expect(accounts.use(async () => 'asked')).rejects.toBeInstanceOf(AppError);
});

it('reads an account from a file, or one from each file of a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'medley-accounts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['b.txt', 'a.txt']) {
    writeFileSync(join(folder, name), `.toy.example\tTRUE\t/\tTRUE\t0\tsid\t${name}\n`);
  }
  writeFileSync(join(folder, '.hidden'), '');
  const accounts = await readCookies({ toy: folder, other: join(folder, 'b.txt'), none: undefined });
  const shown = (id: string) => accounts.get(id)?.map(({ name, cookies }) => `${name} ${cookies[0]?.value}`);
  expect(shown('toy')).toEqual(['a.txt a.txt', 'b.txt b.txt']);
  expect(shown('other')).toEqual(['b.txt b.txt']);
  expect(accounts.has('none')).toBe(false);
  await expect(readCookies({ toy: join(folder, 'missing') })).rejects.toThrow('TOY_COOKIES_FILE cannot be read');
});

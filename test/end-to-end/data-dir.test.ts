import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openStore } from '../../src/infra/store/store.ts';
import { createRedisServer, redisMissing, redisNote } from '../redis-server.ts';
import { runEntry } from './entry.ts';
import { type Program, startProgram } from './program.ts';

let folder: string;
let dataDir: string;
const started: Program[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medley-data-'));
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  // First, since what still runs writes to the folder.
  await Promise.all(started.splice(0).map(medley => medley.kill()));
  rmSync(folder, { recursive: true, force: true });
});

async function run(environment: Readonly<Record<string, string>> = {}): Promise<Program> {
  const medley = await startProgram({ DATA_DIR: dataDir, ...environment });
  started.push(medley);
  return medley;
}

const IN_USE =
  /^Medley could not start: DATA_DIR \S+ is used by another Medley process: stop that one, or give this one a DATA_DIR of its own\n$/;

describe('DATA_DIR', () => {
  it('is for one process: a second one waits 15 s for it, then ends with one sentence and 1', async () => {
    const one = await run();
    await one.ready;
    const since = performance.now();
    const two = await run({ LOG_LEVEL: 'warn' });
    expect(await two.ended).toBe(1);
    expect(performance.now() - since).toBeGreaterThan(14_000);
    expect(two.stdout()).toBe('');
    expect(two.stderr()).toMatch(IN_USE);
    expect((await fetch(`${await one.ready}healthz`)).status).toBe(200);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'passes to the next process when the one before ends by %s',
    async signal => {
      const one = await run();
      await one.ready;
      const two = await run();
      await expect.poll(two.stderr).toContain('another process uses DATA_DIR');
      one.child.kill(signal);
      expect((await fetch(`${await two.ready}healthz`)).status).toBe(200);
      two.child.kill('SIGTERM');
      expect(await two.ended).toBe(0);
    },
  );

  it('is open to the doctor, to the catalogue and to others who read the database', async () => {
    const one = await run();
    await one.ready;
    const doctor = await runEntry('doctor', [], { DATA_DIR: dataDir, UPSTREAM_PROXY: 'http://127.0.0.1:9' });
    expect(doctor.stdout).toContain(`ok     data in ${dataDir}`);
    const store = openStore(join(dataDir, 'medley.db'));
    onTestFinished(() => store.close());
    const Count = z.object({ n: z.number() });
    expect(store.get('SELECT count(*) AS n FROM records', [], Count)).toEqual({ n: 0 });
    const filled = await runEntry('catalogue', [], { DATA_DIR: dataDir, UPSTREAM_PROXY: 'http://127.0.0.1:9' });
    expect(filled.stderr).not.toContain('is used by another');
  });

  it('and a SOCKS5 proxy are asked by the built doctor, whose package socks is part of the build', async () => {
    const settings = { DATA_DIR: dataDir, SOURCES: 'instagram', UPSTREAM_PROXY: 'socks5://127.0.0.1:9' };
    const { stdout } = await runEntry('doctor', [], settings);
    expect(stdout).toContain('www.instagram.com: the SOCKS proxy: connect ECONNREFUSED 127.0.0.1:9');
  });

  it('that cannot be written is said as such, in one sentence', async () => {
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o555);
    const { code, stderr } = await runEntry('main', [], { DATA_DIR: dataDir, PORT: '0' }, { obeysPermissions: true });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Medley could not start: DATA_DIR ${dataDir} cannot be used: it is not writable; let this account write it, or set DATA_DIR to a directory that is\n`,
    );
    chmodSync(dataDir, 0o755);
    writeFileSync(join(dataDir, 'medley.lock'), '', { mode: 0 });
    const locked = await runEntry('main', [], { DATA_DIR: dataDir, PORT: '0' }, { obeysPermissions: true });
    expect(locked.stderr).toBe(
      `Medley could not start: ${dataDir}/medley.lock cannot be locked: it is not writable; let this account write it, or set DATA_DIR to a directory that is\n`,
    );
    writeFileSync(join(folder, 'file'), '');
    const other = await run({ DATA_DIR: join(folder, 'file') });
    expect(await other.ended).toBe(1);
    expect(other.stderr()).toMatch(/^Medley could not start: DATA_DIR \S+ cannot be used: [^\n]+\n$/);
  });

  it('that a newer version wrote is refused in one sentence, and left as it is', async () => {
    const store = openStore(join(dataDir, 'medley.db'));
    store.run('PRAGMA user_version = 99');
    store.close();
    const medley = await run();
    expect(await medley.ended).toBe(1);
    expect(medley.stderr()).toBe(
      'Medley could not start: what is in DATA_DIR was written by a newer version of Medley: start that version, or go back to a backup\n',
    );
  });

  it('whose catalogue cannot be filled is reported in one sentence', async () => {
    writeFileSync(join(folder, 'file'), '');
    const ended = await runEntry('catalogue', [], { DATA_DIR: join(folder, 'file') });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^The catalogue cannot be filled: the store [^\n]+\n$/);
  });
});

describe.skipIf(redisMissing)(`DATA_DIR with Redis${redisNote}`, () => {
  it('is shared by processes', async () => {
    const redis = await createRedisServer();
    onTestFinished(() => redis.stop());
    await redis.start();
    const [one, two] = await Promise.all([run({ REDIS_URL: redis.url }), run({ REDIS_URL: redis.url })]);
    for (const program of [one, two]) expect((await fetch(`${await program.ready}healthz`)).status).toBe(200);
    for (const program of [one, two]) {
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
    }
  });

  it('has its media key in Redis: links of one process are those of the other', async () => {
    const redis = await createRedisServer();
    onTestFinished(() => redis.stop());
    await redis.start();
    const [one, two] = await Promise.all([
      run({ REDIS_URL: redis.url, DATA_DIR: join(folder, 'one') }),
      run({ REDIS_URL: redis.url, DATA_DIR: join(folder, 'two') }),
    ]);
    await Promise.all([one.ready, two.ready]);
    const { Redis } = await import('ioredis');
    const admin = new Redis(redis.url);
    onTestFinished(() => admin.disconnect());
    expect(await admin.get('medley:1:media-key')).toMatch(/^[\w-]{43}$/);
    expect(await admin.ttl('medley:1:media-key')).toBe(-1);
  });

  it('is not opened with a database of Redis that does not exist, in whose place the first one would be used', async () => {
    const redis = await createRedisServer();
    onTestFinished(() => redis.stop());
    await redis.start();
    const medley = await run({ REDIS_URL: `${redis.url}/99`, LOG_LEVEL: 'silent' });
    expect(await medley.ended).toBe(1);
    expect(medley.stderr()).toBe(
      'Medley could not start: the database at the end of REDIS_URL cannot be used. Redis did not answer: ERR DB index is out of range\n',
    );
  });

  it('does not start without Redis where the media key is kept there, and says so', async () => {
    const { url } = await createRedisServer();
    const medley = await run({ REDIS_URL: url.replace('//', '//:secret-word@'), LOG_LEVEL: 'silent' });
    expect(await medley.ended).toBe(1);
    expect(medley.stderr()).toBe(
      'Medley could not start: Redis does not answer, and without MEDIA_KEY the key of media links is kept there: start it, correct REDIS_URL, or set MEDIA_KEY\n',
    );
    const keyed = await run({ REDIS_URL: url, MEDIA_KEY: 'ab'.repeat(32), DATA_DIR: join(folder, 'keyed') });
    expect((await fetch(`${await keyed.ready}healthz`)).status).toBe(200);
  });
});

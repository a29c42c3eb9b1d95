import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkSafety, type Surroundings } from '../../src/doctor/safety-checks.ts';

async function check(changes: Partial<Surroundings> = {}, files: Readonly<Record<string, number>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'medley-safety-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  await chmod(folder, 0o755);
  await chmod(dataDir, 0o755);
  for (const [name, mode] of Object.entries(files)) {
    await writeFile(join(folder, name), 'secret');
    await chmod(join(folder, name), mode);
  }
  const cookiesFiles = { instagram: join(folder, 'cookies.txt') };
  const given = { dataDir, publicUrl: undefined, trustProxy: [], cookiesFiles, mediaCacheBytes: 1, ...changes };
  const findings = await checkSafety(given);
  return { dataDir, folder, findings, wrong: findings.filter(({ state }) => state === 'wrong') };
}

describe('the disk', () => {
  it('says how much is free, and that the cache may fill it', async () => {
    const { findings } = await check();
    expect(findings[0]?.what).toMatch(/^\d+\.\d GB are free for /);
    const tight = await check({ mediaCacheBytes: 1e18 });
    expect(tight.findings[0]).toMatchObject({ state: 'note', remedy: expect.stringContaining('MEDIA_CACHE_MB') });
  });
});

describe('the proxy', () => {
  it('has to be named where the public address is one of TLS', async () => {
    const { wrong } = await check({ publicUrl: 'https://medley.example' });
    expect(wrong.map(({ what }) => what)).toEqual([expect.stringContaining('TRUST_PROXY names none')]);
    expect((await check({ publicUrl: 'https://medley.example', trustProxy: ['loopback'] })).wrong).toEqual([]);
    expect((await check({ publicUrl: 'http://medley.example' })).wrong).toEqual([]);
  });

  it('is not everyone', async () => {
    const { wrong } = await check({ trustProxy: ['loopback', '0.0.0.0/0', '::/0'] });
    expect(wrong.map(({ what }) => what)).toEqual(['TRUST_PROXY trusts 0.0.0.0/0, ::/0']);
  });
});

describe('secrets', () => {
  it('that every user of the machine may read are named, with what to do', async () => {
    const modes = { 'cookies.txt': 0o644, 'data/media.key': 0o604, 'data/medley.db': 0o640 };
    const { folder, dataDir, wrong } = await check({}, modes);
    const named = [join(folder, 'cookies.txt'), join(dataDir, 'media.key')];
    expect(wrong).toMatchObject([{ remedy: `chmod o-rwx ${named.join(' ')}` }]);
  });

  it('behind a door of their own are safe', async () => {
    const { dataDir } = await check({}, { 'data/media.key': 0o644 });
    await chmod(dataDir, 0o700);
    const again = await checkSafety({
      ...{ dataDir, publicUrl: undefined, trustProxy: [], cookiesFiles: {}, mediaCacheBytes: 1 },
    });
    expect(again.filter(({ state }) => state === 'wrong').map(({ what }) => what)).toEqual([]);
  });
});

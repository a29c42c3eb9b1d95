import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkCalculator, checkMachine } from '../../src/doctor/machine-checks.ts';

it('calls yt-dlp missing wrong only where hosts are named for it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'medley-doctor-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const look = async (ytDlpHosts: readonly string[]) => {
    const machine = { dataDir, sites: [], cookiesFiles: {}, redisUrl: undefined, searchPath: '', ytDlpHosts };
    return (await checkMachine(machine)).find(({ what }) => what.startsWith('yt-dlp'));
  };
  expect(await look([])).toMatchObject({ state: 'note' });
  expect(await look(['youtu.be'])).toMatchObject({ state: 'wrong', remedy: expect.stringContaining('youtu.be') });
});

it('says that osu!’s own calculator is not there, or does not start', async () => {
  expect(await checkCalculator({ path: '/nowhere.node', version: '1.2.3' })).toMatchObject({
    state: 'note',
    what: expect.stringContaining('1.2.3 is of no use'),
    remedy: expect.stringContaining('estimate'),
  });
});

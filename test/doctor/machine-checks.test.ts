import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkMachine } from '../../src/doctor/machine-checks.ts';

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

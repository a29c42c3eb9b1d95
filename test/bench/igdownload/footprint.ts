/** What Medley takes when nobody asks it for anything: time to start, memory with all platforms connected. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFakeDiscord } from '../../fakes/discord.ts';
import { createFakeTelegram } from '../../fakes/telegram.ts';
import { startMedley } from '../child.ts';
import { atMost, find } from '../findings.ts';
import { median, spread } from './rows.ts';

const CONNECT_MS = 20_000;
/** V8 collects what a start leaves behind once little has been allocated for up to 45 seconds. */
const IDLE_MS = 60_000;
const SAMPLE_MS = 50;

async function withFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-bench-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ENVIRONMENT = { HOST: '127.0.0.1', PORT: '0', CATALOGUE_FILL: 'off' };

/** Until it says that it is ready, with an empty folder of data. */
export async function measureStart(program: string, rounds: number): Promise<void> {
  const tookMs: number[] = [];
  const cpuMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await withFolder(async folder => {
      const from = performance.now();
      const child = await startMedley(program, { ...ENVIRONMENT, DATA_DIR: folder });
      tookMs.push(performance.now() - from);
      const used = await child.cpuMs();
      if (used !== null) cpuMs.push(used);
      await child.stop();
    });
  }
  const seen = `${spread(tookMs, 0)} ms, ${spread(cpuMs, 0)} of CPU`;
  find({ work: 'start, until it is ready', ...atMost(median(tookMs), 900, ' ms'), seen });
}

/** Resident memory with Discord, Telegram and the web chat, once they are connected and nothing moves. */
export async function measureIdle(program: string): Promise<void> {
  const discord = await createFakeDiscord();
  discord.addGuild({ name: 'Harbour' });
  const telegram = await createFakeTelegram();
  try {
    await withFolder(async folder => {
      const child = await startMedley(program, {
        ...ENVIRONMENT,
        DATA_DIR: folder,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        TELEGRAM_TOKEN: telegram.token,
        TELEGRAM_API_URL: telegram.apiUrl,
      });
      try {
        const looked = () =>
          discord.requests.some(({ method, path }) => method === 'GET' && path.endsWith('/commands'));
        await discord.waitFor(() => looked() || undefined, CONNECT_MS);
        await telegram.waitFor(() => telegram.isPolled || undefined, CONNECT_MS);
        await wait(IDLE_MS);
        const samples: number[] = [];
        for (let at = 0; at < 20; at += 1) {
          const bytes = await child.residentBytes();
          if (bytes !== null) samples.push(bytes / 1024 ** 2);
          await wait(SAMPLE_MS);
        }
        const peak = child.takePeakBytes();
        const most = peak === null ? 'unknown' : (peak / 1024 ** 2).toFixed(0);
        const idle = median(samples);
        const seen = `${idle.toFixed(0)} MB, at most ${most} since the start`;
        find({ work: 'at rest with three platforms', ...atMost(idle, 120, ' MB'), seen });
      } finally {
        await child.stop();
      }
    });
  } finally {
    await Promise.all([discord.close(), telegram.close()]);
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createBeatmaps } from '../../src/beatmaps/beatmaps.ts';
import { createMemoryBeatmapCaches } from '../../src/beatmaps/cache-policy.ts';
import { openCatalogue } from '../../src/beatmaps/catalogue/open-catalogue.ts';
import { createMirrors } from '../../src/beatmaps/upstreams/mirror.ts';
import { createOsuApi } from '../../src/beatmaps/upstreams/osu-api.ts';
import { createDispatcher } from '../../src/bot/answer/answer.ts';
import { Runtime } from '../../src/bot/runtime/runtime.ts';
import { createOverrides } from '../../src/infra/http/host-list.ts';
import { createHttpClient } from '../../src/infra/http/http-client.ts';
import { createLogger } from '../../src/infra/log.ts';
import { createEmbeddedQueue } from '../../src/infra/queue/embedded-queue.ts';
import { createMemoryRateLimiter } from '../../src/infra/rate-limit/rate-limit.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createDiscordPlatform } from '../../src/platforms/discord/platform.ts';
import { commandList } from '../bot/command-list.ts';
import { sampleServices } from '../bot/sample.ts';
import { createFakeDiscord, type FakeDiscord } from '../fakes/discord.ts';
import { embeddedRecords } from '../records.ts';
import { SANDBOX_OSU } from '../sandbox/osu.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { atMost, detail, find } from './findings.ts';
import { createGenerator, createRandom } from './generated-sets.ts';
import { percentile } from './load.ts';

/**
 * Discord's autocomplete of a map's name, from the typed letter to the answer that arrives, while every upstream hangs. The baseline is
 * the same way there and back for `/help`, which answers from a list of a few words.
 */

const BATCH = 2_000;
const ROUNDS = 3_000;
const GIVE_UP_MS = 3_000;

interface Typed {
  readonly name: string;
  readonly option: string;
  readonly text: string;
}

/** Milliseconds until the answer stood at Discord. */
async function complete(fake: FakeDiscord, guildId: string, { name, option, text }: Typed): Promise<number> {
  const before = fake.requests.length;
  const start = performance.now();
  fake.interaction({ kind: 'autocomplete', name, options: { [option]: text }, guildId, userId: '300' });
  while (fake.requests.length === before) {
    if (performance.now() - start > GIVE_UP_MS) throw new Error(`"${text}" was not answered`);
    await turn();
  }
  return performance.now() - start;
}

/** Prints the table. */
export async function run(size = 50_000): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-autocomplete-'));
  const sandbox = await createSandbox();
  const fake = await createFakeDiscord();
  const store = openStore(join(folder, 'bench.db'));
  const overrides = sandbox.overrides.split(',').map(pair => {
    const [host = '', origin = ''] = pair.split('=');
    return { host, origin };
  });
  const http = createHttpClient({ overrides: createOverrides(overrides) });
  const log = createLogger({ level: 'error' });
  const catalogue = openCatalogue({
    dataDir: folder,
    workerFile: new URL('../../dist/catalogue-worker.js', import.meta.url),
    onFailure: error => log.error({ err: error }, 'the catalogue failed'),
  });
  for (const site of ['osu.*', 'osu-direct.*', 'hinai.*', 'catboy.*'] as const) sandbox.faults.set(site, 'hang');
  const beatmaps = createBeatmaps({
    osu: createOsuApi({ http, log, ...SANDBOX_OSU }),
    mirrors: createMirrors({ http }),
    catalogue,
    caches: createMemoryBeatmapCaches(),
    log,
  });
  const services = { ...sampleServices(), beatmaps };
  const dispatcher = createDispatcher({
    commands: commandList,
    services,
    limiter: createMemoryRateLimiter(),
    userLimit: { units: 60, windowMs: 60_000 },
    log,
  });
  const platform = createDiscordPlatform({
    token: fake.token,
    apiUrl: fake.apiUrl,
    shards: 'auto',
    dispatcher,
    delivery: { deliver: () => Promise.reject(new Error('nothing is delivered here')) },
    settings: services.settings,
    tagOf: services.actions.tagOf,
    records: embeddedRecords(store),
    log,
  });
  const queue = createEmbeddedQueue({ store, log });
  const runtime = new Runtime({ platforms: [platform], queue, dispatcher, log });
  try {
    const generator = createGenerator(1);
    const random = createRandom(2);
    const titles: string[] = [];
    for (let done = 0; done < size; done += BATCH) {
      const sets = Array.from({ length: Math.min(BATCH, size - done) }, () => generator.next());
      catalogue.remember(sets);
      await catalogue.flush();
      titles.push(...sets.map(({ title }) => title));
    }
    await catalogue.tidy();
    await catalogue.warm();
    const { id: guildId } = fake.addGuild({ name: 'Harbour' });
    await runtime.start();
    await fake.waitFor(() => fake.commands);

    const maps: number[] = [];
    const help: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const title = titles[Math.floor(random() * titles.length)] ?? '';
      const text = title.slice(0, 1 + Math.floor(random() * 12));
      maps.push(await complete(fake, guildId, { name: 'beatmap info', option: 'map', text }));
      help.push(await complete(fake, guildId, { name: 'help', option: 'command', text: 'do' }));
    }
    print(size, maps, help);
    if (fake.problems.length > 0) throw new Error(fake.problems.join('; '));
    if (sandbox.requests.length > 0) throw new Error(`${sandbox.requests.length} upstream requests`);
  } finally {
    await runtime.stop();
    await queue.close();
    await fake.close();
    await http.close();
    await sandbox.close();
    await catalogue.close();
    store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function print(size: number, maps: readonly number[], help: readonly number[]): void {
  const row = (work: string, times: readonly number[]) => {
    const sorted = [...times].sort((a, b) => a - b);
    const at = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1) ?? Number.NaN];
    detail(`| ${work} | ${times.length} | ${at.map(ms => ms.toFixed(1)).join(' | ')} |`);
    return at;
  };
  detail('| autocomplete on Discord | times | p50 ms | p99 ms | max ms |\n|---|--:|--:|--:|--:|');
  const ours = row(`a map among ${size} sets, upstreams hanging`, maps);
  const baseline = row('/help, from a short list', help);
  const [p50, p99] = [0, 1].map(index => ((ours[index] ?? 0) / (baseline[index] ?? 1)).toFixed(2));
  const [, slow = Number.NaN] = ours;
  const work = `a map's name on Discord among ${size} sets, p99`;
  find({
    work,
    ...atMost(slow, 50, ' ms'),
    anchor: `/help: ${baseline[1]?.toFixed(1)}`,
    seen: `${slow.toFixed(1)} ms`,
    ratio: Number(p99),
  });
  detail(`\n${p50}x the baseline at p50, ${p99}x at p99.`);
}

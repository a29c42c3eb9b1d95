import { onTestFinished } from 'vitest';
import { type Beatmaps, createBeatmaps } from '../../src/beatmaps/beatmaps.ts';
import { createMemoryBeatmapCaches } from '../../src/beatmaps/cache-policy.ts';
import type { BeatmapCatalogue } from '../../src/beatmaps/set-lookup.ts';
import { createMirrors } from '../../src/beatmaps/upstreams/mirror.ts';
import { createOsuApi } from '../../src/beatmaps/upstreams/osu-api.ts';
import { createOverrides } from '../../src/infra/http/host-list.ts';
import { createHttpClient } from '../../src/infra/http/http-client.ts';
import { createRecordingLog, type RecordingLog } from '../fakes/log.ts';
import { SANDBOX_OSU } from '../sandbox/osu.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
/** The beatmap room over the played upstreams, for the length of a test. */

export interface HouseOptions {
  /** Default true. */
  readonly withCredentials?: boolean;
  readonly clientSecret?: string;
  /** Generated sets. */
  readonly beatmapsets?: number;
  readonly catalogue?: BeatmapCatalogue;
  /** By upstream. Default 5 s each. */
  readonly timeoutMs?: Readonly<Record<string, number>>;
}

export interface House {
  readonly beatmaps: Beatmaps;
  readonly sandbox: Sandbox;
  readonly log: RecordingLog;
  readonly clock: { ms: number };
}

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const { withCredentials = true, clientSecret = SANDBOX_OSU.clientSecret } = options;
  // The played upstreams answer at once; this bound catches what hangs, on a crowded machine too.
  const timeoutOf = (upstream: string) => options.timeoutMs?.[upstream] ?? 30_000;
  const sandbox = await createSandbox({ beatmapsets: options.beatmapsets ?? 0 });
  const overrides = sandbox.overrides.split(',').map(pair => {
    const [host = '', origin = ''] = pair.split('=');
    return { host, origin };
  });
  const http = createHttpClient({ overrides: createOverrides(overrides) });
  onTestFinished(async () => {
    await http.close();
    await sandbox.close();
  });
  const log = createRecordingLog();
  const clock = { ms: Date.UTC(2026, 10, 1) };
  const now = () => clock.ms;
  const osu = createOsuApi({
    http,
    clientId: SANDBOX_OSU.clientId,
    clientSecret,
    log,
    now,
    timeoutMs: timeoutOf('osu'),
  });
  const beatmaps = createBeatmaps({
    osu: withCredentials ? osu : undefined,
    mirrors: createMirrors({ http, now }).flatMap(({ id }) =>
      createMirrors({ http, now, timeoutMs: timeoutOf(id) }).filter(mirror => mirror.id === id),
    ),
    catalogue: options.catalogue,
    caches: createMemoryBeatmapCaches(now),
    log,
    now,
  });
  return { beatmaps, sandbox, log, clock };
}

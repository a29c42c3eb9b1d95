import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Beatmaps, createBeatmaps } from '../../../src/beatmaps/beatmaps.ts';
import { createMemoryBeatmapCaches } from '../../../src/beatmaps/cache-policy.ts';
import type { Catalogue } from '../../../src/beatmaps/catalogue/catalogue.ts';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { createMirrors } from '../../../src/beatmaps/upstreams/mirror.ts';
import { createOsuApi } from '../../../src/beatmaps/upstreams/osu-api.ts';
import { createOverrides } from '../../../src/infra/http/host-list.ts';
import { createHttpClient, type HttpClient } from '../../../src/infra/http/http-client.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import type { Fault } from '../../sandbox/faults.ts';
import { SANDBOX_OSU } from '../../sandbox/osu.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

/** One of five is well - the official API, three mirrors, the catalogue - and the others are broken, each in its own way. */

const UPSTREAMS = ['osu', 'osu.direct', 'hinai', 'catboy'] as const;
type Upstream = (typeof UPSTREAMS)[number];
type Break = (sandbox: Sandbox) => void;

const SITES = { 'osu.direct': 'osu-direct.*', hinai: 'hinai.*', catboy: 'catboy.*' } as const;

const OSU_BREAKS: readonly (readonly [string, Break])[] = [
  ['500', ({ faults }) => faults.set('osu.*', 'status:500')],
  ['a page', ({ faults }) => faults.set('osu.search', 'html')],
  ['hangs', ({ faults }) => faults.set('osu.search', 'hang')],
  ['token down', ({ faults }) => faults.set('osu.token', 'status:503')],
  ['token hangs', ({ faults }) => faults.set('osu.token', 'hang')],
];
const MIRROR_FAULTS: readonly (readonly [string, Fault])[] = [
  ['500', 'status:500'],
  ['a page', 'html'],
  ['hangs', 'hang'],
  ['its default list', 'ignore-query'],
];

/** Every way to break each of them, one of each at a time. */
function breaksOf(broken: readonly Upstream[]): readonly (readonly (readonly [string, Break])[])[] {
  return broken.reduce<readonly (readonly (readonly [string, Break])[])[]>(
    (sofar, upstream) => {
      const own =
        upstream === 'osu'
          ? OSU_BREAKS
          : MIRROR_FAULTS.map(
              ([name, fault]) => [name, (sandbox: Sandbox) => sandbox.faults.set(SITES[upstream], fault)] as const,
            );
      return sofar.flatMap(ways => own.map(([name, set]) => [...ways, [`${upstream}: ${name}`, set] as const]));
    },
    [[]],
  );
}

const ASKED = { q: 'roar softly', status: 'pending' } as const;
const TITLE = 'Roar Softly';
const PATIENT_MS = 8_000;
const HANGING_MS = 25;

let sandbox: Sandbox;
let http: HttpClient;
let store: Store;
let filled: Catalogue;

beforeAll(async () => {
  sandbox = await createSandbox({ beatmapsets: 120 });
  const overrides = sandbox.overrides.split(',').map(pair => {
    const [host = '', origin = ''] = pair.split('=');
    return { host, origin };
  });
  http = createHttpClient({ overrides: createOverrides(overrides) });
  store = openStore(':memory:');
  filled = createCatalogueHere({ store, onFailure: failure => expect.unreachable(String(failure)) });
  filled.remember((await openHouse('osu').search(ASKED)).sets);
  await filled.flush();
});

afterAll(async () => {
  await filled.close();
  store.close();
  await http.close();
  await sandbox.close();
});

/** Who is well has all the time in the world; who hangs is not waited for. */
function openHouse(well: Upstream | undefined, catalogue?: Catalogue): Beatmaps {
  const log = createRecordingLog();
  const { clientId, clientSecret } = SANDBOX_OSU;
  const patience = (id: Upstream) => (id === well ? PATIENT_MS : HANGING_MS);
  const mirrors = [PATIENT_MS, HANGING_MS].flatMap(timeoutMs =>
    createMirrors({ http, timeoutMs }).filter(({ id }) => patience(id) === timeoutMs),
  );
  return createBeatmaps({
    osu: createOsuApi({ http, clientId, clientSecret, log, timeoutMs: patience('osu') }),
    // In their own order, which is the one they are asked in.
    mirrors: UPSTREAMS.flatMap(id => mirrors.filter(mirror => mirror.id === id)),
    catalogue,
    caches: createMemoryBeatmapCaches(),
    log,
  });
}

async function eachWay(broken: readonly Upstream[], check: (name: string) => Promise<void>): Promise<void> {
  for (const ways of breaksOf(broken)) {
    sandbox.faults.clear();
    for (const [, set] of ways) set(sandbox);
    await check(ways.map(([name]) => name).join(', '));
  }
  sandbox.faults.clear();
}

describe('a search', () => {
  it.each(UPSTREAMS)('is right whatever is broken beside %s', async well => {
    const broken = UPSTREAMS.filter(each => each !== well);
    await eachWay(broken, async name => {
      const { sets, source } = await openHouse(well).search(ASKED);
      expect({ source, titles: sets.map(set => set.title) }, name).toEqual({ source: well, titles: [TITLE] });
    });
  });

  it('is right whatever is broken beside the catalogue', async () => {
    await eachWay(['osu', 'hinai'], async name => {
      sandbox.faults.set('osu-direct.*', 'html');
      sandbox.faults.set('catboy.*', 'ignore-query');
      const { sets, source, stale } = await openHouse(undefined, filled).search(ASKED);
      const titles = sets.map(set => set.title);
      expect({ source, stale, titles }, name).toEqual({ source: 'catalogue', stale: true, titles: [TITLE] });
    });
  });

  it('fails with the names of all when nothing works, a broken catalogue included', async () => {
    const lost = openStore(':memory:');
    const gone = createCatalogueHere({ store: lost, onFailure: () => undefined });
    lost.close();
    await eachWay(['osu', 'catboy'], async name => {
      sandbox.faults.set('osu-direct.*', 'status:500');
      sandbox.faults.set('hinai.*', 'html');
      for (const catalogue of [undefined, gone]) {
        const failure = await openHouse(undefined, catalogue)
          .search(ASKED)
          .catch(error => error);
        expect(failure, name).toMatchObject({
          // An upstream that is too slow for this test may lead.
          code: expect.stringMatching(/^(?:upstream_unavailable|timeout)$/),
          params: { upstreams: UPSTREAMS.join(', ') },
        });
      }
    });
  });
});

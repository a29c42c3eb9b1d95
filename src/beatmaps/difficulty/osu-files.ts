import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import { createSingleFlight } from '../../infra/concurrency/abortable.ts';
import { createSemaphore, inTurn } from '../../infra/concurrency/running-work.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmap } from '../model/beatmapset.ts';
import { askInOrder, createHealth, inOrder, leading } from '../upstreams/failover.ts';
import { MIRROR_SITES } from '../upstreams/mirror-sites.ts';
import { OSU_HOST } from '../upstreams/osu-call.ts';
import { assertAnswered, missingAs } from '../upstreams/upstream-answer.ts';
import { checksumOf, type OsuFileCache } from './osu-file-cache.ts';

interface OsuFile {
  readonly file: Uint8Array;
  /** The MD5 of the file's bytes, in hexadecimal. */
  readonly checksum: string;
  /** True when no upstream had the file with the map's checksum, so that this is another version of the file. */
  readonly isOther: boolean;
}

type FileRef = Pick<Beatmap, 'id' | 'checksum'>;

/** Files may use only a small part of the rate limits: players need most of osu!'s, searches most of a mirror's. */
const OFFICIAL_PACE = { perSecond: 0.3, burst: 4 };
const MIRROR_PACE = { perSecond: 0.7, burst: 8 };

/** The sites that serve files. osu!'s own site needs no login for them (as reported in 2026-07) and is asked first. */
const SITES = [
  { id: 'osu', host: OSU_HOST, pace: OFFICIAL_PACE, url: (id: number) => new URL(`https://${OSU_HOST}/osu/${id}`) },
  ...MIRROR_SITES.flatMap(({ id, host, osuFileUrl }) =>
    osuFileUrl === undefined ? [] : [{ id, host, pace: MIRROR_PACE, url: osuFileUrl }],
  ),
];
type OsuFileSite = (typeof SITES)[number];

/** The largest file that is read. Most files have 20 to 200 KB, and that of a map of an hour has less than one MB. */
const MAX_OSU_FILE_BYTES = 3 * 1024 * 1024;
const TIMEOUT_MS = 4_000;
/** The most requests that run at once, to all sites together. */
const AT_ONCE = 6;
/** A map may come without a checksum; then the checksum of its current file is remembered for this long. */
const REMEMBER_MS = 60 * 60_000;
const MAX_REMEMBERED = 5_000;
/** The bytes in which the file's first line must be, even behind a byte order mark. */
const HEAD_BYTES = 64;

/** Refuses anything that is no `.osu` file. @throws AppError */
function checkFile(file: Uint8Array, upstream: string): void {
  // For a deleted difficulty upstreams answer with an empty file.
  if (file.byteLength === 0) throw new AppError('not_found', `${upstream} has an empty file`);
  const head = Buffer.from(file.subarray(0, HEAD_BYTES)).toString();
  if (/^\uFEFF?\s*osu file format v\d+/.test(head)) return;
  throw new AppError('upstream_changed', `${upstream} answered with something else than a difficulty`);
}

/** Keeps to the rate limit of one site: a burst of requests at first, then single requests at its rate. */
function createBudget({ perSecond, burst }: OsuFileSite['pace']) {
  /** The time of `performance.now()` at which a whole burst is allowed again. */
  let wholeAt = 0;
  const missingMs = () => Math.max(0, wholeAt - performance.now());
  const stepMs = 1_000 / perSecond;
  return {
    has: () => missingMs() <= (burst - 1) * stepMs,
    async take(signal: AbortSignal): Promise<void> {
      wholeAt = Math.max(wholeAt, performance.now()) + stepMs;
      const waitMs = missingMs() - burst * stepMs;
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
  };
}

/** The `.osu` files of difficulties, from the disk or from upstreams that need no login. */
export function createOsuFiles(http: Pick<HttpClient, 'request'>, cache: OsuFileCache, log: Logger, now: () => number) {
  const health = createHealth({ ids: SITES.map(({ id }) => id), now });
  const flights = createSingleFlight<OsuFile>();
  const remembered = createLru<string, string>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS, perf: { now } });
  const budgets = new Map(SITES.map(({ id, pace }) => [id, createBudget(pace)]));
  const enter = createSemaphore({ atOnce: AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY, name: 'files of maps' });

  /** The sites in the order of asking: the official one first, unless in a cooldown; sites at their rate limit last. */
  function sites(): readonly OsuFileSite[] {
    const ordered = leading(inOrder(health, SITES), 'osu');
    const isFree = ({ id }: OsuFileSite) => budgets.get(id)?.has() === true;
    return [...ordered.filter(isFree), ...ordered.filter(site => !isFree(site))];
  }

  async function ask(site: OsuFileSite, mapId: number, signal: AbortSignal): Promise<Uint8Array> {
    await budgets.get(site.id)?.take(signal);
    const response = await http.request({
      url: site.url(mapId),
      headers: { accept: 'text/plain, */*' },
      hosts: [site.host],
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_OSU_FILE_BYTES,
      retries: 0,
      maxRedirects: 2,
      signal,
    });
    assertAnswered(response, site.id, now());
    checkFile(response.bytes, site.id);
    return response.bytes;
  }

  async function download(map: FileRef, signal: AbortSignal): Promise<OsuFile> {
    const { value } = await askInOrder({
      sources: sites(),
      health,
      ask: async site => {
        const file = await ask(site, map.id, signal);
        const checksum = checksumOf(file);
        return { file, checksum, isOther: map.checksum !== null && checksum !== map.checksum };
      },
      isWeak: ({ isOther }) => isOther,
      signal,
      log,
      now,
    });
    await cache.put(value.checksum, value.file);
    return value;
  }

  async function find(map: FileRef, key: string, signal: AbortSignal): Promise<OsuFile> {
    const known = remembered.get(key);
    for (const checksum of [map.checksum, known]) {
      const file = checksum == null ? undefined : await cache.take(checksum);
      if (checksum != null && file !== undefined) {
        return { file, checksum, isOther: map.checksum !== null && checksum !== map.checksum };
      }
    }
    const found = await inTurn(enter, signal, () => download(map, signal));
    remembered.set(key, found.checksum);
    return found;
  }

  return {
    /** @throws AppError `not_found` (params.what `beatmap`), the upstream's codes, the signal's reason */
    async get(map: FileRef, signal: AbortSignal): Promise<OsuFile> {
      const key = `${map.id}:${map.checksum ?? ''}`;
      return missingAs(
        'beatmap',
        flights.run(key, flight => find(map, key, flight.signal), signal),
      );
    },
  };
}

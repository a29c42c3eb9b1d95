import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors.ts';
import { createSingleFlight } from '../../infra/concurrency/single-flight.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmap } from '../model/beatmapset.ts';
import { askInOrder } from '../upstreams/failover.ts';
import { createHealth } from '../upstreams/health.ts';
import { MIRROR_SITES } from '../upstreams/mirror-sites.ts';
import { OSU_HOST } from '../upstreams/osu-api.ts';
import { assertAnswered } from '../upstreams/upstream-answer.ts';
import { checksumOf, type OsuFileCache } from './osu-file-cache.ts';

export interface OsuFile {
  readonly file: Uint8Array;
  /** MD5 of the bytes, hexadecimal. */
  readonly checksum: string;
  /** Not the one whose checksum was named: no upstream had that one. */
  readonly isOther: boolean;
}

/** The `.osu` files of difficulties, from the disk or from upstreams that serve them without a login. */
export interface OsuFiles {
  /** @throws AppError `not_found` (params.what `beatmap`), the upstream's codes, the signal's reason */
  get(map: Pick<Beatmap, 'id' | 'checksum'>, signal: AbortSignal): Promise<OsuFile>;
}

export interface OsuFilesOptions {
  readonly http: HttpClient;
  readonly cache: OsuFileCache;
  readonly log: Logger;
  /** Of one request. Default 4000. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

interface OsuFileSite {
  readonly id: string;
  readonly host: string;
  readonly url: (mapId: number) => URL;
}

/** The official address serves anyone (others saw it 2026-07), and is asked first. */
const SITES: readonly OsuFileSite[] = [
  { id: 'osu', host: OSU_HOST, url: id => new URL(`https://${OSU_HOST}/osu/${id}`) },
  ...MIRROR_SITES.flatMap(({ id, host, osuFileUrl }) =>
    osuFileUrl === undefined ? [] : [{ id, host, url: osuFileUrl }],
  ),
];

/** A usual file has 20 to 200 KB; an hour's marathon stays below one MB. */
const MAX_OSU_FILE_BYTES = 3 * 1024 * 1024;
/** So that many maps at once do not stand before a player's profile in the pace of osu!. */
const AT_ONCE = 2;
/** How long what is known of a file without its checksum counts. */
const REMEMBER_MS = 60 * 60_000;
const MAX_REMEMBERED = 5_000;
/** Byte order mark included. */
const HEAD_BYTES = 64;

/** @throws AppError */
function checkFile(file: Uint8Array, upstream: string): void {
  // An empty answer is how a difficulty looks that is gone.
  if (file.byteLength === 0) throw new AppError('not_found', `${upstream} has an empty file`);
  const head = Buffer.from(file.subarray(0, HEAD_BYTES)).toString();
  if (/^\uFEFF?\s*osu file format v\d+/.test(head)) return;
  throw new AppError('upstream_changed', `${upstream} answered with something else than a difficulty`);
}

export function createOsuFiles({ http, cache, log, timeoutMs = 4_000, now = Date.now }: OsuFilesOptions): OsuFiles {
  const health = createHealth({ ids: SITES.map(({ id }) => id), now });
  const flights = createSingleFlight<OsuFile>();
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS, perf: { now } });
  const queue: (() => void)[] = [];
  let underWay = 0;

  async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (underWay >= AT_ONCE) await new Promise<void>(resolve => queue.push(resolve));
    else underWay += 1;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  }

  /** The official one first whenever it does not rest. */
  function sites(): readonly OsuFileSite[] {
    const awake = health.order().flatMap(id => SITES.find(site => site.id === id) ?? []);
    return [...awake.filter(({ id }) => id === 'osu'), ...awake.filter(({ id }) => id !== 'osu')];
  }

  async function ask(site: OsuFileSite, mapId: number, signal: AbortSignal): Promise<Uint8Array> {
    const response = await http.request({
      url: site.url(mapId),
      headers: { accept: 'text/plain, */*' },
      hosts: [site.host],
      timeoutMs,
      maxBytes: MAX_OSU_FILE_BYTES,
      retries: 0,
      maxRedirects: 2,
      signal,
    });
    assertAnswered(response, { upstream: site.id, now: now() });
    checkFile(response.bytes, site.id);
    return response.bytes;
  }

  async function download(map: Pick<Beatmap, 'id' | 'checksum'>, signal: AbortSignal): Promise<OsuFile> {
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

  async function find(map: Pick<Beatmap, 'id' | 'checksum'>, key: string, signal: AbortSignal): Promise<OsuFile> {
    const known = remembered.get(key);
    for (const checksum of [map.checksum, known]) {
      const file = checksum == null ? undefined : await cache.take(checksum);
      if (checksum != null && file !== undefined) {
        return { file, checksum, isOther: map.checksum !== null && checksum !== map.checksum };
      }
    }
    const found = await inTurn(signal, () => download(map, signal));
    remembered.set(key, found.checksum);
    return found;
  }

  return {
    async get(map, signal) {
      const key = `${map.id}:${map.checksum ?? ''}`;
      try {
        return await flights.run(key, flight => find(map, key, flight.signal), signal);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
        throw new AppError('not_found', error.message, { params: { what: 'beatmap' }, cause: error });
      }
    },
  };
}

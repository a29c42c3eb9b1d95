import * as z from 'zod';
import { AppError, invalidRequest } from '../../errors.ts';
import { mapInTurns } from '../../infra/concurrency/map-in-turns.ts';
import type { ThrottleRule } from '../../infra/http/host-throttle.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import { setPage } from '../model/link.ts';
import { id as idField } from '../model/osu-fields.ts';
import { parseBeatmapset, parseBeatmapsets } from '../model/osu-schemas.ts';
import { parseQuery } from '../query/query.ts';
import { matches, matchesNearly } from '../query/query-match.ts';
import { statusesOf } from '../query/query-words.ts';
import { isListing, PAGE_SIZE, type Search, type SearchPage, sortSets } from '../query/search.ts';
import type { Health, HealthWord } from './failover.ts';
import { MIRROR_SITES, type MirrorSite, readMirrorPage } from './mirror-sites.ts';
import type { BeatmapSource } from './source.ts';
import { expectShape, readAnswer, spentMs } from './upstream-answer.ts';

/** @throws AppError from every method: the errors of {@link readAnswer} and of the HTTP client */
export interface Mirror extends BeatmapSource {
  readonly id: MirrorSite['id'];
  /**
   * Returns only sets that match the search. If the mirror answers with sets of which none matches, the page is empty
   * and `isUnsure`. If the first page has no sets at all, the mirror may be out of service: such an answer is believed
   * only if the mirror returned sets for any search within the last minute, or returns some when it is asked for all
   * sets.
   * @throws AppError `upstream_changed`; `upstream_unavailable`, also for an answer that is not believed
   */
  search(search: Search, next: string | undefined, signal?: AbortSignal): Promise<SearchPage>;
  downloadUrl(setId: number, withVideo: boolean): string;
}

const LISTING: Search = { query: parseQuery(''), status: 'leaderboard', sort: { field: 'relevance', order: 'desc' } };
/** The most bytes of a page: ten times the bytes of a page of large sets. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** After an answer with sets the mirror is taken to work for this long, so that an answer without sets is believed. */
const ALIVE_MS = 60_000;
/** The last page that is requested: a quarter of a million sets, more than have a leaderboard. */
const MAX_PAGE = 5_000;
/** A page with fewer sets is the last one; other pages may be shorter than requested, too, but only a little. */
const LAST_PAGE_BELOW = PAGE_SIZE * 0.8;

const namesSet = z.looseObject({
  beatmapset_id: idField,
  set: z.unknown().optional(),
  beatmapset: z.unknown().optional(),
});

const listsMaps = z.looseObject({ beatmaps: z.array(z.unknown()) });

/**
 * The set or difficulty in an answer: mirrors send it alone, in a list, or in an object with a list as osu! does.
 * Undefined if the list is empty.
 */
function onlyRow(answer: unknown): unknown {
  const listed = parseBeatmapset(answer) === undefined ? listsMaps.safeParse(answer).data?.beatmaps : undefined;
  const rows = listed ?? answer;
  return Array.isArray(rows) ? rows[0] : rows;
}

/**
 * The page's sets that match, those with every word first; undefined for none. If no set has every word, weaker
 * matches count only if they are at least half of the page: otherwise the mirror probably ignored the words.
 */
async function checkPage(sets: readonly Beatmapset[], search: Search) {
  const { query, status, sort } = search;
  const statuses = statusesOf(status);
  const allowed = sets.filter(set => statuses.includes(set.status));
  const isMost = (found: readonly Beatmapset[]) => found.length > 0 && found.length * 2 >= sets.length;
  const some = await filterInTurns(allowed, set => matches(query, set, 'any'));
  const all = await filterInTurns(some, set => matches(query, set));
  if (all.length > 0 || isMost(some)) {
    const whole = new Set(all);
    return { sets: sortSets([...all, ...some.filter(set => !whole.has(set))], sort, query.ruleset) };
  }
  const near = await filterInTurns(allowed, set => matchesNearly(query, set));
  return isMost(near) ? { sets: sortSets(near, sort, query.ruleset), corrected: true } : undefined;
}

async function filterInTurns(sets: readonly Beatmapset[], isWanted: (set: Beatmapset) => boolean) {
  return (await mapInTurns(sets, set => (isWanted(set) ? [set] : []))).flat();
}

/** Reads pages and sets of one mirror. */
function createMirrorReader(site: MirrorSite, { http, timeoutMs, now }: Required<MirrorsOptions>) {
  let aliveUntil = 0;
  /** The time until which the mirror allows no further request; it bans clients that send one earlier. */
  let spentUntil = 0;

  async function ask(url: URL, signal: AbortSignal | undefined): Promise<unknown> {
    const waitMs = spentUntil - now();
    if (waitMs > 0) throw new AppError('upstream_rate_limited', `${site.id} asked to wait`, { retryAfterMs: waitMs });
    const response = await http.request({
      url,
      headers: { accept: 'application/json' },
      hosts: [site.host],
      timeoutMs,
      retries: 0,
      maxRedirects: 2,
      maxBytes: MAX_PAGE_BYTES,
      ...(signal && { signal }),
    });
    spentUntil = now() + spentMs(response, now());
    return readAnswer(response, site.id, now());
  }

  async function askPage(search: Search, page: number, signal: AbortSignal | undefined): Promise<unknown> {
    const url = site.searchUrl(search, page, true);
    try {
      return await ask(url, signal);
    } catch (error) {
      const plain = site.searchUrl(search, page, false);
      const mayBeSort = error instanceof AppError && /answered (?:400|403|422|500)$/.test(error.message);
      if (!mayBeSort || plain.href === url.href) throw error;
      // A mirror refuses an order that it does not know, so it is asked without an order; Medley sorts the page anyway.
      return ask(plain, signal);
    }
  }

  async function readPage(search: Search, page: number, signal: AbortSignal | undefined) {
    const { rows, total } = readMirrorPage(await askPage(search, page, signal));
    const sets = expectShape(await parseBeatmapsets(rows), site.id, 'readable set');
    if (sets.length > 0) aliveUntil = now() + ALIVE_MS;
    return { sets, total, isLast: Array.isArray(rows) && rows.length < LAST_PAGE_BELOW };
  }

  return {
    ask,
    readPage,
    /**
     * Makes sure that the mirror works, after an answer without any sets: during an outage a mirror answers a search in
     * the same way as when no set matches.
     */
    async assertAlive(search: Search, signal: AbortSignal | undefined): Promise<void> {
      if (now() < aliveUntil) return;
      if (!isListing(search)) await readPage(LISTING, 0, signal);
      if (now() >= aliveUntil) throw new AppError('upstream_unavailable', `${site.id} has nothing at all to show`);
    },
    async readSet(id: number, signal: AbortSignal | undefined): Promise<Beatmapset> {
      const set = expectShape(parseBeatmapset(onlyRow(await ask(site.setUrl(id), signal))), site.id, 'set');
      return expectShape(set.id === id ? set : undefined, site.id, 'set with this number');
    },
  };
}

function parseNext(next: string | undefined): number {
  const page = next === undefined ? 0 : Number(next);
  if (Number.isInteger(page) && page >= 0 && page <= MAX_PAGE) return page;
  throw invalidRequest('cursor', 'cursor is not one of ours');
}

function createMirror(site: MirrorSite, options: Required<MirrorsOptions>): Mirror {
  const { ask, readPage, assertAlive, readSet } = createMirrorReader(site, options);

  return {
    id: site.id,
    async search(search, next, signal) {
      const page = parseNext(next);
      const { sets, total, isLast } = await readPage(search, page, signal);
      if (sets.length === 0) {
        if (page === 0) await assertAlive(search, signal);
        return { sets, total: page === 0 ? 0 : total, next: null };
      }
      const checked = await checkPage(sets, search);
      if (checked === undefined && page === 0) return { sets: [], total: 0, next: null, isUnsure: true };
      // The mirror's total counts sets that do not match, so it is used only if all sets of the page match.
      const isWhole = checked?.sets.length === sets.length;
      return {
        ...(checked ?? { sets: [] }),
        total: isWhole ? total : null,
        next: isLast || page >= MAX_PAGE ? null : String(page + 1),
      };
    },
    set: readSet,
    async setOfMap(mapId, signal) {
      const row = onlyRow(await ask(site.mapUrl(mapId), signal));
      if (row === undefined) throw new AppError('not_found', `${site.id} does not know this difficulty`);
      const named = namesSet.safeParse(row).data;
      const nested = parseBeatmapset(named?.set) ?? parseBeatmapset(named?.beatmapset) ?? parseBeatmapset(row);
      // A set that comes with a difficulty lacks its other difficulties, so it is requested again by its id.
      const setId = expectShape(named?.beatmapset_id ?? nested?.id, site.id, 'set of this difficulty');
      const set = await readSet(setId, signal);
      const isIn = set.beatmaps.some(beatmap => beatmap.id === mapId);
      return expectShape(isIn ? set : undefined, site.id, 'set with this difficulty');
    },
    downloadUrl: site.downloadUrl,
  };
}

export interface MirrorsOptions {
  readonly http: Pick<HttpClient, 'request'>;
  /** The time limit of one request, in milliseconds. Default 4000. */
  readonly timeoutMs?: number;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

/** The throttle's rules for the mirrors, well below their rate limits. */
export const MIRROR_THROTTLES: Readonly<Record<string, ThrottleRule>> = Object.fromEntries(
  MIRROR_SITES.map(({ host, throttle }) => [host, throttle]),
);

/** All mirrors, in the order in which they are asked at first. */
export function createMirrors({ http, timeoutMs = 4_000, now = Date.now }: MirrorsOptions): readonly Mirror[] {
  return MIRROR_SITES.map(site => createMirror(site, { http, timeoutMs, now }));
}

export interface DownloadAddress {
  /** A mirror's id, or `osu` for osu!'s own page, which needs a login. */
  readonly source: Mirror['id'] | 'osu';
  /** How the mirror's last request went; unknown for osu!'s page. */
  readonly state: HealthWord;
  /** True when the file contains the set's video. */
  readonly video: boolean;
  readonly url: string;
}

/**
 * Download addresses, best first: those of each mirror, first with the video, then without; last osu!'s own page. If
 * osu! has disabled downloads of the set, osu!'s page is the only one.
 */
export function downloadAddresses(
  set: Beatmapset,
  mirrors: readonly Mirror[],
  { wordOn }: Pick<Health, 'wordOn'>,
): readonly DownloadAddress[] {
  const page: DownloadAddress = { source: 'osu', state: 'unknown', video: set.video, url: setPage(set.id) };
  if (set.download_disabled) return [page];
  const offers = set.video ? [true, false] : [false];
  const files = mirrors.flatMap(mirror =>
    offers.map(video => ({
      source: mirror.id,
      state: wordOn(mirror.id),
      video,
      url: mirror.downloadUrl(set.id, video || !set.video),
    })),
  );
  return [...files, page];
}

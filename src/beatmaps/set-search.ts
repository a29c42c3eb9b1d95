/** Searches over all sources, in pages of any size. */
import { AppError } from '../errors.ts';
import type { Logger } from '../infra/log.ts';
import { type BeatmapCaches, type FoundPage, PAGE_POLICY } from './cache-policy.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { parseSearchCursor, renderSearchCursor, SEARCH_START, type SearchPosition } from './cursor.ts';
import type { Beatmapset, Ruleset } from './model/beatmapset.ts';
import { assertAnswerable, parseQuery, type Query, renderQuery } from './query/query.ts';
import { renderSort, type Sort, type StatusFilter } from './query/query-words.ts';
import type { Search } from './query/search.ts';
import { askInOrder, type Health } from './upstreams/failover.ts';
import type { BeatmapSource, SourceId, UpstreamId } from './upstreams/source.ts';

/** Every set that passed through, searchable here. */
export type BeatmapCatalogue = Pick<Catalogue, 'search' | 'suggest' | 'remember' | 'set' | 'setOfMap'>;

export interface SearchRequest {
  /** osu!'s search language; empty or absent lists everything. */
  readonly q?: string | undefined;
  readonly ruleset?: Ruleset | undefined;
  /** Default: any when the text speaks of statuses, else those with a leaderboard. */
  readonly status?: StatusFilter | undefined;
  /** Default: relevance for words, plays for none. */
  readonly sort?: Sort | undefined;
  /** 1 to 50. Default 20. */
  readonly limit?: number | undefined;
  /** The cursor of the page before; all else in the request must be the same. */
  readonly cursor?: string | undefined;
  /** `local`: the catalogue alone. */
  readonly source?: 'local' | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchResult {
  readonly sets: readonly Beatmapset[];
  /** Count of sets on all pages, when known. */
  readonly total: number | null;
  /** So many there are at least, where not all was looked through; then there may be more than the last page gives. */
  readonly atLeast?: number;
  /** For the next page; null after the last. */
  readonly cursor: string | null;
  readonly source: SourceId;
  /** Not from an upstream just now: an older answer, or what the catalogue remembers, because all of them failed. */
  readonly stale: boolean;
  /** Wholly an earlier answer that is fresh still. Default false. */
  readonly cached?: boolean;
  /** Nothing has the words as they were written; these have words like them. */
  readonly corrected: boolean;
}

export interface SetSearchOptions {
  /** The best first. */
  readonly sources: () => readonly BeatmapSource[];
  readonly health: Health;
  readonly catalogue: BeatmapCatalogue | undefined;
  readonly caches: Pick<BeatmapCaches, 'pages'>;
  readonly log: Logger;
  readonly now: () => number;
}

/** Long enough for any question, short enough for every upstream. */
const MAX_QUERY_LENGTH = 500;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;
/** Upstream pages read for one of ours: those of a mirror shrink when they are checked. */
const MAX_PAGES = 3;

function defaultSort(query: Query): Sort {
  return { field: query.text === '' ? 'plays' : 'relevance', order: 'desc' };
}

function readSearch({ q = '', ruleset, status, sort }: SearchRequest): Search {
  if (q.length > MAX_QUERY_LENGTH) {
    const params = { what: 'q', max: MAX_QUERY_LENGTH };
    throw new AppError('invalid_request', `q must not be longer than ${MAX_QUERY_LENGTH} characters`, { params });
  }
  const parsed = parseQuery(q);
  assertAnswerable(parsed);
  const query = ruleset === undefined ? parsed : { ...parsed, ruleset };
  const ownStatus = parsed.ranges.status === undefined ? 'leaderboard' : 'any';
  return { query, status: status ?? ownStatus, sort: sort ?? defaultSort(query) };
}

function keyOf({ query, status, sort }: Search, { source, token, page }: SearchPosition): string {
  return `search:${JSON.stringify([renderQuery(query), status, renderSort(sort), source, token, page])}`;
}

/** @throws AppError `invalid_request` (params.what: `q`, `cursor`), or the cause when every source failed */
export function createSetSearch(options: SetSearchOptions): (request: SearchRequest) => Promise<SearchResult> {
  const { sources, health, catalogue, caches, log, now } = options;

  /** The page's own source first, unless it rests; the others are asked for the page in its place. */
  function sourcesFor({ source }: SearchPosition): readonly BeatmapSource[] {
    const order = sources();
    const own = order.filter(({ id }) => id === source);
    return [...own, ...order.filter(({ id }) => id !== source)];
  }

  /** A place further on is in a stranger's words: that an upstream cannot read them says nothing about the upstream. */
  function healthFor({ token }: SearchPosition): Health {
    if (token === undefined) return health;
    return { ...health, failed: (id, restMs) => (restMs === undefined ? undefined : health.failed(id, restMs)) };
  }

  async function loadPage(search: Search, at: SearchPosition, signal: AbortSignal): Promise<FoundPage> {
    const tokenFor = (source: BeatmapSource) => (source.id === at.source ? at.token : source.tokenOf(at.page));
    let unsure: UpstreamId | undefined;
    const { value, source } = await askInOrder({
      sources: sourcesFor(at),
      health: healthFor(at),
      async ask(each) {
        const page = await each.search(search, tokenFor(each), signal);
        if (page.isUnsure !== true) return { ...page, token: tokenFor(each) };
        unsure ??= each.id;
        throw new AppError('not_found', `${each.id} has nothing of what was asked for`);
      },
      needsEveryone: true,
      // A mirror may hold less than osu! does.
      isWeak: (page, { id }) => id !== 'osu' && at.page === 0 && page.sets.length === 0,
      signal,
      log,
      now,
    }).catch((error: unknown) => {
      // Every one of them was asked, and none has it.
      if (unsure === undefined || !(error instanceof AppError) || error.code !== 'not_found') throw error;
      return { value: { sets: [], total: 0, next: null, token: undefined }, source: unsure };
    });
    catalogue?.remember(value.sets);
    return { ...value, source };
  }

  async function searchCatalogue(
    search: Search,
    at: SearchPosition,
    limit: number,
  ): Promise<Omit<SearchResult, 'stale'> | undefined> {
    if (catalogue === undefined) return undefined;
    const offset = at.source === 'catalogue' ? at.skip : at.page * MAX_LIMIT + at.skip;
    const { sets, total, atLeast, corrected } = await catalogue.search(search, { limit, offset });
    const end = offset + sets.length;
    const hasMore = total === null ? sets.length === limit : end < total;
    const next: SearchPosition = { source: 'catalogue', token: undefined, page: 0, skip: end };
    const cursor = hasMore && sets.length > 0 ? renderSearchCursor(next) : null;
    return { sets, total, ...(atLeast !== undefined && { atLeast }), cursor, source: 'catalogue', corrected };
  }

  async function readPage(search: Search, at: SearchPosition, signal: AbortSignal | undefined) {
    // It was kept before anybody knew whose it would be.
    const first = at.page === 0 ? await caches.pages.get(keyOf(search, SEARCH_START)) : undefined;
    if (first !== undefined && first.source === at.source && first.token === at.token) {
      return { page: first, stale: false, cached: true };
    }
    const { value, from } = await caches.pages.wrap(
      keyOf(search, at),
      own => loadPage(search, at, own),
      PAGE_POLICY,
      signal,
    );
    return { page: value, stale: from === 'stale', cached: from === 'cache' };
  }

  /** The place at which the search goes on when `taken` sets of a page were given. */
  function after({ source, token, next, sets }: FoundPage, at: SearchPosition, taken: number): SearchPosition | null {
    if (taken < sets.length) return { source, token, page: at.page, skip: taken };
    return next === null ? null : { source, token: next, page: at.page + 1, skip: 0 };
  }

  /** A page of ours out of one or several of the upstream's. */
  async function searchUpstreams(
    search: Search,
    start: SearchPosition,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<SearchResult> {
    const { page, stale, cached } = await readPage(search, start, signal);
    let isCached = cached;
    const found = new Map(page.sets.slice(start.skip, start.skip + limit).map(set => [set.id, set] as const));
    let at = after(page, start, start.skip + limit);
    for (let pages = 1; at !== null && found.size < limit && pages < MAX_PAGES; pages += 1) {
      const more = await readPage(search, at, signal).catch((error: unknown) => {
        // The rest may come with the next page; a request for that one learns the reason.
        if (found.size > 0 && signal?.aborted !== true) return undefined;
        throw error;
      });
      if (more === undefined) break;
      isCached &&= more.cached;
      const taken = more.page.sets.slice(at.skip, at.skip + limit - found.size);
      for (const set of taken) found.set(set.id, set);
      at = after(more.page, at, at.skip + taken.length);
    }
    const cursor = at === null ? null : renderSearchCursor(at);
    const origin = { source: page.source, stale, cached: isCached && !stale, corrected: page.corrected ?? false };
    return { sets: [...found.values()], total: page.total, cursor, ...origin };
  }

  async function searchLocally(
    search: Search,
    start: SearchPosition,
    limit: number,
    stale: boolean,
  ): Promise<SearchResult> {
    const found = await searchCatalogue(search, start, limit);
    if (found === undefined) throw new AppError('upstream_unavailable', 'there is no catalogue here');
    return { ...found, stale };
  }

  /** A broken catalogue must not hide why the upstreams failed. */
  async function standIn(
    search: Search,
    start: SearchPosition,
    limit: number,
  ): Promise<Omit<SearchResult, 'stale'> | undefined> {
    try {
      return await searchCatalogue(search, start, limit);
    } catch (error) {
      log.error({ err: error }, 'the catalogue could not be searched');
      return undefined;
    }
  }

  /** Upstreams that forgive no mistake find nothing for a mistyped word; the catalogue may know what was meant, or have it. */
  async function orMeant(found: SearchResult, search: Search, limit: number): Promise<SearchResult> {
    if (found.sets.length > 0 || found.total !== 0) return found;
    const known = await standIn(search, SEARCH_START, limit);
    if (known === undefined || known.sets.length === 0) return found;
    // Mirrors hold less than osu!, and do not understand all that can be asked.
    return known.corrected || found.source !== 'osu' ? { ...known, stale: false } : found;
  }

  return async function search(request) {
    const asked = readSearch(request);
    const { cursor, signal, source } = request;
    const start = cursor === undefined ? SEARCH_START : parseSearchCursor(cursor);
    const limit = Math.max(1, Math.min(Math.trunc(request.limit ?? DEFAULT_LIMIT), MAX_LIMIT));
    const isLocal = source === 'local';
    if (isLocal || start.source === 'catalogue') return searchLocally(asked, start, limit, !isLocal);
    try {
      return await orMeant(await searchUpstreams(asked, start, limit, signal), asked, limit);
    } catch (error) {
      const isAsked = error instanceof AppError && error.code === 'invalid_request';
      const found = isAsked || signal?.aborted === true ? undefined : await standIn(asked, start, limit);
      // A catalogue that knows none does not mean that there is none.
      if (found === undefined || found.sets.length === 0) throw error;
      return { ...found, stale: true };
    }
  };
}

/** Searches for sets in all sources, with pages of any size. */
import { AppError, invalidRequest } from '../errors.ts';
import { type FoundPage, POLICIES } from './cache-policy.ts';
import type { CatalogueResult } from './catalogue/catalogue.ts';
import { parseSearchCursor, renderSearchCursor, SEARCH_START, type SearchPosition } from './cursor.ts';
import type { Ruleset } from './model/beatmapset.ts';
import { assertAnswerable, parseQuery, renderQuery } from './query/query.ts';
import { renderSort, type Sort, type StatusFilter } from './query/query-words.ts';
import type { Search } from './query/search.ts';
import { askCatalogue, type BeatmapCatalogue, type SetAccess, type SetAnswer } from './set-lookup.ts';
import { askInOrder, type Health, leading } from './upstreams/failover.ts';
import { type BeatmapSource, tokenOf, type UpstreamId } from './upstreams/source.ts';
import { isNotFound } from './upstreams/upstream-answer.ts';

export interface SearchRequest {
  /** A query in osu!'s search language; if it is empty or absent, all sets are listed. */
  readonly q?: string | undefined;
  readonly ruleset?: Ruleset | undefined;
  /** The statuses to find. Default: any if the text has conditions on statuses, else those with a leaderboard. */
  readonly status?: StatusFilter | undefined;
  /** The order of the sets. Default: by relevance when the query has words, else by plays. */
  readonly sort?: Sort | undefined;
  /** How many sets to return, from 1 to 50. Default 20. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page; everything else in the request must be the same. */
  readonly cursor?: string | undefined;
  /** With `local` only the catalogue is searched. */
  readonly source?: 'local' | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchResult extends CatalogueResult, Omit<SetAnswer, 'set'> {
  /** The cursor of the next page; null on the last one. */
  readonly cursor: string | null;
}

/** The longest query: enough for any search, and short enough for every upstream. */
const MAX_QUERY_LENGTH = 500;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;
/**
 * The most pages of an upstream that are read for one page of the answer. More than one is read when sets that do not
 * match are removed.
 */
const MAX_PAGES = 3;

type Wanted = ReturnType<typeof readRequest>;

function readRequest({ q = '', ruleset, status, sort, cursor, limit = DEFAULT_LIMIT, signal }: SearchRequest) {
  if (q.length > MAX_QUERY_LENGTH) {
    throw invalidRequest('q', `q must not be longer than ${MAX_QUERY_LENGTH} characters`, { max: MAX_QUERY_LENGTH });
  }
  const parsed = parseQuery(q);
  assertAnswerable(parsed);
  const query = ruleset === undefined ? parsed : { ...parsed, ruleset };
  const ownStatus = parsed.ranges.status === undefined ? 'leaderboard' : 'any';
  const ownSort: Sort = { field: query.text === '' ? 'plays' : 'relevance', order: 'desc' };
  return {
    search: { query, status: status ?? ownStatus, sort: sort ?? ownSort },
    start: cursor === undefined ? SEARCH_START : parseSearchCursor(cursor),
    limit: Math.max(1, Math.min(Math.trunc(limit), MAX_LIMIT)),
    signal,
  };
}

/** @throws AppError `invalid_request` (params.what: `q`, `cursor`), or the cause when every source failed */
export async function searchSets(access: SetAccess, request: SearchRequest): Promise<SearchResult> {
  const wanted = readRequest(request);
  const isLocal = request.source === 'local';
  if (isLocal || wanted.start.source === 'catalogue') {
    if (access.catalogue === undefined) throw new AppError('upstream_unavailable', 'there is no catalogue here');
    return { ...(await searchCatalogue(access.catalogue, wanted)), stale: !isLocal };
  }
  try {
    return await orFromCatalogue(access, wanted, await searchUpstreams(access, wanted));
  } catch (error) {
    const isAsked = error instanceof AppError && error.code === 'invalid_request';
    if (isAsked || request.signal?.aborted === true) throw error;
    const found = await askCatalogue(access, catalogue => searchCatalogue(catalogue, wanted));
    // A catalogue without a matching set does not prove that no set matches, so the error is thrown.
    if (found === undefined || found.sets.length === 0) throw error;
    return { ...found, stale: true };
  }
}

async function searchCatalogue(catalogue: BeatmapCatalogue, { search, start, limit }: Wanted) {
  const offset = start.source === 'catalogue' ? start.skip : start.page * MAX_LIMIT + start.skip;
  const found = await catalogue.search(search, { limit, offset });
  const { sets, total } = found;
  const end = offset + sets.length;
  const hasMore = sets.length > 0 && (total === null ? sets.length === limit : end < total);
  const cursor = hasMore ? renderSearchCursor({ ...SEARCH_START, source: 'catalogue', skip: end }) : null;
  return { ...found, cursor, source: 'catalogue' as const };
}

/** For an empty result, whose query may have a typo, also asks the catalogue: upstreams correct no typos. */
async function orFromCatalogue(access: SetAccess, wanted: Wanted, found: SearchResult): Promise<SearchResult> {
  if (found.sets.length > 0 || found.total !== 0) return found;
  const known = await askCatalogue(access, catalogue => searchCatalogue(catalogue, { ...wanted, start: SEARCH_START }));
  if (known === undefined || known.sets.length === 0) return found;
  // Mirrors have fewer sets than osu! and ignore some conditions, so the catalogue's sets replace their empty answer.
  return known.corrected || found.source !== 'osu' ? { ...known, stale: false } : found;
}

/** Makes one page of the answer from one or more pages of an upstream. */
async function searchUpstreams(access: SetAccess, { search, start, limit, signal }: Wanted): Promise<SearchResult> {
  const { page, ...first } = await readPage(access, search, start, signal);
  let { stale, cached } = first;
  const found = new Map(page.sets.slice(start.skip, start.skip + limit).map(set => [set.id, set] as const));
  let at = after(page, start, start.skip + limit);
  for (let pages = 1; at !== null && found.size < limit && pages < MAX_PAGES; pages += 1) {
    const more = await readPage(access, search, at, signal).catch((error: unknown) => {
      // The missing sets may come with the next page; if its request fails too, that request reports the reason.
      if (found.size > 0 && signal?.aborted !== true) return undefined;
      throw error;
    });
    if (more === undefined) break;
    stale ||= more.stale;
    cached &&= more.cached;
    const taken = more.page.sets.slice(at.skip, at.skip + limit - found.size);
    for (const set of taken) found.set(set.id, set);
    at = after(more.page, at, at.skip + taken.length);
  }
  const cursor = at === null ? null : renderSearchCursor(at);
  const origin = { source: page.source, stale, cached, corrected: page.corrected ?? false };
  return { sets: [...found.values()], total: page.total, cursor, ...origin };
}

/** The position at which the search goes on after `taken` sets of a page; null after the last one. */
function after({ source, token, next, sets }: FoundPage, at: SearchPosition, taken: number): SearchPosition | null {
  if (taken < sets.length) return { source, token, page: at.page, skip: taken };
  return next === null ? null : { source, token: next, page: at.page + 1, skip: 0 };
}

async function readPage(access: SetAccess, search: Search, at: SearchPosition, signal: AbortSignal | undefined) {
  const { pages } = access.caches;
  // The first page was cached under a key without a source, because its source was not known before.
  const first = at.page === 0 ? await pages.get(keyOf(search, SEARCH_START)) : undefined;
  if (first !== undefined && first.source === at.source && first.token === at.token) {
    return { page: first, stale: false, cached: true };
  }
  const load = (own: AbortSignal) => loadPage(access, search, at, own);
  const { value, from } = await pages.wrap(keyOf(search, at), load, POLICIES.page, signal);
  return { page: value, stale: from === 'stale', cached: from === 'cache' };
}

function keyOf({ query, status, sort }: Search, { source, token, page }: SearchPosition): string {
  return `search:${JSON.stringify([renderQuery(query), status, renderSort(sort), source, token, page])}`;
}

async function loadPage(
  access: SetAccess,
  search: Search,
  at: SearchPosition,
  signal: AbortSignal,
): Promise<FoundPage> {
  const tokenFor = (source: BeatmapSource) => (source.id === at.source ? at.token : tokenOf(source, at.page));
  let unsure: UpstreamId | undefined;
  const { value, source } = await askInOrder({
    ...access,
    // The previous page's source is asked first, unless in a cooldown; others are asked for the page by its number.
    sources: leading(access.sources(), at.source),
    health: healthFor(access.health, at),
    async ask(each) {
      const page = await each.search(search, tokenFor(each), signal).catch((error: unknown) => {
        // A search that finds nothing is answered by an empty list, so a 404 means that the search has moved.
        if (!isNotFound(error)) throw error;
        throw new AppError('upstream_changed', `${each.id} has no search any more`, { cause: error });
      });
      if (page.isUnsure !== true) return { ...page, token: tokenFor(each) };
      unsure ??= each.id;
      throw new AppError('not_found', `${each.id} has nothing of what was asked for`);
    },
    needsEveryone: true,
    // A mirror may have fewer sets than osu!, so other sources are asked if its first page is empty.
    isWeak: (page, { id }) => id !== 'osu' && at.page === 0 && page.sets.length === 0,
    signal,
  }).catch((error: unknown) => {
    // If one answer was unsure and all others were `not_found`, no source has a matching set, so there is none.
    if (unsure === undefined || !isNotFound(error)) throw error;
    return { value: { sets: [], total: 0, next: null, token: undefined }, source: unsure };
  });
  access.catalogue?.remember(value.sets);
  return { ...value, source };
}

/**
 * The upstreams' health for a page that is asked for by a token. A token comes from a client, so an upstream that
 * cannot read it has not failed; only an upstream that asks to wait counts as failing.
 */
function healthFor(health: Health, { token }: SearchPosition): Health {
  if (token === undefined) return health;
  return { ...health, failed: (id, restMs) => (restMs === undefined ? undefined : health.failed(id, restMs)) };
}

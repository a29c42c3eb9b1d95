import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { AppError, toAppError } from '../../errors.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import { parseQuery } from '../query/query.ts';
import type { Search, SearchPage } from '../query/search.ts';
import type { Catalogue } from './catalogue.ts';

/** Where a catalogue comes from, page by page. */
export interface CatalogueFeed {
  /** Keeps the places of different feeds apart. */
  readonly name: string;
  /** From the beginning, or from where `cursor` points. Throws when the upstream does; asking again from the last cursor goes on. */
  pages(cursor: string | undefined, signal: AbortSignal): AsyncIterable<CataloguePage>;
}

export interface CataloguePage {
  readonly sets: readonly Beatmapset[];
  /** Of all pages, when known. */
  readonly total: number | null;
  /** Where the next page begins; null after the last. */
  readonly cursor: string | null;
}

export interface FillProgress {
  /** Sets read from this feed, earlier runs included. */
  readonly sets: number;
  readonly total: number | null;
}

export interface FillOptions {
  readonly feed: CatalogueFeed;
  readonly catalogue: Pick<Catalogue, 'remember' | 'place' | 'keepPlace'>;
  readonly signal: AbortSignal;
  onProgress(progress: FillProgress): void;
  /** A page failed and is asked for again in `waitMs`. */
  onRetry(error: Error, waitMs: number): void;
  /** Waits between the tries of one page, in milliseconds; as many as there are. */
  readonly retryWaitsMs?: readonly number[];
}

const RETRY_WAITS_MS = [2_000, 10_000, 30_000, 60_000];
const MAX_WAIT_MS = 300_000;
/** Written and ticked off together; what a kill takes with it is read again. */
const BATCH_SETS = 1_000;
const BATCH_MS = 5_000;
/** In an order that grows at its end, so that a place in it stays the same place. */
const EVERYTHING: Search = {
  query: parseQuery(''),
  status: 'leaderboard',
  sort: { field: 'ranked', order: 'asc' },
};

const Place = z.object({ cursor: z.string().nullable(), sets: z.number() });

/** All sets with a leaderboard, as a searchable upstream lists them. */
export function searchFeed(source: {
  readonly id: string;
  search(search: Search, next: string | undefined, signal?: AbortSignal): Promise<SearchPage>;
}): CatalogueFeed {
  return {
    name: source.id,
    async *pages(cursor, signal) {
      let before = '';
      for (let next: string | null | undefined = cursor; next !== null; ) {
        const page: SearchPage = await source.search(EVERYTHING, next, signal);
        const ids = page.sets.map(({ id }) => id).join();
        if (ids !== '' && ids === before) {
          throw new AppError('upstream_changed', `${source.id} gives the same page again and again`);
        }
        before = ids;
        next = page.next;
        yield { sets: page.sets, total: page.total, cursor: page.next };
      }
    },
  };
}

/**
 * Reads a feed to its end into the catalogue. The place is kept every few seconds, after the sets before it: after a failure, a kill
 * or an abort the next run goes on there.
 *
 * @throws AppError what the feed threw when every try failed
 * @throws the signal's reason
 */
export async function fillCatalogue(options: FillOptions): Promise<FillProgress> {
  const { feed, catalogue, signal, onProgress, onRetry, retryWaitsMs = RETRY_WAITS_MS } = options;
  const name = `feed ${feed.name}`;
  const kept = await catalogue.place(name);
  const place = kept === undefined ? undefined : Place.parse(JSON.parse(kept));
  let cursor = place?.cursor ?? undefined;
  let progress: FillProgress = { sets: place?.sets ?? 0, total: null };
  let safe = { cursor, progress };
  let failures = 0;
  let hasRead = false;
  let waiting = 0;
  let keptAt = Date.now();

  async function keep(): Promise<void> {
    if (waiting === 0) return;
    await catalogue.keepPlace(name, JSON.stringify({ cursor: cursor ?? null, sets: progress.sets }));
    safe = { cursor, progress };
    failures = 0;
    waiting = 0;
    keptAt = Date.now();
  }

  async function readOn(): Promise<void> {
    try {
      for await (const page of feed.pages(cursor, signal)) {
        signal.throwIfAborted();
        catalogue.remember(page.sets);
        waiting += page.sets.length;
        hasRead = true;
        progress = { sets: progress.sets + page.sets.length, total: page.total ?? progress.total };
        cursor = page.cursor ?? undefined;
        if (waiting >= BATCH_SETS || Date.now() - keptAt >= BATCH_MS) await keep();
        onProgress(progress);
      }
    } finally {
      await keep();
    }
  }

  for (;;) {
    try {
      await readOn();
      await catalogue.keepPlace(name, null);
      return progress;
    } catch (error) {
      // One that gives nothing from the start is better replaced than waited for.
      const wait = hasRead || failures === 0 ? retryWaitsMs[failures] : undefined;
      if (signal.aborted || wait === undefined) throw error;
      // What could not be written is read again.
      ({ cursor, progress } = safe);
      waiting = 0;
      const failure = toAppError(error);
      const waitMs = Math.min(MAX_WAIT_MS, Math.max(wait, failure.retryAfterMs ?? 0));
      failures += 1;
      onRetry(failure, waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }
}

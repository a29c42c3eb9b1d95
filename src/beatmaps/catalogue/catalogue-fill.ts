import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { AppError, toAppError } from '../../errors.ts';
import { parseQuery } from '../query/query.ts';
import type { Search, SearchPage } from '../query/search.ts';
import type { Catalogue } from './catalogue.ts';

/** A list of sets, page by page, from which a catalogue is filled. */
export interface Feed {
  readonly name: string;
  /** Reads a page. @throws what the upstream throws; the same page can then be requested again */
  read(at: FeedPlace, signal: AbortSignal): Promise<Pick<SearchPage, 'sets' | 'total' | 'next'>>;
}

export interface FillProgress {
  /** How many sets were read from this feed, including those of earlier runs. */
  readonly sets: number;
  readonly total: number | null;
}

export interface FillPace {
  /** The pause before the first page, so that the fill does not slow down the program's start. */
  readonly startMs: number;
  /** The pause between the first pages, when there is still little to recommend. */
  readonly firstMs: number;
  readonly firstPages: number;
  /** The pause between all later pages. */
  readonly pageMs: number;
  readonly pagesADay: number;
  /** How long a feed pauses after its first, second, ... failure in a row. */
  readonly failureMs: readonly number[];
  /** The longest pause, even if an upstream asks for a longer one. */
  readonly maxWaitMs: number;
  /**
   * True to try a failing feed for ever; else the fill ends when a feed fails more times in a row than `failureMs` has
   * items.
   */
  readonly isPatient: boolean;
  /** The pause before all feeds are read again, to find changes. */
  readonly againMs: number;
}

export interface FillOptions {
  /** The name under which the fill's position is stored. */
  readonly name: string;
  readonly feeds: readonly Feed[];
  readonly catalogue: Pick<Catalogue, 'remember' | 'place' | 'keepPlace'>;
  readonly pace: FillPace;
  readonly signal: AbortSignal;
  /**
   * True while this process is the one among several that fills the catalogue; asked before each page. Default: it is.
   */
  readonly isFiller?: () => boolean;
  onPage?(progress: FillProgress): void;
  /** Called when a page failed; it is requested again in `waitMs`. */
  onFailure(error: AppError, waitMs: number, feed?: string): void;
  onEnd?(feed: string, pages: number): void;
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
/** How long the fill pauses while another process fills the catalogue, or when the day's pages are used up. */
const IDLE_MS = 60_000;

const Place = z.object({
  /** The number of the next page, from 0. */
  page: z.number(),
  /** The upstream's token for the next page, if the page's number is not enough to request it. */
  cursor: z.string().optional(),
  sets: z.number().default(0),
  /** When the last page of the feed was read, unix milliseconds; 0 before that. */
  finished: z.number(),
});
type FeedPlace = Readonly<z.infer<typeof Place>>;

const Progress = z.object({
  /** The day on which `pages` were read, as the number of days since 1970. */
  day: z.number(),
  pages: z.number(),
  places: z.record(z.string(), Place),
});
type Progress = z.infer<typeof Progress>;

interface Fill extends FillOptions {
  readonly now: () => number;
  /**
   * For each failing feed: how many attempts failed in a row, and when the feed may be read again, in the time of
   * `performance.now()`. Other feeds go on meanwhile.
   */
  readonly setbacks: Map<string, { readonly failures: number; readonly until: number }>;
  /** True when a page was read in this run. */
  hasRead: boolean;
}

/**
 * The pace for a command that a person waits for: its feed is read only once, as fast as the upstream allows, and with
 * few retries.
 */
export const PACE_OF_COMMAND: FillPace = {
  ...{ startMs: 0, firstMs: 0, firstPages: 0, pageMs: 0, pagesADay: Number.POSITIVE_INFINITY },
  failureMs: [2_000, 10_000, 30_000, 60_000],
  maxWaitMs: 300_000,
  isPatient: false,
  againMs: Number.POSITIVE_INFINITY,
};
/** A search for all sets with a leaderboard. New sets come last, so that a stored position stays valid. */
const EVERYTHING: Search = { query: parseQuery(''), status: 'leaderboard', sort: { field: 'ranked', order: 'asc' } };

/** A feed of all sets that have a leaderboard, from an upstream that can search. */
export function searchFeed(source: {
  readonly id: string;
  search(search: Search, next: string | undefined, signal?: AbortSignal): Promise<SearchPage>;
}): Feed {
  let before = { page: 0, ids: '' };
  return {
    name: source.id,
    async read({ page, cursor }, signal) {
      const found = await source.search(EVERYTHING, cursor, signal);
      const ids = found.sets.map(({ id }) => id).join();
      // The same sets under another page number mean that the upstream does not go on. Under the same page number they
      // are no error: that page was requested once more, because the position after it could not be stored.
      if (ids !== '' && ids === before.ids && page !== before.page) {
        throw new AppError('upstream_changed', `${source.id} gives the same page again and again`);
      }
      before = { page, ids };
      return found;
    },
  };
}

/**
 * Reads feeds to their ends into the catalogue, the least advanced feed first, and begins again after `againMs`. A
 * position is stored only after the sets that come before it, so the next run continues there after a failure, a kill
 * or an abort.
 * @throws AppError what a feed threw when every attempt failed, unless the pace is patient
 * @throws the signal's reason
 */
export async function fillCatalogue(options: FillOptions): Promise<void> {
  const { name, catalogue, pace, signal, now = Date.now } = options;
  const fill: Fill = { ...options, now, setbacks: new Map(), hasRead: false };
  for (let waitMs: number | undefined = pace.startMs; waitMs !== undefined; waitMs = await stepOrWait(fill)) {
    signal.throwIfAborted();
    await sleep(waitMs, undefined, { signal, ref: !pace.isPatient });
  }
  await catalogue.keepPlace(name, null);
}

/** Takes the next step of the fill. While the catalogue cannot be used, the fill waits as if a feed had failed. */
async function stepOrWait(fill: Fill): Promise<number | undefined> {
  try {
    return await step(fill);
  } catch (error) {
    fill.signal.throwIfAborted();
    if (!fill.pace.isPatient) throw error;
    fill.onFailure(toAppError(error), IDLE_MS);
    return IDLE_MS;
  }
}

/** Reads one page. @returns the pause before the next page; undefined when all feeds have ended for good */
async function step(fill: Fill): Promise<number | undefined> {
  const { feeds, pace, isFiller = () => true } = fill;
  if (!isFiller()) return IDLE_MS;
  const progress = await readProgress(fill);
  const places = feeds.map(feed => ({ feed, place: placeOf(feed, progress, fill) }));
  const open = places.filter(({ place }) => place.finished === 0).sort((a, b) => a.place.page - b.place.page);
  if (open.length === 0 && pace.againMs === Number.POSITIVE_INFINITY) return undefined;
  if (progress.pages >= pace.pagesADay) return IDLE_MS;
  const waits = open.map(({ feed }) => Math.max(0, (fill.setbacks.get(feed.name)?.until ?? 0) - performance.now()));
  const next = open[waits.indexOf(0)];
  if (next === undefined) return Math.min(IDLE_MS, ...waits);
  const { feed, place } = next;
  try {
    await readOn(feed, place, progress, fill);
    fill.setbacks.delete(feed.name);
  } catch (error) {
    noteFailure(feed, error, fill);
  }
  return place.page * feeds.length < pace.firstPages ? pace.firstMs : pace.pageMs;
}

async function readProgress({ catalogue, name, now }: Fill): Promise<Progress> {
  const today = Math.floor(now() / DAY_MS);
  const kept = await catalogue.place(name);
  const known = kept === undefined ? undefined : Progress.safeParse(JSON.parse(kept)).data;
  return { day: today, pages: known?.day === today ? known.pages : 0, places: known?.places ?? {} };
}

function placeOf({ name }: Feed, { places }: Progress, { pace, now }: Fill): FeedPlace {
  const known = places[name];
  const isOver = known !== undefined && known.finished > 0 && now() - known.finished >= pace.againMs;
  return known === undefined || isOver ? { page: 0, sets: 0, finished: 0 } : known;
}

async function readOn(feed: Feed, place: FeedPlace, progress: Progress, fill: Fill): Promise<void> {
  const { name, catalogue, pace, signal, now, onPage, onEnd } = fill;
  const counted = { ...progress, pages: progress.pages + 1 };
  const keep = (each: Progress) => catalogue.keepPlace(name, JSON.stringify(each));
  // The page is counted before it is read, because a page that crashes the process must not be requested for ever.
  if (Number.isFinite(pace.pagesADay)) await keep(counted);
  const page = await feed.read(place, signal);
  signal.throwIfAborted();
  fill.hasRead = true;
  catalogue.remember(page.sets);
  const sets = place.sets + page.sets.length;
  const isEnd = page.next === null;
  const after = { page: place.page + 1, cursor: page.next ?? undefined, sets, finished: isEnd ? now() : 0 };
  await keep({ ...counted, places: { ...progress.places, [feed.name]: after } });
  onPage?.({ sets, total: page.total });
  if (isEnd) onEnd?.(feed.name, place.page);
}

/** Notes that a feed failed, and when it may be read again. @throws the failure when the feed failed too often */
function noteFailure({ name }: Feed, thrown: unknown, fill: Fill): void {
  const { pace, signal, setbacks, hasRead, onFailure } = fill;
  signal.throwIfAborted();
  const failures = setbacks.get(name)?.failures ?? 0;
  const ownMs = pace.failureMs[pace.isPatient ? Math.min(failures, pace.failureMs.length - 1) : failures];
  // Unless the pace is patient, a feed that fails twice before any page was read in this run is given up at once,
  // because the caller can fill the catalogue from another feed instead.
  if (ownMs === undefined || (!pace.isPatient && !hasRead && failures > 0)) throw thrown;
  const error = toAppError(thrown);
  const waitMs = Math.min(pace.maxWaitMs, Math.max(ownMs, error.retryAfterMs ?? 0));
  setbacks.set(name, { failures: failures + 1, until: performance.now() + waitMs });
  onFailure(error, waitMs, name);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { toAppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Store } from '../../infra/store/store.ts';
import { RULESETS, type Ruleset } from '../model/beatmapset.ts';
import { parseQuery } from '../query/query.ts';
import type { Search } from '../query/search.ts';
import type { Mirror } from '../upstreams/mirror.ts';
import type { Catalogue } from './catalogue.ts';

/**
 * Fills the catalogue from the mirrors while the program runs: the most played sets of every ruleset first, one page at a time, far below what
 * the mirrors allow and never more than so many pages a day. Its place outlives the program. osu!'s own API is not asked.
 */
export interface BackgroundFill {
  start(): void;
  /** Ends it where it is; resolves when nothing is under way. */
  stop(): Promise<void>;
}

export interface BackgroundFillOptions {
  readonly mirrors: readonly Pick<Mirror, 'id' | 'search'>[];
  readonly catalogue: Pick<Catalogue, 'remember'>;
  /** With the catalogue's tables. */
  readonly store: Store;
  /** Whether this process fills the catalogue; asked before every page. */
  readonly isFiller: () => boolean;
  readonly log: Logger;
  readonly now?: () => number;
  /** Default {@link USUAL_PACE}. */
  readonly pace?: FillPace;
}

export interface FillPace {
  /** So that a start is not burdened by it. */
  readonly startMs: number;
  /** Between the first pages, before there is much to recommend. */
  readonly firstMs: number;
  readonly firstPages: number;
  /** Between all others. */
  readonly pageMs: number;
  readonly pagesADay: number;
  /** After a failure of every mirror, twice as long after the next one, and so on. */
  readonly failureMs: number;
  /** Before everything is read again, for what has changed. */
  readonly againMs: number;
}

const DAY_MS = 86_400_000;
/** The least that a mirror allows is 50 requests a minute: this is 15 of them at first, then 3. */
const USUAL_PACE: FillPace = {
  startMs: 20_000,
  firstMs: 4_000,
  firstPages: 80,
  pageMs: 20_000,
  pagesADay: 1_000,
  failureMs: 60_000,
  againMs: 30 * DAY_MS,
};
const MAX_FAILURE_MS = 3_600_000;
/** While another process is the filler, or a day is used up. */
const IDLE_MS = 60_000;

const PlaceRow = z.object({ page: z.number(), finished: z.number() });
const PagesRow = z.object({ pages: z.number() });
const PLACE = 'SELECT page, finished FROM catalogue_background WHERE ruleset = ?';
const KEEP_PLACE = 'INSERT OR REPLACE INTO catalogue_background (ruleset, page, finished) VALUES (?, ?, ?)';
const PAGES = 'SELECT pages FROM catalogue_background_days WHERE day = ?';
const ADD_PAGE = `INSERT INTO catalogue_background_days (day, pages) VALUES (?, 1)
  ON CONFLICT (day) DO UPDATE SET pages = pages + 1`;
const FORGET_DAYS = 'DELETE FROM catalogue_background_days WHERE day < ?';

function popular(ruleset: Ruleset): Search {
  return {
    query: { ...parseQuery(''), ruleset },
    status: 'leaderboard',
    sort: { field: 'plays', order: 'desc' },
  };
}

interface Place {
  readonly ruleset: Ruleset;
  readonly page: number;
  /** When its last page was read, unix milliseconds; 0 before. */
  readonly finished: number;
}

export function createBackgroundFill(options: BackgroundFillOptions): BackgroundFill {
  const { mirrors, catalogue, store, isFiller, log, now = Date.now, pace = USUAL_PACE } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const today = () => Math.floor(now() / DAY_MS);

  function placeOf(ruleset: Ruleset): Place {
    const known = store.get(PLACE, [ruleset], PlaceRow);
    return { ruleset, page: known?.page ?? 0, finished: known?.finished ?? 0 };
  }

  /** The ruleset that is least far; undefined when all were read not long ago. */
  function nextPlace(): Place | undefined {
    const places = RULESETS.map(placeOf).map(place =>
      place.finished > 0 && now() - place.finished >= pace.againMs ? { ...place, page: 0, finished: 0 } : place,
    );
    return places.filter(({ finished }) => finished === 0).toSorted((a, b) => a.page - b.page)[0];
  }

  /** A page of whichever mirror has it; they count pages alike. @throws what the last one threw */
  async function readPage({ ruleset, page }: Place) {
    let failure: unknown = new TypeError('there are no mirrors');
    for (let index = 0; index < mirrors.length; index += 1) {
      // In turns, so that none is asked for all.
      const mirror = mirrors[(index + page) % mirrors.length];
      try {
        const found = await mirror?.search(popular(ruleset), page === 0 ? undefined : String(page), stopping.signal);
        if (found !== undefined && found.isUnsure !== true) return found;
      } catch (error) {
        stopping.signal.throwIfAborted();
        failure = error;
      }
    }
    throw failure;
  }

  async function readOn(place: Place): Promise<void> {
    store.run(ADD_PAGE, [today()]);
    const { sets, next } = await readPage(place);
    catalogue.remember(sets);
    const isLast = next === null || sets.length === 0;
    store.run(KEEP_PLACE, [place.ruleset, place.page + 1, isLast ? now() : 0]);
    if (isLast) log.info({ ruleset: place.ruleset, pages: place.page + 1 }, 'the catalogue has been filled');
  }

  /** How long to wait for the next page. */
  async function step(failures: number): Promise<{ readonly waitMs: number; readonly failures: number }> {
    if (!isFiller()) return { waitMs: IDLE_MS, failures };
    store.run(FORGET_DAYS, [today()]);
    const pages = store.get(PAGES, [today()], PagesRow)?.pages ?? 0;
    const place = pages < pace.pagesADay ? nextPlace() : undefined;
    if (place === undefined) return { waitMs: IDLE_MS, failures: 0 };
    try {
      await readOn(place);
      const isEarly = place.page * RULESETS.length < pace.firstPages;
      return { waitMs: isEarly ? pace.firstMs : pace.pageMs, failures: 0 };
    } catch (error) {
      stopping.signal.throwIfAborted();
      const { retryAfterMs = 0, code, message } = toAppError(error);
      log.info({ code, message }, 'the catalogue could not be filled further for now');
      return {
        waitMs: Math.max(retryAfterMs, Math.min(pace.failureMs * 2 ** failures, MAX_FAILURE_MS)),
        failures: failures + 1,
      };
    }
  }

  async function run(): Promise<void> {
    let [waitMs, failures] = [pace.startMs, 0];
    for (;;) {
      await sleep(waitMs, undefined, { signal: stopping.signal, ref: false });
      ({ waitMs, failures } = await step(failures));
    }
  }

  return {
    start() {
      running ??= run().catch(error => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'the catalogue is not filled until the next start');
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { AppError, toAppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import { type Beatmapset, RULESETS, type Ruleset } from '../model/beatmapset.ts';
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
  readonly catalogue: Pick<Catalogue, 'remember' | 'place' | 'keepPlace'>;
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
  /** Of one ruleset after a failure of every mirror, twice as long after the next one, and so on. */
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

/** The end of a ruleset is believed when so many mirrors have nothing more, or all there are. */
const AGREEING = 2;

const NAME = 'background';
const Progress = z.object({
  /** Days of the epoch, and pages read on that day. */
  day: z.number(),
  pages: z.number(),
  places: z.partialRecord(z.enum(RULESETS), z.object({ page: z.number(), finished: z.number() })),
});
type Progress = z.infer<typeof Progress>;

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

/** Tries of one ruleset that failed in a row; while it waits, the others go on. */
interface Setback {
  readonly failures: number;
  /** On the clock of `performance`. */
  readonly until: number;
}

export function createBackgroundFill(options: BackgroundFillOptions): BackgroundFill {
  const { mirrors, catalogue, isFiller, log, now = Date.now, pace = USUAL_PACE } = options;
  const stopping = new AbortController();
  const setbacks = new Map<Ruleset, Setback>();
  let running: Promise<void> | undefined;

  async function readProgress(): Promise<Progress> {
    const today = Math.floor(now() / DAY_MS);
    const kept = await catalogue.place(NAME);
    const known = kept === undefined ? undefined : Progress.safeParse(JSON.parse(kept)).data;
    const pages = known?.day === today ? known.pages : 0;
    return { day: today, pages, places: known?.places ?? {} };
  }

  function placeOf(ruleset: Ruleset, { places }: Progress): Place {
    const { page = 0, finished = 0 } = places[ruleset] ?? {};
    const isOver = finished > 0 && now() - finished >= pace.againMs;
    return isOver ? { ruleset, page: 0, finished: 0 } : { ruleset, page, finished };
  }

  /** The rulesets that were not read to their end lately, the one that is least far first. */
  function openPlaces(progress: Progress): readonly Place[] {
    return RULESETS.map(ruleset => placeOf(ruleset, progress))
      .filter(({ finished }) => finished === 0)
      .toSorted((a, b) => a.page - b.page);
  }

  const waitOf = ({ ruleset }: Place) => Math.max(0, (setbacks.get(ruleset)?.until ?? 0) - performance.now());

  /**
   * A page of whichever mirror has it; they count pages alike. Empty at the end of all pages, which several mirrors must say: one that
   * has nothing may be out of order.
   * @throws why the last one did not answer
   */
  async function readPage({ ruleset, page }: Place): Promise<readonly Beatmapset[]> {
    let failure: unknown = new AppError('upstream_changed', `too few mirrors say what page ${page} of ${ruleset} is`);
    let empty = 0;
    for (let index = 0; index < mirrors.length; index += 1) {
      // In turns, so that none is asked for all.
      const mirror = mirrors[(index + page) % mirrors.length];
      try {
        const found = await mirror?.search(popular(ruleset), page === 0 ? undefined : String(page), stopping.signal);
        if (found === undefined || found.isUnsure === true) continue;
        if (found.sets.length > 0) return found.sets;
        empty += 1;
      } catch (error) {
        stopping.signal.throwIfAborted();
        failure = error;
      }
    }
    if (page > 0 && empty >= Math.min(AGREEING, mirrors.length)) return [];
    throw failure;
  }

  async function readOn(place: Place, progress: Progress): Promise<void> {
    const counted = { ...progress, pages: progress.pages + 1 };
    const keep = (each: Progress) => catalogue.keepPlace(NAME, JSON.stringify(each));
    // Before it is asked for: a page that ends the process is not asked for without end.
    await keep(counted);
    const sets = await readPage(place);
    catalogue.remember(sets);
    const isEnd = sets.length === 0;
    const next = { page: place.page + 1, finished: isEnd ? now() : 0 };
    await keep({ ...counted, places: { ...progress.places, [place.ruleset]: next } });
    if (isEnd) log.info({ ruleset: place.ruleset, pages: place.page }, 'the catalogue has been filled');
  }

  /** How long to wait for the next page. */
  async function step(): Promise<number> {
    if (!isFiller()) return IDLE_MS;
    const progress = await readProgress();
    const places = progress.pages < pace.pagesADay ? openPlaces(progress) : [];
    const place = places.find(each => waitOf(each) === 0);
    if (place === undefined) return Math.min(IDLE_MS, ...places.map(waitOf));
    const { ruleset } = place;
    try {
      await readOn(place, progress);
      setbacks.delete(ruleset);
    } catch (error) {
      stopping.signal.throwIfAborted();
      const { retryAfterMs = 0, code, message } = toAppError(error);
      log.info({ ruleset, code, message }, 'the catalogue could not be filled further for now');
      const failures = setbacks.get(ruleset)?.failures ?? 0;
      const waitMs = Math.max(retryAfterMs, Math.min(pace.failureMs * 2 ** failures, MAX_FAILURE_MS));
      setbacks.set(ruleset, { failures: failures + 1, until: performance.now() + waitMs });
    }
    const isEarly = place.page * RULESETS.length < pace.firstPages;
    return isEarly ? pace.firstMs : pace.pageMs;
  }

  /** A catalogue that is away is waited for like a mirror. */
  async function stepOrWait(): Promise<number> {
    try {
      return await step();
    } catch (error) {
      stopping.signal.throwIfAborted();
      log.warn({ err: error }, 'the catalogue could not be filled for now');
      return IDLE_MS;
    }
  }

  async function run(): Promise<void> {
    for (let waitMs = pace.startMs; ; waitMs = await stepOrWait()) {
      await sleep(waitMs, undefined, { signal: stopping.signal, ref: false });
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

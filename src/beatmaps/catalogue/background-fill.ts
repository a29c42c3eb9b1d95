import { AppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import { RULESETS, type Ruleset } from '../model/beatmapset.ts';
import { parseQuery } from '../query/query.ts';
import type { Search } from '../query/search.ts';
import type { Mirror } from '../upstreams/mirror.ts';
import { type Feed, type FillOptions, type FillPace, fillCatalogue } from './catalogue-fill.ts';

type SearchableMirror = Pick<Mirror, 'id' | 'search'>;

export interface BackgroundFillOptions extends Pick<FillOptions, 'catalogue' | 'isFiller' | 'now'> {
  readonly mirrors: readonly SearchableMirror[];
  readonly log: Logger;
  /** How fast the catalogue is filled. Default {@link USUAL_PACE}. */
  readonly pace?: FillPace;
}

/** The pace of the fill: 15 requests a minute at first, then 3. The strictest mirror allows 50 a minute. */
const USUAL_PACE: FillPace = {
  startMs: 20_000,
  firstMs: 4_000,
  firstPages: 80,
  pageMs: 20_000,
  pagesADay: 1_000,
  failureMs: [1, 2, 4, 8, 16, 32, 60].map(minutes => minutes * 60_000),
  maxWaitMs: Number.POSITIVE_INFINITY,
  isPatient: true,
  againMs: 30 * 86_400_000,
};

/** How many mirrors must say that a ruleset has no more sets; if there are fewer mirrors, all of them must. */
const AGREEING = 2;

/**
 * Lists the most played sets of a ruleset. All mirrors number the pages alike, so any of them can be asked for a page.
 * The list ends only where several mirrors agree that there are no more sets, because a single mirror that returns none
 * may be broken.
 */
function mostPlayed(ruleset: Ruleset, mirrors: readonly SearchableMirror[]): Feed {
  const query = { ...parseQuery(''), ruleset };
  const search: Search = { query, status: 'leaderboard', sort: { field: 'plays', order: 'desc' } };
  return {
    name: ruleset,
    async read({ page }, signal) {
      let failure: unknown = new AppError('upstream_changed', `too few mirrors say what page ${page} of ${ruleset} is`);
      let empty = 0;
      for (let index = 0; index < mirrors.length; index += 1) {
        // The mirrors are asked in turn, so that no single one gets all requests.
        const mirror = mirrors[(index + page) % mirrors.length];
        try {
          const found = await mirror?.search(search, page === 0 ? undefined : String(page), signal);
          if (found === undefined || found.isUnsure === true) continue;
          if (found.sets.length > 0) return { sets: found.sets, total: null, next: String(page + 1) };
          empty += 1;
        } catch (error) {
          signal.throwIfAborted();
          failure = error;
        }
      }
      if (page > 0 && empty >= Math.min(AGREEING, mirrors.length)) return { sets: [], total: null, next: null };
      throw failure;
    },
  };
}

/**
 * Fills the catalogue from the mirrors while the program runs: the most played sets first, far below the mirrors' rate
 * limits and at most `pagesADay` pages. Its position is stored, so the next start continues there. osu!'s API is not
 * asked.
 */
export function createBackgroundFill({ mirrors, log, pace = USUAL_PACE, ...options }: BackgroundFillOptions) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    try {
      await fillCatalogue({
        ...options,
        name: 'background',
        feeds: RULESETS.map(ruleset => mostPlayed(ruleset, mirrors)),
        pace,
        signal: stopping.signal,
        onFailure({ code, message }, _, ruleset) {
          log.info({ ruleset, code, message }, 'the catalogue could not be filled further for now');
        },
        onEnd: (ruleset, pages) => log.info({ ruleset, pages }, 'the catalogue has been filled'),
      });
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, 'the catalogue is not filled until the next start');
    }
  }

  return {
    start(): void {
      running ??= run();
    },
    /** Stops the fill; resolves when no request is running any more. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

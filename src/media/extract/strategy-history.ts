/** How the strategies of one source did here, and in which order that has them asked. */
import type { AppError } from '../../errors.ts';
import type { Post, SourceId } from '../post.ts';
import { isOfOurs } from './failures.ts';
import { leftAloneUntil, type SiteState } from './site-state.ts';
import type { Strategy, StrategyFigures } from './source.ts';
import type { SourceOptions } from './source-descriptor.ts';

/** The end of one question to one strategy: a post or a failure. */
export interface StrategyReport {
  readonly strategy: Strategy;
  readonly post: Post | null;
  readonly error: AppError | null;
  /** Since its request left. */
  readonly tookMs: number;
}

/** The memory of one strategy. Moments are unix milliseconds, 0 for never. */
interface StrategyRecord {
  /** Answers since it last failed, and half of those before. */
  readonly successes: number;
  /** Fetches since its last answer to which another strategy brought the post; other processes count along. */
  readonly failures: number;
  /** Until then it is asked after all others. */
  readonly cooldownUntil: number;
  readonly triedAt: number;
  /** How long it usually takes to answer; null when it never did. */
  readonly medianMs: number | null;
}

export interface StrategyHistoryOptions {
  readonly source: SourceId;
  readonly strategies: readonly Strategy[];
  readonly site: SiteState;
  readonly now: () => number;
  readonly onOutcome?: SourceOptions['onOutcome'] | undefined;
}

const UNTRIED = { successes: 0, triedAt: 0, medianMs: null };
const MAX_SUCCESSES = 20;
/** One answer moves the median by at most this share, so that one that was late by chance does not count for many. */
const MEDIAN_STEP = 0.2;
/** A strategy whose return could not be judged, as none brought that post, is asked again after this long. */
const ASK_AGAIN_MS = 5 * 60_000;
/** A strategy that never answered is taken to need so long. */
const UNKNOWN_MS = 1_000;
/** The worst stay comparable with each other. */
const MIN_RATE = 0.01;
/** A request has a price of its own: a strategy that fails at once is not better than one that works slowly. */
const REQUEST_PRICE_MS = 1_000;
/** The given order goes by what the answers hold: each place further back has to be so much better to be asked before. */
const PLACE_SHARE = 0.1;
/** An answer is promised within three seconds when the first choice hangs. */
export const MAX_PATIENCE_MS = 1_500;
/** A shorter wait gains nothing that people notice, and noise would double the requests. */
const MIN_PATIENCE_MS = 300;
/** A strategy that said so often in a row that there is no post may have died in that way. */
const DOUBTED_AFTER = 4;
const MAX_CAUSE_CHARS = 200;

export class StrategyHistory {
  readonly #options: StrategyHistoryOptions;
  readonly #records = new Map<string, Pick<StrategyRecord, 'successes' | 'triedAt' | 'medianMs'>>();
  readonly #last = new Map<string, StrategyFigures['last']>();
  /** How often in a row each said that there is no post, since it last brought one. */
  readonly #denials = new Map<string, number>();

  constructor(options: StrategyHistoryOptions) {
    this.#options = options;
  }

  #recordOf(name: string): StrategyRecord {
    const { site } = this.#options;
    const [failures, cooldownUntil] = [site.times(`strategy ${name}`), site.until(`strategy ${name}`)];
    return { ...(this.#records.get(name) ?? UNTRIED), failures, cooldownUntil };
  }

  /**
   * Best first, by success rate and speed, those that failed last behind the others; between equals, and where nothing is known, the
   * given order. The last resorts follow, and then those that cool down.
   * @returns `returning`, one of them whose cooldown is over: it is asked beside the first, as it may have come back
   */
  order(strategies: readonly Strategy[]): { asked: readonly Strategy[]; returning: Strategy | undefined } {
    const now = this.#options.now();
    const ranked = strategies
      .map((strategy, place) => {
        const record = this.#recordOf(strategy.name);
        const usualMs = (record.medianMs ?? UNKNOWN_MS) + REQUEST_PRICE_MS;
        const cost = (usualMs / Math.max(successRate(record) ?? 0.5, MIN_RATE)) * (1 + PLACE_SHARE * place);
        return { strategy, record, cost };
      })
      .filter(({ strategy }) => !strategy.isLastResort)
      .sort((a, b) => Number(a.record.failures > 0) - Number(b.record.failures > 0) || a.cost - b.cost);
    const ready = ranked.filter(({ record }) => record.cooldownUntil <= now);
    const cooling = ranked.filter(({ record }) => record.cooldownUntil > now);
    const lastResorts = strategies.filter(({ isLastResort }) => isLastResort);
    return {
      asked: [...ready.map(({ strategy }) => strategy), ...lastResorts, ...cooling.map(({ strategy }) => strategy)],
      returning: ready.slice(1).find(({ record: { failures, cooldownUntil, triedAt } }) => {
        return failures > 0 && (triedAt < cooldownUntil || now - triedAt >= ASK_AGAIN_MS);
      })?.strategy,
    };
  }

  /** The strategy that was asked longest ago, or none. */
  longestAgo(strategies: readonly Strategy[]): readonly Strategy[] {
    return strategies
      .filter(({ isLastResort }) => !isLastResort)
      .sort((a, b) => this.#recordOf(a.name).triedAt - this.#recordOf(b.name).triedAt)
      .slice(0, 1);
  }

  /** Milliseconds after which the next is started beside it. */
  patienceMs({ name }: Strategy): number {
    const { medianMs } = this.#recordOf(name);
    return medianMs === null ? MAX_PATIENCE_MS : Math.min(Math.max(3 * medianMs, MIN_PATIENCE_MS), MAX_PATIENCE_MS);
  }

  /** Says whether a guess of it counts where another endpoint shares it: lately it answered more often than not. */
  isReliable({ name }: Pick<Strategy, 'name'>): boolean {
    const { successes, failures } = this.#recordOf(name);
    return successes > failures;
  }

  /** Says whether it needs no other to confirm that there is no post. */
  isTrusted({ name }: Strategy): boolean {
    return this.#recordOf(name).failures === 0 && (this.#denials.get(name) ?? 0) < DOUBTED_AFTER;
  }

  /** Says whether its last failure was one of several in a row, and no news. */
  isFailing({ name }: Pick<Strategy, 'name'>): boolean {
    return this.#recordOf(name).failures > 1;
  }

  noteStart({ name }: Strategy): void {
    this.#records.set(name, { ...(this.#records.get(name) ?? UNTRIED), triedAt: this.#options.now() });
  }

  /**
   * A failure counts only where another strategy brought the post: a removed post or a broken network says nothing of the way in
   * which it was asked. A refusal of our own says nothing either.
   */
  note({ strategy: { name }, error, post, tookMs }: StrategyReport, isWinner: boolean, isBrought: boolean): void {
    const { source, onOutcome, now } = this.#options;
    const outcome = error?.code ?? (isWhole(post) ? 'ok' : 'incomplete');
    this.#last.set(name, { outcome, cause: error?.message.slice(0, MAX_CAUSE_CHARS) ?? null, at: now() });
    onOutcome?.(source, name, error?.code ?? 'ok', tookMs);
    if (isWinner || outcome === 'ok') {
      this.#denials.set(name, error === null ? 0 : (this.#denials.get(name) ?? 0) + 1);
      this.learn(name, tookMs);
    } else if (isBrought && (error === null || !isOfOurs(error))) this.learn(name, null);
  }

  /** Does what `MediaSource.learn` says. */
  learn(name: string, tookMs: number | null): void {
    const { site } = this.#options;
    const { successes, triedAt, medianMs } = this.#recordOf(name);
    if (tookMs === null) {
      this.#records.set(name, { successes: Math.floor(successes / 2), triedAt, medianMs });
      site.coolDown(`strategy ${name}`);
      return;
    }
    const step = (medianMs ?? 0) * MEDIAN_STEP + 1;
    const moved = medianMs === null ? tookMs : medianMs + Math.min(Math.max(tookMs - medianMs, -step), step);
    const answers = Math.min(successes + 1, MAX_SUCCESSES);
    this.#records.set(name, { successes: answers, triedAt, medianMs: Math.max(0, Math.round(moved)) });
    site.clear(`strategy ${name}`);
  }

  /** Does what `MediaSource.figures` says. */
  figures(): readonly StrategyFigures[] {
    const { strategies, site, now } = this.#options;
    const future = (moment: number) => (moment > now() ? moment : null);
    return strategies.map(strategy => {
      const record = this.#recordOf(strategy.name);
      return {
        strategy: strategy.name,
        successRate: successRate(record),
        medianMs: record.medianMs,
        coolsUntil: future(record.cooldownUntil),
        waitsUntil: future(leftAloneUntil(site, strategy)),
        last: this.#last.get(strategy.name) ?? null,
      };
    });
  }
}

/** The share of its latest fetches to which it brought the post; null for one that was never counted. */
function successRate({ successes, failures }: StrategyRecord): number | null {
  return successes + failures === 0 ? null : successes / (successes + failures);
}

/** Says whether all of a post could be read; one of words alone has no more. */
export function isWhole(post: Post | null): boolean {
  return post?.missingItems === 0;
}

/** Says whether the post has files, and none of them could be read. */
export function isCoverOnly({ items, missingItems }: Post): boolean {
  return items.length === 0 && missingItems > 0;
}

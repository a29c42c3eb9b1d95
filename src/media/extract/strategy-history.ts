/** How well the strategies of one source worked here, and the order in which they are therefore asked. */
import type { AppError } from '../../errors.ts';
import { isWhole, type Post, type SourceId } from '../post.ts';
import { isOfOurs } from './failures.ts';
import { leftAloneUntil, type SiteState } from './site-state.ts';
import type { Strategy, StrategyFigures } from './source.ts';
import type { SourceOptions } from './source-descriptor.ts';

/** The result of one run of a strategy: a post or a failure. */
export interface StrategyReport {
  readonly strategy: Strategy;
  readonly post: Post | null;
  readonly error: AppError | null;
  /** Milliseconds since its request was sent. */
  readonly tookMs: number;
}

/** The record of one strategy. Moments are unix milliseconds, 0 for never. */
interface StrategyRecord {
  /** Answers since the last failure, plus half of those before it. */
  readonly successes: number;
  /** Fetches since its last answer in which another strategy gave the post; failures in other processes count too. */
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
/** One answer moves the median by at most this share, so that a single late answer has little effect. */
const MEDIAN_STEP = 0.2;
/** After a cooldown a strategy may be asked for a post that no strategy can give; then it is asked again after this long. */
const ASK_AGAIN_MS = 5 * 60_000;
/** The assumed answer time of a strategy that never answered. */
const UNKNOWN_MS = 1_000;
/** A minimum keeps the rates of the worst strategies comparable. */
const MIN_RATE = 0.01;
/** Each request has this price, so that a strategy that fails at once is not preferred to one that works slowly. */
const REQUEST_PRICE_MS = 1_000;
/**
 * The given order reflects how much the answers contain: a strategy must be better by this share, for each place further back, to be
 * asked earlier.
 */
const PLACE_SHARE = 0.1;
/** With this wait an answer comes within three seconds even if the first strategy hangs. */
export const MAX_PATIENCE_MS = 1_500;
/** A shorter wait would not be noticed by people, but random delays would double the requests. */
const MIN_PATIENCE_MS = 300;
/** A strategy that reported "no post" this many times in a row may itself be broken. */
const DOUBTED_AFTER = 4;
const MAX_CAUSE_CHARS = 200;

export class StrategyHistory {
  readonly #options: StrategyHistoryOptions;
  readonly #records = new Map<string, Pick<StrategyRecord, 'successes' | 'triedAt' | 'medianMs'>>();
  readonly #last = new Map<string, StrategyFigures['last']>();
  /** How many times in a row each strategy reported that there is no post, since it last gave one. */
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
   * Strategies by success rate and speed, best first, those that failed last behind the others; between equals, and when nothing is
   * known, the given order. Last resorts follow, and then those that cool down.
   * @returns `returning`: a strategy whose cooldown is over; it is asked beside the first, as it may work again
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

  /** The strategy that was asked longest ago; an empty list when there is none. */
  longestAgo(strategies: readonly Strategy[]): readonly Strategy[] {
    return strategies
      .filter(({ isLastResort }) => !isLastResort)
      .sort((a, b) => this.#recordOf(a.name).triedAt - this.#recordOf(b.name).triedAt)
      .slice(0, 1);
  }

  /** Milliseconds after which the next strategy is started beside it. */
  patienceMs({ name }: Strategy): number {
    const { medianMs } = this.#recordOf(name);
    return medianMs === null ? MAX_PATIENCE_MS : Math.min(Math.max(3 * medianMs, MIN_PATIENCE_MS), MAX_PATIENCE_MS);
  }

  /** Says whether its guess counts when another endpoint shares it: lately it answered more often than not. */
  isReliable({ name }: Pick<Strategy, 'name'>): boolean {
    const { successes, failures } = this.#recordOf(name);
    return successes > failures;
  }

  /** Says whether its "no post" needs no confirmation by another. */
  isTrusted({ name }: Strategy): boolean {
    return this.#recordOf(name).failures === 0 && (this.#denials.get(name) ?? 0) < DOUBTED_AFTER;
  }

  /** Says whether its last failure was one of several in a row, so that it is no news. */
  isFailing({ name }: Pick<Strategy, 'name'>): boolean {
    return this.#recordOf(name).failures > 1;
  }

  noteStart({ name }: Strategy): void {
    this.#records.set(name, { ...(this.#records.get(name) ?? UNTRIED), triedAt: this.#options.now() });
  }

  /**
   * Records a run. A failure counts only if another strategy gave the post: a removed post or a broken network says nothing about the
   * strategy, nor does a limit of our own.
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

  /** Implements `MediaSource.learn`. */
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

  /** Implements `MediaSource.figures`. */
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

/** The share of its latest fetches in which it gave the post; null when nothing was counted yet. */
function successRate({ successes, failures }: StrategyRecord): number | null {
  return successes + failures === 0 ? null : successes / (successes + failures);
}

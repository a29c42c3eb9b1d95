/** How well the strategies of one source have worked in this process, and the order to run them in. */
import type { AppError } from '../../errors.ts';
import type { Post, SourceId } from '../post.ts';
import { type Cooldowns, leftAloneUntil } from './cooldowns.ts';
import { isOfOurs } from './refusal.ts';
import { isWhole, type Strategy, type StrategyFigures } from './source.ts';
import type { SourceOptions } from './source-descriptor.ts';

/** The result of one run of a strategy: a post or a failure. */
export interface StrategyReport {
  readonly strategy: Strategy;
  readonly post: Post | null;
  readonly error: AppError | null;
  /** Milliseconds since its request was sent. */
  readonly tookMs: number;
}

/** The success record of one strategy. Times are unix milliseconds, 0 for never. */
interface StrategyRecord {
  /** Answers since the last failure, plus half of the earlier ones. */
  readonly successes: number;
  /** Failures since its last answer for posts that another strategy got; failures in other processes count too. */
  readonly failures: number;
  /** The time until which it runs after all others. */
  readonly cooldownUntil: number;
  readonly triedAt: number;
  /** The usual time of an answer; null when there was none yet. */
  readonly medianMs: number | null;
}

export interface StrategyRankingOptions {
  readonly source: SourceId;
  readonly strategies: readonly Strategy[];
  readonly cooldowns: Cooldowns;
  readonly now: () => number;
  readonly onOutcome?: SourceOptions['onOutcome'] | undefined;
}

const UNTRIED = { successes: 0, triedAt: 0, medianMs: null };
const MAX_SUCCESSES = 20;
/** One answer changes the median by at most this share, so that a single late answer has little effect. */
const MEDIAN_STEP = 0.2;
/** A strategy is tried for one post after its cooldown; if no strategy gets that post, again after this time. */
const ASK_AGAIN_MS = 5 * 60_000;
/** The assumed answer time of a strategy without any answer yet. */
const UNKNOWN_MS = 1_000;
/** The least success rate that is assumed, so that strategies which always fail can still be compared by their time. */
const MIN_RATE = 0.01;
/** A price added to each request's time: otherwise failing at once would look better than working slowly. */
const REQUEST_PRICE_MS = 1_000;
/**
 * The given order shows how complete the answers are. For each position that a strategy moves forward, it must be
 * better by this share.
 */
const PLACE_SHARE = 0.1;
/** The longest wait before the next strategy starts: people get an answer within 3 s even if the first hangs. */
export const MAX_PATIENCE_MS = 1_500;
/** The shortest wait: people would not notice a shorter one, and every slow answer would cost a second request. */
const MIN_PATIENCE_MS = 300;
/** A strategy that reported "no post" this many times in a row may be broken, so another has to confirm its report. */
const DOUBTED_AFTER = 4;
const MAX_CAUSE_CHARS = 200;

export class StrategyRanking {
  readonly #options: StrategyRankingOptions;
  readonly #records = new Map<string, Pick<StrategyRecord, 'successes' | 'triedAt' | 'medianMs'>>();
  readonly #last = new Map<string, StrategyFigures['last']>();
  /** How many times in a row each strategy reported that there is no post. */
  readonly #denials = new Map<string, number>();

  constructor(options: StrategyRankingOptions) {
    this.#options = options;
  }

  #recordOf(name: string): StrategyRecord {
    const { cooldowns } = this.#options;
    const [failures, cooldownUntil] = [cooldowns.times(`strategy ${name}`), cooldowns.until(`strategy ${name}`)];
    return { ...(this.#records.get(name) ?? UNTRIED), failures, cooldownUntil };
  }

  /**
   * Sorts strategies by success rate and speed, best first, with those whose latest result was a failure behind the
   * others; equal ones keep the given order. Last resorts follow, and then those in a cooldown.
   * @returns `returning`: a strategy whose cooldown is over, to be tried beside the first
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

  /** A list of the one strategy that was asked longest ago; empty when there is none. */
  longestAgo(strategies: readonly Strategy[]): readonly Strategy[] {
    return strategies
      .filter(({ isLastResort }) => !isLastResort)
      .sort((a, b) => this.#recordOf(a.name).triedAt - this.#recordOf(b.name).triedAt)
      .slice(0, 1);
  }

  /** Milliseconds after which the next strategy is started while this one is still running. */
  patienceMs({ name }: Strategy): number {
    const { medianMs } = this.#recordOf(name);
    return medianMs === null ? MAX_PATIENCE_MS : Math.min(Math.max(3 * medianMs, MIN_PATIENCE_MS), MAX_PATIENCE_MS);
  }

  /** Says whether this strategy lately answered more often than not, so that its weak failure can confirm another's. */
  isReliable({ name }: Pick<Strategy, 'name'>): boolean {
    const { successes, failures } = this.#recordOf(name);
    return successes > failures;
  }

  /** Says whether a "no post" of this strategy needs no confirmation by another. */
  isTrusted({ name }: Strategy): boolean {
    return this.#recordOf(name).failures === 0 && (this.#denials.get(name) ?? 0) < DOUBTED_AFTER;
  }

  /** Says whether the strategy has failed several times in a row, so that a further failure is not worth a log line. */
  isFailing({ name }: Pick<Strategy, 'name'>): boolean {
    return this.#recordOf(name).failures > 1;
  }

  noteStart({ name }: Strategy): void {
    this.#records.set(name, { ...(this.#records.get(name) ?? UNTRIED), triedAt: this.#options.now() });
  }

  /**
   * Records a run. A failure counts only if another strategy got the post: a deleted post or a broken network says
   * nothing about the strategy, nor does one of Medley's own limits.
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
    const { cooldowns } = this.#options;
    const { successes, triedAt, medianMs } = this.#recordOf(name);
    if (tookMs === null) {
      this.#records.set(name, { successes: Math.floor(successes / 2), triedAt, medianMs });
      cooldowns.coolDown(`strategy ${name}`);
      return;
    }
    const step = (medianMs ?? 0) * MEDIAN_STEP + 1;
    const moved = medianMs === null ? tookMs : medianMs + Math.min(Math.max(tookMs - medianMs, -step), step);
    const answers = Math.min(successes + 1, MAX_SUCCESSES);
    this.#records.set(name, { successes: answers, triedAt, medianMs: Math.max(0, Math.round(moved)) });
    cooldowns.clear(`strategy ${name}`);
  }

  /** Implements `MediaSource.figures`. */
  figures(): readonly StrategyFigures[] {
    const { strategies, cooldowns, now } = this.#options;
    const future = (moment: number) => (moment > now() ? moment : null);
    return strategies.map(strategy => {
      const record = this.#recordOf(strategy.name);
      return {
        strategy: strategy.name,
        successRate: successRate(record),
        medianMs: record.medianMs,
        coolsUntil: future(record.cooldownUntil),
        waitsUntil: future(leftAloneUntil(cooldowns, strategy)),
        last: this.#last.get(strategy.name) ?? null,
      };
    });
  }
}

/** The share of the latest fetches in which the strategy got the post; null when nothing was counted yet. */
function successRate({ successes, failures }: StrategyRecord): number | null {
  return successes + failures === 0 ? null : successes / (successes + failures);
}

/** Knows how well each strategy of a source has worked in this process, and chooses the order to run them in. */
import type { AppError } from '../../errors.ts';
import type { Post } from '../post.ts';
import { type Cooldowns, endpointName } from './cooldowns.ts';
import { isOfOurs } from './refusal.ts';
import { isWhole, type Strategy, type StrategyFigures } from './source.ts';

/** The result of one run of a strategy: a post or a failure. */
export interface StrategyReport {
  readonly strategy: Strategy;
  readonly post: Post | null;
  readonly error: AppError | null;
  /** Milliseconds from the sending of the strategy's request until its report. */
  readonly tookMs: number;
}

interface StrategyRecord extends Pick<StrategyFigures, 'medianMs' | 'last'> {
  /** How many answers the strategy gave. Each failure halves the number, so that recent runs count more. */
  readonly successes: number;
  /** When the strategy was last run, unix milliseconds; 0 for never. */
  readonly triedAt: number;
  /** How many of the strategy's latest runs in a row reported that the post does not exist. */
  readonly denials: number;
}

const UNTRIED: StrategyRecord = { successes: 0, triedAt: 0, medianMs: null, denials: 0, last: null };
const MAX_SUCCESSES = 20;
/** One answer moves the median by at most this share, so that a single slow answer changes little. */
const MEDIAN_STEP = 0.2;
/**
 * After its cooldown, a strategy is tested with one post. If no strategy finds that post, the test proves nothing, and
 * it is repeated after this time.
 */
const ASK_AGAIN_MS = 5 * 60_000;
/** The assumed answer time of a strategy without any answer yet. */
const UNKNOWN_MS = 1_000;
/** The least success rate that is assumed: strategies that always fail can then still be compared by their time. */
const MIN_RATE = 0.01;
/** Added to the time of each run. Otherwise failing at once would look better than working slowly. */
const REQUEST_PRICE_MS = 1_000;
/**
 * A strategy's cost is its usual time divided by its success rate; the cheapest runs first. The given order of the
 * strategies is that of how complete their answers are. Each position further back adds this share to the cost, so a
 * strategy only overtakes one with more complete answers if it is clearly cheaper.
 */
const PLACE_SHARE = 0.1;
/** The longest wait before the next strategy starts: people get an answer within 3 s even if the first hangs. */
export const MAX_PATIENCE_MS = 1_500;
/** The shortest wait before the next strategy starts. If shorter, each slow answer would cost a second request. */
const MIN_PATIENCE_MS = 300;
/**
 * A strategy that reported "no post" this many times in a row may be broken, so a second strategy has to confirm that
 * report.
 */
const DOUBTED_AFTER = 4;
const MAX_CAUSE_CHARS = 200;

export class StrategyRanking {
  readonly #cooldowns: Cooldowns;
  readonly #now: () => number;
  readonly #records = new Map<string, StrategyRecord>();

  constructor(cooldowns: Cooldowns, now: () => number) {
    this.#cooldowns = cooldowns;
    this.#now = now;
  }

  /**
   * `failures` counts how often the strategy failed, since its last answer and in all processes, for a post that
   * another strategy found.
   */
  #recordOf(name: string) {
    const record = this.#records.get(name) ?? UNTRIED;
    const [failures, cooldownUntil] = [this.#cooldowns.times(keyOf(name)), this.#cooldowns.until(keyOf(name))];
    const asked = record.successes + failures;
    return { ...record, failures, cooldownUntil, successRate: asked === 0 ? null : record.successes / asked };
  }

  #change(name: string, changes: Partial<StrategyRecord>): void {
    this.#records.set(name, { ...(this.#records.get(name) ?? UNTRIED), ...changes });
  }

  /**
   * Sorts strategies by success rate and speed, best first; equal ones keep the given order. Those whose latest run
   * failed come after the others, then last resorts, then those in a cooldown.
   * @returns `returning`: a strategy whose cooldown is over, to be tried beside the first
   */
  order(strategies: readonly Strategy[]): { asked: readonly Strategy[]; returning: Strategy | undefined } {
    const now = this.#now();
    const ranked = strategies
      .map((strategy, place) => {
        const record = this.#recordOf(strategy.name);
        const usualMs = (record.medianMs ?? UNKNOWN_MS) + REQUEST_PRICE_MS;
        const rate = Math.max(record.successRate ?? 0.5, MIN_RATE);
        return { strategy, record, cost: (usualMs / rate) * (1 + PLACE_SHARE * place) };
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

  /** The strategy that was asked longest ago, in a list; the list is empty when there is no strategy. */
  longestAgo(strategies: readonly Strategy[]): readonly Strategy[] {
    return strategies
      .filter(({ isLastResort }) => !isLastResort)
      .sort((a, b) => this.#recordOf(a.name).triedAt - this.#recordOf(b.name).triedAt)
      .slice(0, 1);
  }

  /** How many milliseconds this strategy may run before the next one is started beside it. */
  patienceMs({ name }: Strategy): number {
    const { medianMs } = this.#recordOf(name);
    return medianMs === null ? MAX_PATIENCE_MS : Math.min(Math.max(3 * medianMs, MIN_PATIENCE_MS), MAX_PATIENCE_MS);
  }

  /**
   * Says whether most recent runs of this strategy succeeded, so that its weak failure can confirm that of another
   * strategy.
   */
  isReliable({ name }: Pick<Strategy, 'name'>): boolean {
    const { successes, failures } = this.#recordOf(name);
    return successes > failures;
  }

  /** Says whether the report "no post" of this strategy is believed, even if no second strategy confirms it. */
  isTrusted({ name }: Strategy): boolean {
    const { failures, denials } = this.#recordOf(name);
    return failures === 0 && denials < DOUBTED_AFTER;
  }

  /** Says whether the strategy failed several times in a row. A further failure is then not logged. */
  isFailing({ name }: Pick<Strategy, 'name'>): boolean {
    return this.#recordOf(name).failures > 1;
  }

  noteStart({ name }: Strategy): void {
    this.#change(name, { triedAt: this.#now() });
  }

  /**
   * Records a run. A failure counts only if another strategy found the post, because a deleted post, a broken network
   * or one of Medley's own limits says nothing about the strategy.
   */
  note({ strategy: { name }, error, post, tookMs }: StrategyReport, isWinner: boolean, isBrought: boolean): void {
    const outcome = error?.code ?? (isWhole(post) ? 'ok' : 'incomplete');
    const cause = error?.message.slice(0, MAX_CAUSE_CHARS) ?? null;
    this.#change(name, { last: { outcome, cause, at: this.#now() } });
    if (isWinner || outcome === 'ok') {
      this.#change(name, { denials: error === null ? 0 : this.#recordOf(name).denials + 1 });
      this.learn(name, tookMs);
    } else if (isBrought && (error === null || !isOfOurs(error))) this.learn(name, null);
  }

  /** Implements `MediaSource.learn`. */
  learn(name: string, tookMs: number | null): void {
    const { successes, medianMs } = this.#recordOf(name);
    if (tookMs === null) {
      this.#change(name, { successes: Math.floor(successes / 2) });
      this.#cooldowns.coolDown(keyOf(name));
      return;
    }
    const step = (medianMs ?? 0) * MEDIAN_STEP + 1;
    const moved = medianMs === null ? tookMs : medianMs + Math.min(Math.max(tookMs - medianMs, -step), step);
    const answers = Math.min(successes + 1, MAX_SUCCESSES);
    this.#change(name, { successes: answers, medianMs: Math.max(0, Math.round(moved)) });
    this.#cooldowns.clear(keyOf(name));
  }

  /** Implements `MediaSource.figures`: the counts and times of each strategy. */
  figures(strategies: readonly Strategy[]): readonly StrategyFigures[] {
    const future = (moment: number) => (moment > this.#now() ? moment : null);
    return strategies.map(strategy => {
      const { successRate, medianMs, cooldownUntil, last } = this.#recordOf(strategy.name);
      const waitsUntil = future(this.#cooldowns.until(endpointName(strategy)));
      return { strategy: strategy.name, successRate, medianMs, coolsUntil: future(cooldownUntil), waitsUntil, last };
    });
  }
}

/** The name under which the cooldown of a strategy is stored. */
function keyOf(name: string): string {
  return `strategy ${name}`;
}

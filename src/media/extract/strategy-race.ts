/**
 * One fetch of a post: strategies start one after another. While one is slow, the next one starts beside it. The fetch
 * ends when one has the whole post or knows for certain why there is none. Nothing is kept for later fetches.
 */
import { AppError } from '../../errors.ts';
import { abortable, abortReason, type JoinedSignal, joinSignals } from '../../infra/concurrency/abortable.ts';
import { type Departure, withContext } from '../../infra/concurrency/running-work.ts';
import { OWN_DOING } from '../../infra/http/read-failure.ts';
import type { Logger } from '../../infra/log.ts';
import type { Post } from '../post.ts';
import { asWeak, isDefinitive, isUnclear, isWithheld } from './refusal.ts';
import { endpointOf, isCoverOnly, isWhole, type Strategy } from './source.ts';
import { agreedFailure, type StrategyFailure, toStrategyError } from './strategy-failures.ts';
import { MAX_PATIENCE_MS, type StrategyRanking, type StrategyReport } from './strategy-ranking.ts';

/**
 * Runs one strategy once, for a limited time; it does not wait for work that ignores its signal. The promise `report`
 * never rejects. `departure.at` is undefined while the request waits in one of Medley's own queues.
 */
export function startStrategy(strategy: Strategy, ask: (signal: AbortSignal) => Promise<Post>, timeoutMs: number) {
  const controller = new AbortController();
  const startedAt = performance.now();
  const departure: Departure = { at: startedAt };
  const end = (post: Post | null, error: AppError | null) => {
    return { strategy, post, error, tookMs: performance.now() - (departure.at ?? startedAt) };
  };
  const giveUp = () => {
    const [ms, isAsked] = [Math.round(timeoutMs), departure.at !== undefined];
    const message = isAsked ? `no answer within ${ms} ms` : `its turn at our own pace did not come within ${ms} ms`;
    // A request that was never sent says nothing about the site, so the error says that Medley itself is the reason.
    controller.abort(new AppError('timeout', message, isAsked ? {} : OWN_DOING));
  };
  async function run(): Promise<StrategyReport> {
    const timer = setTimeout(giveUp, timeoutMs);
    try {
      const work = withContext({ departure }, async () => ask(controller.signal));
      const post: Post | null | undefined = await abortable(work, controller.signal);
      return post ? end(post, null) : end(null, new AppError('upstream_changed', 'the answer holds no post'));
    } catch (error) {
      return end(null, toStrategyError(error));
    } finally {
      clearTimeout(timer);
    }
  }
  return { departure, report: run(), abort: (reason: AppError) => controller.abort(reason) };
}

interface RaceOptions {
  /**
   * The strategies in the order to run them. The position of those that only ask why a post is hidden (`explains`) does
   * not matter: they run when that question is due, not in this order.
   */
  readonly strategies: readonly Strategy[];
  /** A strategy whose cooldown is over. It runs beside the first one as a test, for which the fetch does not wait. */
  readonly returning: Strategy | undefined;
  /** Asks the site why a post is hidden. A definitive failure ends the fetch; any other result is ignored. */
  readonly diagnosis: Strategy | undefined;
  readonly ranking: StrategyRanking;
  ask(strategy: Strategy, signal: AbortSignal): Promise<Post>;
  /**
   * Records a report. @param isWinner true when this report ended the fetch, or has the post that is returned
   * @param isBrought true when the fetch found the post, by this strategy or by another
   */
  note(report: StrategyReport, isWinner: boolean, isBrought: boolean): void;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'warn'>;
}

const TIMEOUT_MS = 10_000;
const MAX_AT_ONCE = 3;
/** How often a strategy that waits in one of Medley's own queues is checked again. */
const LOOK_AGAIN_MS = 50;
/** After this many endpoints hid the post, the site is asked why. A single endpoint may be broken. */
const WITHHELD_ENDPOINTS = 2;

export class StrategyRace {
  readonly #options: RaceOptions;
  /** Aborts with the caller's signal or at the deadline. */
  readonly #over: JoinedSignal;
  /** The longest wait for a running strategy, or for the reason why the post is hidden, before the next one starts. */
  readonly #maxPatienceMs: number;
  #queue: readonly Strategy[];
  readonly #running = new Map<Strategy, ReturnType<typeof startStrategy>>();
  readonly #reports: StrategyReport[] = [];
  readonly #failures: StrategyFailure[] = [];
  /** The running strategies that only ask why the post is hidden; undefined before the site is asked that. */
  #questions: Set<Strategy> | undefined;
  /** The report with the most complete post. */
  #best: StrategyReport | undefined;
  #verdict: AppError | null = null;
  /** The strategy that found the whole post or a definitive failure. */
  #decider: Strategy | undefined;
  /** Milliseconds until the next strategy may start. */
  #waitMs = () => 0;

  constructor(options: RaceOptions) {
    this.#options = options;
    this.#queue = options.strategies.filter(one => one !== options.returning && !one.explains);
    this.#over = joinSignals([options.signal], options.deadlineMs);
    this.#maxPatienceMs = Math.min(MAX_PATIENCE_MS, options.deadlineMs / 8);
  }

  /**
   * @returns the complete post, else the most complete one; `verdict`: why there is none, if that is certain; `winner`:
   * the strategy that found the post or the verdict; the failures in the order they happened
   * @throws AppError the signal's reason, when the caller aborts
   */
  async run() {
    const { returning, signal } = this.#options;
    try {
      this.#startNext();
      if (returning !== undefined && !this.#isOver) this.#start(returning);
      this.#explainWhenDue();
      while (!this.#isOver && this.#running.size > 0) {
        const report = await this.#next();
        if (report !== undefined) this.#take(report);
        this.#explainWhenDue();
        this.#startNext();
      }
      if (signal.aborted) throw abortReason(signal);
      return this.#result();
    } finally {
      this.#over.release();
      for (const [strategy, { abort }] of this.#running) {
        if (strategy === returning && !signal.aborted) continue;
        abort(this.#cutShort() ?? new AppError('timeout', 'another strategy was done before'));
      }
    }
  }

  /** The error if the caller or the deadline ended the race, else undefined. */
  #cutShort(): AppError | undefined {
    const { signal, deadlineMs } = this.#options;
    if (signal.aborted) return abortReason(signal);
    return this.#over.signal.aborted ? new AppError('timeout', `no answer within ${deadlineMs} ms`) : undefined;
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted || this.#decider !== undefined || this.#verdict !== null;
  }

  get #hasPost(): boolean {
    return this.#best?.post != null && !isCoverOnly(this.#best.post);
  }

  /** True while a strategy runs that delays the start of the next one. */
  get #isInLine(): boolean {
    const { returning } = this.#options;
    return [...this.#running.keys()].some(one => one !== returning && !this.#questions?.has(one));
  }

  /** The weak failure that two endpoints report; undefined if there is none or any post was found. */
  #agreed(): AppError | undefined {
    if (this.#best !== undefined || this.#failures.length < 2) return undefined;
    return agreedFailure(this.#failures, one => this.#options.ranking.isReliable(one));
  }

  #startable(): Strategy | undefined {
    if (this.#isOver || this.#running.size >= MAX_AT_ONCE || this.#agreed() !== undefined) return undefined;
    return this.#queue.find(one => !one.isLastResort || !this.#isInLine);
  }

  #start(strategy: Strategy): Readonly<Departure> {
    const { ask, deadlineMs } = this.#options;
    const timeoutMs = strategy.timeoutMs ?? Math.min(TIMEOUT_MS, deadlineMs / 2);
    const running = startStrategy(strategy, signal => ask(strategy, signal), timeoutMs);
    this.#running.set(strategy, running);
    return running.departure;
  }

  #startNext(): void {
    const next = this.#startable();
    if (next === undefined || this.#waitMs() > 0) return;
    this.#queue = this.#queue.filter(one => one !== next);
    const patienceMs = Math.min(this.#options.ranking.patienceMs(next), this.#maxPatienceMs);
    const departure = this.#start(next);
    this.#waitMs = () => (departure.at === undefined ? LOOK_AGAIN_MS : departure.at + patienceMs - performance.now());
  }

  /** Waits for the next report; undefined when the next strategy may start or the time is over. */
  #next(): Promise<StrategyReport | undefined> {
    const waits: Promise<StrategyReport | undefined>[] = [...this.#running.values()].map(({ report }) => report);
    let timer: NodeJS.Timeout | undefined;
    if (this.#startable() !== undefined) {
      const due = new Promise<undefined>(resolve => {
        timer = setTimeout(resolve, Math.max(1, this.#waitMs()), undefined);
      });
      waits.push(due);
    }
    return abortable(Promise.race(waits), this.#over.signal)
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
  }

  #take(report: StrategyReport): void {
    const { strategy, post, error } = report;
    const isQuestion = this.#questions?.delete(strategy);
    this.#running.delete(strategy);
    if (strategy !== this.#options.diagnosis) this.#reports.push(report);
    if (error !== null) this.#fail(strategy, error);
    else if (post !== null && isBetter(post, this.#best?.post)) {
      this.#best = report;
      if (isWhole(post)) this.#decider = strategy;
    }
    if (this.#questions?.size) return;
    if (isQuestion && !this.#isOver) this.#verdict = this.#agreed() ?? null;
    if (strategy !== this.#options.returning) this.#waitMs = () => 0;
  }

  #fail(strategy: Strategy, said: AppError): void {
    const isDoubted = isDefinitive(said) && !strategy.explains && !this.#options.ranking.isTrusted(strategy);
    const error = isDoubted ? asWeak(said) : said;
    if (strategy !== this.#options.diagnosis || isDefinitive(error)) this.#failures.push({ strategy, error });
    if (error.code === 'not_found') this.#queue = this.#queue.filter(one => !one.byAccount);
    if (!isDefinitive(error)) return;
    this.#decider = strategy;
    // Readable items are worth more to people than the reason why other items are missing.
    if (!this.#hasPost) this.#verdict = error;
  }

  /** Asks once why there is no post: when two endpoints hid it, or when no other strategy is left. */
  #explainWhenDue(): void {
    if (this.#questions !== undefined || this.#isOver || this.#hasPost) return;
    const { diagnosis, strategies, returning } = this.#options;
    const withheld = this.#failures.filter(({ strategy, error }) => strategy !== returning && isWithheld(error));
    const endpoints = new Set(withheld.map(({ strategy }) => endpointOf(strategy)));
    const isAsked = endpoints.size >= WITHHELD_ENDPOINTS || this.#agreed() !== undefined;
    if (!isAsked && (this.#isInLine || this.#queue.length > 0)) return;
    const isWorthAsking = isAsked || this.#failures.some(({ error }) => isUnclear(error));
    const questions = strategies.filter(one => one.explains);
    if (diagnosis !== undefined && isWorthAsking) questions.push(diagnosis);
    this.#questions = new Set(questions);
    for (const question of questions) this.#start(question);
    const until = performance.now() + this.#maxPatienceMs;
    if (questions.length > 0) this.#waitMs = () => until - performance.now();
    else this.#verdict = this.#agreed() ?? null;
  }

  /**
   * Passes all reports to `note`. The fetch does not wait for the test of the `returning` strategy, so the report of
   * that strategy may be noted after the fetch has ended.
   */
  #result() {
    const { strategies, returning, note, log } = this.#options;
    const [hasPost, decider, cutShort] = [this.#hasPost, this.#decider, this.#cutShort()];
    const winner = hasPost ? this.#best?.strategy : (decider ?? this.#best?.strategy);
    for (const report of this.#reports) note(report, report.strategy === winner, hasPost);
    for (const [strategy, { report, departure }] of this.#running) {
      if (strategy === returning) {
        report.then(late => note(late, false, hasPost)).catch(err => log.warn({ err }, 'a late report was not noted'));
        continue;
      }
      if (cutShort !== undefined) this.#failures.push({ strategy, error: cutShort });
      // A strategy that is still running although a later one has ended the race counts as failed: it had enough time.
      const isLater = decider && decider !== returning && strategies.indexOf(strategy) <= strategies.indexOf(decider);
      if (!isLater || departure.at === undefined || strategy.explains) continue;
      const error = new AppError('timeout', 'another that was asked later was done before');
      note({ strategy, post: null, error, tookMs: performance.now() - departure.at }, false, hasPost);
    }
    return { post: this.#best?.post ?? null, verdict: this.#verdict, winner, failures: this.#failures };
  }
}

/** Says whether a post is worth more than the one that is known: it is whole, or more of its items could be read. */
function isBetter(post: Post, known: Post | null | undefined): boolean {
  if (isWhole(post) || known == null) return true;
  const more = post.items.length - known.items.length;
  return more > 0 || (more === 0 && post.missingItems < known.missingItems);
}

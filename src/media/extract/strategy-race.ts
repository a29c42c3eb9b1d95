/**
 * One fetch: strategies are started in order, the next beside a slow one, until one brings the whole post or says for certain why
 * there is none. Knows nothing of other fetches.
 */
import { AppError } from '../../errors.ts';
import type { Post } from '../post.ts';
import { type Attempt, abortReason, type Entrant, type Report, startAttempt } from './strategy-attempt.ts';
import {
  agreedFailure,
  asWeak,
  isDefinitive,
  isUnclear,
  isWithheld,
  type StrategyFailure,
} from './strategy-failures.ts';

export interface RaceOptions {
  /** In the order to ask in; those that explain may stand anywhere. */
  readonly entrants: readonly Entrant[];
  /** One of them, asked at once beside the first; an answer does not wait for it. */
  readonly returning: Entrant | undefined;
  /** Asks why a post is withheld: a definitive failure is the answer, anything else is none. */
  readonly diagnose: Entrant | undefined;
  /** Whether a strategy's weak word on a post counts where another endpoint shares it. */
  readonly isReliable: (strategy: string) => boolean;
  /** Whether a strategy's certain word that there is no post needs no other to confirm it. */
  readonly isTrusted: (strategy: string) => boolean;
  readonly deadlineMs: number;
  /** How long the questions why a post is withheld keep the next strategy from starting. */
  readonly explainMs: number;
  /** The caller's. */
  readonly signal: AbortSignal;
  readonly onStart: (strategy: string) => void;
}

export interface RaceResult {
  /** The whole post, else the best that was brought; null when none was. */
  readonly post: Post | null;
  /** Why there is none, for certain. */
  readonly verdict: AppError | null;
  /** The strategy that brought the post, or else the verdict. */
  readonly winner: string | null;
  readonly reports: readonly Report[];
  /** In the order they happened. */
  readonly failures: readonly StrategyFailure[];
  /** The returning one, where it was not done in time. Never rejects. */
  readonly late: Promise<Report> | undefined;
}

const MAX_AT_ONCE = 3;
/** While one stands in our own line: how soon it is looked whether it still does. */
const LOOK_AGAIN_MS = 50;
/** Endpoints that must have withheld a post before it is asked why: one alone may just be dead. */
const WITHHELD_ENDPOINTS = 2;

/** @throws AppError the caller's reason, when its signal aborts */
export async function raceStrategies(options: RaceOptions): Promise<RaceResult> {
  return new Race(options).run();
}

class Race {
  readonly #options: RaceOptions;
  #queue: readonly Entrant[];
  readonly #running = new Map<Entrant, Attempt>();
  readonly #reports: Report[] = [];
  readonly #failures: StrategyFailure[] = [];
  /** Of those that run, the ones that were asked why the post is withheld. */
  readonly #questions = new Set<Entrant>();
  #isExplained = false;
  #post: Post | null = null;
  #broughtBy: Entrant | undefined;
  #verdict: AppError | null = null;
  /** Brought the whole post or the verdict. */
  #decider: Entrant | undefined;
  /** Why it ended undecided. */
  #cutShort: AppError | undefined;
  /** Milliseconds until the next may start. */
  #waitMs = () => 0;

  constructor(options: RaceOptions) {
    this.#options = options;
    this.#queue = options.entrants.filter(one => one !== options.returning && !one.explains);
  }

  async run(): Promise<RaceResult> {
    const { returning, deadlineMs, signal } = this.#options;
    let cut = (_: AppError) => {};
    const over = new Promise<undefined>(resolve => {
      cut = reason => {
        this.#cutShort ??= reason;
        resolve(undefined);
      };
    });
    const timer = setTimeout(() => cut(new AppError('timeout', `no answer within ${deadlineMs} ms`)), deadlineMs);
    const onAbort = () => cut(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      this.#startNext();
      if (returning !== undefined && !signal.aborted) this.#start(returning);
      this.#explainWhenDue();
      while (!this.#isOver() && this.#running.size > 0) {
        const report = await this.#next(over);
        if (report !== undefined) this.#take(report);
        this.#explainWhenDue();
        this.#startNext();
      }
      if (signal.aborted) throw abortReason(signal);
      return this.#result();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      const reason = this.#cutShort ?? new AppError('timeout', 'another strategy was done before');
      for (const [entrant, attempt] of this.#running)
        if (entrant !== returning || signal.aborted) attempt.abort(reason);
    }
  }

  #isOver(): boolean {
    return this.#cutShort !== undefined || this.#decider !== undefined || this.#verdict !== null;
  }

  #hasItems(): boolean {
    return (this.#post?.items.length ?? 0) > 0;
  }

  /** Those whose failure the next in the queue waits for. */
  #inLine(): readonly Entrant[] {
    const { returning } = this.#options;
    return [...this.#running.keys()].filter(one => one !== returning && !this.#questions.has(one));
  }

  /** The weak word on which two endpoints agree; what was brought refutes it. */
  #agreed(): AppError | undefined {
    return this.#post === null ? agreedFailure(this.#failures, this.#options.isReliable) : undefined;
  }

  #startable(): Entrant | undefined {
    if (this.#isOver() || this.#running.size >= MAX_AT_ONCE || this.#agreed() !== undefined) return undefined;
    const isFree = this.#inLine().length === 0;
    return this.#queue.find(one => isFree || !one.alone);
  }

  #start(entrant: Entrant): Attempt {
    if (entrant !== this.#options.diagnose) this.#options.onStart(entrant.name);
    const attempt = startAttempt(entrant);
    this.#running.set(entrant, attempt);
    return attempt;
  }

  #startNext(): void {
    const next = this.#startable();
    if (next === undefined || this.#waitMs() > 0) return;
    this.#queue = this.#queue.filter(one => one !== next);
    const { departure } = this.#start(next);
    this.#waitMs = () =>
      departure.at === undefined ? LOOK_AGAIN_MS : departure.at + next.patienceMs - performance.now();
  }

  /** What is done next; undefined when the next may start, or the time is over. */
  async #next(over: Promise<undefined>): Promise<Report | undefined> {
    const waits = [over, ...[...this.#running.values()].map(({ settled }) => settled)];
    if (this.#startable() === undefined) return Promise.race(waits);
    let timer: NodeJS.Timeout | undefined;
    const due = new Promise<undefined>(resolve => {
      timer = setTimeout(resolve, Math.max(1, this.#waitMs()), undefined);
    });
    return Promise.race([...waits, due]).finally(() => clearTimeout(timer));
  }

  #take(report: Report): void {
    const { entrant, ending } = report;
    const isQuestion = this.#questions.delete(entrant);
    this.#running.delete(entrant);
    if (entrant !== this.#options.diagnose) this.#reports.push(report);
    if (ending.kind === 'failed') this.#fail(entrant, ending.error);
    else this.#bring(entrant, ending.post, ending.kind === 'complete');
    if (isQuestion && this.#questions.size === 0 && !this.#isOver()) this.#verdict = this.#agreed() ?? null;
    if (this.#questions.size === 0 && entrant !== this.#options.returning) this.#waitMs = () => 0;
  }

  #fail(entrant: Entrant, said: AppError): void {
    const isDoubted = isDefinitive(said) && !entrant.explains && !this.#options.isTrusted(entrant.name);
    const error = isDoubted ? asWeak(said) : said;
    if (entrant !== this.#options.diagnose || isDefinitive(error)) this.#note(entrant, error);
    if (!isDefinitive(error)) return;
    this.#decider = entrant;
    // What could be read is worth more than a reason why there is not more.
    if (!this.#hasItems()) this.#verdict = error;
  }

  #note({ name: strategy, endpoint, explains }: Entrant, error: AppError): void {
    if (error.code === 'not_found') this.#queue = this.#queue.filter(one => !one.byAccount);
    this.#failures.push({ strategy, endpoint, explains, error });
  }

  #bring(entrant: Entrant, post: Post, isWhole: boolean): void {
    const [items, missing] = [this.#post?.items.length ?? -1, this.#post?.missingItems ?? 0];
    const isBetter = post.items.length > items || (post.items.length === items && post.missingItems < missing);
    if (isWhole) this.#decider = entrant;
    if (!isWhole && !isBetter) return;
    this.#post = post;
    this.#broughtBy = entrant;
  }

  /** Asks why there is no post: once, when two endpoints withheld it, or when nothing else is left to ask. */
  #explainWhenDue(): void {
    if (this.#isExplained || this.#isOver() || this.#hasItems()) return;
    const { diagnose, entrants, returning, explainMs } = this.#options;
    const withheld = this.#failures.filter(({ strategy, error }) => strategy !== returning?.name && isWithheld(error));
    const isWithheldPost = new Set(withheld.map(({ endpoint }) => endpoint)).size >= WITHHELD_ENDPOINTS;
    const isAsked = isWithheldPost || this.#agreed() !== undefined;
    const isLast = this.#inLine().length === 0 && this.#queue.length === 0;
    if (!isAsked && !isLast) return;
    this.#isExplained = true;
    const isWorthAsking = isAsked || this.#failures.some(({ error }) => isUnclear(error));
    const questions = entrants.filter(one => one.explains);
    if (diagnose !== undefined && isWorthAsking) questions.push(diagnose);
    for (const question of questions) {
      this.#questions.add(question);
      this.#start(question);
    }
    const until = performance.now() + explainMs;
    if (questions.length > 0) this.#waitMs = () => until - performance.now();
    else this.#verdict = this.#agreed() ?? null;
  }

  #result(): RaceResult {
    const { returning } = this.#options;
    const left = [...this.#running.values()].filter(({ entrant }) => entrant !== returning);
    if (this.#cutShort !== undefined) for (const { entrant } of left) this.#note(entrant, this.#cutShort);
    const winner = this.#hasItems() ? this.#broughtBy : (this.#decider ?? this.#broughtBy);
    return {
      post: this.#post,
      verdict: this.#verdict,
      winner: winner?.name ?? null,
      reports: [...this.#reports, ...this.#overtaken(left)],
      failures: this.#failures,
      late: returning === undefined ? undefined : this.#running.get(returning)?.settled,
    };
  }

  /** Those that had their time and were not done when one that was asked later decided. */
  #overtaken(left: readonly Attempt[]): readonly Report[] {
    const order = this.#options.entrants;
    const decider = this.#decider;
    if (decider === undefined || decider === this.#options.returning) return [];
    const error = new AppError('timeout', 'another that was asked later was done before');
    return left
      .filter(({ entrant, departure }) => departure.at !== undefined && !entrant.explains)
      .filter(({ entrant }) => order.indexOf(entrant) < order.indexOf(decider))
      .map(({ entrant, departure }) => ({
        entrant,
        ending: { kind: 'failed', error },
        tookMs: performance.now() - (departure.at ?? 0),
      }));
  }
}

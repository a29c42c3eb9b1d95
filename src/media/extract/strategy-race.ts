/**
 * One fetch: the strategies of a source are started in order, the next beside a slow one, until one brings the whole post or says
 * for certain why there is none. Knows nothing of other fetches.
 */
import { AppError } from '../../errors.ts';
import type { Post } from '../post.ts';
import {
  type Attempt,
  type AttemptReport,
  abortReason,
  type Entrant,
  isBetter,
  startAttempt,
  within,
} from './strategy-attempt.ts';
import {
  agreedFailure,
  asWeak,
  isDefinitive,
  isUnclear,
  isWithheld,
  type StrategyFailure,
} from './strategy-failures.ts';

export interface RaceOptions {
  /** In the order to ask in. */
  readonly entrants: readonly Entrant[];
  /** One of them, asked at once beside the first; an answer does not wait for it. */
  readonly probe: Entrant | undefined;
  /** Asks why a post is withheld; throws a definitive error or returns. */
  readonly diagnose: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Whether a strategy's weak word on a post weighs. */
  readonly isProven: (strategy: string) => boolean;
  /** Whether a strategy's certain word that there is no post needs no other to confirm it. */
  readonly isTrusted: (strategy: string) => boolean;
  readonly deadlineMs: number;
  /** How long the questions why a post is withheld keep the next strategy from starting. */
  readonly explainMs: number;
  /** The caller's. */
  readonly signal: AbortSignal;
  readonly onStart: (strategy: string) => void;
  /** `diagnose` failed: it could not be asked why. */
  readonly onUnanswered: (error: unknown) => void;
}

export interface RaceResult {
  /** The whole post, else the best that was brought; null when none was. */
  readonly post: Post | null;
  /** Why there is none, for certain. */
  readonly verdict: AppError | null;
  /** The strategy that brought the post, or else the verdict. */
  readonly winner: string | null;
  readonly reports: readonly AttemptReport[];
  /** Strategies that had their time and were not done when a later one was. */
  readonly overtaken: readonly string[];
  /** In the order they happened. */
  readonly failures: readonly StrategyFailure[];
  /** The probe, where it was not done in time. Never rejects. */
  readonly late: Promise<AttemptReport> | undefined;
}

const MAX_AT_ONCE = 3;
/** Endpoints that must have withheld a post before it is asked why: one alone may just be dead. */
const WITHHELD_ENDPOINTS = 2;
const MAX_DIAGNOSE_MS = 5_000;

type Event = AttemptReport | 'wake' | 'over' | 'diagnosed';

/** @throws AppError the caller's reason, when its signal aborts */
export async function raceStrategies(options: RaceOptions): Promise<RaceResult> {
  return new Race(options).run();
}

class Race {
  readonly #options: RaceOptions;
  #queue: readonly Entrant[];
  readonly #running = new Map<Entrant, Attempt>();
  readonly #reports: AttemptReport[] = [];
  readonly #failures: StrategyFailure[] = [];
  readonly #withheld = new Set<string>();
  /** Those that had their time: the next was started beside them. */
  readonly #slow = new Set<Entrant>();
  /** Of those that run, the ones that were asked why the post is withheld. */
  readonly #explaining = new Set<Entrant>();
  /** Aborts when the race is over, for whatever reason. */
  readonly #end = new AbortController();
  #diagnosis: Promise<'diagnosed'> | undefined;
  #isExplained = false;
  #post: Post | null = null;
  #broughtBy: string | undefined;
  #verdict: AppError | null = null;
  #winner: AttemptReport | undefined;
  /** Two strategies agree on it; the questions why may know better. */
  #agreed: AppError | undefined;
  /** Whether the next is to be started now; if not, at `nextDueAt`. */
  #isNextDue = true;
  #nextDueAt = Number.POSITIVE_INFINITY;

  constructor(options: RaceOptions) {
    this.#options = options;
    this.#queue = options.entrants.filter(one => one !== options.probe);
  }

  async run(): Promise<RaceResult> {
    const { probe, deadlineMs, signal } = this.#options;
    const timer = setTimeout(
      () => this.#end.abort(new AppError('timeout', `no answer within ${deadlineMs} ms`)),
      deadlineMs,
    );
    const onAbort = () => this.#end.abort(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const over = new Promise<'over'>(resolve =>
      this.#end.signal.addEventListener('abort', () => resolve('over'), { once: true }),
    );
    try {
      this.#startNext();
      if (probe !== undefined) this.#start(probe, signal);
      while (!this.#isDecided() && (this.#running.size > 0 || this.#isExplaining())) {
        this.#take(await this.#next(over));
        this.#startNext();
      }
      if (signal.aborted) throw abortReason(signal);
      return this.#result();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#end.abort(new AppError('timeout', 'another strategy was done before'));
    }
  }

  #isDecided(): boolean {
    return this.#end.signal.aborted || this.#winner !== undefined || this.#verdict !== null;
  }

  #start(entrant: Entrant, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#options.onStart(entrant.name);
    this.#running.set(entrant, startAttempt(entrant, signal));
  }

  /** Those whose failure the next in the queue waits for. */
  #inLine(): readonly Entrant[] {
    const { probe } = this.#options;
    return [...this.#running.keys()].filter(one => one !== probe && !this.#explaining.has(one));
  }

  #startNext(): void {
    if (this.#isDecided() || !this.#isNextDue || this.#agreed !== undefined) return;
    if (this.#running.size >= MAX_AT_ONCE) return;
    const isFree = this.#inLine().length === 0;
    const next = this.#queue.find(one => isFree || !one.alone);
    if (next === undefined) return;
    this.#queue = this.#queue.filter(one => one !== next);
    this.#isNextDue = false;
    this.#nextDueAt = performance.now() + next.patienceMs;
    this.#start(next, this.#end.signal);
  }

  async #next(over: Promise<'over'>): Promise<Event> {
    const waits: Promise<Event>[] = [over, ...[...this.#running.values()].map(({ settled }) => settled)];
    if (this.#diagnosis !== undefined) waits.push(this.#diagnosis);
    let timer: NodeJS.Timeout | undefined;
    if (!this.#isNextDue && Number.isFinite(this.#nextDueAt)) {
      const waitMs = Math.max(0, this.#nextDueAt - performance.now());
      waits.push(
        new Promise(resolve => {
          timer = setTimeout(resolve, waitMs, 'wake');
        }),
      );
    }
    try {
      return await Promise.race(waits);
    } finally {
      clearTimeout(timer);
    }
  }

  #take(event: Event): void {
    switch (event) {
      case 'over':
        return;
      case 'wake':
        for (const entrant of this.#inLine()) this.#slow.add(entrant);
        this.#isNextDue = true;
        return;
      case 'diagnosed':
        this.#diagnosis = undefined;
        this.#goOnUnexplained();
        return;
      default:
        this.#settle(event);
        this.#explainWhenDue();
    }
  }

  #settle(report: AttemptReport): void {
    const { entrant, ending } = report;
    this.#running.delete(entrant);
    this.#reports.push(report);
    if (ending.kind === 'failed') this.#fail(report, ending.error);
    else this.#bring(report, ending.post);
    if (this.#explaining.delete(entrant)) this.#goOnUnexplained();
    else if (entrant !== this.#options.probe && !this.#isExplaining()) this.#isNextDue = true;
  }

  #bring(report: AttemptReport, post: Post): void {
    this.#agreed = undefined;
    if (report.ending.kind === 'complete') this.#winner = report;
    if (report.ending.kind === 'complete' || isBetter(post, this.#post)) {
      this.#post = post;
      this.#broughtBy = report.entrant.name;
    }
    // They bring a reason or a cover, never more than was brought.
    if (post.items.length > 0) this.#queue = this.#queue.filter(one => !one.explains);
  }

  #note({ name: strategy, endpoint, explains }: Entrant, error: AppError): void {
    this.#failures.push({ strategy, endpoint, explains, error });
  }

  #fail(report: AttemptReport, said: AppError): void {
    const isDoubted = isDefinitive(said) && !this.#options.isTrusted(report.entrant.name);
    const error = isDoubted ? asWeak(said) : said;
    this.#note(report.entrant, error);
    const hasItems = this.#post !== null && this.#post.items.length > 0;
    if (isDefinitive(error)) {
      this.#winner = report;
      // What could be read is worth more than a reason why there is not more.
      if (!hasItems) this.#verdict = error;
      return;
    }
    if (isWithheld(error) && report.entrant !== this.#options.probe) this.#withheld.add(report.entrant.endpoint);
    if (this.#post === null) this.#agreed ??= agreedFailure(this.#failures, this.#options.isProven);
  }

  /** Asks why the post is withheld: once, when two endpoints did so, or when nothing else is left to ask. */
  #explainWhenDue(): void {
    if (this.#isDecided() || this.#isExplained) return;
    const isLast = this.#inLine().length === 0 && this.#queue.every(one => one.explains);
    const couldBeExplained = this.#failures.some(({ error }) => isUnclear(error));
    const isDue =
      this.#agreed !== undefined || this.#withheld.size >= WITHHELD_ENDPOINTS || (isLast && couldBeExplained);
    if (!isDue) return;
    this.#isExplained = true;
    this.#isNextDue = false;
    this.#nextDueAt = performance.now() + this.#options.explainMs;
    for (const entrant of this.#queue.filter(one => one.explains)) {
      this.#explaining.add(entrant);
      this.#start(entrant, this.#end.signal);
    }
    this.#queue = this.#queue.filter(one => !one.explains);
    if (this.#options.diagnose !== undefined) this.#diagnosis = this.#ask(this.#options.diagnose);
    this.#goOnUnexplained();
  }

  #isExplaining(): boolean {
    return this.#explaining.size > 0 || this.#diagnosis !== undefined;
  }

  async #ask(diagnose: NonNullable<RaceOptions['diagnose']>): Promise<'diagnosed'> {
    try {
      await within(MAX_DIAGNOSE_MS, this.#end.signal, diagnose);
    } catch (error) {
      if (error instanceof AppError && isDefinitive(error)) this.#verdict ??= error;
      else if (!this.#end.signal.aborted) this.#options.onUnanswered(error);
    }
    return 'diagnosed';
  }

  /** When the questions are answered and the reason is not known. */
  #goOnUnexplained(): void {
    if (this.#isExplaining()) return;
    if (this.#agreed !== undefined) this.#verdict ??= this.#agreed;
    this.#isNextDue = true;
  }

  #result(): RaceResult {
    const { probe } = this.#options;
    const unfinished = [...this.#running.values()].filter(({ entrant }) => entrant !== probe);
    const winner = this.#winner;
    if (this.#end.signal.aborted) {
      const error = abortReason(this.#end.signal);
      for (const { entrant } of unfinished) this.#note(entrant, error);
    }
    const hasItems = this.#post !== null && this.#post.items.length > 0;
    const isOvertaken = ({ entrant, startedAt }: Attempt) =>
      winner !== undefined && this.#slow.has(entrant) && startedAt < winner.startedAt;
    return {
      post: this.#post,
      verdict: this.#verdict,
      winner: (hasItems ? this.#broughtBy : (winner?.entrant.name ?? this.#broughtBy)) ?? null,
      reports: this.#reports,
      overtaken: unfinished.filter(isOvertaken).map(({ entrant }) => entrant.name),
      failures: this.#failures,
      late: probe === undefined ? undefined : this.#running.get(probe)?.settled,
    };
  }
}

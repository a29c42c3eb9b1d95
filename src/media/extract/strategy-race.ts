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
  startAttempt,
  within,
} from './strategy-attempt.ts';
import { isDefinitive, type StrategyFailure } from './strategy-failures.ts';
import { Standings, type StandingsOptions } from './strategy-standings.ts';

export interface RaceOptions extends StandingsOptions {
  /** In the order to ask in. */
  readonly entrants: readonly Entrant[];
  /** One of them, asked at once beside the first; an answer does not wait for it. */
  readonly probe: Entrant | undefined;
  /** Asks why a post is withheld; throws a definitive error or returns. */
  readonly diagnose: ((signal: AbortSignal) => Promise<void>) | undefined;
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
const MAX_DIAGNOSE_MS = 5_000;
/** While one stands in our own line: how soon, at the earliest, it is looked whether it still does. */
const LOOK_AGAIN_MS = 50;
const NOT_WAITING: Attempt['clock'] = { waitedMs: 0, isWaiting: false };
/** By which a timer may fire too early. */
const TIMER_MS = 1;
const OVERTAKEN = new AppError('timeout', 'another strategy was done before');

type Event = AttemptReport | 'wake' | 'over' | 'diagnosed';

/** @throws AppError the caller's reason, when its signal aborts */
export async function raceStrategies(options: RaceOptions): Promise<RaceResult> {
  return new Race(options).run();
}

class Race {
  readonly #options: RaceOptions;
  readonly #standings: Standings;
  #queue: readonly Entrant[];
  readonly #running = new Map<Entrant, Attempt>();
  /** Those that had their time: the next was started beside them. */
  readonly #slow = new Set<Entrant>();
  /** Of those that run, the ones that were asked why the post is withheld. */
  readonly #explaining = new Set<Entrant>();
  /** Set when the deadline or the caller ends it undecided. */
  #cutShort: AppError | undefined;
  #onCut = () => {};
  #diagnosis: Promise<'diagnosed'> | undefined;
  #diagnosing: AbortController | undefined;
  #isExplained = false;
  /** Whether the next is to be started now; if not, at `nextDueAt`, or later by as long as `latest` stands in our own lines. */
  #isNextDue = true;
  #nextDueAt = 0;
  #latest: Attempt | undefined;

  constructor(options: RaceOptions) {
    this.#options = options;
    this.#standings = new Standings(options);
    this.#queue = options.entrants.filter(one => one !== options.probe);
  }

  async run(): Promise<RaceResult> {
    const { probe, deadlineMs, signal } = this.#options;
    const over = new Promise<'over'>(resolve => {
      this.#onCut = () => resolve('over');
    });
    const timer = setTimeout(() => this.#cut(new AppError('timeout', `no answer within ${deadlineMs} ms`)), deadlineMs);
    const onAbort = () => this.#cut(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      this.#startNext();
      if (probe !== undefined && !signal.aborted) this.#start(probe);
      while (!this.#isOver() && (this.#running.size > 0 || this.#isExplaining())) {
        this.#take(await this.#next(over));
        this.#startNext();
      }
      if (signal.aborted) throw abortReason(signal);
      return this.#result();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#abortAll(this.#cutShort ?? OVERTAKEN);
    }
  }

  #cut(reason: AppError): void {
    this.#cutShort ??= reason;
    this.#onCut();
  }

  /** The probe goes on, unless the caller gave up. */
  #abortAll(reason: AppError): void {
    for (const attempt of this.#running.values()) {
      if (attempt.entrant !== this.#options.probe || this.#options.signal.aborted) attempt.abort(reason);
    }
    this.#diagnosing?.abort(reason);
  }

  #isOver(): boolean {
    return this.#cutShort !== undefined || this.#standings.isDecided;
  }

  #isExplaining(): boolean {
    return this.#explaining.size > 0 || this.#diagnosis !== undefined;
  }

  /** Those whose failure the next in the queue waits for. */
  #inLine(): readonly Entrant[] {
    const { probe } = this.#options;
    return [...this.#running.keys()].filter(one => one !== probe && !this.#explaining.has(one));
  }

  #start(entrant: Entrant): Attempt {
    this.#options.onStart(entrant.name);
    const attempt = startAttempt(entrant);
    this.#running.set(entrant, attempt);
    return attempt;
  }

  #startNext(): void {
    if (!this.#isNextDue || this.#isOver() || this.#standings.isAgreed) return;
    if (this.#running.size >= MAX_AT_ONCE) return;
    const isFree = this.#inLine().length === 0;
    const next = this.#queue.find(one => isFree || !one.alone);
    if (next === undefined) return;
    this.#queue = this.#queue.filter(one => one !== next);
    this.#isNextDue = false;
    this.#nextDueAt = performance.now() + next.patienceMs;
    this.#latest = this.#start(next);
  }

  /** Milliseconds until the next is due. In our own line another would only stand behind the first. */
  #untilNextMs(): number {
    const { waitedMs, isWaiting } = this.#latest?.clock ?? NOT_WAITING;
    return Math.max(isWaiting ? LOOK_AGAIN_MS : 0, this.#nextDueAt + waitedMs - performance.now());
  }

  async #next(over: Promise<'over'>): Promise<Event> {
    const waits: Promise<Event>[] = [over, ...[...this.#running.values()].map(({ settled }) => settled)];
    if (this.#diagnosis !== undefined) waits.push(this.#diagnosis);
    if (this.#isNextDue) return Promise.race(waits);
    const waitMs = this.#untilNextMs();
    let timer: NodeJS.Timeout | undefined;
    const wake = new Promise<'wake'>(resolve => {
      timer = setTimeout(resolve, waitMs, 'wake');
    });
    try {
      return await Promise.race([...waits, wake]);
    } finally {
      clearTimeout(timer);
    }
  }

  #take(event: Event): void {
    switch (event) {
      case 'over':
        return;
      case 'wake':
        if (this.#untilNextMs() > TIMER_MS) return;
        for (const entrant of this.#inLine()) {
          if (this.#running.get(entrant)?.clock.isWaiting === false) this.#slow.add(entrant);
        }
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
    const { entrant } = report;
    const isProbe = entrant === this.#options.probe;
    this.#running.delete(entrant);
    this.#standings.take(report, isProbe);
    // They bring a reason or a cover, never more than was brought.
    if (this.#standings.hasItems) this.#queue = this.#queue.filter(one => !one.explains);
    if (this.#explaining.delete(entrant)) this.#goOnUnexplained();
    else if (!isProbe && !this.#isExplaining()) this.#isNextDue = true;
  }

  /** Asks why the post is withheld: once, when two endpoints did so, or when nothing else is left to ask. */
  #explainWhenDue(): void {
    if (this.#isOver() || this.#isExplained) return;
    const isLast = this.#inLine().length === 0 && this.#queue.every(one => one.explains);
    if (!this.#standings.isWithheld && !(isLast && this.#standings.isUnclear)) return;
    this.#isExplained = true;
    this.#isNextDue = false;
    this.#nextDueAt = performance.now() + this.#options.explainMs;
    this.#latest = undefined;
    for (const entrant of this.#queue.filter(one => one.explains)) {
      this.#explaining.add(entrant);
      this.#start(entrant);
    }
    this.#queue = this.#queue.filter(one => !one.explains);
    if (this.#options.diagnose !== undefined) this.#diagnosis = this.#ask(this.#options.diagnose);
    this.#goOnUnexplained();
  }

  async #ask(diagnose: NonNullable<RaceOptions['diagnose']>): Promise<'diagnosed'> {
    this.#diagnosing = new AbortController();
    try {
      await within(MAX_DIAGNOSE_MS, this.#diagnosing, diagnose);
    } catch (error) {
      if (error instanceof AppError && isDefinitive(error)) this.#standings.decide(error);
      else if (!this.#isOver()) this.#options.onUnanswered(error);
    }
    return 'diagnosed';
  }

  /** When the questions are answered and the reason is not known. */
  #goOnUnexplained(): void {
    if (this.#isExplaining()) return;
    this.#standings.confirm();
    this.#isNextDue = true;
  }

  #result(): RaceResult {
    const { probe } = this.#options;
    const { post, verdict, winner, decider, reports, failures } = this.#standings;
    const unfinished = [...this.#running.values()].filter(({ entrant }) => entrant !== probe);
    if (this.#cutShort !== undefined) {
      for (const { entrant } of unfinished) this.#standings.note(entrant, this.#cutShort);
    }
    const isOvertaken = ({ entrant, startedAt }: Attempt) =>
      decider !== undefined && this.#slow.has(entrant) && startedAt < decider.startedAt;
    return {
      post,
      verdict,
      winner,
      reports,
      overtaken: unfinished.filter(isOvertaken).map(({ entrant }) => entrant.name),
      failures,
      late: probe === undefined ? undefined : this.#running.get(probe)?.settled,
    };
  }
}

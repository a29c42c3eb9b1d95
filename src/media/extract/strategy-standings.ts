/** What the attempts of one fetch have brought and said so far, and what follows from it. */
import type { AppError } from '../../errors.ts';
import type { Post } from '../post.ts';
import type { AttemptReport, Entrant } from './strategy-attempt.ts';
import {
  agreedFailure,
  asWeak,
  isDefinitive,
  isUnclear,
  isWithheld,
  type StrategyFailure,
} from './strategy-failures.ts';

export interface StandingsOptions {
  /** Whether a strategy's weak word on a post weighs. */
  readonly isProven: (strategy: string) => boolean;
  /** Whether a strategy's certain word that there is no post needs no other to confirm it. */
  readonly isTrusted: (strategy: string) => boolean;
}

/** Endpoints that must have withheld a post before it is asked why: one alone may just be dead. */
const WITHHELD_ENDPOINTS = 2;

/** Whether `post` is worth more than `other`: more items, else fewer missing. */
function isBetter(post: Post, other: Post | null): boolean {
  if (other === null || post.items.length > other.items.length) return true;
  return post.items.length === other.items.length && post.missingItems < other.missingItems;
}

export class Standings {
  readonly #options: StandingsOptions;
  readonly #reports: AttemptReport[] = [];
  readonly #failures: StrategyFailure[] = [];
  readonly #withheld = new Set<string>();
  #post: Post | null = null;
  #broughtBy: string | null = null;
  #decider: AttemptReport | undefined;
  #verdict: AppError | null = null;
  #agreed: AppError | undefined;

  constructor(options: StandingsOptions) {
    this.#options = options;
  }

  get reports(): readonly AttemptReport[] {
    return this.#reports;
  }

  /** In the order they happened. */
  get failures(): readonly StrategyFailure[] {
    return this.#failures;
  }

  /** The whole post, else the best that was brought. */
  get post(): Post | null {
    return this.#post;
  }

  /** Why there is no post, for certain. */
  get verdict(): AppError | null {
    return this.#verdict;
  }

  /** The attempt that brought the whole post, or said for certain that there is none. */
  get decider(): AttemptReport | undefined {
    return this.#decider;
  }

  /** The strategy that brought the post, else the verdict. */
  get winner(): string | null {
    return this.hasItems ? this.#broughtBy : (this.#decider?.entrant.name ?? this.#broughtBy);
  }

  get isDecided(): boolean {
    return this.#decider !== undefined || this.#verdict !== null;
  }

  get hasItems(): boolean {
    return (this.#post?.items.length ?? 0) > 0;
  }

  /** Two strategies agree that there is no post: only who explains may know better. */
  get isAgreed(): boolean {
    return this.#agreed !== undefined;
  }

  /** Whether enough was withheld to ask why. */
  get isWithheld(): boolean {
    return this.isAgreed || this.#withheld.size >= WITHHELD_ENDPOINTS;
  }

  /** Whether a failure may have a reason that was not given. */
  get isUnclear(): boolean {
    return this.#failures.some(({ error }) => isUnclear(error));
  }

  /** @param isProbe a strategy of which failures are expected: it says nothing of the post */
  take(report: AttemptReport, isProbe: boolean): void {
    this.#reports.push(report);
    const { ending, entrant } = report;
    if (ending.kind !== 'failed') {
      this.#bring(report, ending.post);
      return;
    }
    const { error: said } = ending;
    const isDoubted = isDefinitive(said) && !this.#options.isTrusted(entrant.name);
    const error = isDoubted ? asWeak(said) : said;
    this.note(entrant, error);
    if (isDefinitive(error)) {
      this.#decider = report;
      this.decide(error);
      return;
    }
    if (isWithheld(error) && !isProbe) this.#withheld.add(entrant.endpoint);
    if (this.#post === null) this.#agreed ??= agreedFailure(this.#failures, this.#options.isProven);
  }

  note({ name: strategy, endpoint, explains }: Entrant, error: AppError): void {
    this.#failures.push({ strategy, endpoint, explains, error });
  }

  /** What could be read is worth more than a reason why there is not more. */
  decide(verdict: AppError): void {
    if (!this.hasItems) this.#verdict ??= verdict;
  }

  /** No one knows better than those who agree. */
  confirm(): void {
    if (this.#agreed !== undefined) this.decide(this.#agreed);
  }

  #bring(report: AttemptReport, post: Post): void {
    const isWhole = report.ending.kind === 'complete';
    this.#agreed = undefined;
    if (isWhole) this.#decider = report;
    if (!isWhole && !isBetter(post, this.#post)) return;
    this.#post = post;
    this.#broughtBy = report.entrant.name;
  }
}

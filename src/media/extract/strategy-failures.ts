/** Combines the failures of several strategies into one. Pure. */
import { AppError, type ErrorCode } from '../../errors.ts';
import { isOwnDoing } from '../../infra/http/read-failure.ts';
import type { Post } from '../post.ts';
import { isWeak, MARKS } from './refusal.ts';
import { endpointOf, type Strategy } from './source.ts';

export interface StrategyFailure {
  readonly strategy: Pick<Strategy, 'name' | 'explains'>;
  readonly error: AppError;
}

/**
 * The most telling failure of a fetch that found only author and cover, together with the post that has these. Such a
 * post is not cached, and a complete one from the cache is shown instead.
 */
export class CoverOnlyError extends AppError {
  /** The post without items; its `missingItems` is 1 or more. */
  readonly post: Post;

  constructor({ code, message, params, cause, retryAfterMs }: AppError, post: Post) {
    super(code, message, { params, cause, retryAfterMs });
    this.post = post;
  }
}

/** The order in which codes are preferred. If several strategies fail, the code with the lowest number is thrown. */
const RANKS: Readonly<Record<ErrorCode, number>> = {
  private: 0,
  age_restricted: 1,
  region_blocked: 2,
  // A source raises this code only if it is sure that Medley cannot show the post, such as a live broadcast.
  unsupported_link: 3,
  // After a rate limit waiting helps. A site that limits one endpoint often demands a login at another, so the limit
  // comes before the login.
  upstream_rate_limited: 4,
  login_required: 5,
  not_found: 6,
  upstream_changed: 7,
  upstream_unavailable: 8,
  timeout: 9,
  too_large: 10,
  credentials_required: 11,
  forbidden: 12,
  rate_limited: 13,
  invalid_request: 14,
  internal: 15,
};

/** Turns anything that a strategy threw into an AppError: an unknown error means that its parser broke. */
export function toStrategyError(error: unknown): AppError {
  if (!(error instanceof AppError)) {
    const message = error instanceof Error ? error.message : 'threw no error';
    return new AppError('upstream_changed', message, { cause: error });
  }
  if (error.code === 'forbidden') return new AppError('upstream_unavailable', error.message, { cause: error });
  if (error.code !== 'too_large') return error;
  return new AppError('upstream_changed', error.message, { params: { own: 1 }, cause: error });
}

/** Finds a weak failure that reliable strategies of two different endpoints report; undefined if there is none. */
export function agreedFailure(
  failures: readonly StrategyFailure[],
  isReliable: (strategy: StrategyFailure['strategy']) => boolean,
): AppError | undefined {
  const weak = failures.filter(({ strategy, error }) => isWeak(error) && isReliable(strategy));
  return weak.find(one =>
    weak.some(other => other.error.code === one.error.code && endpointOf(other.strategy) !== endpointOf(one.strategy)),
  )?.error;
}

/** Codes of a strategy that got no answer. An answer might have shown that the post exists. */
const UNANSWERED: ReadonlySet<ErrorCode> = new Set(['timeout', 'upstream_unavailable']);

/**
 * Drops unconfirmed `not_found` failures, because a single endpoint may be broken or not know the post. They stay if
 * there are no other failures, or if two endpoints report `not_found` and all other strategies got an answer.
 */
function withoutDoubtedGuesses(failures: readonly StrategyFailure[]): readonly StrategyFailure[] {
  const isGuess = ({ error }: StrategyFailure) => error.code === 'not_found' && isWeak(error);
  const others = failures.filter(failure => !isGuess(failure));
  const isShared = new Set(failures.filter(isGuess).map(({ strategy }) => endpointOf(strategy))).size > 1;
  const isRefutable = others.some(({ error }) => UNANSWERED.has(error.code));
  return others.length === 0 || (isShared && !isRefutable) ? failures : others;
}

/**
 * The failure to throw: the first by `RANKS`. If that one is unconfirmed or `login_required`, a failure that one of
 * Medley's own limits caused is thrown instead, because the site was then not fully asked. A failure of a strategy that
 * only asks why the post is hidden (`explains`) counts only if no other strategy failed.
 */
function headOf(all: readonly StrategyFailure[]): AppError | undefined {
  const failures = withoutDoubtedGuesses(all);
  const asked = failures.filter(({ strategy }) => !strategy.explains);
  const errors = (asked.length > 0 ? asked : failures)
    .map(({ error }) => error)
    .sort((a, b) => RANKS[a.code] - RANKS[b.code]);
  const [head] = errors;
  if (head === undefined || !(isWeak(head) || head.code === 'login_required')) return head;
  return errors.find(isOwnDoing) ?? head;
}

/**
 * The most telling of several failures; its cause lists all of them in the order they happened.
 * @param chosen the failure to throw, if it is known already
 */
export function mostInformative(
  { source, id }: Pick<Post, 'source' | 'id'>,
  failures: readonly StrategyFailure[],
  chosen?: AppError,
): AppError {
  const head = chosen ?? headOf(failures);
  if (head === undefined) {
    return new AppError('upstream_unavailable', `${source} ${id}: there is no way to ask for this post`);
  }
  const named = failures.map(
    ({ strategy: { name }, error }) =>
      new AppError(error.code, `${name}: ${error.message}`, { params: error.params, cause: error }),
  );
  const waits = failures.flatMap(({ error }) => (error.code === head.code ? (error.retryAfterMs ?? []) : []));
  return new AppError(head.code, `${source} ${id}: every strategy failed; ${head.message}`, {
    params: Object.fromEntries(Object.entries(head.params).filter(([name]) => !MARKS.has(name))),
    cause: new AggregateError(named, `${named.length} strategies failed`),
    retryAfterMs: waits.length === 0 ? undefined : Math.max(...waits),
  });
}

/** The most characters of each cause in a log line. */
const MAX_CAUSE_CHARS = 120;

/** The failures as `CODE: MESSAGE`, by the strategy's name, short enough for a log line. */
export function summarizeFailures(failures: readonly StrategyFailure[]): Readonly<Record<string, string>> {
  const causeOf = ({ code, message }: AppError) => `${code}: ${message}`.slice(0, MAX_CAUSE_CHARS);
  return Object.fromEntries(failures.map(({ strategy, error }) => [strategy.name, causeOf(error)]));
}

/** Tells what the failures of several strategies say together. Pure. */
import { AppError, type ErrorCode } from '../../errors.ts';
import { isOwnDoing } from '../../infra/http/read-failure.ts';
import type { Post } from '../post.ts';
import type { Strategy } from './source.ts';

export interface StrategyFailure {
  readonly strategy: Pick<Strategy, 'name' | 'explains'>;
  readonly error: AppError;
}

/**
 * Nothing of a post could be read but its author and cover: the error that says most, with what there is. It is no answer to keep,
 * and an older whole one is better.
 */
export class CoverOnlyError extends AppError {
  /** It has no items; `missingItems` is 1 or more. */
  readonly post: Post;

  constructor({ code, message, params, cause, retryAfterMs }: AppError, post: Post) {
    super(code, message, { params, cause, retryAfterMs });
    this.post = post;
  }
}

/** The codes by how much they say to the person who asked, most first; the first of several failures is the error that is thrown. */
const RANKS: Readonly<Record<ErrorCode, number>> = {
  private: 0,
  age_restricted: 1,
  region_blocked: 2,
  // An answer that says it is certain: a broadcast that is still on the air.
  unsupported_link: 3,
  // Nothing is wrong with the link, and waiting helps: said before the wall that the same limit often shows elsewhere.
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

/** The post is gone, or is kept from visitors. */
const DEFINITIVE: ReadonlySet<ErrorCode> = new Set(['not_found', 'private', 'age_restricted', 'region_blocked']);
/** These `params` speak to this module alone; no sentence names them. */
const MARKS: ReadonlySet<string> = new Set(['weak', 'own', 'challenge', 'refused', 'kept', 'unasked']);

/** Says whether a failure says that the post is not there for visitors, for certain or not. */
export function isWithdrawn(error: unknown): boolean {
  return error instanceof AppError && DEFINITIVE.has(error.code);
}

/** Says whether it says for certain why there is no post, so that nothing else need be asked. */
export function isDefinitive(error: AppError): boolean {
  return DEFINITIVE.has(error.code) && !error.params.weak;
}

/** Says whether it would be definitive if a second, independent strategy said the same. */
function isWeak(error: AppError): boolean {
  return DEFINITIVE.has(error.code) && Boolean(error.params.weak);
}

/** The same failure as one that another has to confirm. */
export function asWeak(error: AppError): AppError {
  return new AppError(error.code, error.message, { params: { ...error.params, weak: 1 }, cause: error });
}

/** Says whether the site asks for a pause, by its limit or by a challenge in place of an answer. */
export function isLimit(error: AppError): boolean {
  return !isOwnDoing(error) && (error.code === 'upstream_rate_limited' || error.params.challenge === 1);
}

/** The failure of a strategy that the site wants left alone. */
export function notAsked(retryAfterMs: number): AppError {
  const params = { unasked: 1 };
  return new AppError('upstream_rate_limited', 'not asked: the site wants it left alone', { params, retryAfterMs });
}

/** Says whether we did not get an answer by our own doing, which says nothing of the strategy. */
export function isOfOurs(error: AppError): boolean {
  return isOwnDoing(error) || error.params.unasked === 1;
}

/** Nothing can be asked of the site at the moment. @param site as people call it, where that is known */
export function siteIsSilent(site: string | undefined, retryAfterMs: number | undefined, cause?: AppError): AppError {
  const params = { what: 'silent', ...(site !== undefined && { site }) };
  return new AppError('upstream_rate_limited', 'not asked: the site refuses us', { params, retryAfterMs, cause });
}

export function isSilent({ code, params }: AppError): boolean {
  return code === 'upstream_rate_limited' && params.what === 'silent';
}

/** Says whether the post may be there but is not shown, which is worth asking why. A wall before the caller says nothing of the post. */
export function isWithheld(error: AppError): boolean {
  return isWeak(error) || (error.code === 'login_required' && !error.params.refused);
}

/** Says whether it says neither that the post is there nor why it is not, which is worth asking when nothing else is left. */
export function isUnclear(error: AppError): boolean {
  return isWeak(error) || error.code === 'login_required' || error.code === 'upstream_changed';
}

/** Anything that a strategy threw, as an AppError: another error says that our reading of the upstream broke. */
export function toStrategyError(error: unknown): AppError {
  if (!(error instanceof AppError)) {
    const message = error instanceof Error ? error.message : 'threw no error';
    return new AppError('upstream_changed', message, { cause: error });
  }
  if (error.code === 'forbidden') return new AppError('upstream_unavailable', error.message, { cause: error });
  if (error.code !== 'too_large') return error;
  return new AppError('upstream_changed', error.message, { params: { own: 1 }, cause: error });
}

/** The endpoint that a strategy asks, for any kind of caller. */
export function endpointOf({ name }: Pick<Strategy, 'name'>): string {
  return name.split('/', 1)[0] ?? name;
}

/** The weak failure on which two strategies of different endpoints agree, of those whose word counts. */
export function agreedFailure(
  failures: readonly StrategyFailure[],
  isReliable: (strategy: StrategyFailure['strategy']) => boolean,
): AppError | undefined {
  const weak = failures.filter(({ strategy, error }) => isWeak(error) && isReliable(strategy));
  return weak.find(one =>
    weak.some(other => other.error.code === one.error.code && endpointOf(other.strategy) !== endpointOf(one.strategy)),
  )?.error;
}

/** Strategies that did not answer may be the ones that know the post. */
const UNANSWERED: ReadonlySet<ErrorCode> = new Set(['timeout', 'upstream_unavailable']);

/**
 * Leaves out each guess that the post does not exist which no second endpoint shares, or which one that did not answer could refute,
 * unless there is nothing else to say.
 */
function withoutDoubtedGuesses(failures: readonly StrategyFailure[]): readonly StrategyFailure[] {
  const isGuess = ({ error }: StrategyFailure) => error.code === 'not_found' && isWeak(error);
  const others = failures.filter(failure => !isGuess(failure));
  const isShared = new Set(failures.filter(isGuess).map(({ strategy }) => endpointOf(strategy))).size > 1;
  const isRefutable = others.some(({ error }) => UNANSWERED.has(error.code));
  return others.length === 0 || (isShared && !isRefutable) ? failures : others;
}

/** The failure to raise: our own doing is said before a guess about the post, and a question that found no reason says nothing. */
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
 * The one of several failures that says most, with all of them as its cause, in the order they happened.
 * @param chosen the one to raise, where that is known
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

/** All causes together take no more of a line of the log. */
const MAX_CAUSES_CHARS = 700;
const MIN_CAUSE_CHARS = 12;

/** The words of each strategy, `CODE: MESSAGE` by its name, short enough for one line of the log. */
export function summarizeFailures(failures: readonly StrategyFailure[]): Readonly<Record<string, string>> {
  const names = failures.reduce((sum, { strategy }) => sum + strategy.name.length + 6, 0);
  const room = Math.max(Math.floor((MAX_CAUSES_CHARS - names) / Math.max(1, failures.length)), MIN_CAUSE_CHARS);
  return Object.fromEntries(
    failures.map(({ strategy, error: { code, message } }) => [
      strategy.name,
      `${code}: ${message}`.slice(0, Math.max(room, code.length)),
    ]),
  );
}

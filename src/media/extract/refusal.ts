/**
 * Decides for all sources what a failure means: the post is gone or hidden from visitors, the site refuses the caller,
 * or Medley itself did not ask. A login page alone does not tell whether the post is hidden or the caller is refused.
 * Pure.
 */
import { AppError, type AppErrorOptions, type ErrorCode } from '../../errors.ts';
import { isOwnDoing } from '../../infra/http/read-failure.ts';

/** Signs of a refusal in a site's answer, and the error for each sign. */
const REFUSALS = {
  /** The site shows its login page: to callers whom it refuses, and for posts that visitors may not see. */
  login: ['login_required', {}],
  /** A login page from an endpoint that shows it only to callers whom the site refuses, never because of the post. */
  caller: ['login_required', { refused: 1 }],
  /** A login page for a post that is known to be public. People are asked to try again later. */
  wall: ['login_required', { what: 'wall' }],
  /** Only some people may see the post. A login page then does not prove that the account was logged out. */
  audience: ['login_required', { kept: 1 }],
  /**
   * The site blocks the caller or wants fewer requests. The endpoint cools down for the time that the site states or
   * for 1 to 30 minutes, and the next strategy runs. If none is left, people are told when to try again.
   */
  limit: ['upstream_rate_limited', {}],
  /** Like `limit`, but the site wants proof that a person asks. Medley gives none; an account is paused for a day. */
  challenge: ['upstream_rate_limited', { challenge: 1 }],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, AppError['params']]>>;

type Evidence = keyof typeof REFUSALS;

export function refusal(evidence: Evidence, message: string, { params, ...more }: AppErrorOptions = {}): AppError {
  const [code, marks] = REFUSALS[evidence];
  return new AppError(code, message, { ...more, params: { ...params, ...marks } });
}

/** Adds evidence of a refusal to the failure, and replaces its code if `code` is given. */
export function withEvidence(failure: AppError, evidence: readonly Evidence[], code = failure.code): AppError {
  const marks = evidence.map(one => REFUSALS[one][1]);
  const { message, retryAfterMs } = failure;
  return new AppError(code, message, {
    params: Object.assign({}, failure.params, ...marks),
    retryAfterMs,
    cause: failure,
  });
}

/** Names of `params` that Medley's code reads and no text for people contains. */
export const MARKS: ReadonlySet<string> = new Set(['weak', 'own', 'challenge', 'refused', 'kept', 'unasked']);

/** Codes for a post that is gone or that visitors may not see. */
const DEFINITIVE: ReadonlySet<ErrorCode> = new Set(['not_found', 'private', 'age_restricted', 'region_blocked']);

/** Says whether the failure means, for certain or probably, that the post is gone or hidden from visitors. */
export function isWithdrawn(error: unknown): boolean {
  return error instanceof AppError && DEFINITIVE.has(error.code);
}

/** Says whether the failure states for certain why there is no post. No other strategy is asked then. */
export function isDefinitive(error: AppError): boolean {
  return DEFINITIVE.has(error.code) && !error.params.weak;
}

/** Says whether the failure becomes definitive when a second, independent strategy confirms it. */
export function isWeak(error: AppError): boolean {
  return DEFINITIVE.has(error.code) && Boolean(error.params.weak);
}

/** Marks a failure as weak: it counts only if a second strategy confirms it. */
export function asWeak(error: AppError): AppError {
  return new AppError(error.code, error.message, { params: { ...error.params, weak: 1 }, cause: error });
}

/** Makes a `not_found` that another strategy has to confirm: this endpoint may be broken or not know the post. */
export function weakNotFound(message: string): AppError {
  return new AppError('not_found', message, { params: { weak: 1 } });
}

/** Rewrites the failure of a post that the site itself calls public: such a post is neither gone nor hidden. */
export function failureOfPublicPost(failure: AppError): AppError {
  const { code, params } = failure;
  if (code === 'login_required') {
    return refusal('wall', 'the post is public; the site shows its login wall to this server', {
      params,
      cause: failure,
    });
  }
  // If a public post is reported as `not_found`, the endpoint addresses or the parser in Medley are out of date.
  if (code !== 'not_found') return failure;
  return new AppError('upstream_changed', 'the post is public, but no page shows it', { cause: failure });
}

/** Says whether the site wants a pause: it states a rate limit, or answers with a challenge. */
export function isLimit(error: AppError): boolean {
  return !isOwnDoing(error) && (error.code === 'upstream_rate_limited' || error.params.challenge === 1);
}

/** Why to pause the account with which the site was asked; null when the failure says nothing about the account. */
export function pauseOfAccount({ code, params }: AppError): 'challenge' | 'logged-out' | null {
  if (params.challenge === 1) return 'challenge';
  return code === 'login_required' && params.kept !== 1 ? 'logged-out' : null;
}

/** Says whether the post may exist but is hidden, so that asking the site for the reason may help. */
export function isWithheld(error: AppError): boolean {
  return isWeak(error) || (error.code === 'login_required' && error.params.refused !== 1);
}

/**
 * Says whether the failure leaves open if the post exists and why it is hidden. If no other strategy is left, it is
 * then worth asking the site for the reason.
 */
export function isUnclear(error: AppError): boolean {
  return isWeak(error) || error.code === 'login_required' || error.code === 'upstream_changed';
}

/** Codes of failures whose cause may be the caller, not the post. */
const OF_CALLER: ReadonlySet<ErrorCode> = new Set(['login_required', 'upstream_rate_limited', 'timeout']);

/** Says whether the caller, not the post, may be the cause of a failure. */
export function isRefusal(error: AppError): boolean {
  return !isOfOurs(error) && (OF_CALLER.has(error.code) || isLimit(error));
}

/** The failures of all strategies of a fetch; empty when one strategy knew for certain why there is no post. */
export function failuresOf({ cause }: AppError): readonly AppError[] {
  const errors: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return errors.flatMap(error => (error instanceof AppError && !isOfOurs(error) ? [error] : []));
}

/** Says whether most strategies failed because the site refuses the caller, not because it hides the post. */
export function refusesCaller(error: AppError): boolean {
  const failures = failuresOf(error);
  const refusals = failures.filter(isRefusal);
  return refusals.length > 0 && 2 * refusals.length >= failures.length;
}

/** The failure of a strategy that was not run, because its endpoint is cooling down. */
export function notAsked(retryAfterMs: number): AppError {
  const params = { unasked: 1 };
  return new AppError('upstream_rate_limited', 'not asked: the site wants it left alone', { params, retryAfterMs });
}

/** Says whether one of Medley's own limits caused the failure, which says nothing about the strategy. */
export function isOfOurs(error: AppError): boolean {
  return isOwnDoing(error) || error.params.unasked === 1;
}

/**
 * The error when the site cannot be asked at the moment.
 * @param site the site's name for people, where it is known
 */
export function siteIsSilent(site: string | undefined, retryAfterMs: number | undefined, cause?: AppError): AppError {
  const params = { what: 'silent', ...(site !== undefined && { site }) };
  return new AppError('upstream_rate_limited', 'not asked: the site refuses us', { params, retryAfterMs, cause });
}

export function isSilent({ code, params }: AppError): boolean {
  return code === 'upstream_rate_limited' && params.what === 'silent';
}

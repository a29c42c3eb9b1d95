/** Interprets the answers of the official API and of the mirrors. */
import { AppError, type ErrorCode } from '../../errors.ts';
import type { HttpResponse } from '../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../infra/http/retry-after.ts';

/** The official API's name in the log. */
export const OSU = 'osu!';

/** The parameters of a query; a list repeats the name for each value, and undefined ones are left out. */
export type UrlParams = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;

export function urlWith(base: string, params: UrlParams = {}): URL {
  const url = new URL(base);
  for (const [name, value = []] of Object.entries(params)) {
    for (const each of typeof value === 'object' ? value : [value]) url.searchParams.append(name, String(each));
  }
  return url;
}

/** Reads `Retry-After`, also with an ISO date, which the mirror Catboy sends in place of an HTTP date. */
function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const standard = parseRetryAfter(header, now);
  if (standard !== undefined || header === undefined) return standard;
  const at = /^\d{4}-/.test(header) && header.length < 40 ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The longest wait when all allowed requests are used up; mirrors count requests by the minute. */
const MAX_SPENT_MS = 60_000;

/**
 * For how many milliseconds no further request is allowed, by the answer's headers about the rate limit; 0 if one is
 * allowed.
 */
export function spentMs({ headers }: HttpResponse, now: number): number {
  const stated = (name: string) => headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`];
  if (stated('remaining') !== '0') return 0;
  return Math.min(readRetryAfter(stated('reset'), now) ?? MAX_SPENT_MS, MAX_SPENT_MS);
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 404 || status === 410) return 'not_found';
  if (status === 429) return 'upstream_rate_limited';
  if (status === 401 || status === 403) return 'forbidden';
  if (status === 451) return 'region_blocked';
  return status >= 500 ? 'upstream_unavailable' : 'upstream_changed';
}

/**
 * @param upstream the upstream's name in the log
 * @throws AppError `not_found`, `upstream_rate_limited` and `upstream_unavailable` with the wait that the upstream
 * asked for, `forbidden` for 401 and 403, `upstream_changed` for other refusals
 */
export function assertAnswered({ status, headers }: HttpResponse, upstream: string, now: number): void {
  if (status >= 200 && status <= 299) return;
  const code = codeOfStatus(status);
  throw new AppError(code, `${upstream} answered ${status}`, {
    retryAfterMs: readRetryAfter(headers['retry-after'], now),
  });
}

/**
 * The JSON of a successful answer.
 * @throws AppError as {@link assertAnswered} does, and `upstream_changed` for anything that is not JSON
 */
export function readAnswer(response: HttpResponse, upstream: string, now: number): unknown {
  assertAnswered(response, upstream, now);
  const { text } = response;
  try {
    return JSON.parse(text);
  } catch (error) {
    const what = text.trimStart().startsWith('<') ? 'a page' : `${text.length} characters that are no JSON`;
    throw new AppError('upstream_changed', `${upstream} answered with ${what}`, { cause: error });
  }
}

/** Returns the value. @throws AppError `upstream_changed` if it is undefined, because the answer lacks it */
export function expectShape<T>(value: T | undefined, upstream: string, what: string): T {
  if (value === undefined) throw new AppError('upstream_changed', `${upstream}: there is no ${what} in the answer`);
  return value;
}

export function isNotFound(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'not_found';
}

/**
 * Adds to a `not_found`, in `params.what`, what is missing, so that a person who names a player and a map learns which
 * of them does not exist. Other failures stay as they are.
 */
export async function missingAs<T>(what: 'beatmap' | 'score', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError('not_found', error.message, { params: { ...error.params, what }, cause: error });
  }
}

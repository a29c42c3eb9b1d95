/** What an answer means for the strategy that asked: the post, or why not, and whether the site wants a pause. */
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { Body } from '../../parse/body.ts';
import type { Post } from '../../post.ts';
import type { ReadContext } from '../kit/draft.ts';
import { readAnswer } from '../kit/page-thread.ts';
import { failureOfPath, redirectWithinSite } from './failures.ts';
import { readResponse } from './parse/answer.ts';

const MAX_REFUSAL_CHARS = 2_000;

/** The site wants to see a person first; it says so by a redirect, or in a short JSON. */
function isChallenge(response: HttpResponse): boolean {
  if (redirectWithinSite(response)?.pathname.startsWith('/challenge') === true) return true;
  if (response.status < 400) return false;
  return /"(?:feedback|checkpoint|challenge)_required"/.test(response.text.slice(0, MAX_REFUSAL_CHARS));
}

/** A query that is answered 404 without a word in JSON is gone itself: it says nothing of the post. */
function isGoneQuery({ status, bytes }: HttpResponse, { kind }: ReadContext): boolean {
  return kind === 'query' && (status === 404 || status === 410) && !new Body(bytes).startsWith('{');
}

/** The caller is sent to log in, whatever the post: by a redirect, a status, a page where JSON was due. */
function isRefusedCaller(response: HttpResponse, { kind }: ReadContext): boolean {
  const target = redirectWithinSite(response);
  if (target !== null && failureOfPath(target.pathname) !== null) return true;
  return response.status === 401 || (kind === 'query' && new Body(response.bytes).startsWith('<'));
}

/**
 * @throws AppError as `readResponse` does; with `params.challenge` where the caller should be left alone for a while, and
 * `params.refused` where the caller was refused rather than the post withheld.
 */
export async function readMarked(response: HttpResponse, context: ReadContext): Promise<Post> {
  if (isGoneQuery(response, context)) {
    throw new AppError('upstream_changed', `the query is gone (status ${response.status})`);
  }
  try {
    return await readAnswer(readResponse, response, context);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const marks = {
      ...(isChallenge(response) ? { challenge: 1 } : {}),
      ...(isRefusedCaller(response, context) ? { refused: 1 } : {}),
    };
    if (Object.keys(marks).length === 0) throw error;
    const { code, message, params, retryAfterMs } = error;
    throw new AppError(code, message, { params: { ...params, ...marks }, retryAfterMs, cause: error });
  } finally {
    response.release();
  }
}

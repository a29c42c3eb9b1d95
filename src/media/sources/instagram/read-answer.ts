import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { Body } from '../../parse/body.ts';
import type { Post } from '../../post.ts';
import type { ReadContext } from '../kit/draft.ts';
import { readSiteAnswer } from '../kit/page-thread.ts';
import { readResponse } from './parse/answer.ts';
import { marksOf } from './parse/failures.ts';

/** A query that is answered 404 without a word in JSON is gone itself: it says nothing of the post. */
function isGoneQuery({ status, bytes }: HttpResponse, { kind }: ReadContext): boolean {
  return kind === 'query' && (status === 404 || status === 410) && !new Body(bytes).startsWith('{');
}

/**
 * The post of an answer to the strategy that asked.
 * @throws AppError as `readResponse` does; with `params.challenge` where the caller should be left alone for a while, and
 * `params.refused` where the caller was refused rather than the post withheld.
 */
export async function readMarked(response: HttpResponse, context: ReadContext): Promise<Post> {
  const isGone = isGoneQuery(response, context);
  try {
    if (isGone) throw new AppError('upstream_changed', `the query is gone (status ${response.status})`);
    return await readSiteAnswer(readResponse, response, context);
  } catch (error) {
    const marks = isGone ? {} : marksOf(response, context.kind);
    if (!(error instanceof AppError) || Object.keys(marks).length === 0) throw error;
    const { code, message, params, retryAfterMs } = error;
    throw new AppError(code, message, { params: { ...params, ...marks }, retryAfterMs, cause: error });
  } finally {
    response.release();
  }
}

/** An answer of X -> the post, or the AppError that it means. */
import { AppError } from '../../../errors.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, parseJson } from '../../parse/json-search.ts';
import { type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { failureOfErrors, failureOfHead, failureOfResult, failureOfWords } from './failures.ts';
import { findTweet, readTweet } from './parse/tweet.ts';

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (isJsonObject(value) && Object.values(value).every(isEmpty));
}

/** Nothing under an id is a post that is gone, by the query, and by syndication one that is kept from visitors. */
function failureWithoutPost(json: unknown, { kind }: ReadContext, hasOthers: boolean): AppError {
  if (!isJsonObject(json)) return new AppError('upstream_changed', 'the answer is no JSON');
  const stated = failureOfResult(kind === 'query' ? child(json, 'data', 'tweetResult', 'result') : json);
  if (stated !== null) return stated;
  if (hasOthers) return new AppError('upstream_changed', 'the answer is about another post');
  if (kind !== 'query' && isEmpty(json)) return new AppError('login_required', 'kept from visitors without a word');
  const error = failureOfErrors(json);
  if (error !== null) return error;
  const isGone = 'data' in json && isEmpty(json.data);
  return new AppError(isGone ? 'not_found' : 'upstream_changed', isGone ? 'no such post' : 'of an unknown kind');
}

/** With `isCut` where its text is the beginning of a longer one. @throws AppError what the answer means without the post */
export function readXAnswer(answer: SiteAnswer, context: ReadContext) {
  const json = parseJson(answer.body.text.trim());
  const failure = failureOfHead(answer, context.now);
  if (failure !== null) throw (failure.code === 'upstream_rate_limited' ? null : failureOfErrors(json)) ?? failure;
  const tweet = findTweet(json, context.ref.id);
  if (tweet === undefined || tweet === null) throw failureWithoutPost(json, context, tweet === undefined);
  const { draft, isCut, reason } = readTweet(tweet);
  if (draft.items.length > 0 && readableItems(draft) === 0) {
    throw failureOfWords(reason ?? '') ?? new AppError('upstream_changed', 'the post came without a file that we know');
  }
  const isBlurred = isJsonObject(child(json, 'data', 'tweetResult', 'result', 'mediaVisibilityResults'));
  return { post: toPost({ ...draft, sensitive: draft.sensitive === true || isBlurred }, context), isCut };
}

/** An answer of Bluesky's API -> what it shows of the post, or the AppError that it means. */
import { AppError } from '../../../errors.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { readText } from '../../parse/fields.ts';
import { child, isJsonObject, parseJson } from '../../parse/json-search.ts';
import type { ReadContext } from '../kit/draft.ts';
import { failureBySign, failureOfStatus, plainWords, type Sign, weakNotFound } from '../kit/refusal.ts';
import { findView, isForMembers, isTakenDown, type PostView } from './parse/post.ts';

/** The name of an error and its message, in lower case: of a wrong name the API says no more than that the request is invalid. */
const SIGNS: readonly Sign[] = [
  [/^(?:blockedby|blockedactor|auth)/, 'login_required'],
  [/^(?:\w*notfound|account|repo)|(?:unable to|could not) (?:resolve|find)|not found/, 'not_found'],
];
const ACCOUNT = /^(?:account|repo)|suspended|taken ?down|deactivated/;

function failureOfError(json: unknown): AppError | null {
  const words = plainWords(`${readText(child(json, 'error')) ?? ''}: ${readText(child(json, 'message')) ?? ''}`);
  const failure = failureBySign(words, SIGNS);
  const isAccount = failure?.code === 'not_found' && ACCOUNT.test(words);
  return isAccount ? new AppError('not_found', failure.message, { params: { what: 'account' } }) : failure;
}

/** @throws AppError what the answer means when the post is not in it, or is not for everyone */
export function readBlueskyAnswer(
  answer: SiteAnswer,
  { ref, kind, now }: Pick<ReadContext, 'ref' | 'kind' | 'now'>,
): PostView {
  const json = parseJson(answer.body.text.trim());
  const failure = failureOfStatus(answer, now);
  if (failure !== null) throw (answer.status === 429 ? null : failureOfError(json)) ?? failure;
  const post = findView(json, ref.parts);
  if (post === undefined) throw new AppError('upstream_changed', 'the answer is about another post');
  if (post === null) throw failureWithoutPost(json, kind);
  if (isTakenDown(post)) throw new AppError('not_found', 'taken down');
  if (isForMembers(post)) throw new AppError('login_required', 'its author shows it to nobody who is not logged in');
  return post;
}

function failureWithoutPost(json: unknown, kind: ReadContext['kind']): AppError {
  const thread = child(json, 'thread');
  const type = readText(child(thread, '$type')) ?? '';
  if (type.endsWith('#notFoundPost') || child(thread, 'notFound') === true)
    return new AppError('not_found', 'no such post');
  if (type.endsWith('#blockedPost') || child(thread, 'blocked') === true) {
    return new AppError('login_required', 'blocked between its author and whom it answers');
  }
  const posts = child(json, 'posts');
  if (kind === 'query' && Array.isArray(posts) && posts.length === 0) return weakNotFound('no post of this id');
  return (
    failureOfError(json) ?? new AppError('upstream_changed', isJsonObject(json) ? 'of an unknown kind' : 'no JSON')
  );
}

/** A page that Facebook answered with -> the post, or the AppError that it means. */
import { AppError } from '../../../errors.ts';
import type { PostRef } from '../../extract/source.ts';
import type { SiteAnswer } from '../../parse/site-answer.ts';
import type { Post } from '../../post.ts';
import { type AnswerContext, toPost } from '../kit/draft.ts';
import { failureOfAnswer, weakNotFound } from './failures.ts';
import { type PostDraft, parseFacebookPage, type Reading } from './parse.ts';

/** What a page without the post means, where nothing else in the answer gives a reason. */
function failureOfReading(reading: Exclude<Reading, { kind: 'post' }>): AppError {
  switch (reading.kind) {
    case 'words':
      return new AppError('not_found', 'a post without photo or video', { params: { what: 'media' } });
    case 'live':
      return new AppError('unsupported_link', 'a broadcast that is still on the air', { params: { what: 'live' } });
    case 'unread':
      return new AppError(reading.code ?? 'upstream_changed', 'the post came without a file that we know');
    case 'others':
      return weakNotFound('the page shows other videos only');
    case 'nothing':
      return new AppError('upstream_changed', 'a page of an unknown kind');
  }
}

/** Readings that are about the post itself: what else stands on the page, such as a login form, says nothing more of it. */
function isAboutPost(reading: Reading): boolean {
  return reading.kind === 'words' || reading.kind === 'live' || reading.kind === 'unread';
}

/**
 * The post of an answer about `ref`.
 * @throws AppError what the answer means when no file of the post is in it.
 */
export function readAnswer(answer: SiteAnswer, ref: PostRef, now: number): PostDraft {
  const isPage = answer.status >= 200 && answer.status < 300;
  const reading: Reading = isPage
    ? parseFacebookPage(answer.body, ref, answer.url)
    : { kind: 'nothing', hasPosts: false };
  if (reading.kind === 'post') return reading.post;
  if (isAboutPost(reading)) throw failureOfReading(reading);
  const hasPosts = 'hasPosts' in reading && reading.hasPosts;
  throw failureOfAnswer(answer, now, hasPosts) ?? failureOfReading(reading);
}

/**
 * The same as the post that was asked for.
 * @throws AppError as `readAnswer` does.
 */
export function readPage(answer: SiteAnswer, context: AnswerContext): Post {
  return toPost(readAnswer(answer, context.ref, context.now), context, 'files');
}

/** A page that Facebook answered with -> the post, or the AppError that it means. */
import { AppError } from '../../../../errors.ts';
import type { PostRef } from '../../../extract/source.ts';
import type { SiteAnswer } from '../../../parse/site-answer.ts';
import type { Post } from '../../../post.ts';
import { type AnswerContext, type PostDraft, toPost } from '../../kit/draft.ts';
import { weakNotFound } from '../../kit/refusal.ts';
import { failureOfAnswer } from '../failures.ts';
import { parseFacebookPage } from './post.ts';

/**
 * The post of an answer about `ref`.
 * @throws AppError what the answer means when no file of the post is in it.
 */
export function readAnswer(answer: SiteAnswer, ref: PostRef, now: number): PostDraft {
  const isPage = answer.status >= 200 && answer.status < 300;
  const reading = isPage ? parseFacebookPage(answer.body, ref, answer.url) : undefined;
  switch (reading?.kind) {
    case 'post':
      return reading.post;
    // The page speaks of the post itself: what else stands on it, such as a login form, says nothing more.
    case 'words':
      throw new AppError('not_found', 'a post without photo or video', { params: { what: 'media' } });
    case 'live':
      throw new AppError('unsupported_link', 'a broadcast that is still on the air', { params: { what: 'live' } });
    case 'unread':
      throw new AppError(reading.code ?? 'upstream_changed', 'the post came without a file that we know');
    case 'others':
      throw failureOfAnswer(answer, now, reading.hasPosts) ?? weakNotFound('the page shows other videos only');
    default:
      throw (
        failureOfAnswer(answer, now, reading?.hasPosts) ?? new AppError('upstream_changed', 'a page of an unknown kind')
      );
  }
}

/**
 * The same as the post that was asked for.
 * @throws AppError as `readAnswer` does.
 */
export function readPage(answer: SiteAnswer, context: AnswerContext): Post {
  return toPost(readAnswer(answer, context.ref, context.now), context, 'files');
}

/** Turns a page or an answer of the Graph API into the post, or into an AppError. */
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { weakNotFound } from '../../extract/refusal.ts';
import type { PostRef } from '../../extract/source.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, parseJson, readText } from '../../parse/json-fields.ts';
import type { Post } from '../../post.ts';
import { type PostDraft, type ReadContext, toPost } from '../kit/draft.ts';
import { failureOfAnswer, restrictionIn, statedRestriction } from './failures.ts';
import { parseFacebookPage } from './parse/post.ts';

/** @throws AppError the reason why no file of the post is in the answer. */
export function draftOfAnswer(answer: SiteAnswer, ref: PostRef, now: number): PostDraft {
  const isPage = answer.status >= 200 && answer.status < 300;
  const reading = isPage ? parseFacebookPage(answer.body, ref, answer.url) : undefined;
  switch (reading?.kind) {
    case 'post':
      return reading.post;
    case 'live':
      throw new AppError('unsupported_link', 'a broadcast that is still on the air', { params: { what: 'live' } });
    case 'unread': {
      const restriction = statedRestriction(reading.objects, reading.budget);
      throw restriction ?? new AppError('upstream_changed', 'the post came without a file that we know');
    }
  }
  const failure = failureOfAnswer(answer, now, reading?.hasPosts);
  if (failure !== null) throw failure;
  throw reading?.kind === 'others'
    ? weakNotFound('the page shows other videos only')
    : new AppError('upstream_changed', 'a page of an unknown kind');
}

/** @throws AppError as `draftOfAnswer` does. */
export function readFacebookPage(answer: SiteAnswer, context: ReadContext): Post {
  return toPost(draftOfAnswer(answer, context.ref, context.now), context, 'files');
}

/**
 * Says whether the Graph API calls the post public. Without a token, `oembed_video` and `oembed_post` return `html` for
 * a public post, else status 400 and `error` (seen in 2026-07), even where pages show a login wall.
 * @throws AppError `private`, `age_restricted` or `region_blocked`, when the text of the error says so.
 */
export function isCalledPublic(answer: HttpResponse): boolean {
  const json = parseJson(answer.text);
  if (answer.status === 200 && readText(child(json, 'html')) !== null) return true;
  const error = child(json, 'error');
  if (!isJsonObject(error)) return false;
  const words = [error.error_user_title, error.error_user_msg, error.message].map(readText).join('\n');
  // "No such post" proves nothing, since the API says it too of posts that it may not show.
  const restriction = restrictionIn(words);
  if (restriction !== null) throw restriction;
  return false;
}

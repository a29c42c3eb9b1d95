/** A page of TikTok, a post's own or its embed, -> the post, or the AppError that it means (2026-08 to 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { type Body, type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import { readCount, readText } from '../../parse/fields.ts';
import type { Post } from '../../post.ts';
import { type PostDraft, type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { blocked, failureOfPlace, weakNotFound } from '../kit/refusal.ts';
import { type FoundItem, findItem } from './parse/find-item.ts';
import { parseItem } from './parse/item.ts';

export const WALL = /^\/login(?:\/|$)/;

/** The page in place of an answer that asks for proof of a person; it has 8 KB. */
function failureOfChallenge(body: Body): AppError | null {
  const isChallenge = body.length < 64 * 1024 && /_wafchallengeid|SlardarWAF|\sid="[wr]ci"/.test(body.text);
  return isChallenge ? blocked('asked for proof of a person') : null;
}

/** The address that the page of a short link names. @throws AppError where it asks for proof of a person */
export function targetOfPage(answer: HttpResponse): string | null {
  const { body } = siteAnswer(answer);
  const failure = failureOfChallenge(body);
  if (failure !== null) throw failure;
  const named = /<a\s[^<>]{0,200}?href="(https:\/\/[^"<>]{1,2000})"/.exec(body.text.slice(0, 64 * 1024))?.[1];
  return named?.replaceAll('&amp;', '&') ?? null;
}

function failureOfState({ statusCode, statusMsg }: NonNullable<FoundItem['state']>): AppError | null {
  const code = readCount(statusCode) ?? 0;
  const words = readText(statusMsg) ?? '';
  if (code === 0) return null;
  const message = `state ${code}: ${words.slice(0, 100)}`;
  if (/cross_border|region/.test(words)) return new AppError('region_blocked', message, { params: { weak: 1 } });
  if (code === 10_216 || code === 10_222) return new AppError('private', message);
  // It says so to those as well whom it does not want to answer.
  return code === 10_204 ? weakNotFound(message) : new AppError('upstream_changed', message);
}

/** Why a post that is there comes without a file. */
function failureWithoutFile({ sensitive, isPrivate }: PostDraft & { readonly isPrivate: boolean }): AppError {
  if (isPrivate) return new AppError('private', 'the post of a private account');
  if (sensitive) return new AppError('age_restricted', 'the post is classified and comes without a file');
  return new AppError('upstream_changed', 'the post came without a file that we know');
}

/** @throws AppError what the answer means when the asked post is not in it. */
export function readTiktokPage({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const failure = failureOfChallenge(body) ?? failureOfPlace(head, context.now, WALL);
  if (failure !== null) throw failure;
  const { item, state, isAbsent } = findItem(body, context.ref);
  if (item !== null) {
    const { isPrivate, ...draft } = parseItem(item, context.ref);
    if (readableItems(draft) === 0) throw failureWithoutFile({ ...draft, isPrivate });
    return toPost(draft, context, 'files');
  }
  const stated = state === null ? null : failureOfState(state);
  if (stated !== null) throw stated;
  throw isAbsent ? weakNotFound('the embed has no post') : new AppError('upstream_changed', 'a page without the post');
}

/** A page of Threads, its embed or the post's own, -> the post, or the AppError that it means (2026-09 to 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import type { HttpHead } from '../../../infra/http/http-client.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import type { Post } from '../../post.ts';
import { type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { blocked, failureOfStatus, redirectOf, refusedCaller, weakNotFound } from '../kit/refusal.ts';
import { publishTimeOf } from '../kit/shortcode.ts';
import { parseEmbed } from './parse/embed.ts';
import { parsePage } from './parse/page.ts';

/** Null for an answer that may hold the post. */
export function failureOfHead(head: HttpHead, now: number): AppError | null {
  const { pathname } = redirectOf(head) ?? new URL(head.url, 'https://www.threads.com/t/');
  if (/^\/(?:login|accounts|challenge|checkpoint)(?:\/|$)/.test(pathname)) return refusedCaller('redirected to a wall');
  if (pathname === '/') return weakNotFound('redirected to the home page');
  if (head.status === 401 || head.status === 403) return blocked(`status ${head.status}`);
  const isRedirect = head.status >= 300 && head.status < 400;
  return isRedirect ? new AppError('upstream_changed', 'redirected elsewhere') : failureOfStatus(head, now);
}

/** @throws AppError what the answer means when the asked post is not in it. */
export function readThreadsPage({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const failure = failureOfHead(head, context.now);
  if (failure !== null) throw failure;
  const { ref } = context;
  const draft = body.includes('OuterContainer') ? parseEmbed(body, ref) : parsePage(body, ref);
  if (draft.items.length > 0 && readableItems(draft) === 0) {
    throw new AppError('upstream_changed', 'the post came without a file that we know');
  }
  // An id says when its post was published, where the answer does not.
  return toPost({ ...draft, publishedAt: draft.publishedAt ?? publishTimeOf(ref.parts.mediaId ?? '') }, context);
}

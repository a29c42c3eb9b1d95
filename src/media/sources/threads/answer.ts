/** A page of Threads, its embed or the post's own, -> the post, or the AppError that it means (2026-09 to 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import type { Post } from '../../post.ts';
import { type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { failureOfPlace } from '../kit/refusal.ts';
import { publishTimeOf } from '../kit/shortcode.ts';
import { parseEmbed } from './embed.ts';
import { parsePage } from './page.ts';

export const WALL = /^\/(?:login|accounts|challenge|checkpoint)(?:\/|$)/;

/** @throws AppError what the answer means when the asked post is not in it. */
export function readThreadsPage({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const failure = failureOfPlace(head, context.now, WALL);
  if (failure !== null) throw failure;
  const { ref } = context;
  const draft = body.includes('OuterContainer') ? parseEmbed(body, ref) : parsePage(body, context);
  if (draft.items.length > 0 && readableItems(draft) === 0) {
    throw new AppError('upstream_changed', 'the post came without a file that we know');
  }
  // An id says when its post was published, where the answer does not.
  return toPost({ ...draft, publishedAt: draft.publishedAt ?? publishTimeOf(ref.parts.mediaId ?? '') }, context);
}

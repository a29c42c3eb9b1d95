import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Post } from '../../media/post.ts';
import { type Block, type Reply, reply, textBlock } from '../contract/reply.ts';
import type { PostSite } from '../contract/site-name.ts';
import { errorSentence } from './notice.ts';
import { colourOf, postHeading } from './post.ts';

/** A post without files: its cover and author, that there is no more, and why. */
export function renderCover(post: Post, site: PostSite, reason: AppError, t: Translator): Reply {
  const { coverOnly, authorOnly, openOriginal } = t.messages.post;
  const caption = post.caption?.trim();
  // First, since some platforms show the first image alone.
  const cover: readonly Block[] =
    post.coverUrl === null ? [] : [{ kind: 'image', url: post.coverUrl, alt: t.messages.post.cover }];
  return reply({
    tone: 'notice',
    blocks: [
      ...cover,
      postHeading(post, site, t),
      ...(caption ? [{ kind: 'text', text: [caption], folded: true } as const] : []),
      textBlock([
        { kind: 'emphasis', children: [post.coverUrl === null ? authorOnly : coverOnly] },
        ' ',
        errorSentence(reason, t),
      ]),
    ],
    actions: [{ kind: 'link', label: openOriginal, url: post.url }],
    ...colourOf(site),
  });
}

import { AppError } from '../../errors.ts';
import type { Post } from '../post.ts';
import type { Extractor } from './extractor.ts';

export interface WithheldPosts {
  /** By the post's `source:id`, before anything is asked. */
  hasLink(post: string): Promise<boolean>;
  hasPost(post: Pick<Post, 'source' | 'id' | 'author'>): Promise<boolean>;
}

/** The same extractor, which refuses posts that must not be shown with `forbidden`, wherever they are asked for. */
export function withholdPosts(extractor: Extractor, withheld: WithheldPosts): Extractor {
  async function allowed(post: Post): Promise<Post> {
    if (await withheld.hasPost(post)) throw refusal();
    return post;
  }

  return {
    ...extractor,
    async extract(link, options) {
      const key = extractor.postKey(link);
      if (key !== undefined && (await withheld.hasLink(key))) throw refusal();
      const found = await extractor.extract(link, options);
      await allowed(found.post);
      return found;
    },
    async refresh(post, signal) {
      if (await withheld.hasLink(`${post.source}:${post.id}`)) throw refusal();
      return allowed(await extractor.refresh(post, signal));
    },
  };
}

function refusal(): AppError {
  return new AppError('forbidden', 'the operator withholds this post', { params: { hint: 'withheldPost' } });
}

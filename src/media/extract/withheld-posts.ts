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
  return {
    ...extractor,
    async extract(link, options) {
      const key = extractor.postKey(link);
      if (key !== undefined && (await withheld.hasLink(key))) throw refusal();
      const found = await extractor.extract(link, options);
      if (await withheld.hasPost(found.post)) throw refusal();
      return found;
    },
  };
}

function refusal(): AppError {
  return new AppError('forbidden', 'the operator withholds this post', { params: { hint: 'withheldPost' } });
}

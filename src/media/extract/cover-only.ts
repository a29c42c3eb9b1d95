import { AppError } from '../../errors.ts';
import type { Post } from '../post.ts';

/**
 * Nothing of a post could be read but its author and cover: the error that says most, with what there is. It is no answer to keep,
 * and an older whole one is better.
 */
export class CoverOnlyError extends AppError {
  /** Without items; `missingItems` is 1 or more. */
  readonly post: Post;

  constructor(reason: AppError, post: Post) {
    const { params, cause, retryAfterMs } = reason;
    super(reason.code, reason.message, { params, cause, retryAfterMs });
    this.post = post;
  }
}

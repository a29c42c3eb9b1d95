/** Runs in a thread: large answers of Instagram. */
import { type Outcome, outcomeOf } from '../../parse/parse-thread.ts';
import { siteAnswer } from '../../parse/site-answer.ts';
import type { Post } from '../../post.ts';
import { type ResponseTask, readResponse } from './parse.ts';

export function readLargeResponse({ response, context }: ResponseTask): Outcome<Post> {
  return outcomeOf(() => readResponse(siteAnswer(response), context));
}

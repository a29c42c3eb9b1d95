/** Runs in a thread: large pages of Facebook. */
import { type Outcome, outcomeOf } from '../../parse/parse-thread.ts';
import { siteAnswer } from '../../parse/site-answer.ts';
import type { PostDraft } from './parse.ts';
import { type AnswerTask, readAnswer } from './parse-answer.ts';

export function readLargeAnswer({ answer, ref, now }: AnswerTask): Outcome<PostDraft> {
  return outcomeOf(() => readAnswer(siteAnswer(answer), ref, now));
}

import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { isLarge, type PackedAnswer, type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import { createParseThread } from '../../parse/parse-thread.ts';
import type { Post } from '../../post.ts';
import type { ReadContext } from './draft.ts';

/** @throws AppError what the answer means when the post is not in it. */
export type AnswerReader = (answer: SiteAnswer, context: ReadContext) => Post;

export interface PageTask {
  readonly response: PackedAnswer;
  readonly context: ReadContext;
}

/** A bundle has every file in one folder; compiled one by one, the worker stands above the kit. */
const WORKER = import.meta.url.endsWith('/kit/page-thread.js') ? '../page-worker.js' : './page-worker.js';
/** Run from TypeScript there is no compiled worker: a large answer is then read like any other. */
const readInThread = import.meta.url.endsWith('.ts')
  ? null
  : createParseThread<PageTask, Post>(new URL(WORKER, import.meta.url), 'readLargePage');

/** An answer of many megabytes is read in a thread, which finds the reader by the source's id. @throws AppError as the reader does. */
export async function readSiteAnswer(read: AnswerReader, response: HttpResponse, context: ReadContext): Promise<Post> {
  const answer = siteAnswer(response);
  const { id, parts } = context.ref;
  if (readInThread === null || !isLarge(answer.body, [id, parts.mediaId ?? id])) return read(answer, context);
  const { status, headers, url, bytes } = response;
  return await readInThread({ response: { status, headers, url, bytes }, context });
}

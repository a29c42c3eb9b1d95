import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { isLarge, type PackedAnswer, type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import { createParseThread } from '../../parse/parse-thread.ts';
import type { Post } from '../../post.ts';
import type { ReadContext } from './draft.ts';

/** @throws AppError the meaning of the answer when the post is not in it. */
export type AnswerReader = (answer: SiteAnswer, context: ReadContext) => Post;

export interface PageTask {
  readonly response: PackedAnswer;
  readonly context: ReadContext;
}

/** In a bundle all files are in one folder; compiled separately, the worker is in the folder above the kit. */
const WORKER = import.meta.url.endsWith('/kit/page-thread.js') ? '../page-worker.js' : './page-worker.js';
/** When run from TypeScript there is no compiled worker, so a large answer is read in this thread. */
const readInThread = import.meta.url.endsWith('.ts')
  ? null
  : createParseThread<PageTask, Post>(new URL(WORKER, import.meta.url), 'readLargePage');

/**
 * Reads an answer; one of many megabytes is read in a thread, which finds the reader by the source's id.
 * @throws AppError like the reader
 */
export async function readSiteAnswer(read: AnswerReader, response: HttpResponse, context: ReadContext): Promise<Post> {
  const answer = siteAnswer(response);
  const { id, parts } = context.ref;
  if (readInThread === null || !isLarge(answer.body, [id, parts.mediaId ?? id])) return read(answer, context);
  const { status, headers, url, bytes } = response;
  return await readInThread({ response: { status, headers, url, bytes }, context });
}

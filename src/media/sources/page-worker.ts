/** The code of the worker thread that reads large answers of the sites. */
import { AppError } from '../../errors.ts';
import { siteAnswer } from '../parse/body.ts';
import { type ThreadOutcome, threadOutcomeOf } from '../parse/parse-thread.ts';
import type { Post, SourceId } from '../post.ts';
import { readFacebookPage } from './facebook/parse.ts';
import { readInstagramAnswer } from './instagram/parse.ts';
import type { AnswerReader, PageTask } from './kit/source.ts';
import { readPinterestAnswer } from './pinterest/parse.ts';
import { readRedditAnswer } from './reddit/parse.ts';
import { readThreadsPage } from './threads/parse.ts';
import { readTiktokPage } from './tiktok/parse.ts';

/** For each source, the reader of its answers. Large answers are read here, off the main thread. */
const READERS: Readonly<Record<SourceId, AnswerReader>> = {
  instagram: readInstagramAnswer,
  facebook: readFacebookPage,
  threads: readThreadsPage,
  tiktok: readTiktokPage,
  pinterest: readPinterestAnswer,
  reddit: readRedditAnswer,
};

export function readLargePage({ response, context }: PageTask): ThreadOutcome<Post> {
  return threadOutcomeOf(() => {
    const read = READERS[context.ref.source];
    if (read === undefined) throw new AppError('internal', `no reader for large pages of ${context.ref.source}`);
    return read(siteAnswer(response), context);
  });
}

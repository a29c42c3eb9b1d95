import { LRUCache } from 'lru-cache';
import type { AnswerProgress } from '../../../bot/contract/chat-platform.ts';
import type { ChatLimits } from '../protocol/limits.ts';
import { type Answer, showProgress } from './answers.ts';

/** Every message shows that its links wait; for all that a person sent together it is announced once. */
export function createShowProgress({ jobs }: Pick<ChatLimits, 'jobs'>, now: () => number) {
  /** Sessions that heard that links of theirs wait, for as long as those do. */
  const noticed = new LRUCache<string, true>({ max: jobs, perf: { now } });

  return (answer: Answer, progress: AnswerProgress): void => {
    const { t, page, caller } = answer;
    if (progress.kind === 'stage') {
      showProgress(answer, t.messages.progress[progress.stage]);
      return;
    }
    const { links, afterMs } = progress;
    const text = t.messages.requests.waiting({ links, wait: t.wait(afterMs) });
    showProgress(answer, text);
    if (!noticed.has(caller.userId)) page?.outlet.send({ type: 'notice', text });
    noticed.set(caller.userId, true, { ttl: afterMs });
  };
}

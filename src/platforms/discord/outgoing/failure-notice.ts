import { type Reply, reply } from '../../../bot/reply.ts';
import { errorNotice } from '../../../bot/views/notice.ts';
import { toAppError } from '../../../errors.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { SendFailure } from './send.ts';

/** What whoever asked is told when an answer could not be made or handed over. */
export function failureNotice(error: unknown, t: Translator): Reply {
  if (!(error instanceof SendFailure)) return errorNotice(toAppError(error), t, { visibility: 'caller' });
  const text = [sentenceOf(error, t)];
  return reply({ tone: 'error', blocks: [{ kind: 'text', text }], visibility: 'caller' });
}

function sentenceOf({ problem, retryAfterMs = 0 }: SendFailure, t: Translator): string {
  const words = t.messages.discord;
  switch (problem) {
    case 'rate_limited':
      return words.slowDown(t.wait(retryAfterMs));
    case 'timeout':
    case 'failed':
      return words.unconfirmed;
    case 'too_large':
    case 'gone':
    case 'forbidden':
    case 'blocked':
    case 'refused':
      return words.refused;
  }
}

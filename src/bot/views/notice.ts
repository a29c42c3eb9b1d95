import type { AppError, ErrorCode } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { type Reply, reply } from '../reply.ts';

/** What only concerns the person who asked is shown to him alone, where the platform can. */
const FOR_CALLER: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'rate_limited', 'forbidden']);

/** One calm sentence for a failure, in the reader's language. */
function errorSentence(error: AppError, t: Translator): string {
  const { hint } = error.params;
  const hints: Readonly<Record<string, (params: AppError['params']) => string>> = t.messages.hints;
  if (typeof hint === 'string' && Object.hasOwn(hints, hint)) {
    const sentence = hints[hint]?.(error.params);
    if (sentence) return sentence;
  }
  const wait = error.retryAfterMs === undefined ? undefined : t.wait(error.retryAfterMs);
  return t.messages.errors[error.code](error.params, wait);
}

export function errorNotice(error: AppError, t: Translator, visibility: Reply['visibility']): Reply {
  return reply({
    tone: error.code === 'internal' || error.code === 'upstream_changed' ? 'error' : 'notice',
    blocks: [{ kind: 'text', text: [errorSentence(error, t)] }],
    visibility: FOR_CALLER.has(error.code) ? 'caller' : visibility,
  });
}

/** A remark that is no failure. */
export function notice(sentence: string): Reply {
  return reply({ tone: 'notice', blocks: [{ kind: 'text', text: [sentence] }], visibility: 'caller' });
}

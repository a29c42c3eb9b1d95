import type { AppError, ErrorCode } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Subject } from '../command.ts';
import { type Reply, reply } from '../reply.ts';

type Sentence = (params: AppError['params'], wait?: string) => string;

/** What only concerns the person who asked is shown to him alone, where the platform can. */
const FOR_CALLER: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'rate_limited', 'forbidden']);

/** One calm sentence for a failure, in the reader's language. */
export function errorSentence(error: AppError, t: Translator, subject?: Subject): string {
  const { hint } = error.params;
  const hints: Readonly<Record<string, (params: AppError['params']) => string>> = t.messages.hints;
  if (typeof hint === 'string' && Object.hasOwn(hints, hint)) {
    const sentence = hints[hint]?.(error.params);
    if (sentence) return sentence;
  }
  const wait = error.retryAfterMs === undefined ? undefined : t.wait(error.retryAfterMs);
  const own: Partial<Record<ErrorCode, Sentence>> = subject === undefined ? {} : t.messages.osu.errors[subject];
  return (own[error.code] ?? t.messages.errors[error.code])(error.params, wait);
}

/** @param subject what the failed command was about, where it was not about posts */
export function errorNotice(error: AppError, t: Translator, visibility: Reply['visibility'], subject?: Subject): Reply {
  return reply({
    tone: error.code === 'internal' || error.code === 'upstream_changed' ? 'error' : 'notice',
    blocks: [{ kind: 'text', text: [errorSentence(error, t, subject)] }],
    visibility: FOR_CALLER.has(error.code) ? 'caller' : visibility,
  });
}

/** A remark that is no failure. */
export function notice(sentence: string): Reply {
  return reply({ tone: 'notice', blocks: [{ kind: 'text', text: [sentence] }], visibility: 'caller' });
}

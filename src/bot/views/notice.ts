import { type AppError, type ErrorCode, LOG_LEVELS } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Subject } from '../contract/command.ts';
import { type Reply, reply, type Text, textBlock } from '../contract/reply.ts';
import { sentence } from './sentence.ts';

export interface ErrorNoticeOptions {
  readonly visibility: Reply['visibility'];
  /** What the failed command was about, where it was not about posts. */
  readonly subject?: Subject | undefined;
  /** Short forms of the links it is about, where a message has several. */
  readonly about?: readonly string[] | undefined;
}

/** What only concerns the person who asked is shown to them alone, where the platform can. */
const FOR_CALLER: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'rate_limited', 'forbidden']);
/** Links that one sentence names. */
const MAX_NAMED = 5;

/** One calm sentence for a failure, in the reader's language. */
export function errorSentence(error: AppError, t: Translator, subject?: Subject): string {
  const { code, params, retryAfterMs } = error;
  const values = retryAfterMs === undefined ? params : { ...params, wait: t.wait(retryAfterMs) };
  return t.find(`hints.${params.hint}`, params) ?? t.error(code, values, subject);
}

export function errorNotice(
  error: AppError,
  t: Translator,
  { visibility, subject, about = [] }: ErrorNoticeOptions,
): Reply {
  return reply({
    tone: LOG_LEVELS[error.code] === 'error' ? 'error' : 'notice',
    blocks: [textBlock(aboutLinks(about, sentence(errorSentence(error, t, subject))))],
    visibility: FOR_CALLER.has(error.code) ? 'caller' : visibility,
    ...(error.code === 'rate_limited' && error.retryAfterMs !== undefined ? { outdatedMs: error.retryAfterMs } : {}),
  });
}

/** Words behind the short forms of the links that they are about. */
export function aboutLinks(about: readonly string[], words: Text): Text {
  if (about.length === 0) return words;
  const named = about.slice(0, MAX_NAMED).flatMap((label, index): Text => {
    return [...(index === 0 ? [] : [', ']), { kind: 'code', children: [label] }];
  });
  return [...named, about.length > MAX_NAMED ? ', …: ' : ': ', ...words];
}

/** A remark that is no failure. */
export function notice(words: string): Reply {
  return reply({ tone: 'notice', blocks: [textBlock(sentence(words))], visibility: 'caller' });
}

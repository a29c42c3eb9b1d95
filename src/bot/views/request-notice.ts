import { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Reply } from '../contract/reply.ts';
import { errorNotice, notice } from './notice.ts';

export interface RequestNotice {
  readonly kind: 'unsure' | 'failed' | 'timeout' | 'limited' | 'waiting';
  readonly links?: number | undefined;
  readonly afterMs?: number | undefined;
}

/** What is said of a request in place of its answer, or of a part of it. */
export function renderRequestNotice({ kind, links = 1, afterMs = 0 }: RequestNotice, t: Translator): Reply {
  switch (kind) {
    case 'unsure':
      return notice(t.messages.requests.unsure);
    case 'waiting':
      return { ...notice(t.messages.requests.waiting({ links, wait: t.wait(afterMs) })), outdatedMs: afterMs };
    case 'limited':
      return errorNotice(new AppError('rate_limited', 'no time to wait', { retryAfterMs: afterMs }), t, {
        visibility: 'caller',
      });
    case 'failed':
      return errorNotice(new AppError('internal', 'an answer failed'), t, { visibility: 'caller' });
    case 'timeout':
      return errorNotice(new AppError('timeout', 'an answer took too long'), t, { visibility: 'caller' });
  }
}

/** Of a request that others come before. */
export function renderPlace(ahead: number, t: Translator): Reply {
  return notice(t.messages.requests.place({ ahead }));
}

/** Of a request that is not taken. */
export function renderBusy(t: Translator, retryAfterMs?: number): Reply {
  const error = new AppError('rate_limited', 'too much waits', { params: { reason: 'busy' }, retryAfterMs });
  return errorNotice(error, t, { visibility: 'caller' });
}

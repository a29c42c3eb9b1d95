import type { SendFailure } from '../../../bot/contract/chat-platform.ts';
import type { Translator } from '../../../i18n/translate.ts';

type Failure = Pick<BotApiError, 'method' | 'code' | 'description' | 'isNotDone'> &
  Partial<Pick<BotApiError, 'retryAfterMs' | 'migrateTo' | 'isCut'>>;

/** A call that failed. It holds neither the request, which has people's text, nor the address, which has the token. */
export class BotApiError extends Error {
  override readonly name = 'BotApiError';
  readonly method: string;
  /** The Bot API's error code; undefined if it gave no readable answer. */
  readonly code: number | undefined;
  readonly description: string;
  /** Milliseconds that Telegram asks to wait; undefined when it does not ask for that. */
  readonly retryAfterMs: number | undefined;
  /** The id of the supergroup that the group has become; undefined for any other error. */
  readonly migrateTo: number | undefined;
  /** True when the call was certainly not carried out; otherwise the message may have been sent. */
  readonly isNotDone: boolean;
  /** True when Medley itself ended the call. */
  readonly isCut: boolean;

  constructor({ method, code, description, retryAfterMs, migrateTo, isNotDone, isCut = false }: Failure) {
    super(`${method}: ${code ?? 'no answer'} ${description}`);
    this.method = method;
    this.code = code;
    this.description = description;
    this.retryAfterMs = retryAfterMs;
    this.migrateTo = migrateTo;
    this.isNotDone = isNotDone;
    this.isCut = isCut;
  }
}

/** The error of a call that was aborted before it was sent. */
export function notBegun(method: string): BotApiError {
  return new BotApiError({ method, code: undefined, description: 'not begun', isNotDone: true, isCut: true });
}

/** True when the token was revoked or never valid. A 404 of any other method means that the server lacks the method. */
export function isTokenRefused({ code, method }: BotApiError): boolean {
  return code === 401 || (code === 404 && (method === 'getMe' || method === 'getUpdates'));
}

/** Matches refusals that the file did not cause, after which another file would be refused too. */
const NOT_THE_FILE =
  /chat not found|thread not found|topic|replied|not enough rights|no rights|CHAT_|CHANNEL_|REPLY_|USER_|PEER_|group chat was|bot (was|is)|need administrator|caption|entit|keyboard|button|reply markup|messages to send/i;

export function isAboutFile({ code, description }: BotApiError): boolean {
  return code === 413 || (code === 400 && !NOT_THE_FILE.test(description));
}

/** True when Medley may not send this kind of message in the chat; a text may still be accepted. */
export function isWithoutRight(error: unknown): boolean {
  return isRefused(error, /not enough rights to send|no rights to send|CHAT_SEND_[A-Z]+_FORBIDDEN/i);
}

/** True when Medley may send nothing in the chat: in closed topics and channels only admins with that right may. */
export function isShutOut(error: unknown): boolean {
  return isTopicClosed(error) || isRefused(error, /need administrator rights|CHAT_(WRITE_FORBIDDEN|RESTRICTED)/i);
}

/** True when Medley can see no chat with that id, or no message to which the new one would have to reply. */
export function isPlaceGone(error: unknown): boolean {
  return isRefused(error, /chat not found|PEER_ID_INVALID|(replied|reply) (message )?not found/i);
}

export function isTopicClosed(error: unknown): boolean {
  return isRefused(error, /TOPIC_CLOSED/i);
}

function isRefused(error: unknown, description: RegExp): boolean {
  if (!(error instanceof BotApiError)) return false;
  return (error.code === 400 || error.code === 403) && description.test(error.description);
}

/** Converts the failure of a call into the outcome that bot/runtime expects; undefined for any other error. */
export function sendFailureOf(error: unknown): SendFailure | undefined {
  if (!(error instanceof BotApiError)) return undefined;
  const { code, method, retryAfterMs, isNotDone, isCut } = error;
  if (isTokenRefused(error)) return { outcome: 'notSent', reason: 'token' };
  if (code === 429) return { outcome: 'notSent', reason: 'flood', scope: 'chat', retryAfterMs };
  if (code === undefined || code >= 500) {
    const changesChat = /^(send(?!ChatAction)|edit|answer)/.test(method);
    if (!isNotDone && changesChat) return { outcome: 'unknown' };
    return { outcome: 'notSent', reason: isCut ? 'cut' : 'away' };
  }
  // Code 409 means that another process polls as well, or that a webhook is set, so the request waits.
  if (code === 409) return { outcome: 'notSent', reason: 'away' };
  if (isWithoutRight(error) || isShutOut(error)) return { outcome: 'notSent', reason: 'gone', isBarred: true };
  return { outcome: 'notSent', reason: code === 403 || isPlaceGone(error) ? 'gone' : 'refused' };
}

/** The sentence for the person who asked, when an answer could not be made, sent or deleted. */
export function failureSentence(error: unknown, t: Translator): string {
  const { telegram, errors } = t.messages;
  if (isTopicClosed(error)) return telegram.topicClosed;
  if (isRefused(error, /message can't be deleted/i)) return telegram.tooOld;
  if (!(error instanceof BotApiError)) return errors.internal;
  if (error.retryAfterMs !== undefined) return telegram.slowDown({ wait: t.wait(error.retryAfterMs) });
  return error.isNotDone ? errors.internal : telegram.unconfirmed;
}

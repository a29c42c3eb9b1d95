import type { SendFailure } from '../../../bot/contract/chat-platform.ts';
import { BotApiError } from './bot-api-error.ts';
import { isShutOut, isWithoutRight } from './refusals.ts';

/** Refused by the token: revoked, or never one. Other methods answer 404 where a server does not know them. */
export function isTokenRefused({ code, method }: BotApiError): boolean {
  return code === 401 || (code === 404 && (method === 'getMe' || method === 'getUpdates'));
}

/** No place is left, or none where anything could be said. */
function isGone(error: BotApiError): boolean {
  const isUnknown = error.code === 400 && /chat not found/i.test(error.description);
  return error.code === 403 || isUnknown || isWithoutRight(error) || isShutOut(error);
}

/** What a failed call means for what was to be sent. */
export function outcomeOf(error: unknown): SendFailure | undefined {
  if (!(error instanceof BotApiError)) return undefined;
  const { code, method, retryAfterMs, isNotDone, isCut } = error;
  if (isTokenRefused(error)) return { outcome: 'notSent', reason: 'token' };
  if (code === 429) return { outcome: 'notSent', reason: 'flood', scope: 'chat', retryAfterMs };
  if (code === undefined || code >= 500) {
    if (!isNotDone && puts(method)) return { outcome: 'unknown' };
    return { outcome: 'notSent', reason: isCut ? 'cut' : 'away' };
  }
  // Another process polls, or a webhook is set.
  if (code === 409) return { outcome: 'notSent', reason: 'away' };
  return { outcome: 'notSent', reason: isGone(error) ? 'gone' : 'refused' };
}

/** Whether the method changes what stands in a chat. */
function puts(method: string): boolean {
  return /^(send(?!ChatAction)|edit|answer)/.test(method);
}

import type { Translator } from '../../../i18n/translate.ts';
import { BotApiError } from './bot-api-error.ts';

/** Refusals that another file would meet as well. */
const NOT_THE_FILE =
  /chat not found|thread not found|topic|replied|not enough rights|no rights|CHAT_|USER_|PEER_|group chat was|bot (was|is)|need administrator|caption|entit|keyboard|button|reply markup|messages to send/i;

export function isAboutFile({ code, description }: BotApiError): boolean {
  return code === 413 || (code === 400 && !NOT_THE_FILE.test(description));
}

/** Medley may not send this kind of message there; words may still be taken. */
export function isWithoutRight(error: unknown): boolean {
  return isRefusedFor(error, /not enough rights to send|no rights to send|CHAT_SEND_[A-Z]+_FORBIDDEN/i);
}

/** Medley may not say anything there: its admins may in closed topics and in channels, with the right to. */
export function isShutOut(error: unknown): boolean {
  return isTopicClosed(error) || isRefusedFor(error, /need administrator rights|CHAT_WRITE_FORBIDDEN/i);
}

export function isTopicClosed(error: unknown): boolean {
  return isRefusedFor(error, /TOPIC_CLOSED/i);
}

function isRefusedFor(error: unknown, description: RegExp): boolean {
  return (
    error instanceof BotApiError && (error.code === 400 || error.code === 403) && description.test(error.description)
  );
}

/** What the person who asked is told when an answer could not be made or handed over. */
export function failureSentence(error: unknown, t: Translator): string {
  const { telegram, errors } = t.messages;
  if (isTopicClosed(error)) return telegram.topicClosed;
  if (!(error instanceof BotApiError)) return errors.internal;
  if (error.retryAfterMs !== undefined) return telegram.slowDown({ wait: t.wait(error.retryAfterMs) });
  return error.isNotDone ? errors.internal : telegram.unconfirmed;
}

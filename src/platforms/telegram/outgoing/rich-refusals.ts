import { BotApiError } from '../api/bot-api-error.ts';
import { isShutOut } from '../api/refusals.ts';
import type { FileCandidate } from '../render/file-fields.ts';
import { culprits, type FileCandidates } from './file-candidates.ts';

/** Whether nothing was sent and albums may fare better. */
export function isRefused(error: unknown): error is BotApiError {
  if (!(error instanceof BotApiError) || isShutOut(error)) return false;
  const { code, description } = error;
  return code === 404 || code === 413 || (code === 400 && !/chat not found/i.test(description));
}

/** The server is older than the method. */
export function isMethodUnknown({ code, description }: BotApiError): boolean {
  return code === 404 || /method not found/i.test(description);
}

/** Of files that Telegram no longer holds or cannot fetch; seen with rich messages: `RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND`. */
const NOT_FOUND =
  /NO_MEDIA|MEDIA_(EMPTY|INVALID)|media not found|web ?page|HTTP URL|file identifier|FILE_(ID|REFERENCE)|(PHOTO|VIDEO)_URL|failed to (get|send)/i;

/** Lets those files that Telegram could not have go another way; false where there is none that it has not refused. */
export async function goesOn<T extends { readonly candidate: FileCandidate; readonly ways: FileCandidates }>(
  error: BotApiError,
  ready: readonly T[],
): Promise<boolean> {
  if (error.code !== 400 || !NOT_FOUND.test(error.description)) return false;
  const others = culprits(error, ready).filter(({ candidate }) => candidate.from !== 'upload');
  for (const { ways } of others) await ways.refuse(error);
  return others.length > 0;
}

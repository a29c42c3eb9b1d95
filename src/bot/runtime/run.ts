import { StoreAway } from '../../errors.ts';
import type { Claim, Verdict } from '../../infra/queue/queue.ts';
import { type ChatPlatform, type RequestOutcome, Superseded } from '../contract/chat-platform.ts';
import type { Request } from '../contract/request.ts';
import { type Progress, writeKept } from './progress.ts';
import type { Reservation, ThrottledChat } from './throttle.ts';

/** Why an attempt is ended from here. */
export type Ending = 'stopping' | 'cancelled' | 'superseded' | 'late';

/** One attempt at one request. */
export interface Run {
  readonly request: Request;
  readonly platform: ChatPlatform;
  readonly to: unknown;
  readonly progress: Progress;
  readonly claim: Claim;
  readonly reservation: Reservation;
  /** Resolves with 0 when the answers before it in the chat are through; otherwise with the milliseconds to wait elsewhere. */
  readonly turn: (signal: AbortSignal) => Promise<number>;
  readonly controller: AbortController;
  ending: Ending | undefined;
  stopWorking: (() => void) | undefined;
  /** The part after those that are being answered. */
  next: number;
  /** What was said instead of an answer, to count it. */
  worst: RequestOutcome;
}

/** It waits, as far as it has come. */
export function again({ request, progress }: Pick<Run, 'request' | 'progress'>, afterMs: number): Verdict {
  return { done: false, afterMs, payload: writeKept({ request, progress }) };
}

/** @throws Superseded, StoreAway */
export async function save({ request, progress, claim }: Run): Promise<void> {
  let isOurs: boolean;
  try {
    isOurs = await claim.save(writeKept({ request, progress }));
  } catch (cause) {
    throw new StoreAway('nothing can be written down', { cause });
  }
  if (!isOurs) throw new Superseded('the request is in other hands');
}

/** The chat that a request is answered in. */
export function throttledChatOf({ request: { platform, chat } }: Pick<Run, 'request'>): ThrottledChat {
  return { platform, chatId: chat.id, isGroup: chat.kind === 'group' };
}

import { StoreAway } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Claim, Verdict } from '../../infra/queue/queue.ts';
import { type ChatPlatform, type RequestOutcome, type Sending, Superseded } from '../contract/chat-platform.ts';
import type { Request } from '../contract/request.ts';
import type { RequestHandler } from '../contract/request-handler.ts';
import type { OrderedPlace } from './reply-order.ts';
import { type JobProgress, type StoredJob, writeJob } from './stored-job.ts';
import type { Reservation, Throttle, ThrottledChat } from './throttle.ts';

/** What all jobs of this process share. */
export interface JobTools {
  readonly handler: RequestHandler;
  readonly throttle: Throttle;
  readonly editLater: NonNullable<Sending['editLater']>;
  /** Whether a person may be told now that a request of theirs waits for their limit; a yes counts. */
  readonly mayNotify: (person: string) => boolean;
  /** False from the moment that Medley stops. */
  readonly mayUpload: () => boolean;
  readonly deleterFor: (platform: string) => Sending['deleteLater'];
  /** The request is over. */
  readonly finish: (job: Pick<Job, 'request' | 'platform' | 'to'>, outcome: RequestOutcome) => Verdict;
  /** A token was refused while something was sent. */
  readonly onTokenRefused: (platform: string) => void;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  /** Milliseconds since any moment, by a clock that nobody sets. */
  readonly clock: () => number;
  readonly random: () => number;
}

/** Why an attempt is ended from here. */
export type Ending = 'stopping' | 'cancelled' | 'superseded' | 'late';

/** A request in the hands of this worker, for one attempt. */
export interface Job extends StoredJob {
  readonly request: Request;
  readonly progress: JobProgress;
  readonly platform: ChatPlatform;
  readonly to: unknown;
  readonly claim: Claim;
  readonly reservation: Reservation;
  readonly place: OrderedPlace;
  readonly controller: AbortController;
  ending: Ending | undefined;
  stopWorking: (() => void) | undefined;
  /** The part after those that are being answered. */
  next: number;
  /** What was said instead of an answer, to count it. */
  worst: RequestOutcome;
}

/** The job waits, as far as it has come. */
export function retryLater(job: StoredJob, afterMs: number): Verdict {
  return { done: false, afterMs, payload: writeJob(job) };
}

/** @throws Superseded, StoreAway */
export async function saveJob(job: Job): Promise<void> {
  let isOurs: boolean;
  try {
    isOurs = await job.claim.save(writeJob(job));
  } catch (cause) {
    throw new StoreAway('nothing can be written down', { cause });
  }
  if (!isOurs) throw new Superseded('the request is in other hands');
}

/** The parts before `next` are answered. */
export async function stepTo(job: Job, next: number, isSaved: boolean): Promise<void> {
  const { progress } = job;
  progress.next = next;
  progress.sent = [];
  delete progress.reply;
  if (isSaved) await saveJob(job);
}

/** The chat that a request is answered in. */
export function throttledChatOf({ platform, chat }: Request): ThrottledChat {
  return { platform, chatId: chat.id, isGroup: chat.kind === 'group' };
}

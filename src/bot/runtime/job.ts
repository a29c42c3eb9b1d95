import * as z from 'zod';
import { StoreAway } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Claim, Verdict } from '../../infra/queue/queue.ts';
import {
  type ChatPlatform,
  type RequestFacts,
  type RequestOutcome,
  type Sending,
  Superseded,
} from '../contract/chat-platform.ts';
import { Request, type RequestHandler } from '../contract/request.ts';
import type { Deletions } from './deletions.ts';
import type { OrderedPlace } from './reply-order.ts';
import type { Reservation, SendThrottle, ThrottledChat } from './send-throttle.ts';
import { StoredReply } from './stored-reply.ts';
import type { WorkStatus } from './work-status.ts';

/**
 * A notice that is still to be sent in place of replies to some links of the request: from the first unanswered link to
 * the last one before the index `next`.
 */
const PendingNotice = z.object({
  kind: z.enum(['unsure', 'failed', 'timeout', 'limited', 'waiting']),
  next: z.number(),
  links: z.number().optional(),
  afterMs: z.number().optional(),
});
export type PendingNotice = z.output<typeof PendingNotice>;

const JobProgress = z.object({
  /** The index of the first link that is not answered yet; a request without links counts as one link. */
  next: z.number(),
  /** The index of the first link that is not charged to the person's rate limit yet. */
  paid: z.number(),
  /** Keys of the messages that were sent for the links that are being answered. */
  sent: z.array(z.string()),
  /**
   * A message that may have arrived, and until when the platform recognises its repeat. `next`: the index of the first
   * link that the message does not answer.
   */
  sending: z.object({ key: z.string(), until: z.number(), next: z.number() }).optional(),
  notice: PendingNotice.optional(),
  /** A reply that is made but not sent yet. Replies to links are not stored. */
  reply: StoredReply.optional().catch(undefined),
  /** True when the person was told that the request's links wait for the rate limit. */
  isWaitSaid: z.boolean(),
  /** The message with the pressed button, if it was to be deleted: it stays if the request is answered. */
  keptMessage: z.string().optional(),
  /**
   * The number of failures in a row that left unknown whether a message arrived, or in which Medley ended its own call.
   */
  tries: z.number(),
  /** How many workers had died while they ran the request, when it was last taken up. */
  lostWorkers: z.number(),
});
/** How far a request is answered. Only the worker that holds the job changes it. */
export type JobProgress = z.output<typeof JobProgress>;

const VERSION = 2;
const StoredJob = z.object({ version: z.literal(VERSION), request: Request, progress: JobProgress });
/** A request as it is stored in the queue until it is answered. */
export type StoredJob = Pick<z.output<typeof StoredJob>, 'request' | 'progress'>;

/** The shape, without a version, in which 0.2.0 stored requests. */
const StoredJob020 = z
  .object({
    request: Request,
    progress: JobProgress.omit({ sent: true, notice: true, reply: true, lostWorkers: true }).extend({
      stands: z.array(z.string()),
      owed: PendingNotice.omit({ kind: true }).extend({ sentence: PendingNotice.shape.kind }).optional(),
      kept: StoredReply.optional().catch(undefined),
      lapses: z.number(),
    }),
  })
  .transform(({ request, progress: { stands, owed, kept, lapses, ...others } }): StoredJob => {
    const progress: JobProgress = { ...others, sent: stands, lostWorkers: lapses };
    if (owed !== undefined) {
      const { sentence, ...notice } = owed;
      progress.notice = { ...notice, kind: sentence };
    }
    if (kept !== undefined) progress.reply = kept;
    return { request, progress };
  });

const AnyStoredJob = z.union([StoredJob, StoredJob020]);

export function newJob(request: Request): StoredJob {
  return { request, progress: { next: 0, paid: 0, sent: [], isWaitSaid: false, tries: 0, lostWorkers: 0 } };
}

export function writeJob({ request, progress }: StoredJob): string {
  return JSON.stringify({ version: VERSION, request, progress });
}

/** Parses a stored request; undefined for a shape that this version does not know. */
export function readJob(payload: string): StoredJob | undefined {
  try {
    return AnyStoredJob.safeParse(JSON.parse(payload)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The services and settings that all jobs of this process share. */
export interface JobTools {
  readonly handler: RequestHandler;
  readonly sendThrottle: SendThrottle;
  readonly editLater: NonNullable<Sending['editLater']>;
  /** Says whether to tell a person now that their request waits for their rate limit; a yes counts as telling them. */
  readonly mayNotify: (person: string) => boolean;
  /** True until Medley begins to stop, after which no upload may begin. */
  readonly mayUpload: () => boolean;
  /** Work that takes longer than this is shown as a status, if the platform can. */
  readonly statusMs: number;
  readonly deletions: Deletions;
  /** Ends the job of an answered or cancelled request. */
  readonly finish: (job: Pick<Job, 'request' | 'platform' | 'to'>, outcome: RequestOutcome) => Verdict;
  /** Called when the platform refused Medley's token in a call. */
  readonly onTokenRefused: (platform: string) => void;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly clock: () => number;
  readonly random: () => number;
}

/** The reason for which this process ended an attempt. */
export type Ending = 'stopping' | 'cancelled' | 'superseded' | 'late';

/** One attempt at a request that this worker holds. */
export interface Job extends StoredJob {
  readonly platform: ChatPlatform;
  readonly to: unknown;
  readonly facts: RequestFacts;
  readonly claim: Claim;
  readonly reservation: Reservation;
  /** The job's place in the order of replies; undefined if it need not wait for earlier answers. */
  readonly place: OrderedPlace | undefined;
  readonly controller: AbortController;
  ending: Ending | undefined;
  stopWorking: (() => void) | undefined;
  status: WorkStatus | undefined;
  /** The index of the first link that is not being answered yet. */
  next: number;
  /** The worst outcome so far of the request's links, for the metrics. */
  worst: RequestOutcome;
}

/** Puts the job back into the queue, with its progress, for at least that long. */
export function retryLater(job: StoredJob, afterMs: number): Verdict {
  return { done: false, afterMs, payload: writeJob(job) };
}

/** Stores the job's progress. @throws Superseded, StoreAway */
export async function saveJob(job: Job): Promise<void> {
  let isOurs: boolean;
  try {
    isOurs = await job.claim.save(writeJob(job));
  } catch (cause) {
    throw new StoreAway('nothing can be written down', { cause });
  }
  if (!isOurs) throw new Superseded('the request is in other hands');
}

/** Records that the links before the index `next` are answered. */
export async function stepTo(job: Job, next: number, isSaved: boolean): Promise<void> {
  const { progress } = job;
  progress.next = next;
  progress.sent = [];
  delete progress.reply;
  if (isSaved) await saveJob(job);
}

/** The chat for which the answer's messages count in the platform's rate limit. */
export function throttledChatOf({ platform, chat }: Request): ThrottledChat {
  return { platform, chatId: chat.id, isGroup: chat.kind === 'group' };
}

/** Thrown when a message may have arrived and the platform would not recognise its repeat. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
}

const MOST_REPEAT_MS = 24 * 3_600_000;

/**
 * Makes `sendOnce`, which sends each message once. It stores before the call that the message may arrive, and after the
 * call whether it arrived. If that is unknown, the message is sent again only where the platform recognises the repeat
 * and so does not show the message twice.
 * @param phase the part of the idempotency keys that distinguishes these messages from other ones of the request
 * @param next the index of the first link that these messages do not answer
 */
export function createSendOnce(job: Job, phase: string, next: number, tools: JobTools): Sending['sendOnce'] {
  const { progress, platform, reservation, controller } = job;
  const { signal } = controller;
  const { now, mayUpload, sendThrottle } = tools;
  const isNotSent = (error: unknown) => platform.outcomeOf(error)?.outcome === 'notSent';

  /**
   * Stores that the message may arrive: if this process dies during the call, only the platform knows whether the
   * message arrived.
   */
  async function announce(key: string, repeatMs: number): Promise<void> {
    const { sending } = progress;
    if (sending !== undefined && (sending.key !== key || now() >= sending.until))
      throw new Unsure(`fate of ${sending.key}`);
    if (sending !== undefined) return;
    progress.sending = { key, until: now() + Math.min(repeatMs, MOST_REPEAT_MS), next };
    try {
      await saveJob(job);
      signal.throwIfAborted();
    } catch (error) {
      delete progress.sending;
      throw error;
    }
  }

  return async (key, call, { repeatMs = 0, messages = 1, isUpload = false } = {}) => {
    if (progress.sent.includes(key)) return undefined;
    signal.throwIfAborted();
    await job.status?.settle();
    const isRepeat = progress.sending !== undefined;
    const taken = await reservation.take(messages, signal);
    let result: Awaited<ReturnType<typeof call>>;
    let isBegun = false;
    try {
      if (isUpload && !mayUpload()) throw new Superseded('Medley stops');
      await announce(key, repeatMs);
      isBegun = true;
      result = await call(`${phase}-${key}`);
      taken.arrived();
    } catch (error) {
      if (!isBegun || isNotSent(error)) taken.giveBack();
      else taken.arrived();
      // If only a repeat was refused, the first attempt may have arrived, so the record that it may have arrived is
      // kept.
      if (isBegun && !isRepeat && isNotSent(error)) {
        delete progress.sending;
        await saveJob(job);
      }
      throw error;
    }
    job.status?.end();
    delete progress.sending;
    progress.sent.push(key);
    progress.tries = 0;
    sendThrottle.reached(platform.id);
    await saveJob(job);
    return result;
  };
}

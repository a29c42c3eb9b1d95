import { StoreAway } from '../../errors.ts';
import type { Verdict } from '../../infra/queue/queue.ts';
import { type SendFailure, Superseded } from '../contract/chat-platform.ts';
import { noticeInstead, PlatformAway, repeatNotice } from './continue-job.ts';
import { type Job, type JobTools, retryLater, throttledChatOf, Unsure } from './job.ts';
import { backoffMs, STORE_AWAY_MS } from './retry-gate.ts';
import { Throttled } from './send-throttle.ts';

const MIN_FLOOD_MS = 500;
const MIN_REPEAT_MS = 500;
/** How often Medley may end a message's call by itself before the request fails. */
const MOST_CUTS = 5;

type NotSent = Extract<SendFailure, { outcome: 'notSent' }>;

/**
 * Decides what follows a failed attempt: returns what the queue is to do, or undefined if a notice is still to be sent.
 */
export async function settleFailure(job: Job, error: unknown, tools: JobTools): Promise<Verdict | undefined> {
  const { request, platform, ending } = job;
  const { log } = tools;
  if (ending === 'cancelled') return tools.finish(job, 'cancelled');
  if (ending === 'stopping' || ending === 'superseded' || error instanceof Superseded) return retryLater(job, 0);
  if (error instanceof StoreAway) return settleStoreAway(job, error, tools);
  if (error instanceof Throttled) return retryLater(job, error.waitMs);
  const failure = failureOf(job, error);
  const about = { err: error, id: request.id, platform: platform.id };
  if (ending === 'late') {
    log.warn(about, 'an answer took too long');
    const kind = failure?.outcome === 'unknown' ? 'unsure' : 'timeout';
    return (await noticeInstead(job, kind, tools)) ?? retryLater(job, 0);
  }
  if (failure === undefined) {
    log.error(about, 'an answer failed');
    return noticeInstead(job, 'failed', tools);
  }
  return failure.outcome === 'unknown' ? settleUnknown(job, about, tools) : settleNotSent(job, failure, about, tools);
}

/**
 * While the store is away, the request is tried again as long as an answer can arrive in time. Shortly before that time
 * ends, a notice is tried instead of the answer. Sending it needs the queue, so even the notice fails if the queue's
 * own store is the one that is away.
 */
async function settleStoreAway(job: Job, error: StoreAway, tools: JobTools): Promise<Verdict | undefined> {
  const { id, until } = job.request;
  tools.log.warn({ err: error, id }, 'a request waits for the store');
  const isLast = until !== undefined && tools.now() + 2 * STORE_AWAY_MS >= until;
  return isLast && job.progress.notice === undefined
    ? noticeInstead(job, 'failed', tools)
    : retryLater(job, STORE_AWAY_MS);
}

function failureOf({ platform, progress }: Job, error: unknown): SendFailure | undefined {
  if (error instanceof Unsure) return { outcome: 'unknown' };
  if (error instanceof PlatformAway) return { outcome: 'notSent', reason: 'away' };
  // An error that the platform cannot interpret comes from a bug. If a call had begun, its message may have arrived.
  return platform.outcomeOf(error) ?? (progress.sending === undefined ? undefined : { outcome: 'unknown' });
}

/**
 * For a message that may have arrived: it is sent again if the platform recognises a repeat; else the person is told
 * that something may be missing.
 */
async function settleUnknown(job: Job, about: object, tools: JobTools): Promise<Verdict | undefined> {
  const { request, progress, platform } = job;
  const { sendThrottle, log, now, random } = tools;
  const leftMs = (progress.sending?.until ?? 0) - now();
  if (leftMs <= 0 && progress.notice !== undefined) {
    sendThrottle.away(platform.id);
    const waitMs = Math.max(1, sendThrottle.waitMs(throttledChatOf(request)));
    return (await repeatNotice(job, tools)) ?? retryLater(job, waitMs);
  }
  if (leftMs <= 0) {
    log.warn(about, 'an answer may not have arrived');
    return noticeInstead(job, 'unsure', tools);
  }
  progress.tries += 1;
  log.info(about, 'an answer may have arrived; it is sent again');
  return retryLater(job, Math.max(MIN_REPEAT_MS, Math.min(backoffMs(progress.tries, random), leftMs / 2)));
}

async function settleNotSent(job: Job, failure: NotSent, about: object, tools: JobTools): Promise<Verdict | undefined> {
  const { request, progress, platform } = job;
  const { sendThrottle, log, random } = tools;
  const { reason, retryAfterMs = 0 } = failure;
  const chat = throttledChatOf(request);
  switch (reason) {
    case 'away':
    case 'token':
      sendThrottle.away(platform.id);
      if (reason === 'token') tools.onTokenRefused(platform.id);
      log.warn(about, 'the platform cannot be reached');
      return retryLater(job, Math.max(1, retryAfterMs, sendThrottle.waitMs(chat)));
    case 'flood': {
      const waitMs = Math.max(MIN_FLOOD_MS, retryAfterMs);
      if (failure.scope === 'platform') sendThrottle.pausePlatform(platform.id, waitMs);
      else sendThrottle.pauseChat(chat, request.id, waitMs);
      log.info({ ...about, waitMs }, 'the platform wants to be left alone');
      return retryLater(job, waitMs);
    }
    case 'cut':
      progress.tries += 1;
      if (progress.tries >= MOST_CUTS) return noticeInstead(job, 'timeout', tools);
      return retryLater(job, backoffMs(progress.tries, random));
    case 'gone':
      log.info(about, 'there is no place left to answer in');
      return tools.finish(job, 'gone');
    case 'refused':
      log.warn(about, 'the platform does not take an answer');
      return noticeInstead(job, 'failed', tools);
  }
}

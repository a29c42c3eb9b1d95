import type { Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { Added, Queue, QueueEntry } from '../../infra/queue/queue.ts';
import type { Acceptance, ChatPlatform, NewRequest } from '../contract/chat-platform.ts';
import { callerOf, ownerKey, type Request, RequestBody } from '../contract/request.ts';
import type { RequestHandler } from '../contract/request-handler.ts';
import { renderBusy, renderPlace } from '../views/request-notice.ts';
import { chatOf, type SendNotice } from './notices.ts';
import { createRetryGate } from './retry.ts';
import { newJob, writeJob } from './stored-job.ts';

export interface AcceptorOptions {
  /** The queue, and behind it one that takes what the first cannot, for this process alone: people are answered though nothing can be written down. */
  readonly queues: readonly [queue: Queue, spare?: Queue];
  readonly handler: Pick<RequestHandler, 'translator'>;
  readonly sendNotice: SendNotice;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  readonly random: () => number;
  readonly onAccepted: (platform: string, acceptance: Acceptance) => void;
}

/** Takes requests in: each is stored before its event is confirmed. */
export interface Acceptor {
  /** Never rejects. */
  accept(platform: ChatPlatform, draft: NewRequest): Promise<Acceptance>;
  /** Takes nothing new; resolves when all that came in is stored, or given up. */
  close(): Promise<void>;
}

/** A request that must be acknowledged is run after this time, should the process that acknowledges it be gone by then. */
const ACKNOWLEDGE_MS = 3_000;
/** An event that wants an answer within seconds is refused when it is not stored by then. */
const STORE_MS = 1_800;
/** Events that wait in memory for a store that is away. */
const MOST_WAITING = 1_000;
const LONGEST_RETRY_MS = 2_000;
/** A person is told of their place in line from here on. */
const PLACE_NOTICED = 10;

export function createAcceptor(options: AcceptorOptions): Acceptor {
  const { handler, sendNotice, log, now, random, onAccepted } = options;
  const [queue, spare] = options.queues;
  const gate = createRetryGate({ most: MOST_WAITING, longestMs: LONGEST_RETRY_MS, random });
  const underway = new Set<Promise<unknown>>();
  /** By id: an event may be heard twice at once, such as over an earlier session and the new one. */
  const accepting = new Map<string, Promise<Acceptance>>();
  let isClosed = false;

  async function accept(platform: ChatPlatform, draft: NewRequest): Promise<Acceptance> {
    const { acknowledge, refuse: showRefusal } = draft;
    const request = requestOf(platform, draft, now());
    const entry = entryOf(request, platform.perChat, acknowledge === undefined ? 0 : ACKNOWLEDGE_MS);
    // The language is read beside the other, so that a store that hangs is not waited for twice.
    const translator = showRefusal && handler.translator(callerOf(request));
    const added = await store(entry, acknowledge === undefined ? Number.POSITIVE_INFINITY : now() + STORE_MS);
    if (added?.outcome === 'known') return 'known';
    if (added?.outcome === 'accepted') {
      if (acknowledge !== undefined) return acknowledged(platform, acknowledge, request);
      if (added.ahead >= PLACE_NOTICED) track(sendNotice(platform, request, t => renderPlace(added.ahead, t)));
      return 'accepted';
    }
    if (added === undefined && acknowledge === undefined) return 'closed';
    return refuse(platform, request, showRefusal, translator);
  }

  /** Undefined when nothing could be stored until then, or Medley stops. */
  async function store(entry: QueueEntry, until: number, isRetry = false): Promise<Added | undefined> {
    try {
      const added = await queue.add(entry);
      gate.open();
      // An attempt that seemed to fail may have come through.
      return added.outcome === 'known' && isRetry ? { outcome: 'accepted', ahead: 0 } : added;
    } catch (error) {
      if (!isRetry) log.error({ err: error, id: entry.id }, 'a request could not be stored');
    }
    if (spare !== undefined) return spare.add(entry);
    return (await gate.wait(until - now())) ? store(entry, until, true) : undefined;
  }

  async function acknowledged(
    platform: ChatPlatform,
    acknowledge: () => Promise<void>,
    { id }: Request,
  ): Promise<Acceptance> {
    try {
      await acknowledge();
    } catch (error) {
      const failure = platform.outcomeOf(error);
      const isGone = failure?.outcome === 'notSent' && failure.reason === 'gone';
      log[isGone ? 'info' : 'warn']({ err: error, id }, 'a request could not be acknowledged');
      // It is too late: the platform has said already that there is no answer.
      if (isGone) {
        await inQueues(each => each.cancel(id));
        return 'refused';
      }
    }
    await inQueues(each => each.promote(id));
    return 'accepted';
  }

  /** What fails here is done a little later by the queue itself. */
  async function inQueues(work: (queue: Queue) => Promise<unknown>): Promise<void> {
    for (const each of options.queues) {
      if (each !== undefined)
        await work(each).catch((error: unknown) => log.warn({ err: error }, 'the queue cannot be reached'));
    }
  }

  async function refuse(
    platform: ChatPlatform,
    request: Request,
    show: NewRequest['refuse'],
    translator: Promise<Translator> | undefined,
  ): Promise<Acceptance> {
    if (show === undefined || translator === undefined) track(sendNotice(platform, request, t => renderBusy(t)));
    else await show(renderBusy(await translator));
    return 'refused';
  }

  function track(work: Promise<unknown>): void {
    underway.add(work);
    work.finally(() => underway.delete(work)).catch((error: unknown) => log.error({ err: error }, 'a notice failed'));
  }

  return {
    async accept(platform, draft) {
      if (isClosed) return 'closed';
      const id = `${platform.id}:${draft.eventId}`;
      const twin = accepting.get(id);
      if (twin !== undefined) {
        const acceptance = await twin;
        return acceptance === 'accepted' ? 'known' : acceptance;
      }
      const work = accept(platform, draft).catch((error: unknown): Acceptance => {
        log.error({ err: error }, 'a request could not be accepted');
        return 'closed';
      });
      track(work);
      accepting.set(id, work);
      const acceptance = await work;
      accepting.delete(id);
      onAccepted(platform.id, acceptance);
      return acceptance;
    },
    async close() {
      isClosed = true;
      gate.close();
      while (underway.size > 0) await Promise.allSettled(underway);
    },
  };
}

function requestOf(platform: ChatPlatform, draft: NewRequest, at: number): Request {
  const { eventId, chat, user, until, replyTo } = draft;
  return {
    ...{ id: `${platform.id}:${eventId}`, platform: platform.id, chat, user, at, replyTo },
    ...(until !== undefined && { until }),
    ...RequestBody.parse(draft),
  };
}

/**
 * A channel is a lane, and the server it belongs to takes turns with others. All but links has lanes of its own, so that a button does not wait for
 * videos.
 */
function entryOf(request: Request, atOnce: number | undefined, delayMs: number): QueueEntry {
  const { platform, chat, kind } = request;
  const suffix = kind === 'links' ? '' : '#asked';
  return {
    id: request.id,
    lane: `${platform}:${chat.id}${suffix}`,
    fairBy: `${chatOf(request)}${suffix}`,
    owner: ownerKey(platform, request.user.id),
    payload: writeJob(newJob(request)),
    ...(atOnce !== undefined && { atOnce }),
    delayMs,
  };
}

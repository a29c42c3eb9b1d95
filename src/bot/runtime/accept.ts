import type { Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { Added, Queue, QueueEntry } from '../../infra/queue/queue.ts';
import type { Acceptance, ChatPlatform, NewRequest } from '../contract/chat-platform.ts';
import {
  type Caller,
  callerKey,
  callerOf,
  chatKey,
  type Request,
  RequestBody,
  type RequestHandler,
} from '../contract/request.ts';
import { notice, renderBusy } from '../views/notice.ts';
import { newJob, writeJob } from './job.ts';
import type { SendNotice } from './notices.ts';
import { createRetryGate, type RetryGate } from './retry-gate.ts';

export interface AcceptorOptions {
  /** The queue, and the spare queue for requests that it cannot store (`RuntimeOptions.spare`). */
  readonly queues: readonly [queue: Queue, ...spare: Queue[]];
  readonly handler: Pick<RequestHandler, 'translator'>;
  readonly sendNotice: SendNotice;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  readonly random: () => number;
  readonly onAccepted: ((platform: string, acceptance: Acceptance) => void) | undefined;
}

/**
 * How long a request waits until its event is confirmed; then it runs anyway, as the process that confirms may have
 * died.
 */
const ACKNOWLEDGE_MS = 3_000;
/** How long storing may take if the event must be confirmed within seconds; after that time the event is refused. */
const STORE_MS = 1_800;
/** If at least this many requests come before a new one in the queue, the person who asked is told about the wait. */
const PLACE_NOTICED = 10;

/** Accepts requests: each is stored in the queue before its event is confirmed. */
export class Acceptor {
  readonly #options: AcceptorOptions;
  readonly #gate: RetryGate;
  readonly #underway = new Set<Promise<unknown>>();
  /**
   * Events that are being accepted, by id: the same event may arrive twice at the same time, over an old and a new
   * session of the platform.
   */
  readonly #accepting = new Map<string, Promise<Acceptance>>();
  #isClosed = false;

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#gate = createRetryGate(options.random);
  }

  /** Accepts a request from a platform. Never rejects. */
  async accept(platform: ChatPlatform, request: NewRequest): Promise<Acceptance> {
    if (this.#isClosed) return 'closed';
    const id = `${platform.id}:${request.eventId}`;
    const twin = this.#accepting.get(id);
    if (twin !== undefined) {
      const acceptance = await twin;
      return acceptance === 'accepted' ? 'known' : acceptance;
    }
    const work = this.#accept(platform, request).catch((error: unknown): Acceptance => {
      this.#options.log.error({ err: error }, 'a request could not be accepted');
      return 'closed';
    });
    this.#track(work);
    this.#accepting.set(id, work);
    const acceptance = await work;
    this.#accepting.delete(id);
    this.#options.onAccepted?.(platform.id, acceptance);
    return acceptance;
  }

  /** Accepts no more requests; resolves when all received ones are stored or given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#gate.close();
    while (this.#underway.size > 0) await Promise.allSettled(this.#underway);
  }

  async #accept(platform: ChatPlatform, draft: NewRequest): Promise<Acceptance> {
    const { acknowledge, refuse: showRefusal, eventId, chat, user, until, replyTo } = draft;
    const request: Request = {
      ...{ id: `${platform.id}:${eventId}`, platform: platform.id, chat, user, at: this.#options.now(), replyTo },
      ...(until !== undefined && { until }),
      ...RequestBody.parse(draft),
    };
    const caller = callerOf(request);
    const entry = entryOf(request, caller, platform.perChat, acknowledge === undefined ? 0 : ACKNOWLEDGE_MS);
    // The language is read while the request is stored, so that a store that does not respond delays the request only
    // once.
    const translator = showRefusal && this.#options.handler.translator(caller);
    const added = await this.#store(
      entry,
      acknowledge === undefined ? Number.POSITIVE_INFINITY : this.#options.now() + STORE_MS,
    );
    if (added?.outcome === 'known') return 'known';
    if (added?.outcome === 'accepted') {
      if (acknowledge !== undefined) return this.#acknowledged(platform, acknowledge, request);
      if (added.ahead >= PLACE_NOTICED && platform.showProgress === undefined)
        this.#track(
          this.#options.sendNotice(platform, request, t => notice(t.messages.requests.place({ ahead: added.ahead }))),
        );
      return 'accepted';
    }
    if (added === undefined && acknowledge === undefined) return 'closed';
    return this.#refuse(platform, request, showRefusal, translator);
  }

  /** Adds the entry to the queue; undefined when it could not be stored in time, or Medley stops. */
  async #store(entry: QueueEntry, until: number, isRetry = false): Promise<Added | undefined> {
    const [queue, spare] = this.#options.queues;
    try {
      const added = await queue.add(entry);
      if (isRetry) this.#gate.open();
      // An earlier attempt may have stored the entry although it seemed to fail, so a known id counts as accepted.
      return added.outcome === 'known' && isRetry ? { outcome: 'accepted', ahead: 0 } : added;
    } catch (error) {
      if (!isRetry) this.#options.log.error({ err: error, id: entry.id }, 'a request could not be stored');
    }
    if (spare !== undefined) return spare.add(entry);
    return (await this.#gate.wait(until - this.#options.now())) ? this.#store(entry, until, true) : undefined;
  }

  async #acknowledged(platform: ChatPlatform, acknowledge: () => Promise<void>, { id }: Request): Promise<Acceptance> {
    try {
      await acknowledge();
    } catch (error) {
      const failure = platform.outcomeOf(error);
      const isGone = failure?.outcome === 'notSent' && failure.reason === 'gone';
      this.#options.log[isGone ? 'info' : 'warn']({ err: error, id }, 'a request could not be acknowledged');
      // It is too late to confirm the event: the platform has told the person already that there is no answer.
      if (isGone) {
        await this.#inQueues(each => each.cancel(id));
        return 'refused';
      }
    }
    await this.#inQueues(each => each.promote(id));
    return 'accepted';
  }

  /**
   * Lets a delayed request run at once, or cancels it, in whichever queue it was stored. A failure does no harm: the
   * request runs when its delay is over, and ends then if its chat is gone.
   */
  async #inQueues(work: (queue: Queue) => Promise<unknown>): Promise<void> {
    const { queues, log } = this.#options;
    for (const each of queues)
      await work(each).catch((error: unknown) => log.warn({ err: error }, 'the queue cannot be reached'));
  }

  async #refuse(
    platform: ChatPlatform,
    request: Request,
    show: NewRequest['refuse'],
    translator: Promise<Translator> | undefined,
  ): Promise<Acceptance> {
    if (show === undefined || translator === undefined)
      this.#track(this.#options.sendNotice(platform, request, renderBusy));
    else await show(renderBusy(await translator));
    return 'refused';
  }

  #track(work: Promise<unknown>): void {
    this.#underway.add(work);
    work
      .finally(() => this.#underway.delete(work))
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'a notice failed'));
  }
}

/**
 * The queue's entry for a request. Requests of one channel form a lane, and servers take turns. Pasted links and all
 * other requests of a channel have different lanes, so that a button need not wait for videos.
 */
function entryOf(request: Request, caller: Caller, atOnce: number | undefined, delayMs: number): QueueEntry {
  const suffix = request.kind === 'links' ? '' : '#asked';
  return {
    id: request.id,
    lane: `${request.platform}:${request.chat.id}${suffix}`,
    fairBy: `${chatKey(caller)}${suffix}`,
    owner: callerKey(caller),
    payload: writeJob(newJob(request)),
    ...(atOnce !== undefined && { atOnce }),
    delayMs,
  };
}

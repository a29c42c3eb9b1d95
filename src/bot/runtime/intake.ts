import type { Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { Added, Queue, QueueEntry } from '../../infra/queue/queue.ts';
import type { Acceptance, ChatPlatform, Draft } from '../contract/chat-platform.ts';
import { callerOf, ownerKey, type Request, RequestBody } from '../contract/request.ts';
import type { RequestHandler } from '../contract/request-handler.ts';
import { renderBusy, renderPlace } from '../views/request-notice.ts';
import type { LeavingMessages } from './leaving-messages.ts';
import { startProgress, writeKept } from './progress.ts';
import { createRetryGate } from './retry.ts';
import { chatOf, createSay, type TranslatorFor } from './say.ts';
import type { Throttle } from './throttle.ts';

export interface IntakeOptions {
  readonly queue: Queue;
  /** Takes what `queue` cannot, for this process alone: people are answered though nothing can be written down. */
  readonly spare?: Queue | undefined;
  readonly translatorFor: TranslatorFor;
  readonly dispatcher: Pick<RequestHandler, 'chatSettings'>;
  readonly leaving: Pick<LeavingMessages, 'add'>;
  readonly throttle: Pick<Throttle, 'reserve'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  readonly random: () => number;
  readonly onAccepted: (platform: string, acceptance: Acceptance) => void;
}

/** Where requests come in: each is stored before its event is confirmed. */
export interface Intake {
  /** Never rejects. */
  accept(platform: ChatPlatform, draft: Draft): Promise<Acceptance>;
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
const SAID_PLACE = 10;

export function createIntake(options: IntakeOptions): Intake {
  const { queue, spare, translatorFor, dispatcher, leaving, throttle, log, now, random, onAccepted } = options;
  const say = createSay({ translatorFor, dispatcher, leaving, throttle, log, now });
  const gate = createRetryGate({ most: MOST_WAITING, longestMs: LONGEST_RETRY_MS, random });
  const under = new Set<Promise<unknown>>();
  /** By id: an event may be heard twice at once, such as over an earlier session and the new one. */
  const taking = new Map<string, Promise<Acceptance>>();
  let isClosed = false;

  function requestOf(platform: ChatPlatform, draft: Draft): Request {
    const { eventId, chat, user, until, replyTo } = draft;
    return {
      id: `${platform.id}:${eventId}`,
      platform: platform.id,
      chat,
      user,
      at: now(),
      ...(until !== undefined && { until }),
      replyTo,
      ...RequestBody.parse(draft),
    };
  }

  async function accept(platform: ChatPlatform, draft: Draft): Promise<Acceptance> {
    const request = requestOf(platform, draft);
    const entry = {
      ...entryOf(request),
      ...(platform.perChat !== undefined && { atOnce: platform.perChat }),
      delayMs: draft.acknowledge === undefined ? 0 : ACKNOWLEDGE_MS,
    };
    // Beside the other, so that a store that hangs is not waited for twice.
    const translator = draft.refuse && translatorFor(callerOf(request));
    const added = await keep(entry, draft.acknowledge === undefined ? Number.POSITIVE_INFINITY : now() + STORE_MS);
    if (added === undefined)
      return draft.acknowledge === undefined ? 'closed' : refuse(platform, draft, request, translator);
    if (added.outcome === 'known') return 'known';
    if (added.outcome === 'full') return refuse(platform, draft, request, translator);
    if (draft.acknowledge !== undefined) return acknowledge(platform, draft.acknowledge, request);
    if (added.ahead >= SAID_PLACE) own(say(platform, request, t => renderPlace(added.ahead, t)));
    return 'accepted';
  }

  /** Undefined when nothing could be stored until then, or Medley stops. */
  async function keep(entry: QueueEntry, until: number, isRetry = false): Promise<Added | undefined> {
    try {
      const added = await queue.add(entry);
      gate.open();
      // An attempt that seemed to fail may have come through.
      return added.outcome === 'known' && isRetry ? { outcome: 'accepted', ahead: 0 } : added;
    } catch (error) {
      if (!isRetry) log.error({ err: error, id: entry.id }, 'a request could not be stored');
    }
    if (spare !== undefined) return spare.add(entry);
    return (await gate.wait(until - now())) ? keep(entry, until, true) : undefined;
  }

  async function acknowledge(platform: ChatPlatform, tell: () => Promise<void>, { id }: Request): Promise<Acceptance> {
    try {
      await tell();
    } catch (error) {
      const failure = platform.outcomeOf(error);
      const isGone = failure?.outcome === 'notSent' && failure.reason === 'gone';
      log[isGone ? 'info' : 'warn']({ err: error, id }, 'a request could not be acknowledged');
      // Too late: the platform has said already that there is no answer.
      if (isGone) {
        await everywhere(each => each.cancel(id));
        return 'refused';
      }
    }
    await everywhere(each => each.promote(id));
    return 'accepted';
  }

  /** What fails here is done a little later by the queue itself. */
  async function everywhere(work: (queue: Queue) => Promise<unknown>): Promise<void> {
    for (const each of spare === undefined ? [queue] : [queue, spare]) {
      await work(each).catch((error: unknown) => log.warn({ err: error }, 'the queue cannot be reached'));
    }
  }

  async function refuse(
    platform: ChatPlatform,
    { refuse: show }: Draft,
    request: Request,
    translator: Promise<Translator> | undefined,
  ): Promise<Acceptance> {
    if (show === undefined || translator === undefined) own(say(platform, request, t => renderBusy(t)));
    else await show(renderBusy(await translator));
    return 'refused';
  }

  function own(work: Promise<unknown>): void {
    under.add(work);
    work.finally(() => under.delete(work)).catch((error: unknown) => log.error({ err: error }, 'a notice failed'));
  }

  return {
    async accept(platform, draft) {
      if (isClosed) return 'closed';
      const id = `${platform.id}:${draft.eventId}`;
      const twin = taking.get(id);
      if (twin !== undefined) {
        const acceptance = await twin;
        return acceptance === 'accepted' ? 'known' : acceptance;
      }
      const work = accept(platform, draft).catch((error: unknown): Acceptance => {
        log.error({ err: error }, 'a request could not be taken');
        return 'closed';
      });
      own(work);
      taking.set(id, work);
      const acceptance = await work;
      taking.delete(id);
      onAccepted(platform.id, acceptance);
      return acceptance;
    },
    async close() {
      isClosed = true;
      gate.close();
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}

/** A channel is a lane, the server it belongs to takes turns with others. All but links goes apart, so that a button does not wait for videos. */
function entryOf(request: Request): QueueEntry {
  const { platform, chat, kind } = request;
  const apart = kind === 'links' ? '' : '#asked';
  return {
    id: request.id,
    lane: `${platform}:${chat.id}${apart}`,
    fairBy: `${chatOf(request)}${apart}`,
    owner: ownerKey(request.platform, request.user.id),
    payload: writeKept({ request, progress: startProgress() }),
  };
}

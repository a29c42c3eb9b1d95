import { LRUCache } from 'lru-cache';
import { AppError, StoreAway } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Claim, Verdict } from '../../infra/queue/queue.ts';
import { type ChatPlatform, type RequestOutcome, Superseded } from '../contract/chat-platform.ts';
import { callerOf, partsOf, type Request } from '../contract/request.ts';
import type { RequestHandler } from '../contract/request-handler.ts';
import { type AnswerOrder, createAnswerOrder } from './answer-order.ts';
import { createReadFailure } from './failures.ts';
import { createLaterEdits } from './later-edits.ts';
import type { LeavingMessages } from './leaving-messages.ts';
import { readKept } from './progress.ts';
import { again, type Ending, type Run, throttledChatOf } from './run.ts';
import { createSteps, type Voice } from './steps.ts';
import type { Throttle } from './throttle.ts';
import { createWaitNotices } from './wait-notices.ts';

export interface RunRequestOptions {
  readonly platforms: ReadonlyMap<string, ChatPlatform>;
  readonly dispatcher: Pick<RequestHandler, 'answer' | 'preferences'>;
  readonly leaving: Pick<LeavingMessages, 'add'>;
  readonly throttle: Throttle;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  readonly clock: () => number;
  readonly random: () => number;
  /** A token was refused while something was sent. */
  readonly onTokenRefused: (platform: string) => void;
  readonly onOutcome: (request: Request, outcome: RequestOutcome) => void;
}

export interface RunRequest {
  /** Runs a claimed request as far as it goes now. Never rejects. */
  run(claim: Claim): Promise<Verdict>;
  /** Ends a request that runs here, without a word. False when none of that id does. */
  cancel(id: string): boolean;
  /** Begins no upload any more: a request that comes to one waits for the next process. */
  drain(): void;
  /** Ends all that runs, so that it is taken up again later. */
  abortAll(): void;
}

/** What a message asks for is brought within a day, or not at all. */
const LIFE_MS = 24 * 3_600_000;
/** One attempt, uploads and all. */
const RUN_MS = 15 * 60_000;
/** For a request that another version, or another process, may be able to run. */
const ELSEWHERE_MS = 30_000;
const UNREADABLE_MS = 10 * 60_000;
const STORE_MS = 5_000;
/** For what was ended to end. */
const GRACE_MS = 1_200;
/** A request that so many workers were lost over may be what kills them. */
const MOST_LAPSES = 6;
/** Platforms recognise a repeat for minutes only. */
const MOST_PAUSE_MS = 10_000;
const MAX_ENDED = 10_000;

const DONE: Verdict = { done: true };

export function createRunRequest(options: RunRequestOptions): RunRequest {
  const { platforms, dispatcher, leaving, throttle, log, now, clock, random, onOutcome } = options;
  const laterEdits = createLaterEdits({ log });
  const mayNotify = createWaitNotices({ clock });
  let isDraining = false;
  const mayUpload = () => !isDraining;
  const steps = createSteps({ dispatcher, leaving, throttle, now, mayNotify, mayUpload, done, laterEdits });
  const readFailure = createReadFailure({ ...options, steps, done });
  const order = createAnswerOrder(clock);
  const runs = new Map<string, Run>();
  /** What ended here, should the verdict be lost on its way. */
  const ended = new LRUCache<string, true>({ max: MAX_ENDED });

  function end(run: Run, ending: Ending, reason: Error): void {
    run.ending ??= ending;
    run.controller.abort(reason);
  }

  function done({ request, platform, to }: Pick<Run, 'request' | 'platform' | 'to'>, outcome: RequestOutcome): Verdict {
    ended.set(request.id, true);
    platform.onEnd?.(to, outcome);
    onOutcome(request, outcome);
    return DONE;
  }

  async function run(claim: Claim): Promise<Verdict> {
    if (ended.has(claim.id)) return DONE;
    const kept = readKept(claim.payload);
    if (kept === undefined) return unreadable(claim);
    const { request, progress } = kept;
    const platform = platforms.get(request.platform);
    if (platform === undefined) return { done: false, afterMs: ELSEWHERE_MS };
    const to = platform.replyTo.safeParse(request.replyTo);
    if (!to.success) return unreadable(claim);
    if (now() >= (request.until ?? request.at + LIFE_MS)) {
      log.warn(
        { id: request.id, next: progress.next, tries: progress.tries },
        'a request could not be answered in time',
      );
      return done({ request, platform, to: to.data }, 'expired');
    }
    if (claim.lapses > progress.lapses) {
      progress.lapses = claim.lapses;
      // So that what was lost beside it is done before it can do harm again.
      if (claim.lapses > 1) return again(kept, random() * Math.min(2 ** claim.lapses * 1_000, MOST_PAUSE_MS));
    }
    return inOrder({ ...kept, platform, to: to.data, claim });
  }

  /** When it is its turn in the chat, by the platform's pace and behind what was asked for before. */
  async function inOrder(parts: Pick<Run, 'request' | 'progress' | 'platform' | 'to' | 'claim'>): Promise<Verdict> {
    const { request, platform, to } = parts;
    const isApart = request.kind === 'links' || platform.hasPlace?.(to) === true;
    const place = orderedPlace(order, isApart ? request.id : `${platform.id}:${request.chat.id}`, request.id);
    let backMs: number | undefined;
    try {
      const verdict = await atPace(parts, place);
      if (!verdict.done) backMs = verdict.afterMs;
      return verdict;
    } finally {
      // A place that stayed taken would hold back what is asked there later.
      place.leave(backMs);
    }
  }

  async function atPace(
    parts: Pick<Run, 'request' | 'progress' | 'platform' | 'to' | 'claim'>,
    { waitMs, turn }: OrderedPlace,
  ): Promise<Verdict> {
    const { request, platform, to } = parts;
    if (waitMs() > 0) return { done: false, afterMs: waitMs() };
    const reservation = throttle.reserve(throttledChatOf(parts), request.id, platform.placesOf?.(to) ?? 1);
    if (typeof reservation === 'number') return { done: false, afterMs: reservation };
    return attempt({ ...parts, reservation, turn }).finally(reservation.end);
  }

  function unreadable({ id, addedAt }: Claim): Verdict {
    if (now() - addedAt < UNREADABLE_MS) return { done: false, afterMs: ELSEWHERE_MS };
    log.error({ id }, 'a request that was kept cannot be read');
    return DONE;
  }

  async function attempt(
    parts: Pick<Run, 'request' | 'progress' | 'platform' | 'to' | 'claim' | 'reservation' | 'turn'>,
  ): Promise<Verdict> {
    const run: Run = {
      ...parts,
      controller: new AbortController(),
      ending: undefined,
      stopWorking: undefined,
      next: partsOf(parts.request),
      worst: 'answered',
    };
    const { claim, request } = run;
    const onLost = () => end(run, 'superseded', new Superseded('the lease is lost'));
    claim.signal.addEventListener('abort', onLost, { once: true });
    if (claim.signal.aborted) onLost();
    const deadline = setTimeout(() => end(run, 'late', new AppError('timeout', 'a request ran too long')), RUN_MS);
    runs.set(request.id, run);
    let grace: NodeJS.Timeout | undefined;
    const abandoned = new Promise<Verdict>(resolve => {
      run.controller.signal.addEventListener('abort', () => {
        grace = setTimeout(() => resolve(abandon(run)), GRACE_MS);
      });
    });
    try {
      return await Promise.race([allSteps(run), abandoned]);
    } catch (error) {
      const isExpected = error instanceof Superseded || error instanceof StoreAway;
      log[isExpected ? 'info' : 'error']({ err: error, id: request.id }, 'a request could not be run now');
      return again(run, STORE_MS);
    } finally {
      clearTimeout(deadline);
      claim.signal.removeEventListener('abort', onLost);
      if (runs.get(request.id) === run) runs.delete(request.id);
      run.stopWorking?.();
      // Ends what is still being made for answers that will not be sent.
      run.controller.abort();
      clearTimeout(grace);
    }
  }

  /** It does not heed the end of it: what it still does is as if this process had died. */
  function abandon(run: Run): Verdict {
    log.error({ id: run.request.id, ending: run.ending }, 'a request does not end');
    return run.ending === 'cancelled' ? done(run, 'cancelled') : again(run, 0);
  }

  async function allSteps(run: Run): Promise<Verdict> {
    const { progress, request, platform, to } = run;
    const caller = callerOf(request, platform.describeCaller?.(request, to));
    const voice: Voice = await dispatcher.preferences(caller);
    if (progress.lapses >= MOST_LAPSES && progress.owed === undefined) {
      // What may stand there, or does in part, has not failed.
      const mayStand = progress.sending !== undefined || progress.stands.length > 0;
      await steps.regret(run, mayStand ? 'unsure' : 'failed');
    }
    for (;;) {
      const verdict = await steps.step(run, caller, voice).catch((error: unknown) => readFailure(run, error));
      if (verdict !== undefined) return verdict;
    }
  }

  return {
    run,
    cancel(id) {
      const found = runs.get(id);
      if (found !== undefined) end(found, 'cancelled', new Superseded('it is not wanted any more'));
      return found !== undefined;
    },
    drain() {
      isDraining = true;
    },
    abortAll() {
      laterEdits.close();
      for (const each of runs.values()) end(each, 'stopping', new Superseded('Medley stops'));
    },
  };
}

interface OrderedPlace {
  waitMs(): number;
  turn(signal: AbortSignal): Promise<number>;
  leave(backMs: number | undefined): void;
}

function orderedPlace(order: AnswerOrder, lane: string, id: string): OrderedPlace {
  order.join(lane, id);
  return {
    waitMs: () => order.waitMs(lane, id),
    turn: signal => order.turn(lane, id, signal),
    leave: backMs => order.leave(lane, id, backMs),
  };
}

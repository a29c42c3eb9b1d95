import type { Verdict } from '../../infra/queue/queue.ts';
import type { Caller } from '../contract/caller.ts';
import type { RequestOutcome, Sending } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import { isUnasked, type Owed, ownerKey, partsOf } from '../contract/request.ts';
import { onlyReply, type PendingReply, type ReplyBatch, type RequestHandler } from '../contract/request-handler.ts';
import { renderOwed } from '../views/request-notice.ts';
import { keepReply, readReply } from './kept-reply.ts';
import type { LaterEdits } from './later-edits.ts';
import type { LeavingMessages } from './leaving-messages.ts';
import { again, type Run, save } from './run.ts';
import { laterBy, oneReply } from './say.ts';
import { createSendOnce } from './send-once.ts';
import type { Throttle } from './throttle.ts';
import type { WaitNotices } from './wait-notices.ts';

export interface StepsOptions {
  readonly dispatcher: Pick<RequestHandler, 'answer'>;
  readonly leaving: Pick<LeavingMessages, 'add'>;
  readonly throttle: Pick<Throttle, 'reached'>;
  readonly now: () => number;
  readonly mayNotify: WaitNotices;
  /** False from the moment that Medley stops. */
  readonly mayUpload: () => boolean;
  readonly done: (run: Run, outcome: RequestOutcome) => Verdict;
  readonly laterEdits: Pick<LaterEdits, 'add'>;
}

/** How people are spoken to there. */
export type Voice = Pick<Sending, 't' | 'settings'>;

/** What is done for a request, piece by piece: a verdict, or undefined when there is more to do. */
export interface Steps {
  /** The next round of answers, or the sentence that is owed in their place. @throws what sending throws */
  step(run: Run, caller: Caller, voice: Voice): Promise<Verdict | undefined>;
  /** Owes the person a sentence, unless it is such a sentence that went wrong: those are not said twice, and not about each other. */
  regret(run: Run, sentence: Owed['sentence']): Promise<Verdict | undefined>;
  /** Of a sentence that may not have arrived. */
  sayAgain(run: Run): Promise<Verdict | undefined>;
}

/** The platform was asked whether it is there, and is not. */
export class PlatformAway extends Error {
  override readonly name = 'PlatformAway';
}

/** Attempts to say one sentence of regret. */
const MOST_TELLS = 5;
/** The phase of the first part's answers. */
const START = '0';
/** Until it is tried again to tell a person that a request waits. */
const NOTICE_MS = 5_000;

export function createSteps(options: StepsOptions): Steps {
  const { dispatcher, leaving, throttle, now, mayNotify, mayUpload, done, laterEdits } = options;

  async function step(run: Run, caller: Caller, voice: Voice): Promise<Verdict | undefined> {
    const { owed, sending } = run.progress;
    if (sending !== undefined && now() >= sending.until)
      return owed === undefined ? regret(run, 'unsure') : sayAgain(run);
    return owed === undefined ? answerRound(run, caller, voice) : say(run, owed, voice);
  }

  /** A sentence of regret that may have been said is said again, rather than never: up to a bound. */
  async function sayAgain(run: Run): Promise<Verdict | undefined> {
    const { progress } = run;
    const { owed } = progress;
    progress.tries += 1;
    delete progress.sending;
    if (owed === undefined || (owed.sentence !== 'waiting' && progress.tries < MOST_TELLS)) return undefined;
    return said(run, owed);
  }

  async function answerRound(run: Run, caller: Caller, voice: Voice): Promise<Verdict | undefined> {
    const { progress, platform, controller } = run;
    const round = await workedOut(run, caller);
    const behindMs = await run.turn(controller.signal);
    if (behindMs > 0) return again(run, behindMs);
    for (const group of groupsOf(round, platform.repliesAtOnce)) {
      const next = group.at(-1)?.next ?? round.next;
      run.next = next;
      const waitMs = await roomFor(group, run);
      if (waitMs > 0) return again(run, waitMs);
      const isLast = round.remaining === undefined && next >= round.next;
      const sending = sendingOf(run, voice, { phase: `${progress.next}`, next, isLast, expected: group.length });
      await platform.send(repliesOf(group, controller.signal), sending);
      await stepTo(run, next, !isLast);
    }
    progress.next = round.next;
    return round.remaining === undefined ? done(run, run.worst) : wait(run, round.remaining);
  }

  /** What was worked out in an earlier attempt, or is now. */
  async function workedOut(run: Run, caller: Caller): Promise<ReplyBatch> {
    const { request, progress, platform, to, controller } = run;
    if (progress.kept !== undefined) return onlyReply(Promise.resolve(readReply(progress.kept)));
    const round = await dispatcher.answer(request, {
      caller,
      signal: controller.signal,
      progress(stage) {
        run.stopWorking ??= platform.showWorking?.(to, stage);
        platform.showProgress?.(to, { kind: 'stage', stage });
      },
      from: progress.next,
      paid: progress.paid,
    });
    controller.signal.throwIfAborted();
    progress.paid = round.paid;
    if (request.kind !== 'links') await keep(run, round);
    return round;
  }

  /**
   * Writes down what was worked out before anything of it is sent: a command that ran has done what it was to do, and would say something else
   * if it ran again. Links are read again instead, by then from addresses that are fresh.
   */
  async function keep(run: Run, { replies: [answer] }: ReplyBatch): Promise<void> {
    const reply = await answer?.reply;
    run.controller.signal.throwIfAborted();
    run.progress.kept = reply && keepReply(reply);
    if (run.progress.kept !== undefined) await save(run);
  }

  /** What is left goes on by itself; a person whose limit is used up is told so once. */
  function wait(run: Run, { links, refusal }: NonNullable<ReplyBatch['remaining']>): Verdict | undefined {
    const { progress, request, platform, to } = run;
    if (refusal === undefined) return again(run, 0);
    const afterMs = Math.max(1_000, refusal.retryAfterMs ?? 0);
    if (request.until !== undefined && now() + afterMs >= request.until) {
      progress.owed = { sentence: 'limited', next: partsOf(request), afterMs };
      return undefined;
    }
    platform.showProgress?.(to, { kind: 'waiting', links, afterMs });
    if (progress.isWaitSaid || platform.showProgress !== undefined) return again(run, afterMs);
    if (!mayNotify(ownerKey(request.platform, request.user.rateKey))) return again(run, Math.min(afterMs, NOTICE_MS));
    progress.isWaitSaid = true;
    progress.owed = { sentence: 'waiting', next: progress.next, links, afterMs };
    return undefined;
  }

  async function say(run: Run, owed: Owed, voice: Voice): Promise<Verdict | undefined> {
    const { request, progress, platform, controller } = run;
    run.next = owed.next;
    if (isLeftUnsaid(run, owed, voice)) return said(run, owed);
    // A sentence about something missing is of no use as long as it may get lost itself.
    if (owed.sentence === 'unsure') await reach(run);
    const isLast = owed.sentence !== 'waiting' && owed.next >= partsOf(request);
    const sending = sendingOf(run, voice, {
      phase: `${progress.next}${owed.sentence[0]}`,
      next: owed.next,
      isLast,
      expected: 1,
    });
    await platform.send(oneReply(renderOwed(owed, voice.t)), sending);
    controller.signal.throwIfAborted();
    return said(run, owed);
  }

  /** @throws PlatformAway */
  async function reach({ platform, controller }: Run): Promise<void> {
    try {
      await platform.verify(controller.signal);
    } catch (cause) {
      throw new PlatformAway('the platform does not answer', { cause });
    }
  }

  /** The sentence stands, or cannot be said. */
  async function said(run: Run, { sentence, next, afterMs = 0 }: Owed): Promise<Verdict | undefined> {
    delete run.progress.owed;
    delete run.progress.sending;
    if (sentence === 'waiting') {
      await stepTo(run, next, false);
      return again(run, afterMs);
    }
    if (run.worst === 'answered') run.worst = sentence === 'unsure' ? 'unsure' : 'failed';
    const isEnd = next >= partsOf(run.request);
    await stepTo(run, next, !isEnd);
    return isEnd ? done(run, run.worst) : undefined;
  }

  /** What comes before `next` is over. */
  async function stepTo(run: Run, next: number, isWritten: boolean): Promise<void> {
    const { progress } = run;
    progress.next = next;
    progress.stands = [];
    delete progress.kept;
    if (isWritten) await save(run);
  }

  function sendingOf(run: Run, voice: Voice, place: Part): Sending {
    const { request, progress, platform, to, controller } = run;
    const { signal } = controller;
    const put = createSendOnce({
      ...place,
      progress,
      signal,
      outcomeOf: error => platform.outcomeOf(error),
      save: () => save(run),
      mayUpload,
      reservation: run.reservation,
      onSent: () => throttle.reached(request.platform),
      now,
    });
    const isFirst = place.phase === START && !progress.isWaitSaid;
    return {
      ...{ ...voice, request, to, signal, isFirst, isLast: place.isLast, expected: place.expected },
      ...{ stands: [...progress.stands], put, mend: laterEdits.add, deleteLater: laterBy(leaving, platform.id, now) },
    };
  }

  /** A sentence is said in place of the parts before `next`. */
  function owe({ progress }: Run, sentence: Owed['sentence'], next: number): void {
    delete progress.sending;
    delete progress.kept;
    progress.stands = [];
    progress.tries = 0;
    progress.owed = { sentence, next };
  }

  async function regret(run: Run, sentence: Owed['sentence']): Promise<Verdict | undefined> {
    const { owed, sending } = run.progress;
    if (owed !== undefined) return said(run, owed);
    owe(run, sentence, sending?.next ?? run.next);
    return undefined;
  }

  return { step, regret, sayAgain };
}

interface Part {
  readonly phase: string;
  readonly next: number;
  readonly isLast: boolean;
  /** Replies that should come. */
  readonly expected: number;
}

/** That merely pasted links cannot be answered, where the chat wants to hear nothing of that. */
function isLeftUnsaid({ request }: Run, { sentence }: Owed, { settings }: Voice): boolean {
  return isUnasked(request) && settings.quietErrors && sentence !== 'waiting' && sentence !== 'unsure';
}

/** Places for all messages of answers, before the first of them is begun: 0 when they are there, else how long to wait. */
async function roomFor(
  answers: readonly PendingReply[],
  { platform, to, progress, reservation }: Run,
): Promise<number> {
  if (platform.pace === undefined) return 0;
  // Part of it stands there; for the rest places are taken one by one.
  if (progress.stands.length > 0) return 0;
  const replies = await Promise.all(answers.map(({ reply }) => reply));
  const places = replies.map(reply => (reply === undefined ? 0 : (platform.placesOf?.(to, reply) ?? 1)));
  return reservation.grow(places.reduce((sum, count) => sum + count, 0));
}

/** Answers that are sent together. */
function groupsOf({ replies: answers }: ReplyBatch, size: number): readonly (readonly PendingReply[])[] {
  const groups: PendingReply[][] = [];
  for (let start = 0; start < answers.length; start += size) groups.push(answers.slice(start, start + size));
  return groups;
}

/** @throws the signal's reason, when they are no longer wanted */
async function* repliesOf(answers: readonly PendingReply[], signal: AbortSignal): AsyncGenerator<Reply> {
  for (const { reply } of answers) {
    const ready = await reply;
    signal.throwIfAborted();
    if (ready !== undefined) yield ready;
  }
}

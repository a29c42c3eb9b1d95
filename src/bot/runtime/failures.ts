import { StoreAway } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Verdict } from '../../infra/queue/queue.ts';
import { type RequestOutcome, type SendFailure, Superseded } from '../contract/chat-platform.ts';
import { backoffMs } from './retry.ts';
import { again, type Run, throttledChatOf } from './run.ts';
import { Unsure } from './send-once.ts';
import { PlatformAway, type Steps } from './steps.ts';
import { type Throttle, Throttled } from './throttle.ts';

export interface FailuresOptions {
  readonly throttle: Throttle;
  readonly steps: Pick<Steps, 'regret' | 'sayAgain'>;
  readonly done: (run: Run, outcome: RequestOutcome) => Verdict;
  /** A token was refused while something was sent. */
  readonly onTokenRefused: (platform: string) => void;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  readonly random: () => number;
}

const STORE_MS = 5_000;
const MIN_FLOOD_MS = 500;
const MIN_REPEAT_MS = 500;
/** Calls of one message that were ended before they could count. */
const MOST_CUTS = 5;

type NotSent = Extract<SendFailure, { outcome: 'notSent' }>;

/** What a failure of a run comes to: a verdict, or undefined when there is still something to say. */
export type ReadFailure = (run: Run, error: unknown) => Promise<Verdict | undefined>;

export function createReadFailure(options: FailuresOptions): ReadFailure {
  const { throttle, done, onTokenRefused, log, now, random } = options;
  const { regret, sayAgain } = options.steps;

  async function failed(run: Run, error: unknown): Promise<Verdict | undefined> {
    const { request, platform, ending } = run;
    if (ending === 'cancelled') return done(run, 'cancelled');
    if (ending === 'stopping' || ending === 'superseded' || error instanceof Superseded) return again(run, 0);
    if (error instanceof StoreAway) return storeAway(run, error);
    if (error instanceof Throttled) return again(run, error.waitMs);
    const failure = failureOf(run, error);
    const about = { err: error, id: request.id, platform: platform.id };
    if (ending === 'late') {
      log.warn(about, 'an answer took too long');
      const isUnsure = failure?.outcome === 'unknown';
      return (await regret(run, isUnsure ? 'unsure' : 'timeout')) ?? again(run, 0);
    }
    if (failure === undefined) {
      log.error(about, 'an answer failed');
      return regret(run, 'failed');
    }
    return failure.outcome === 'unknown' ? unclear(run, about) : notSent(run, failure, about);
  }

  /** It is tried again as long as an answer may still arrive: only where that is over, the person is told. */
  async function storeAway(run: Run, error: StoreAway): Promise<Verdict | undefined> {
    const { request } = run;
    log.warn({ err: error, id: request.id }, 'a request waits for the store');
    const isLast = request.until !== undefined && now() + 2 * STORE_MS >= request.until;
    return isLast ? regret(run, 'failed') : again(run, STORE_MS);
  }

  function failureOf({ platform, progress }: Run, error: unknown): SendFailure | undefined {
    if (error instanceof Unsure) return { outcome: 'unknown' };
    if (error instanceof PlatformAway) return { outcome: 'notSent', reason: 'away' };
    // A defect in the middle of a call: only what is certain counts as not sent.
    return platform.outcomeOf(error) ?? (progress.sending === undefined ? undefined : { outcome: 'unknown' });
  }

  /** It may have arrived: it is sent again where a repeat is recognised, else the person is told. */
  async function unclear(run: Run, about: object): Promise<Verdict | undefined> {
    const { progress, platform } = run;
    const leftMs = (progress.sending?.until ?? 0) - now();
    if (leftMs <= 0 && progress.owed !== undefined) {
      throttle.away(platform.id);
      return (await sayAgain(run)) ?? again(run, Math.max(1, throttle.waitMs(throttledChatOf(run))));
    }
    if (leftMs <= 0) {
      log.warn(about, 'an answer may not have arrived');
      return regret(run, 'unsure');
    }
    progress.tries += 1;
    log.info(about, 'an answer may have arrived; it is sent again');
    return again(run, Math.max(MIN_REPEAT_MS, Math.min(backoffMs(progress.tries, random), leftMs / 2)));
  }

  async function notSent(run: Run, failure: NotSent, about: object): Promise<Verdict | undefined> {
    const { request, progress, platform } = run;
    const { reason, retryAfterMs = 0 } = failure;
    switch (reason) {
      case 'away':
      case 'token':
        throttle.away(platform.id);
        if (reason === 'token') onTokenRefused(platform.id);
        log.warn(about, 'the platform cannot be reached');
        return again(run, Math.max(1, retryAfterMs, throttle.waitMs(throttledChatOf(run))));
      case 'flood': {
        const waitMs = Math.max(MIN_FLOOD_MS, retryAfterMs);
        if (failure.scope === 'platform') throttle.holdPlatform(platform.id, waitMs);
        else throttle.holdChat(throttledChatOf(run), request.id, waitMs);
        log.info({ ...about, waitMs }, 'the platform wants to be left alone');
        return again(run, waitMs);
      }
      case 'cut':
        progress.tries += 1;
        if (progress.tries >= MOST_CUTS) return regret(run, 'timeout');
        return again(run, backoffMs(progress.tries, random));
      case 'gone':
        log.info(about, 'there is no place left to answer in');
        return done(run, 'gone');
      case 'refused':
        log.warn(about, 'the platform does not take an answer');
        return regret(run, 'failed');
    }
  }

  return failed;
}

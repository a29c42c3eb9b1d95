/** One strategy asked once: bounded in time, abortable, never rejecting. */
import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import { WaitingClock } from '../../infra/concurrency/waiting-clock.ts';
import type { Post } from '../post.ts';
import { toFailure } from './strategy-failures.ts';

export interface Entrant {
  readonly name: string;
  readonly endpoint: string;
  /** Milliseconds after which it is given up. */
  readonly timeoutMs: number;
  /** Milliseconds after which the next is started beside it. */
  readonly patienceMs: number;
  /** Never started beside another. */
  readonly alone: boolean;
  /** Its refusals name the site's own reason: asked as soon as a post is withheld. */
  readonly explains: boolean;
  run(signal: AbortSignal): Promise<Post>;
}

export type Ending =
  | { readonly kind: 'complete' | 'incomplete'; readonly post: Post }
  | { readonly kind: 'failed'; readonly error: AppError };

export interface AttemptReport {
  readonly entrant: Entrant;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Without the time that it stood in our own lines. */
  readonly tookMs: number;
  readonly ending: Ending;
}

export interface Attempt {
  readonly entrant: Entrant;
  readonly startedAt: number;
  /** Never rejects. */
  readonly settled: Promise<AttemptReport>;
  /** Of its time in our own lines. */
  readonly clock: Pick<WaitingClock, 'waitedMs' | 'isWaiting'>;
  abort(reason: AppError): void;
}

/** What is thrown where a caller gave up. */
export function abortReason(signal: AbortSignal): AppError {
  if (signal.reason instanceof AppError) return signal.reason;
  return new AppError('timeout', 'given up by the caller', { cause: signal.reason });
}

/** The result of `work`, given up with `timeout` after `ms` or when `controller` aborts; work that ignores its signal is left behind. */
export async function within<T>(
  ms: number,
  controller: AbortController,
  work: (signal: AbortSignal) => Promise<T>,
  timeUp = () => noAnswer(ms),
): Promise<T> {
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(timeUp()), ms);
  try {
    return await abortable((async () => work(signal))(), signal);
  } finally {
    clearTimeout(timer);
  }
}

function noAnswer(ms: number): AppError {
  return new AppError('timeout', `no answer within ${Math.round(ms)} ms`);
}

function endingOf(post: Post | null | undefined): Ending {
  const items = post?.items?.length ?? 0;
  if (!post || (items === 0 && !(post.missingItems > 0))) {
    return { kind: 'failed', error: new AppError('upstream_changed', 'the answer holds no media') };
  }
  return { kind: items > 0 && !(post.missingItems > 0) ? 'complete' : 'incomplete', post };
}

/** One that never got its turn says nothing of the site. */
function outOfTime(ms: number, { isWaiting }: WaitingClock): AppError {
  if (!isWaiting) return noAnswer(ms);
  const message = `its turn at our own pace did not come within ${Math.round(ms)} ms`;
  return new AppError('timeout', message, { params: { own: 1 } });
}

export function startAttempt(entrant: Entrant): Attempt {
  const startedAt = performance.now();
  const controller = new AbortController();
  const clock = new WaitingClock();
  const work = (signal: AbortSignal) => clock.measure(() => entrant.run(signal));
  const timeUp = () => outOfTime(entrant.timeoutMs, clock);
  const finish = async (): Promise<AttemptReport> => {
    let ending: Ending;
    try {
      ending = endingOf(await within(entrant.timeoutMs, controller, work, timeUp));
    } catch (error) {
      ending = { kind: 'failed', error: toFailure(error) };
    }
    return { entrant, startedAt, tookMs: performance.now() - startedAt - clock.waitedMs, ending };
  };
  return { entrant, startedAt, clock, settled: finish(), abort: reason => controller.abort(reason) };
}

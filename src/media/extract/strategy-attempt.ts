/** One strategy asked once: bounded in time, abortable, never rejecting. */
import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import { type Departure, withContext } from '../../infra/concurrency/work-context.ts';
import { OWN_DOING } from '../../infra/http/read-failure.ts';
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
  /** Brings a cover at most, but its refusals name the site's own reason. */
  readonly explains: boolean;
  /** Never asked for a post that another said not to exist. */
  readonly byAccount?: boolean;
  run(signal: AbortSignal): Promise<Post>;
}

export type Ending =
  | { readonly kind: 'complete' | 'incomplete'; readonly post: Post }
  | { readonly kind: 'failed'; readonly error: AppError };

export interface Report {
  readonly entrant: Entrant;
  readonly ending: Ending;
  /** Since its request left. */
  readonly tookMs: number;
}

export interface Attempt {
  readonly entrant: Entrant;
  /** Of its request; undefined as long as that stands in our own line. */
  readonly departure: Readonly<Departure>;
  /** Never rejects. */
  readonly settled: Promise<Report>;
  abort(reason: AppError): void;
}

/** Why a caller gave up. */
export function abortReason(signal: AbortSignal): AppError {
  if (signal.reason instanceof AppError) return signal.reason;
  return new AppError('timeout', 'given up by the caller', { cause: signal.reason });
}

function endingOf(post: Post | null | undefined): Ending {
  const items = post?.items?.length ?? 0;
  if (!post || (items === 0 && !(post.missingItems > 0))) {
    return { kind: 'failed', error: new AppError('upstream_changed', 'the answer holds no media') };
  }
  return { kind: items > 0 && !(post.missingItems > 0) ? 'complete' : 'incomplete', post };
}

/** One that never got its turn says nothing of the site. */
function timeUp(ms: number, departure: Departure): AppError {
  if (departure.at !== undefined) return new AppError('timeout', `no answer within ${Math.round(ms)} ms`);
  return new AppError('timeout', `its turn at our own pace did not come within ${Math.round(ms)} ms`, OWN_DOING);
}

/** Work that ignores its signal is left behind. */
export function startAttempt(entrant: Entrant): Attempt {
  const { timeoutMs } = entrant;
  const controller = new AbortController();
  const departure: Departure = { at: performance.now() };
  const startedAt = performance.now();
  const finish = async (): Promise<Report> => {
    const timer = setTimeout(() => controller.abort(timeUp(timeoutMs, departure)), timeoutMs);
    let ending: Ending;
    try {
      const work = withContext({ departure }, async () => entrant.run(controller.signal));
      ending = endingOf(await abortable(work, controller.signal));
    } catch (error) {
      ending = { kind: 'failed', error: toFailure(error) };
    } finally {
      clearTimeout(timer);
    }
    return { entrant, ending, tookMs: performance.now() - (departure.at ?? startedAt) };
  };
  return { entrant, departure, settled: finish(), abort: reason => controller.abort(reason) };
}

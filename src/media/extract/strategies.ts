import { AppError, type ErrorCode } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Post, SourceId } from '../post.ts';
import type { FetchContext, PostRef } from './source.ts';
import { createStrategyOrder } from './strategy-order.ts';

/** One way to ask an upstream for a post. */
export interface Strategy {
  readonly name: string;
  /** Whether it can be asked for this post at all; cheap and pure. */
  isAvailable(ref: PostRef): boolean;
  /** @throws anything: the chain isolates it. A `not_found` with `params.weak` is a guess and does not end the chain. */
  run(ref: PostRef, signal: AbortSignal): Promise<Post>;
}

export interface StrategyChainOptions {
  readonly source: SourceId;
  /** Starting order. */
  readonly strategies: readonly Strategy[];
  /** For the whole chain, `diagnose` included. Default 19 500: an answer is promised within 20 s, so its reason must be known before. */
  readonly deadlineMs?: number;
  /**
   * Asks why a post is not shown; throws a definitive AppError or returns. Asked once per fetch, right after the first
   * strategy that came back empty or gated (`login_required`, `upstream_changed`, a weak `not_found`).
   */
  readonly diagnose?: (ref: PostRef, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
  readonly now?: () => number;
  readonly onOutcome?: (strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
}

/** How much a code tells the person who asked, most first; the head of several failures is the error that is thrown. */
const TELLING: Readonly<Record<ErrorCode, number>> = {
  private: 0,
  age_restricted: 1,
  region_blocked: 2,
  // Certain where an answer says it: a broadcast that is still on the air.
  unsupported_link: 3,
  // Nothing is wrong with the link, and waiting helps: said before the wall that the same limit often shows elsewhere.
  upstream_rate_limited: 4,
  login_required: 5,
  // Only weak ones get here; a bare 404 beside a page that we could not read most likely means what it says.
  not_found: 6,
  upstream_changed: 7,
  upstream_unavailable: 8,
  timeout: 9,
  too_large: 10,
  credentials_required: 11,
  forbidden: 12,
  rate_limited: 13,
  invalid_request: 14,
  internal: 15,
};

const DEFINITIVE: ReadonlySet<ErrorCode> = new Set(['not_found', 'private', 'age_restricted', 'region_blocked']);
const EMPTY_OR_GATED: ReadonlySet<ErrorCode> = new Set(['login_required', 'upstream_changed', 'not_found']);

interface Failure {
  readonly strategy: string;
  readonly error: AppError;
}

function isDefinitive(error: AppError): boolean {
  return DEFINITIVE.has(error.code) && !error.params.weak;
}

/** What our own bounds refused says something of the upstream, not of the person who asked. */
function ofUpstream(error: AppError): AppError {
  const code =
    error.code === 'forbidden' ? 'upstream_unavailable' : error.code === 'too_large' ? 'upstream_changed' : null;
  return code === null ? error : new AppError(code, error.message, { cause: error });
}

/** Whatever a strategy threw, as an AppError: what is none says that our reading of the upstream broke. */
function toFailure(error: unknown): AppError {
  if (error instanceof AppError) return ofUpstream(error);
  return new AppError('upstream_changed', error instanceof Error ? error.message : 'threw no error', { cause: error });
}

function abortError(signal: AbortSignal): AppError {
  if (signal.reason instanceof AppError) return signal.reason;
  return new AppError('timeout', 'given up by the caller', { cause: signal.reason });
}

/** Of several failures the one that tells most, with all of them as its cause, in the order they happened. */
function mostTelling(source: SourceId, failures: readonly Failure[]): AppError {
  const [head] = failures.map(failure => failure.error).sort((a, b) => TELLING[a.code] - TELLING[b.code]);
  if (head === undefined)
    return new AppError('upstream_unavailable', `${source}: there is no way to ask for this post`);
  const named = failures.map(
    ({ strategy, error }) =>
      new AppError(error.code, `${strategy}: ${error.message}`, { params: error.params, cause: error }),
  );
  const waits = failures.flatMap(({ error }) => (error.code === head.code ? (error.retryAfterMs ?? []) : []));
  const { weak: _, ...params } = head.params;
  return new AppError(head.code, `${source}: every strategy failed; ${head.message}`, {
    params,
    cause: new AggregateError(named, `${named.length} strategies failed`),
    retryAfterMs: waits.length === 0 ? undefined : Math.max(...waits),
  });
}

/**
 * Runs a source's strategies one after the other until one yields the post. Each is isolated: a throw, an odd answer or a
 * hang of one never keeps the next from running. A definitive outcome ends the chain at once. Of the time left, the
 * strategy that runs gets two shares and each still to come one, so that a hang leaves time for the others.
 * @throws AppError the definitive one, else the most telling of all, whose cause is an AggregateError of every failure.
 */
export function createStrategyChain(
  options: StrategyChainOptions,
): (ref: PostRef, context: FetchContext) => Promise<Post> {
  const { source, strategies, deadlineMs = 19_500, diagnose, log, now = Date.now, onOutcome } = options;
  const order = createStrategyOrder(strategies, now);

  /** The result of `work`, unless its time ends first; work that ignores its signal is left behind, with its failure logged. */
  async function within<T>(
    name: string,
    ms: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const share = new AbortController();
    const timer = setTimeout(() => share.abort(new AppError('timeout', `no answer within ${Math.round(ms)} ms`)), ms);
    const both = AbortSignal.any([signal, share.signal]);
    const running = (async () => work(both))();
    try {
      return await new Promise<T>((resolve, reject) => {
        const onAbort = () => {
          reject(abortError(both));
          running.catch(error => log.debug({ source, strategy: name, err: error }, 'a strategy ended after its time'));
        };
        both.addEventListener('abort', onAbort, { once: true });
        running.then(resolve, reject).finally(() => both.removeEventListener('abort', onAbort));
        if (both.aborted) onAbort();
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async function attempt(strategy: Strategy, ref: PostRef, ms: number, signal: AbortSignal): Promise<Post | AppError> {
    const startedAt = performance.now();
    try {
      if (signal.aborted) throw abortError(signal);
      if (ms <= 0) throw new AppError('timeout', 'no time was left to ask');
      const post = await within(strategy.name, ms, signal, own => strategy.run(ref, own));
      if (!(post?.items?.length > 0)) throw new AppError('upstream_changed', 'the answer holds no media');
      onOutcome?.(strategy.name, 'ok', performance.now() - startedAt);
      return post;
    } catch (error) {
      if (signal.aborted) throw abortError(signal);
      const failure = toFailure(error);
      onOutcome?.(strategy.name, failure.code, performance.now() - startedAt);
      return failure;
    }
  }

  async function diagnosed(ref: PostRef, ms: number, signal: AbortSignal): Promise<void> {
    if (diagnose === undefined) return;
    try {
      await within('diagnose', ms, signal, own => diagnose(ref, own));
    } catch (error) {
      if (signal.aborted) throw abortError(signal);
      if (error instanceof AppError && isDefinitive(error)) throw error;
      log.debug({ source, id: ref.id, err: error }, 'could not ask why the post is not shown');
    }
  }

  function logPassedOver(ref: PostRef, strategy: string, failures: readonly Failure[]): void {
    if (failures.length === 0) return;
    const passed = failures.map(failure => ({
      strategy: failure.strategy,
      code: failure.error.code,
      message: failure.error.message,
    }));
    const isBroken = failures.some(failure => failure.error.code === 'upstream_changed');
    log[isBroken ? 'warn' : 'info']({ source, id: ref.id, strategy, passed }, 'earlier strategies failed');
  }

  return async function fetchPost(ref, { signal }) {
    const endsAt = now() + deadlineMs;
    const share = (others: number) => ((endsAt - now()) * 2) / (others + 2);
    const asked = order.current().filter(strategy => strategy.isAvailable(ref));
    const failures: Failure[] = [];
    let questions = diagnose === undefined ? 0 : 1;
    for (const [index, strategy] of asked.entries()) {
      const others = asked.length - 1 - index;
      const result = await attempt(strategy, ref, share(others + questions), signal);
      if (!(result instanceof AppError)) {
        order.worked(
          strategy,
          failures.map(failure => failure.strategy),
        );
        logPassedOver(ref, strategy.name, failures);
        return result;
      }
      if (isDefinitive(result)) throw result;
      failures.push({ strategy: strategy.name, error: result });
      if (questions === 1 && EMPTY_OR_GATED.has(result.code)) {
        questions = 0;
        await diagnosed(ref, share(others + 1), signal);
      }
    }
    throw mostTelling(source, failures);
  };
}

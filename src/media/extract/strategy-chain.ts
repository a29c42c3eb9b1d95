import type { ErrorCode } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Post, SourceId } from '../post.ts';
import { CoverOnlyError } from './cover-only.ts';
import type { FetchContext, PostRef, SourceStrategy } from './source.ts';
import { type AttemptReport, abortReason, type Entrant } from './strategy-attempt.ts';
import { mostInformative, type StrategyFailure, summarizeFailures } from './strategy-failures.ts';
import { createStrategyLedger, type StrategyFigures } from './strategy-ledger.ts';
import { type RaceResult, raceStrategies } from './strategy-race.ts';
import type { StrategyRecords } from './strategy-records.ts';

/**
 * One way to ask an upstream for a post: an endpoint, asked by one kind of caller. Its name is `ENDPOINT/CALLER`, such as
 * `shortcode-query/plain`, or just the endpoint where it has one caller.
 */
export interface Strategy extends SourceStrategy {
  /** Asked only when all others have failed, in the given order, and never beside another. */
  readonly isLastResort?: boolean;
  /**
   * Brings author and cover at most, but its refusals name the site's own reason: asked last, or as soon as two endpoints
   * withheld the post.
   */
  readonly explains?: boolean;
  /** Milliseconds. Default 10 000, or half of the chain's deadline. */
  readonly timeoutMs?: number;
  /**
   * A post of which `missingItems` could not be read is kept while the others are asked.
   * @throws anything: the chain isolates it. Of an AppError, `params.weak` says that a `not_found` or the like is a guess, which
   * another endpoint must confirm; `params.own` that our own bounds refused it; `params.challenge` that the site wants a pause; `params.refused` that the
   * caller was refused rather than the post withheld.
   */
  run(ref: PostRef, signal: AbortSignal): Promise<Post>;
}

export interface StrategyChainOptions {
  readonly source: SourceId;
  /** By what their answers hold, best first: the order as long as nothing is known of them. */
  readonly strategies: readonly Strategy[];
  /** What is remembered over restarts. Without it everything is learnt anew. */
  readonly records?: StrategyRecords | undefined;
  /** For the whole chain, `diagnose` included. Default 19 500: an answer is promised within 20 s, so its reason must be known before. */
  readonly deadlineMs?: number;
  /**
   * Asks why a post is not shown; throws a definitive AppError or returns. Asked at most once per fetch: when two endpoints withheld
   * the post (`login_required`, a weak `not_found`), or when nothing else is left to ask.
   */
  readonly diagnose?: (ref: PostRef, signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
  readonly now?: () => number;
  readonly onOutcome?: (strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
}

/**
 * Resolves to the post of a source, whole where that can be had.
 * @throws AppError the definitive one, else the most telling of all, whose cause is an AggregateError of every failure; a
 * CoverOnlyError where author and cover are known all the same.
 */
export interface StrategyChain {
  (ref: PostRef, context: FetchContext): Promise<Post>;
  /** How each strategy does here, in the given order. */
  figures(): readonly StrategyFigures[];
}

/** An answer is promised within three seconds when the first choice hangs. */
const MAX_PATIENCE_MS = 1_500;
/** A shorter wait gains nothing that people notice, and noise would double the requests. */
const MIN_PATIENCE_MS = 500;
const TIMEOUT_MS = 10_000;
/** While every strategy rests, one is asked all the same, no more often than this: limits are lifted early too. */
const SCOUT_EVERY_MS = 5_000;

function endpointOf({ name }: Strategy): string {
  return name.split('/', 1)[0] ?? name;
}

export function createStrategyChain(options: StrategyChainOptions): StrategyChain {
  const { source, strategies, deadlineMs = 19_500, diagnose, log, now = Date.now, onOutcome } = options;
  const ledger = createStrategyLedger({ source, strategies, records: options.records, log, now });
  const maxPatienceMs = Math.min(MAX_PATIENCE_MS, deadlineMs / 8);
  let scoutedAt = Number.NEGATIVE_INFINITY;

  function entrantOf(strategy: Strategy, ref: PostRef): Entrant {
    return {
      name: strategy.name,
      endpoint: endpointOf(strategy),
      timeoutMs: strategy.timeoutMs ?? Math.min(TIMEOUT_MS, deadlineMs / 2),
      // Of those that are started, which mostly is the first.
      get patienceMs() {
        const usualMs = ledger.usualLatencyMs(strategy.name) ?? MAX_PATIENCE_MS;
        return Math.min(Math.max(usualMs, MIN_PATIENCE_MS), maxPatienceMs);
      },
      alone: strategy.isLastResort === true,
      explains: strategy.explains === true,
      run: signal => strategy.run(ref, signal),
    };
  }

  /** Whom to ask, in order; each that rests counts as a failure of its own. */
  function plan(ref: PostRef) {
    const order = ledger.order(strategies.filter(strategy => strategy.isAvailable(ref)));
    const awake = [...order.alive, ...order.lastResorts.filter(one => !one.explains), ...order.dead];
    const explaining = order.lastResorts.filter(one => one.explains);
    const resting: StrategyFailure[] = order.resting.map(strategy => ({
      strategy: strategy.name,
      endpoint: endpointOf(strategy),
      explains: strategy.explains === true,
      error: ledger.restError(strategy.name),
    }));
    const dead = new Set(order.dead.map(({ name }) => name));
    const scout = order.resting.find(one => !one.isLastResort) ?? order.resting[0];
    if (awake.length > 0 || scout === undefined || now() - scoutedAt < SCOUT_EVERY_MS) {
      return { asked: [...awake, ...explaining], probe: order.probe, resting, dead };
    }
    scoutedAt = now();
    const others = resting.filter(({ strategy }) => strategy !== scout.name);
    return { asked: [scout, ...explaining], probe: undefined, resting: others, dead };
  }

  function report({ entrant, ending, tookMs }: AttemptReport): void {
    onOutcome?.(entrant.name, ending.kind === 'failed' ? ending.error.code : 'ok', tookMs);
  }

  function note(result: RaceResult, ref: PostRef): void {
    ledger.note(result);
    result.reports.forEach(report);
    for (const name of result.overtaken) onOutcome?.(name, 'timeout');
    result.late
      ?.then(late => {
        ledger.noteLate(late, result.post !== null);
        report(late);
      })
      .catch(error => log.warn({ source, id: ref.id, err: error }, 'a late outcome of a strategy was not noted'));
  }

  /** What failed beside a strategy that worked; who is told of no post at all, with every cause, logs that. */
  function logFailures(ref: PostRef, failures: readonly StrategyFailure[], message: string): void {
    if (failures.length === 0) return;
    const isBroken = failures.some(({ error }) => error.code === 'upstream_changed');
    log[isBroken ? 'warn' : 'info']({ source, id: ref.id, failed: summarizeFailures(failures) }, message);
  }

  function conclude(result: RaceResult, { resting, dead }: ReturnType<typeof plan>, ref: PostRef): Post {
    const { post, verdict } = result;
    const failures = [...result.failures, ...resting];
    if (post !== null && post.items.length > 0) {
      // That a dead one is still dead is no news.
      const news = result.failures.filter(({ strategy }) => !dead.has(strategy));
      logFailures(ref, news, `brought by ${result.winner} after others failed`);
      return post;
    }
    // A guess on which two agree carries all that was said; a certain word stands for itself.
    if (verdict !== null) throw verdict.params.weak ? mostInformative(ref, failures, verdict) : verdict;
    const error = mostInformative(ref, failures);
    if (post === null) throw error;
    logFailures(ref, failures, 'nothing but the cover was brought');
    throw new CoverOnlyError(error, post);
  }

  async function fetchPost(ref: PostRef, { signal }: FetchContext): Promise<Post> {
    if (signal.aborted) throw abortReason(signal);
    await ledger.ready;
    const planned = plan(ref);
    const entrants = planned.asked.map(strategy => entrantOf(strategy, ref));
    const result = await raceStrategies({
      entrants,
      probe: entrants.find(({ name }) => name === planned.probe?.name),
      diagnose: diagnose && (own => diagnose(ref, own)),
      isProven: ledger.isProven,
      isTrusted: ledger.isTrusted,
      deadlineMs,
      explainMs: maxPatienceMs,
      signal,
      onStart: ledger.noteStart,
      onUnanswered: error => log.debug({ source, id: ref.id, err: error }, 'could not ask why the post is not shown'),
    });
    note(result, ref);
    return conclude(result, planned, ref);
  }

  return Object.assign(fetchPost, { figures: ledger.figures });
}

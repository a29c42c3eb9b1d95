import { AppError, type ErrorCode } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Post, SourceId } from '../post.ts';
import { CoverOnlyError } from './cover-only.ts';
import { askEndpoint, createSiteState, endpointOf, leftAloneUntil, type SiteState } from './site-state.ts';
import type { FetchContext, PostRef, SourceStrategy } from './source.ts';
import { abortReason, type Entrant, type Report } from './strategy-attempt.ts';
import {
  isDefinitive,
  isOfOurs,
  mostInformative,
  notAsked,
  type StrategyFailure,
  siteIsSilent,
  summarizeFailures,
} from './strategy-failures.ts';
import { type RaceResult, raceStrategies } from './strategy-race.ts';
import {
  afterFailure,
  afterSuccess,
  isReliable,
  orderStrategies,
  type StrategyFigures,
  type StrategyRecord,
  successRate,
  UNTRIED,
} from './strategy-record.ts';
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
  /** Asks by an account: never for a post that another said not to exist. */
  readonly byAccount?: boolean;
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
  /** What this process remembers over restarts. Without it everything is learnt anew. */
  readonly records?: StrategyRecords | undefined;
  /** Whom to leave alone. Default: known to this chain alone. */
  readonly site?: SiteState | undefined;
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
  /** As `MediaSource.learn`. */
  learn(strategy: string, tookMs: number | null): void;
}

/** An answer is promised within three seconds when the first choice hangs. */
const MAX_PATIENCE_MS = 1_500;
/** A shorter wait gains nothing that people notice, and noise would double the requests. */
const MIN_PATIENCE_MS = 300;
const TIMEOUT_MS = 10_000;
const DIAGNOSE_MS = 5_000;
/** A strategy that said so often in a row that there is no post may have died in that way. */
const DOUBTED_AFTER = 4;
const MAX_CAUSE_CHARS = 200;

export function createStrategyChain(options: StrategyChainOptions): StrategyChain {
  const { source, strategies, records: kept, deadlineMs = 19_500, diagnose, log, now = Date.now, onOutcome } = options;
  const site = options.site ?? createSiteState({ source, log, now });
  const records = new Map<string, StrategyRecord>();
  const last = new Map<string, StrategyFigures['last']>();
  /** How often in a row each said that there is no post, since it last brought one. */
  const verdicts = new Map<string, number>();
  const maxPatienceMs = Math.min(MAX_PATIENCE_MS, deadlineMs / 8);
  const ready = load();

  async function load(): Promise<void> {
    try {
      for (const [strategy, record] of (await kept?.load(source)) ?? []) records.set(strategy, record);
    } catch (error) {
      log.warn({ source, err: error }, 'what was learnt of the strategies could not be read');
    }
  }

  /** With what other processes found out about whom to leave alone. */
  function recordOf(name: string): StrategyRecord {
    const record = records.get(name) ?? UNTRIED;
    return { ...record, cooldownUntil: Math.max(record.cooldownUntil, site.until(`strategy ${name}`)) };
  }

  function change(name: string, record: StrategyRecord): void {
    records.set(name, record);
    kept
      ?.save(source, name, record)
      .catch(error =>
        log.warn({ source, strategy: name, err: error }, 'what was learnt of a strategy could not be kept'),
      );
  }

  const isTrusted = (name: string) => recordOf(name).failures === 0 && (verdicts.get(name) ?? 0) < DOUBTED_AFTER;

  function entrantOf(strategy: Strategy, ref: PostRef): Entrant {
    const { name, timeoutMs, isLastResort = false, explains = false, byAccount = false } = strategy;
    const { medianMs } = recordOf(name);
    const patienceMs = medianMs === null ? MAX_PATIENCE_MS : Math.max(3 * medianMs, MIN_PATIENCE_MS);
    return {
      name,
      endpoint: endpointOf(strategy),
      timeoutMs: timeoutMs ?? Math.min(TIMEOUT_MS, deadlineMs / 2),
      patienceMs: Math.min(patienceMs, maxPatienceMs),
      alone: isLastResort,
      explains,
      byAccount,
      run: signal => askEndpoint(site, strategy, ref, signal, now),
    };
  }

  function reasonEntrant(ref: PostRef): Entrant | undefined {
    if (diagnose === undefined) return undefined;
    const run = async (signal: AbortSignal): Promise<Post> => {
      await diagnose(ref, signal);
      throw new AppError('upstream_unavailable', 'no reason is known');
    };
    return {
      name: '',
      endpoint: '',
      timeoutMs: DIAGNOSE_MS,
      patienceMs: 0,
      alone: false,
      explains: true,
      run,
    };
  }

  /** Whom to ask, in order; each whom the site wants left alone counts as a failure of its own. */
  function plan(ref: PostRef, isSingle: boolean) {
    const available = strategies.filter(strategy => strategy.isAvailable(ref));
    const isLeftAlone = (one: Strategy) => leftAloneUntil(site, one) > now();
    const waiting: StrategyFailure[] = available.filter(isLeftAlone).map(one => ({
      strategy: one.name,
      endpoint: endpointOf(one),
      explains: one.explains === true,
      error: notAsked(leftAloneUntil(site, one) - now()),
    }));
    const free = available.filter(one => !isLeftAlone(one));
    if (!isSingle) return { ...orderStrategies(free, ({ name }) => recordOf(name), now()), waiting };
    const [first] = free
      .filter(({ isLastResort }) => !isLastResort)
      .sort((a, b) => recordOf(a.name).triedAt - recordOf(b.name).triedAt);
    return { asked: first === undefined ? [] : [first], returning: undefined, waiting };
  }

  /**
   * A failure counts only where another strategy brought the post: a removed post or a broken network says nothing of the way in
   * which it was asked. Nor does what we refused ourselves.
   */
  function note({ entrant, ending, tookMs }: Report, isWinner: boolean, isBrought: boolean): void {
    const { name } = entrant;
    const at = now();
    const error = ending.kind === 'failed' ? ending.error : undefined;
    const outcome = error?.code ?? (ending.kind === 'complete' ? 'ok' : 'incomplete');
    last.set(name, { outcome, cause: error?.message.slice(0, MAX_CAUSE_CHARS) ?? null, at });
    onOutcome?.(name, error?.code ?? 'ok', tookMs);
    if (isWinner || outcome === 'ok') {
      verdicts.set(name, error === undefined ? 0 : (verdicts.get(name) ?? 0) + 1);
      learn(name, tookMs);
    } else if (isBrought && (error === undefined || !isOfOurs(error))) {
      learn(name, null);
    }
  }

  function learn(name: string, tookMs: number | null): void {
    const record = recordOf(name);
    if (tookMs !== null) {
      change(name, afterSuccess(record, tookMs));
      site.clear(`strategy ${name}`);
    } else {
      const failed = afterFailure(record, now());
      change(name, failed);
      site.set(`strategy ${name}`, failed.cooldownUntil);
    }
  }

  function noteAll({ reports, winner, post, late }: RaceResult, ref: PostRef): void {
    const isBrought = post !== null && post.items.length > 0;
    for (const report of reports) note(report, report.entrant.name === winner, isBrought);
    late
      ?.then(report => note(report, false, isBrought))
      .catch(error => log.warn({ source, id: ref.id, err: error }, 'a late outcome of a strategy was not noted'));
  }

  /** What failed beside a strategy that worked; who is told of no post at all, with every cause, logs that. */
  function logFailures(ref: PostRef, failures: readonly StrategyFailure[], message: string): void {
    if (failures.length === 0) return;
    const isBroken = failures.some(({ error }) => error.code === 'upstream_changed');
    log[isBroken ? 'warn' : 'info']({ source, id: ref.id, failed: summarizeFailures(failures) }, message);
  }

  function conclude(result: RaceResult, waiting: readonly StrategyFailure[], ref: PostRef): Post {
    const { post, verdict } = result;
    const failures = [...result.failures, ...waiting];
    if (result.failures.length === 0 && post === null && verdict === null && waiting.length > 0) {
      throw siteIsSilent(undefined, Math.min(...waiting.flatMap(({ error }) => error.retryAfterMs ?? [])));
    }
    if (post !== null && post.items.length > 0) {
      // That one fails again is no news.
      const news = result.failures.filter(({ strategy }) => recordOf(strategy).failures <= 1);
      logFailures(ref, news, `brought by ${result.winner} after others failed`);
      return post;
    }
    // A guess on which two agree carries all that was said; a certain word stands for itself.
    if (verdict !== null) throw isDefinitive(verdict) ? verdict : mostInformative(ref, failures, verdict);
    const error = mostInformative(ref, failures);
    if (post === null) throw error;
    logFailures(ref, failures, 'nothing but the cover was brought');
    throw new CoverOnlyError(error, post);
  }

  async function fetchPost(ref: PostRef, { signal, isSingle = false }: FetchContext): Promise<Post> {
    if (signal.aborted) throw abortReason(signal);
    await Promise.all([ready, site.refresh()]);
    const { asked, returning, waiting } = plan(ref, isSingle);
    const entrants = asked.map(strategy => entrantOf(strategy, ref));
    const result = await raceStrategies({
      entrants,
      returning: entrants.find(({ name }) => name === returning?.name),
      diagnose: isSingle ? undefined : reasonEntrant(ref),
      isReliable: name => isReliable(recordOf(name)),
      isTrusted,
      deadlineMs,
      explainMs: maxPatienceMs,
      signal,
      onStart: name => change(name, { ...(records.get(name) ?? UNTRIED), triedAt: now() }),
    });
    noteAll(result, ref);
    return conclude(result, waiting, ref);
  }

  function figures(): readonly StrategyFigures[] {
    return strategies.map(strategy => {
      const record = recordOf(strategy.name);
      const waitsUntil = leftAloneUntil(site, strategy);
      return {
        strategy: strategy.name,
        successRate: record.successes + record.failures === 0 ? null : successRate(record),
        medianMs: record.medianMs,
        coolsUntil: record.cooldownUntil > now() ? record.cooldownUntil : null,
        waitsUntil: waitsUntil > now() ? waitsUntil : null,
        last: last.get(strategy.name) ?? null,
      };
    });
  }

  return Object.assign(fetchPost, { figures, learn });
}

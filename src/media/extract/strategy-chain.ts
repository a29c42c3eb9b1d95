import { AppError } from '../../errors.ts';
import { abortReason } from '../../infra/concurrency/abortable.ts';
import type { Logger } from '../../infra/log.ts';
import type { Post, SourceId } from '../post.ts';
import { askEndpoint, type Cooldowns, createCooldowns, leftAloneUntil } from './cooldowns.ts';
import { isDefinitive, notAsked, siteIsSilent } from './refusal.ts';
import { type FetchContext, isCoverOnly, type MediaSource, type PostRef, type Strategy } from './source.ts';
import { CoverOnlyError, mostInformative, type StrategyFailure, summarizeFailures } from './strategy-failures.ts';
import { type RaceResult, StrategyRace } from './strategy-race.ts';
import { StrategyRanking, type StrategyRankingOptions } from './strategy-ranking.ts';

export interface StrategyChainOptions extends Pick<StrategyRankingOptions, 'onOutcome'> {
  readonly source: SourceId;
  /** Strategies by how complete their answers are, best first: the order while nothing is known about their success. */
  readonly strategies: readonly Strategy[];
  /** The cooldowns of the site. Default: only this chain knows them. */
  readonly cooldowns?: Cooldowns | undefined;
  /**
   * Time for the whole chain, `diagnose` included. Default 19 500: an answer is promised within 20 s, so the reason
   * must be known before.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * Asks the site why a post is not shown; throws an AppError that is definitive, or returns. Called at most once per
   * fetch: when two endpoints withheld the post (`login_required`, or a `not_found` that is not definitive), or no
   * other strategy is left.
   */
  readonly diagnose?: ((ref: PostRef, signal: AbortSignal) => Promise<void>) | undefined;
  readonly log: Logger;
  readonly now?: () => number;
}

/** `MediaSource.fetch`, built from the strategies: it returns the complete post where that is possible. */
export type StrategyChain = MediaSource['fetch'] & Required<Pick<MediaSource, 'figures' | 'learn'>>;

const DIAGNOSE_MS = 5_000;

export function createStrategyChain(options: StrategyChainOptions): StrategyChain {
  const { source, strategies, deadlineMs = 19_500, log, now = Date.now, onOutcome } = options;
  const cooldowns = options.cooldowns ?? createCooldowns({ source, log, now });
  const diagnosis = options.diagnose && diagnosisOf(options.diagnose);
  const ranking = new StrategyRanking({ source, strategies, cooldowns, now, onOutcome });

  /** The strategies to run, in order; each one whose endpoint is cooling down counts as a failure. */
  function plan(ref: PostRef, isSingle: boolean) {
    const waiting: StrategyFailure[] = [];
    const free: Strategy[] = [];
    for (const strategy of strategies.filter(one => one.isAvailable(ref))) {
      const waitMs = leftAloneUntil(cooldowns, strategy) - now();
      if (waitMs > 0) waiting.push({ strategy, error: notAsked(waitMs) });
      else free.push(strategy);
    }
    if (isSingle) return { asked: ranking.longestAgo(free), returning: undefined, waiting };
    return { ...ranking.order(free), waiting };
  }

  function note({ reports, winner, post, late }: RaceResult, ref: PostRef): void {
    const hasPost = post !== null && !isCoverOnly(post);
    for (const report of reports) ranking.note(report, report.strategy === winner, hasPost);
    late
      ?.then(report => ranking.note(report, false, hasPost))
      .catch(error => log.warn({ source, id: ref.id, err: error }, 'a late outcome of a strategy was not noted'));
  }

  /** Logs other strategies' failures when one worked; when none did, the caller gets and logs them all. */
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
    if (post !== null && !isCoverOnly(post)) {
      const news = result.failures.filter(({ strategy }) => !ranking.isFailing(strategy));
      logFailures(ref, news, `brought by ${result.winner?.name} after others failed`);
      return post;
    }
    // A definitive failure is thrown alone; one on which only two endpoints agree gets all failures as its cause.
    if (verdict !== null) throw isDefinitive(verdict) ? verdict : mostInformative(ref, failures, verdict);
    const error = mostInformative(ref, failures);
    if (post === null) throw error;
    logFailures(ref, failures, 'nothing but the cover was brought');
    throw new CoverOnlyError(error, post);
  }

  async function fetchPost(ref: PostRef, { signal, isSingle = false }: FetchContext): Promise<Post> {
    if (signal.aborted) throw abortReason(signal);
    await cooldowns.refresh();
    const { asked, returning, waiting } = plan(ref, isSingle);
    const ask = (strategy: Strategy, own: AbortSignal) => {
      if (strategy === diagnosis) return strategy.run(ref, own);
      ranking.noteStart(strategy);
      return askEndpoint(cooldowns, strategy, ref, own, now);
    };
    const race = { strategies: asked, returning, diagnosis: isSingle ? undefined : diagnosis, ranking, deadlineMs };
    const result = await new StrategyRace({ ...race, ask, signal }).run();
    note(result, ref);
    return conclude(result, waiting, ref);
  }

  return Object.assign(fetchPost, { figures: () => ranking.figures(), learn: ranking.learn.bind(ranking) });
}

/** Turns the request that asks why a post is not shown into a strategy. */
function diagnosisOf(diagnose: NonNullable<StrategyChainOptions['diagnose']>): Strategy {
  const run = async (ref: PostRef, signal: AbortSignal): Promise<Post> => {
    await diagnose(ref, signal);
    throw new AppError('upstream_unavailable', 'no reason is known');
  };
  return { name: '', isAvailable: () => true, run, explains: true, timeoutMs: DIAGNOSE_MS };
}

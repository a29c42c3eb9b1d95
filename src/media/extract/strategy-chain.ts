import { AppError } from '../../errors.ts';
import { abortReason } from '../../infra/concurrency/abortable.ts';
import type { Post, SourceId } from '../post.ts';
import { askEndpoint, createCooldowns, endpointName } from './cooldowns.ts';
import { isDefinitive, notAsked, siteIsSilent } from './refusal.ts';
import { type FetchContext, isCoverOnly, type PostRef, type Strategy } from './source.ts';
import type { SourceOptions } from './source-descriptor.ts';
import { CoverOnlyError, mostInformative, type StrategyFailure, summarizeFailures } from './strategy-failures.ts';
import { StrategyRace } from './strategy-race.ts';
import { StrategyRanking, type StrategyReport } from './strategy-ranking.ts';

export interface StrategyChainOptions
  extends Pick<SourceOptions, 'log' | 'cooldowns' | 'deadlineMs' | 'onOutcome' | 'now'> {
  readonly source: SourceId;
  /** The strategies, the most complete answers first. They run in this order until their success rates are known. */
  readonly strategies: readonly Strategy[];
  /**
   * Asks the site why a post is not shown. It throws a definitive AppError, or returns if it learned nothing. It is
   * called at most once per fetch: when two endpoints hid the post (`login_required`, or a `not_found` that is not
   * definitive), or no other strategy is left.
   */
  readonly diagnose?: ((ref: PostRef, signal: AbortSignal) => Promise<void>) | undefined;
}

const DIAGNOSE_MS = 5_000;

/** `MediaSource.fetch`, built from the strategies: it returns the complete post where that is possible. */
export function createStrategyChain(options: StrategyChainOptions) {
  const { source, strategies, diagnose, deadlineMs = 19_500, log, now = Date.now, onOutcome } = options;
  const cooldowns = options.cooldowns ?? createCooldowns({ source, log, now });
  const ranking = new StrategyRanking(cooldowns, now);
  /** Wraps `diagnose`, which asks why a post is not shown, so that it can run like a strategy. */
  const diagnosis: Strategy | undefined = diagnose && {
    ...{ name: '', isAvailable: () => true, explains: true, timeoutMs: DIAGNOSE_MS },
    async run(ref, signal) {
      await diagnose(ref, signal);
      throw new AppError('upstream_unavailable', 'no reason is known');
    },
  };

  /** Chooses the strategies to run, in order. A strategy whose endpoint is cooling down counts as a failure. */
  function plan(ref: PostRef, isSingle: boolean) {
    const waiting: StrategyFailure[] = [];
    const free: Strategy[] = [];
    for (const strategy of strategies.filter(one => one.isAvailable(ref))) {
      const waitMs = cooldowns.until(endpointName(strategy)) - now();
      if (waitMs > 0) waiting.push({ strategy, error: notAsked(waitMs) });
      else free.push(strategy);
    }
    if (isSingle) return { asked: ranking.longestAgo(free), returning: undefined, waiting };
    return { ...ranking.order(free), waiting };
  }

  function note(report: StrategyReport, isWinner: boolean, isBrought: boolean): void {
    onOutcome?.(source, report.strategy.name, report.error?.code ?? 'ok', report.tookMs);
    ranking.note(report, isWinner, isBrought);
  }

  /** Logs the strategies that failed before another strategy found the post. If none found it, the caller logs them. */
  function logFailures(ref: PostRef, failures: readonly StrategyFailure[], message: string): void {
    if (failures.length === 0) return;
    const isBroken = failures.some(({ error }) => error.code === 'upstream_changed');
    log[isBroken ? 'warn' : 'info']({ source, id: ref.id, failed: summarizeFailures(failures) }, message);
  }

  async function fetchPost(ref: PostRef, { signal, isSingle = false }: FetchContext): Promise<Post> {
    if (signal.aborted) throw abortReason(signal);
    await cooldowns.refresh();
    const { asked, returning, waiting } = plan(ref, isSingle);
    const ask = (strategy: Strategy, own: AbortSignal) => {
      if (strategy === diagnosis) return strategy.run(ref, own);
      ranking.noteStart(strategy);
      return askEndpoint(cooldowns, strategy, () => strategy.run(ref, own), now);
    };
    const race = { strategies: asked, returning, diagnosis: isSingle ? undefined : diagnosis, ranking, deadlineMs };
    const { post, verdict, winner, failures } = await new StrategyRace({ ...race, ask, note, signal, log }).run();
    if (failures.length === 0 && post === null && verdict === null && waiting.length > 0) {
      throw siteIsSilent(undefined, Math.min(...waiting.flatMap(({ error }) => error.retryAfterMs ?? [])));
    }
    if (post !== null && !isCoverOnly(post)) {
      const news = failures.filter(({ strategy }) => !ranking.isFailing(strategy));
      logFailures(ref, news, `brought by ${winner?.name} after others failed`);
      return post;
    }
    // A definitive failure is thrown alone. A failure that only two endpoints agree on gets all failures as its cause.
    if (verdict !== null && isDefinitive(verdict)) throw verdict;
    const all = [...failures, ...waiting];
    const error = mostInformative(ref, all, verdict ?? undefined);
    if (post === null || verdict !== null) throw error;
    logFailures(ref, all, 'nothing but the cover was brought');
    throw new CoverOnlyError(error, post);
  }

  const learned = { figures: () => ranking.figures(strategies), learn: ranking.learn.bind(ranking) };
  return Object.assign(fetchPost, learned);
}

import { AppError } from '../../errors.ts';
import { isOwnDoing } from '../../infra/http/read-failure.ts';
import type { Logger } from '../../infra/log.ts';
import type { SourceId } from '../post.ts';
import type { AttemptReport } from './strategy-attempt.ts';
import { isLimit } from './strategy-failures.ts';
import { type Orderable, orderStrategies, type StrategyOrder } from './strategy-order.ts';
import type { RaceResult } from './strategy-race.ts';
import {
  afterFailure,
  afterLimit,
  afterOutcome,
  afterStart,
  afterSuccess,
  isDead,
  isProven,
  isResting,
  isTrusted,
  latencyAt,
  type StrategyOutcome,
  type StrategyRecord,
  successRate,
  UNTRIED,
} from './strategy-record.ts';
import type { StrategyRecords } from './strategy-records.ts';

/** How one strategy does here, for people who look after it. */
export interface StrategyFigures {
  readonly strategy: string;
  /** 0 to 1, of late; null when it was never counted. */
  readonly successRate: number | null;
  /** Milliseconds, median and 95th percentile of its latest answers; null when it never answered. */
  readonly latencyMs: number | null;
  readonly latencyP95Ms: number | null;
  /** Whether it failed so often in a row that it is asked after all others. */
  readonly isDead: boolean;
  /** Unix milliseconds; null when it does not rest. */
  readonly restsUntil: number | null;
  /** `at` in unix milliseconds. */
  readonly last: { readonly outcome: StrategyOutcome; readonly cause: string | null; readonly at: number } | null;
}

export interface LedgerOptions<S> {
  readonly source: SourceId;
  readonly strategies: readonly S[];
  readonly records: StrategyRecords | undefined;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/** What is known of a source's strategies, and what each fetch adds to it. */
export interface StrategyLedger<S> {
  /** Settles when what was kept has been read. Never rejects. */
  readonly ready: Promise<void>;
  order(available: readonly S[]): StrategyOrder<S>;
  /** Within which it nearly always answers, in milliseconds; null when that is not known. */
  usualLatencyMs(strategy: string): number | null;
  isProven(strategy: string): boolean;
  isTrusted(strategy: string): boolean;
  /** Why one that rests was not asked. */
  restError(strategy: string): AppError;
  noteStart(strategy: string): void;
  note(result: RaceResult): void;
  /** Of a probe that was done after its fetch; `brought` is whether another had brought the post. */
  noteLate(report: AttemptReport, brought: boolean): void;
  figures(): readonly StrategyFigures[];
}

const USUAL_SHARE = 0.95;

/**
 * A failure counts only where another strategy brought the post: a removed post or a broken network says nothing of the way in
 * which it was asked. Nor does what we refused ourselves.
 */
function count(
  record: StrategyRecord,
  { tookMs, ending }: AttemptReport,
  fetched: { readonly isWinner: boolean; readonly brought: boolean; readonly at: number },
): StrategyRecord {
  if (fetched.isWinner) return afterSuccess(record, tookMs, fetched.at, ending.kind === 'failed' ? 'verdict' : 'post');
  const isOurs = ending.kind === 'failed' && isOwnDoing(ending.error);
  return fetched.brought && !isOurs ? afterFailure(record, fetched.at) : record;
}

export function createStrategyLedger<S extends Orderable>(options: LedgerOptions<S>): StrategyLedger<S> {
  const { source, strategies, records: kept, log, now } = options;
  const records = new Map<string, StrategyRecord>();
  const recordOf = (strategy: string) => records.get(strategy) ?? UNTRIED;

  async function load(): Promise<void> {
    try {
      for (const [strategy, record] of (await kept?.load(source)) ?? []) records.set(strategy, record);
    } catch (error) {
      log.warn({ source, err: error }, 'what was learnt of the strategies could not be read');
    }
  }

  function change(strategy: string, by: (record: StrategyRecord) => StrategyRecord): void {
    const record = by(recordOf(strategy));
    records.set(strategy, record);
    kept
      ?.save(source, strategy, record)
      .catch(error => log.warn({ source, strategy, err: error }, 'what was learnt of a strategy could not be kept'));
  }

  function noteReport(report: AttemptReport, isWinner: boolean, brought: boolean): void {
    const { entrant, ending } = report;
    const at = now();
    change(entrant.name, record => {
      const counted = count(record, report, { isWinner, brought, at });
      if (ending.kind !== 'failed') {
        return afterOutcome(counted, ending.kind === 'complete' ? 'ok' : 'incomplete', null, at);
      }
      const { error } = ending;
      const rested = isLimit(error) ? afterLimit(counted, error.retryAfterMs, Math.random(), at) : counted;
      return afterOutcome(rested, error.code, error.message, at);
    });
  }

  return {
    ready: load(),
    order: available => orderStrategies(available, records, now()),
    usualLatencyMs: strategy => latencyAt(recordOf(strategy), USUAL_SHARE),
    isProven: strategy => isProven(recordOf(strategy)),
    isTrusted: strategy => isTrusted(recordOf(strategy)),
    restError(strategy) {
      const restMs = Math.max(0, recordOf(strategy).restsUntil - now());
      return new AppError('upstream_rate_limited', 'rests: it was asked to slow down', { retryAfterMs: restMs });
    },
    noteStart: strategy => change(strategy, record => afterStart(record, now())),
    note({ reports, winner, post, overtaken }) {
      const brought = post !== null && post.items.length > 0;
      for (const report of reports) noteReport(report, report.entrant.name === winner, brought);
      for (const strategy of overtaken) {
        const at = now();
        change(strategy, record =>
          afterOutcome(afterFailure(record, at), 'timeout', 'another that started later was done before', at),
        );
      }
    },
    noteLate: (report, brought) => noteReport(report, report.ending.kind === 'complete', brought),
    figures: () =>
      strategies.map(({ name }) => {
        const record = recordOf(name);
        return {
          strategy: name,
          successRate: record.countedAt === 0 ? null : successRate(record, now()),
          latencyMs: latencyAt(record, 0.5),
          latencyP95Ms: latencyAt(record, USUAL_SHARE),
          isDead: isDead(record),
          restsUntil: isResting(record, now()) ? record.restsUntil : null,
          last: record.last,
        };
      }),
  };
}

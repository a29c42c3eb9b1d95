/** What is remembered of one strategy, and in which order that has them asked. Pure. */
import * as z from 'zod';
import type { ErrorCode } from '../../errors.ts';

const moment = z.number().nonnegative();
const count = z.number().int().min(0).max(1_000);

export const strategyRecordSchema = z
  .object({
    /** Answers since it last failed, with half of those before. */
    successes: count,
    /** Fetches since its last answer to which another strategy brought the post. */
    failures: count,
    /** Until then it is asked after all others. Unix milliseconds, as all moments here; 0 for never. */
    cooldownUntil: moment,
    triedAt: moment,
    /** How long it usually takes to answer; null when it never did. */
    medianMs: moment.nullable(),
  })
  .readonly();

export type StrategyRecord = z.infer<typeof strategyRecordSchema>;

export const UNTRIED: StrategyRecord = { successes: 0, failures: 0, cooldownUntil: 0, triedAt: 0, medianMs: null };

/** How one strategy does here, for people who look after it. */
export interface StrategyFigures {
  readonly strategy: string;
  /** 0 to 1, of late; null when it was never counted. */
  readonly successRate: number | null;
  /** How long it usually takes to answer; null when it never did. */
  readonly medianMs: number | null;
  /** Unix milliseconds until which it is asked last; null when it is not. */
  readonly coolsUntil: number | null;
  /** Unix milliseconds until which the site wants its endpoint left alone; null when it does not. */
  readonly waitsUntil: number | null;
  /** `at` in unix milliseconds. */
  readonly last: {
    readonly outcome: ErrorCode | 'ok' | 'incomplete';
    readonly cause: string | null;
    readonly at: number;
  } | null;
}

export interface Orderable {
  readonly name: string;
  /** Asked when all others have failed, in the given order, whatever their records say. */
  readonly isLastResort?: boolean;
}

export interface StrategyOrder<S> {
  /** Best first, then the last resorts, then those that cool down. */
  readonly asked: readonly S[];
  /** One of them whose cooldown is over: asked beside the first, as it may have come back. */
  readonly returning: S | undefined;
}

const FIRST_COOLDOWN_MS = 60_000;
const MAX_COOLDOWN_MS = 30 * 60_000;
/** By which processes that began to wait together come back apart. */
const JITTER = 0.2;
const MAX_SUCCESSES = 20;
/** One answer moves what is usual by at most this share: one that was late by chance does not count for many. */
const MEDIAN_STEP = 0.2;
/** One whose return could not be judged, as no strategy brought that post, is asked again after this long. */
const ASK_AGAIN_MS = 5 * 60_000;
/** Assumed of one that never answered. */
const UNKNOWN_MS = 1_000;
const UNKNOWN_RATE = 0.5;
/** Keeps the worst comparable with each other. */
const MIN_RATE = 0.01;
/** A request's own price: one that fails at once is not better than one that works slowly. */
const REQUEST_PRICE_MS = 1_000;
/** The given order goes by what the answers hold: each place further back has to be so much better to be asked before. */
const PLACE_SHARE = 0.1;

/** 1, 2, 4 and so on up to 30 minutes, and a little more by chance. */
export function cooldownMs(timesInARow: number): number {
  const ms = Math.min(FIRST_COOLDOWN_MS * 2 ** Math.max(0, timesInARow - 1), MAX_COOLDOWN_MS);
  return Math.round(ms * (1 + JITTER * Math.random()));
}

/** It brought the post, or said for certain why there is none. */
export function afterSuccess(record: StrategyRecord, tookMs: number): StrategyRecord {
  const { successes, medianMs } = record;
  const step = (medianMs ?? 0) * MEDIAN_STEP + 1;
  const moved = medianMs === null ? tookMs : medianMs + Math.min(Math.max(tookMs - medianMs, -step), step);
  const answers = Math.min(successes + 1, MAX_SUCCESSES);
  return { ...record, successes: answers, failures: 0, cooldownUntil: 0, medianMs: Math.max(0, Math.round(moved)) };
}

/** It failed where another strategy brought the post. */
export function afterFailure(record: StrategyRecord, now: number): StrategyRecord {
  const failures = Math.min(record.failures + 1, 1_000);
  const successes = Math.floor(record.successes / 2);
  return { ...record, successes, failures, cooldownUntil: now + cooldownMs(failures) };
}

/** The share of its latest fetches to which it brought the post; a half for one that was never tried. */
export function successRate({ successes, failures }: StrategyRecord): number {
  return successes + failures === 0 ? UNKNOWN_RATE : successes / (successes + failures);
}

/** Whether a word of it that a second strategy has to share counts: lately it answered more often than not. */
export function isReliable({ successes, failures }: StrategyRecord): boolean {
  return successes > failures;
}

function isReturning({ failures, cooldownUntil, triedAt }: StrategyRecord, now: number): boolean {
  return failures > 0 && cooldownUntil <= now && (triedAt < cooldownUntil || now - triedAt >= ASK_AGAIN_MS);
}

/** By success rate and speed, those that failed last behind the others; between equals, and where nothing is known, the given order. */
export function orderStrategies<S extends Orderable>(
  strategies: readonly S[],
  recordOf: (strategy: S) => StrategyRecord,
  now: number,
): StrategyOrder<S> {
  const ranked = strategies
    .map((strategy, place) => {
      const record = recordOf(strategy);
      const usualMs = (record.medianMs ?? UNKNOWN_MS) + REQUEST_PRICE_MS;
      const cost = (usualMs / Math.max(successRate(record), MIN_RATE)) * (1 + PLACE_SHARE * place);
      return { strategy, record, hasFailed: record.failures > 0, cost };
    })
    .filter(({ strategy }) => !strategy.isLastResort)
    .sort((a, b) => Number(a.hasFailed) - Number(b.hasFailed) || a.cost - b.cost);
  const ready = ranked.filter(({ record }) => record.cooldownUntil <= now);
  const cooling = ranked.filter(({ record }) => record.cooldownUntil > now);
  const lastResorts = strategies.filter(({ isLastResort }) => isLastResort);
  return {
    asked: [...ready.map(({ strategy }) => strategy), ...lastResorts, ...cooling.map(({ strategy }) => strategy)],
    returning: ready.slice(1).find(({ record }) => isReturning(record, now))?.strategy,
  };
}

/** What is remembered of one strategy: how often it brings the post, how long it takes, what happened last. Pure. */
import * as z from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../errors.ts';

const moment = z.number().nonnegative();
const weight = z.number().min(0).max(100);

export const strategyRecordSchema = z
  .object({
    /** Decayed counts: fetches that it brought the post to, and those where it failed and another strategy brought it. */
    successes: weight,
    failures: weight,
    /** Failures since the last success. */
    streak: z.number().int().nonnegative(),
    /** Reasons why there is no post, since it last brought one. */
    verdicts: z.number().int().nonnegative(),
    /** Milliseconds of its latest answers, newest last. */
    latencies: z.array(z.number().nonnegative()).max(20).readonly(),
    /** Unix milliseconds, as all moments here; 0 for never. */
    restsUntil: moment,
    triedAt: moment,
    countedAt: moment,
    last: z
      .object({ outcome: z.enum(['ok', 'incomplete', ...ERROR_CODES]), cause: z.string().nullable(), at: moment })
      .readonly()
      .nullable(),
  })
  .readonly();

export type StrategyRecord = z.infer<typeof strategyRecordSchema>;
export type StrategyOutcome = 'ok' | 'incomplete' | ErrorCode;

export const UNTRIED: StrategyRecord = {
  successes: 0,
  failures: 0,
  streak: 0,
  verdicts: 0,
  latencies: [],
  restsUntil: 0,
  triedAt: 0,
  countedAt: 0,
  last: null,
};

const MAX_LATENCIES = 20;
/** What one more outcome leaves of the weight of those before: about the last four count. */
const DECAY = 0.75;
/** An outcome weighs half after this long. */
const HALF_LIFE_MS = 12 * 3_600_000;
/** Failures in a row, each while another strategy worked, after which it counts as dead. */
const DEAD_AFTER = 3;
/** One that has said so often in a row that there is no post may have died in that way. */
const DOUBTED_AFTER = 4;
/** One that lost its place is asked again this long after it was asked. */
const PROBE_AFTER_MS = 5 * 60_000;
const FIRST_REST_MS = 30_000;
/** No rest is longer, whatever the site asked for: a limit that was lifted must be noticed within ten minutes. */
const MAX_REST_MS = 9 * 60_000;
const MIN_REST_MS = 1_000;
const MAX_CAUSE_CHARS = 200;
/** Assumed of a strategy that never answered. */
const UNKNOWN_LATENCY_MS = 1_000;

export function isDead({ streak }: StrategyRecord): boolean {
  return streak >= DEAD_AFTER;
}

export function isResting({ restsUntil }: StrategyRecord, now: number): boolean {
  return restsUntil > now;
}

/** Whether a strategy that lost its place has not been asked for so long that it may have come back. */
export function isDueForProbe(record: StrategyRecord, now: number): boolean {
  return record.triedAt > 0 && now - record.triedAt >= PROBE_AFTER_MS;
}

/** Whether its certain word that there is no post is taken as such; else another has to confirm it. */
export function isTrusted(record: StrategyRecord): boolean {
  return !isDead(record) && record.verdicts < DOUBTED_AFTER;
}

/** Whether its weak word on a post weighs: it has brought posts here, and lately more often than not. */
export function isProven(record: StrategyRecord): boolean {
  return record.latencies.length > 0 && !isDead(record) && record.successes > record.failures;
}

/** The chance that it brings a post, 0 to 1; a half for one that was never tried, towards which old knowledge fades. */
export function successRate(record: StrategyRecord, now: number): number {
  const { successes, failures } = faded(record, now);
  return (successes + 1) / (successes + failures + 2);
}

/** Milliseconds that this share of its latest answers took at most; null when it never answered. */
export function latencyAt({ latencies }: StrategyRecord, share: number): number | null {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

/** Milliseconds until it has brought a post, on average, when it is asked again and again; lower is better. */
export function expectedCostMs(record: StrategyRecord, priceMs: number, now: number): number {
  return ((latencyAt(record, 0.5) ?? UNKNOWN_LATENCY_MS) + priceMs) / successRate(record, now);
}

export function afterStart(record: StrategyRecord, now: number): StrategyRecord {
  return { ...record, triedAt: now };
}

/**
 * It brought the post, or said for certain why there is none (`verdict`). Of one that had failed the failures weigh less from now
 * on; what a dead one was before says nothing any more.
 */
export function afterSuccess(
  record: StrategyRecord,
  tookMs: number,
  now: number,
  kind: 'post' | 'verdict' = 'post',
): StrategyRecord {
  const before = isDead(record) ? UNTRIED : faded(record, now);
  return {
    ...record,
    successes: before.successes * DECAY + 1,
    failures: before.failures * DECAY * (record.streak > 0 ? 0.5 : 1),
    streak: 0,
    verdicts: kind === 'post' ? 0 : record.verdicts + 1,
    latencies: [...record.latencies, Math.round(tookMs)].slice(-MAX_LATENCIES),
    restsUntil: 0,
    countedAt: now,
  };
}

/** It failed where another strategy brought the post. */
export function afterFailure(record: StrategyRecord, now: number): StrategyRecord {
  const { successes, failures } = faded(record, now);
  return {
    ...record,
    successes: successes * DECAY,
    failures: failures * DECAY + 1,
    streak: record.streak + 1,
    countedAt: now,
  };
}

/**
 * The site asked it to slow down: it is left alone as long as asked, or longer with each time in a row.
 * @param spread 0 to 1, so that several processes do not come back at once
 */
export function afterLimit(
  record: StrategyRecord,
  retryAfterMs: number | undefined,
  spread: number,
  now: number,
): StrategyRecord {
  const askedMs = retryAfterMs ?? FIRST_REST_MS * 2 ** Math.min(Math.max(record.streak - 1, 0), 4);
  const restMs = Math.min(Math.max(askedMs, MIN_REST_MS) * (1 + spread / 5), MAX_REST_MS);
  return { ...record, restsUntil: now + Math.round(restMs) };
}

export function afterOutcome(
  record: StrategyRecord,
  outcome: StrategyOutcome,
  cause: string | null,
  now: number,
): StrategyRecord {
  return { ...record, last: { outcome, cause: cause?.slice(0, MAX_CAUSE_CHARS) ?? null, at: now } };
}

function faded(record: StrategyRecord, now: number): Pick<StrategyRecord, 'successes' | 'failures'> {
  const left = 0.5 ** (Math.max(0, now - record.countedAt) / HALF_LIFE_MS);
  return { successes: record.successes * left, failures: record.failures * left };
}

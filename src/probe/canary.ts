import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Logger } from '../infra/log.ts';
import type { Collection } from '../infra/store/records.ts';
import type { MediaSource, PostRef, Strategy } from '../media/extract/source.ts';
import type { SourceId } from '../media/post.ts';
import { type ProbeStrategy, refOfLink } from './probe-strategy.ts';

/** A strategy that worked before and now fails. */
export interface BrokenStrategy {
  readonly source: SourceId;
  readonly strategy: string;
  /** When the strategy first failed, unix milliseconds. */
  readonly since: number;
  /** The last failure as `outcome: detail`. */
  readonly cause: string;
}

export interface CanaryOptions {
  /** The sources, each with example posts of its own. */
  readonly sources: readonly MediaSource[];
  readonly probe: ProbeStrategy;
  /** Stores the record of each strategy, so that nothing is reported twice after a restart. */
  readonly memory: Collection<CanaryRecord>;
  /** Called when a strategy has failed three times in a row. */
  readonly onBroken: (broken: BrokenStrategy) => void;
  readonly onBack: (broken: BrokenStrategy) => void;
  /** False while another process runs the canary for all. */
  readonly isOurs?: () => boolean;
  readonly log: Pick<Logger, 'warn'>;
  /** The time between two runs of a strategy, in milliseconds, plus or minus a fifth. Default an hour. */
  readonly intervalMs?: number;
  readonly now?: () => number;
}

export const canaryRecord = z.object({
  hasWorked: z.boolean(),
  /** The number of failures in a row. */
  failures: z.number(),
  since: z.number().nullable(),
  cause: z.string(),
});

export type CanaryRecord = z.infer<typeof canaryRecord>;

const FAILURES_TO_TELL = 3;
const JITTER = 0.2;
const UNKNOWN: CanaryRecord = { hasWorked: false, failures: 0, since: null, cause: '' };

/** A strategy, with an example post that it can fetch. */
interface Question {
  readonly key: string;
  readonly source: MediaSource;
  readonly strategy: Strategy;
  readonly ref: PostRef;
}

/** Runs each strategy now and then for a well-known post, so that operators notice a site's change before people do. */
export function createCanary(options: CanaryOptions) {
  const { sources, probe, memory, onBroken, onBack, log, isOurs = () => true, now = Date.now } = options;
  const { intervalMs = 3_600_000 } = options;
  /** A copy of the broken strategies in `memory`, for callers that cannot wait for the store. */
  const known = new Map<string, BrokenStrategy>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<unknown> | undefined;

  function remember(question: Question, record: CanaryRecord): void {
    if (isBroken(record)) known.set(question.key, brokenOf(question, record));
    else known.delete(question.key);
  }

  /** Reads the stored record of the strategy, because another process may have changed it. */
  async function recall(question: Question): Promise<CanaryRecord> {
    const record = (await memory.get(question.key)) ?? UNKNOWN;
    remember(question, record);
    return record;
  }

  /** Runs a strategy once. @param bringing strategies of the source that returned their post in their last run */
  async function ask(question: Question, bringing: Set<string>): Promise<void> {
    const { source, strategy, ref } = question;
    const { verdict, outcome, durationMs, detail } = await probe(strategy, ref, signal);
    if (verdict === 'skipped') return;
    const before = await recall(question);
    if (verdict === 'works' || outcome === 'slow') {
      bringing.add(strategy.name);
      source.learn?.(strategy.name, durationMs);
    } else {
      bringing.delete(strategy.name);
      if (before.hasWorked && bringing.size > 0) source.learn?.(strategy.name, null);
    }
    const failed = { failures: before.failures + 1, since: before.since ?? now(), cause: `${outcome}: ${detail}` };
    const after = verdict === 'works' ? { ...UNKNOWN, hasWorked: true } : { ...before, ...failed };
    await memory.set(question.key, after);
    remember(question, after);
    if (isBroken(after) && !isBroken(before)) onBroken(brokenOf(question, after));
    if (isBroken(before) && !isBroken(after)) onBack(brokenOf(question, before));
  }

  async function logged({ id }: MediaSource, work: Promise<unknown>): Promise<void> {
    await work.catch(err => signal.aborted || log.warn({ source: id, err }, 'the canary could not ask or note'));
  }

  /** Runs the strategies of a source in turn, spread over the interval. */
  async function watch(source: MediaSource): Promise<void> {
    const questions = await questionsOf(source, signal);
    const bringing = new Set<string>();
    await Promise.all(questions.map(question => logged(source, recall(question))));
    for (let turn = 0; questions.length > 0; turn += 1) {
      const pauseMs = (intervalMs / questions.length) * (1 + JITTER * (2 * Math.random() - 1));
      await sleep(pauseMs, undefined, { signal, ref: false });
      const question = questions[turn % questions.length];
      if (question !== undefined) await logged(source, isOurs() ? ask(question, bringing) : recall(question));
    }
  }

  return {
    start(): void {
      running ??= Promise.all(sources.map(source => logged(source, watch(source))));
    },
    /** The strategies that fail at present. */
    broken: (): readonly BrokenStrategy[] => [...known.values()],
    /** Starts no more strategies; resolves when all running requests have ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

/** Each strategy, with the first of the source's examples that it can fetch. */
async function questionsOf(source: MediaSource, signal: AbortSignal): Promise<readonly Question[]> {
  const refs = await Promise.all(source.examples.map(link => refOfLink(source, link, signal)));
  return source.strategies.flatMap(strategy => {
    const ref = refs.find(each => each !== undefined && strategy.isAvailable(each));
    return ref === undefined ? [] : [{ key: `${source.id} ${strategy.name}`, source, strategy, ref }];
  });
}

function isBroken({ hasWorked, failures }: CanaryRecord): boolean {
  return hasWorked && failures >= FAILURES_TO_TELL;
}

function brokenOf({ source, strategy }: Question, { since, cause }: CanaryRecord): BrokenStrategy {
  return { source: source.id, strategy: strategy.name, since: since ?? 0, cause };
}

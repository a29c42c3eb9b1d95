import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Collection } from '../../infra/store/collection.ts';
import type { SourceId } from '../post.ts';
import { parseAddress } from './address.ts';
import type { MediaSource, PostRef, SourceStrategy } from './source.ts';
import { isOfOurs } from './strategy-failures.ts';

/** A strategy that used to work and does not any more. */
export interface BrokenStrategy {
  readonly source: SourceId;
  readonly strategy: string;
  /** Unix milliseconds: when it failed first. */
  readonly since: number;
  /** `code: message` of its last failure. */
  readonly cause: string;
}

/** Asks each strategy for a well-known post from time to time, so that operators hear of a change before people do. */
export interface Canary {
  start(): void;
  /** Those that are broken now. */
  broken(): readonly BrokenStrategy[];
  /** Ends what runs. */
  stop(): Promise<void>;
}

export interface CanaryOptions {
  readonly sources: readonly {
    readonly source: MediaSource;
    /** The link of a public post that has been up for years. */
    readonly example: string;
  }[];
  /** What is known of each strategy, over restarts, so that nothing is told twice. */
  readonly memory: Collection<CanaryRecord>;
  /** It failed three times in a row. */
  readonly onBroken: (broken: BrokenStrategy) => void;
  readonly onBack: (broken: BrokenStrategy) => void;
  /** Where several processes share an address, one of them asks. */
  readonly isOurs?: () => boolean;
  readonly log: Pick<Logger, 'warn'>;
  /** Between two questions to one strategy, give or take a fifth. Default an hour. */
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

export const canaryRecord = z.object({
  hasWorked: z.boolean(),
  /** In a row. */
  failures: z.number(),
  since: z.number().nullable(),
  cause: z.string(),
  isTold: z.boolean(),
});

export type CanaryRecord = z.infer<typeof canaryRecord>;

const FAILURES_TO_TELL = 3;
const JITTER = 0.2;
const MAX_CAUSE = 200;
const UNKNOWN: CanaryRecord = { hasWorked: false, failures: 0, since: null, cause: '', isTold: false };

/** One strategy with a post that it can be asked for. */
interface Question {
  readonly source: SourceId;
  readonly strategy: SourceStrategy;
  readonly ref: PostRef;
}

export function createCanary(options: CanaryOptions): Canary {
  const { sources, memory, onBroken, onBack, log, isOurs = () => true, now = Date.now } = options;
  const { intervalMs = 3_600_000, timeoutMs = 20_000 } = options;
  /** What `memory` says, for those who cannot wait for it. */
  const known = new Map<string, BrokenStrategy>();
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;

  function remember(question: Question, record: CanaryRecord): BrokenStrategy {
    const broken = brokenOf(question, record);
    if (record.isTold) known.set(keyOf(question), broken);
    else known.delete(keyOf(question));
    return broken;
  }

  /** What was noted before the last start, or by another process. */
  async function recall(question: Question): Promise<void> {
    remember(question, (await memory.get(keyOf(question))) ?? UNKNOWN);
  }

  async function ask(question: Question): Promise<void> {
    const { strategy, ref } = question;
    const key = keyOf(question);
    const failure = await failureOf(strategy, ref, AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]));
    if (stopping.signal.aborted || (failure !== undefined && isOurDoing(failure))) return;
    const before = (await memory.get(key)) ?? UNKNOWN;
    if (failure === undefined) {
      const after = { ...UNKNOWN, hasWorked: true };
      await memory.set(key, after);
      remember(question, after);
      if (before.isTold) onBack(brokenOf(question, before));
      return;
    }
    const failures = before.failures + 1;
    const isTold = before.isTold || (before.hasWorked && failures >= FAILURES_TO_TELL);
    const after = { ...before, failures, since: before.since ?? now(), cause: describe(failure), isTold };
    await memory.set(key, after);
    const broken = remember(question, after);
    if (isTold && !before.isTold) onBroken(broken);
  }

  /** Questions to one site are spread over the interval. */
  async function watch(questions: readonly Question[]): Promise<void> {
    const note = (question: Question, work: Promise<void>) =>
      work.catch(error => log.warn({ source: question.source, err: error }, 'the canary could not note'));
    await Promise.all(questions.map(question => note(question, recall(question))));
    for (let turn = 0; questions.length > 0; turn += 1) {
      const pauseMs = (intervalMs / questions.length) * (1 + JITTER * (2 * Math.random() - 1));
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false });
      const question = questions[turn % questions.length];
      if (question !== undefined) await note(question, isOurs() ? ask(question) : recall(question));
    }
  }

  return {
    start() {
      running ??= Promise.allSettled(
        sources.map(({ source, example }) => watch(questionsOf(source, [example, ...source.examples]))),
      );
    },
    broken: () => [...known.values()],
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Each strategy with the first of the links that it can be asked for. */
function questionsOf(source: MediaSource, links: readonly string[]): Question[] {
  const refs = links.flatMap(link => {
    const address = parseAddress(link);
    const match = address && source.match(address);
    return match?.kind === 'post' ? [match.ref] : [];
  });
  return source.strategies.flatMap(strategy => {
    const ref = refs.find(each => strategy.isAvailable(each));
    return ref === undefined ? [] : [{ source: source.id, strategy, ref }];
  });
}

async function failureOf(strategy: SourceStrategy, ref: PostRef, signal: AbortSignal): Promise<Error | undefined> {
  try {
    const { items, missingItems } = await strategy.run(ref, signal);
    if (items.length > 0 && missingItems === 0) return undefined;
    return new AppError('upstream_changed', 'the post came without all of its items');
  } catch (error) {
    return error instanceof Error ? error : new Error('threw no error', { cause: error });
  }
}

/** No connection, or a limit of our own: says nothing of the site. */
function isOurDoing(failure: Error): boolean {
  return failure instanceof AppError && (failure.params.what === 'offline' || isOfOurs(failure));
}

function describe(failure: Error): string {
  const code = failure instanceof AppError ? failure.code : failure.name === 'TimeoutError' ? 'timeout' : 'internal';
  return `${code}: ${failure.message}`.replace(/\s+/g, ' ').slice(0, MAX_CAUSE);
}

function keyOf({ source, strategy }: Question): string {
  return `${source} ${strategy.name}`;
}

function brokenOf({ source, strategy }: Question, { since, cause }: CanaryRecord): BrokenStrategy {
  return { source, strategy: strategy.name, since: since ?? 0, cause };
}

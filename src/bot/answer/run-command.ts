import type { PromptRatings } from '../../beatmaps/rating/ratings.ts';
import { AppError, LOG_LEVELS, StoreAway, toAppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { createSingleFlight } from '../../infra/concurrency/abortable.ts';
import { createSemaphore } from '../../infra/concurrency/running-work.ts';
import type { Logger } from '../../infra/log.ts';
import type { Command, CommandContext, Values } from '../contract/command.ts';
import { type CommandSpec, commandSpec, validateOptions } from '../contract/command-spec.ts';
import type { Reply } from '../contract/reply.ts';
import { button } from '../contract/reply-parts.ts';
import type { Caller, ProgressStage } from '../contract/request.ts';
import type { Services } from '../contract/services.ts';
import { errorNotice } from '../views/notice.ts';
import type { LinkFinder } from './find-links.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/**
 * Logs each failure once, with its cause, at the log level of its error code, even if several people wait for one run.
 */
export type FailureLog = (error: AppError, doing: string, caller: Caller) => void;

export function createFailureLog(log: Log): FailureLog {
  const logged = new WeakSet<AppError>();
  return (error, doing, { platform }) => {
    if (logged.has(error)) return;
    logged.add(error);
    const { code, params } = error;
    // A usage error may quote what the person typed, which is never logged.
    const failure = params.hint === undefined ? { err: error } : { hint: params.hint };
    log[LOG_LEVELS[code]]({ ...failure, code, platform, doing }, 'a request failed');
  };
}

export type RawOptions = Readonly<Record<string, unknown>>;

/** Reads the options of the request, but does not check them. @throws AppError with a hint for an unreadable line */
export type ReadOptions = (spec: CommandSpec) => RawOptions;

/** Facts about the request that a command answers. */
export interface RunContext {
  readonly caller: Caller;
  readonly t: Translator;
  /** Aborts when the reply is no longer wanted. */
  readonly signal: AbortSignal;
  /** The links that the reply is about, in short form, if the message has several: a notice of a failure names them. */
  readonly about?: readonly string[];
  /** True when a failure is not reported to the person. */
  readonly isQuiet?: boolean;
  /** The canonical link to answer, if it is known already. */
  readonly link?: string;
  progress(stage: ProgressStage): void;
}

/**
 * Makes the command's reply, or a notice about its failure; undefined when the reply is no longer wanted.
 * @throws StoreAway
 */
export type CommandRunner = (
  command: Command,
  context: RunContext,
  raw: ReadOptions,
  isPressed?: boolean,
) => Promise<Reply | undefined>;

export interface CommandRunnerOptions {
  readonly services: Services;
  /** The most commands that run at once; commands of cost 0, which are quick, are not counted. Default 32. */
  readonly concurrency?: number;
  /** The most commands that wait until a running one ends; further ones are refused. Default 256. */
  readonly queued?: number;
  readonly times?: Partial<CommandTimes>;
}

export type CommandTimes = Readonly<typeof TIMES>;

/** How long a card waits for star ratings and pp, in milliseconds. */
const TIMES = {
  /** After this time the card is shown without star ratings and pp. */
  firstMs: 1_000,
  /** If star ratings and pp come within this time, the card that is shown gets them. */
  laterMs: 8_000,
  /** The longest time of the command's second run, which makes the card with star ratings and pp. */
  runMs: 12_000,
};
/**
 * The most commands that run a second time at once, to add star ratings and pp that came late; beyond this number,
 * cards stay without star ratings and pp. First runs, for which people wait, are counted apart.
 */
const MOST_LATER = 32;
const BUSY = { params: { reason: 'busy' }, retryAfterMs: 10_000 };

/** Logs a failure and makes the reply that tells the person about it. */
export function renderFailure(
  error: unknown,
  doing: string,
  { caller, t, about, link }: Pick<RunContext, 'caller' | 't' | 'about' | 'link'>,
  logFailure: FailureLog,
  { visibility, subject }: Pick<Command, 'visibility' | 'subject'> = { visibility: 'caller' },
): Reply {
  const appError = toAppError(error);
  logFailure(appError, doing, caller);
  return errorNotice(appError, t, { visibility, subject, about, link: about?.length ? link : undefined });
}

/** Runs commands: checks their options, bounds how many run at once, and lets all who ask for a link share one run. */
export function createCommandRunner(
  { services, concurrency = 32, queued = 256, times }: CommandRunnerOptions,
  findLinks: LinkFinder,
  logFailure: FailureLog,
): CommandRunner {
  const share = createSharedRuns(concurrency, queued);
  const runInTime = createTimedRun({ ...TIMES, ...times }, logFailure);
  let runs = 0;

  /** The key by which runs are shared: equal for all spellings of a link in one chat and language, else unique. */
  function shareKey({ name, accepts, options: declared }: Command, values: RawOptions, context: RunContext): string {
    const [first, ...others] = accepts === undefined ? [] : Object.keys(declared).map(key => values[key]);
    const link = context.link ?? (typeof first === 'string' ? findLinks(first)[0] : undefined);
    const asked = accepts === 'link' ? (link ?? first) : link;
    const { caller, t } = context;
    if (asked !== undefined) return JSON.stringify([name, caller.platform, caller.chatId, t.locale, asked, ...others]);
    runs += 1;
    return `${runs}`;
  }

  /**
   * A button that asks for the post again after a failure that may pass. The failed strategy is then in a cooldown, so
   * another strategy is asked first. The web chat gets no such button, because its page shows one of its own.
   */
  async function anotherWay(
    { name, accepts }: Command,
    asked: Values<Command['options']> | undefined,
    { caller, t }: RunContext,
    { retry, outdatedMs }: Reply,
  ): Promise<Pick<Reply, 'actions'> | undefined> {
    const helps = accepts === 'link' && retry !== undefined && outdatedMs === undefined && caller.platform !== 'web';
    if (!helps || asked === undefined) return undefined;
    const values: Record<string, string | number | boolean> = {};
    for (const [key, value] of Object.entries(asked)) if (value !== undefined) values[key] = value;
    const token = services.actions.encode({ command: name, values });
    await services.actions.stored();
    return { actions: [button(t.messages.post.anotherWay, token)] };
  }

  return async (command, context, raw, isPressed = false) => {
    const { caller, t, signal } = context;
    let asked: Values<Command['options']> | undefined;
    try {
      const spec = commandSpec(command, t, isPressed ? 'button' : caller.chatKind);
      const values = validateOptions(spec, raw(spec));
      asked = values;
      const run = (waiter: Waiter) => runInTime(command, values, { ...waiter, caller, t, services });
      if (command.cost === 0) return await run({ signal, progress: stage => context.progress(stage) });
      context.progress('resolving');
      return await share(shareKey(command, values, context), run, context);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof StoreAway) throw error;
      const failure = renderFailure(error, command.name, context, logFailure, command);
      if (context.isQuiet === true) return undefined;
      return { ...failure, ...(await anotherWay(command, asked, context, failure)) };
    }
  };
}

type Waiter = Pick<CommandContext, 'signal' | 'progress'>;

/** Runs a bounded number of commands. Callers with the same key share one run and see its progress. */
function createSharedRuns(concurrency: number, queued: number) {
  const flights = createSingleFlight<Reply>();
  const enter = createSemaphore({
    atOnce: concurrency,
    maxWaiting: queued,
    name: 'a command to run',
    full: () => new AppError('rate_limited', 'too many commands wait', BUSY),
  });
  const stagesByKey = new Map<string, { readonly waiters: Set<Waiter>; last: ProgressStage | undefined }>();

  return async (key: string, work: (waiter: Waiter) => Promise<Reply>, waiter: Waiter): Promise<Reply> => {
    const stages = stagesByKey.get(key) ?? { waiters: new Set(), last: undefined };
    stagesByKey.set(key, stages);
    stages.waiters.add(waiter);
    if (stages.last !== undefined) waiter.progress(stages.last);
    const progress = (stage: ProgressStage) => {
      stages.last = stage;
      for (const each of stages.waiters) each.progress(stage);
    };
    try {
      return await flights.run(
        key,
        async ({ signal }) => {
          const leave = await enter(signal);
          return work({ signal, progress }).finally(leave);
        },
        waiter.signal,
      );
    } finally {
      stages.waiters.delete(waiter);
      if (stages.waiters.size === 0 && stagesByKey.get(key) === stages) stagesByKey.delete(key);
    }
  };
}

type TimedRun = (command: Command, values: Values<Command['options']>, context: CommandContext) => Promise<Reply>;

/** Runs a command so that its card is shown soon; star ratings and pp that come too late follow in `Reply.later`. */
function createTimedRun({ firstMs, laterMs, runMs }: CommandTimes, logFailure: FailureLog): TimedRun {
  let running = 0;

  /**
   * Runs the command again after its first run left out ratings that were not ready. This is quick: the calculation
   * that the first run began has gone on, and all other data is cached.
   */
  async function runAgain(...[command, values, context, first]: [...Parameters<TimedRun>, Reply]) {
    const patient = { ...context, signal: AbortSignal.timeout(runMs), progress: () => undefined };
    running += 1;
    try {
      const { reply } = await runWithin(laterMs, command, values, patient);
      return JSON.stringify(reply.blocks) === JSON.stringify(first.blocks) ? undefined : reply;
    } catch (error) {
      logFailure(toAppError(error), `${command.name}, later`, context.caller);
      return undefined;
    } finally {
      running -= 1;
    }
  }

  return async (...run) => {
    const { reply, isIncomplete } = await runWithin(firstMs, ...run);
    return isIncomplete && running < MOST_LATER ? { ...reply, later: runAgain(...run, reply) } : reply;
  };
}

async function runWithin(ratingsMs: number, ...[command, values, context]: Parameters<TimedRun>) {
  const { services } = context;
  let prompt: PromptRatings | undefined;
  const reply = await command.run(values, {
    ...context,
    services: {
      ...services,
      get ratings() {
        prompt ??= services.ratings.within(ratingsMs);
        return { ...services.ratings, ...prompt.ratings };
      },
    },
  });
  await services.actions.stored();
  return { reply, isIncomplete: prompt?.isIncomplete() === true };
}

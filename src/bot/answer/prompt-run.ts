import { toAppError } from '../../errors.ts';
import type { Command, CommandContext, Values } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';
import type { FailureLog } from './failure-log.ts';

export interface PromptRunTimes {
  /** How long a card waits for stars and pp before it is shown without them. */
  readonly firstMs: number;
  /** How long they may still come. */
  readonly laterMs: number;
  /** The whole of the run for what came late. */
  readonly runMs: number;
}

const TIMES: PromptRunTimes = { firstMs: 1_000, laterMs: 8_000, runMs: 12_000 };
/** Runs for what came late, at once; with more, cards stay as they are. They take no place from what people wait for. */
const MOST_LATER = 32;

/** Runs a command so that its card stands soon; what it had to leave out follows as `later`. */
export type PromptRun = (
  command: Command,
  values: Values<Command['options']>,
  context: CommandContext,
) => Promise<Reply>;

export interface PromptRunOptions {
  readonly onFailure: FailureLog;
  readonly times?: Partial<PromptRunTimes> | undefined;
}

export function createPromptRun({ onFailure, ...options }: PromptRunOptions): PromptRun {
  const { firstMs, laterMs, runMs } = { ...TIMES, ...options.times };
  let running = 0;

  async function runWithin(
    command: Command,
    values: Values<Command['options']>,
    context: CommandContext,
    waitMs: number,
  ): Promise<{ readonly reply: Reply; readonly isIncomplete: boolean }> {
    const { services } = context;
    const { ratings, isIncomplete } = services.ratings.within(waitMs);
    const own = { ...services, ratings: { ...services.ratings, ...ratings } };
    const reply = await command.run(values, { ...context, services: own });
    await services.actions.stored();
    return { reply, isIncomplete: isIncomplete() };
  }

  /** What the first run began goes on for this one, which finds all else in the caches. */
  async function runAgain(
    command: Command,
    values: Values<Command['options']>,
    context: CommandContext,
    first: Reply,
  ): Promise<Reply | undefined> {
    const patient = { ...context, signal: AbortSignal.timeout(runMs), progress: () => undefined };
    running += 1;
    try {
      const { reply } = await runWithin(command, values, patient, laterMs);
      return JSON.stringify(reply.blocks) === JSON.stringify(first.blocks) ? undefined : reply;
    } catch (error) {
      onFailure(toAppError(error), `${command.name}, later`, context.caller);
      return undefined;
    } finally {
      running -= 1;
    }
  }

  return async (command, values, context) => {
    const { reply, isIncomplete } = await runWithin(command, values, context, firstMs);
    return isIncomplete && running < MOST_LATER
      ? { ...reply, later: runAgain(command, values, context, reply) }
      : reply;
  };
}

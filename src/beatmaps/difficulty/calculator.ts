import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { endWithUs } from '../../infra/child-process.ts';
import { abortable, joinSignals } from '../../infra/concurrency/abortable.ts';
import { createSemaphore } from '../../infra/concurrency/running-work.ts';
import type { Logger } from '../../infra/log.ts';
import type { ExactFigures } from './calculator-process.ts';
import type { DifficultyJob } from './difficulty-job.ts';

/**
 * osu!'s own calculator, if the host has installed it. Medley does not depend on it, because its licence is the LGPL
 * and it runs on few kinds of machines.
 */
export interface CalculatorLibrary {
  /** The absolute path of the library's module. */
  readonly path: string;
  readonly version: string;
}

export type CalculatorFinding =
  | { readonly state: 'ready'; readonly version: string }
  | { readonly state: 'unusable'; readonly version: string; readonly why: string }
  | { readonly state: 'missing' };

export type Calculator = ReturnType<typeof createCalculator>;

export interface CalculatorOptions {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The library to use. Default: the one that {@link findCalculatorLibrary} finds. */
  readonly library?: CalculatorLibrary | undefined;
  /** The longest time for one map, in milliseconds. Default 3000. */
  readonly deadlineMs?: number;
  /** The process's compiled file. Default: the file beside this one. */
  readonly file?: URL;
  readonly now?: () => number;
}

const PACKAGE = `@tosuapp/lazer-calculator-${process.platform}-${process.arch}`;
const START_MS = 15_000;
/** A process that is idle for this long is ended, to free its memory. */
const IDLE_MS = 60_000;
const MAX_WAITING = 200;
const MAX_COMPLAINT_CHARS = 2_000;
/**
 * If the process ended this many times within ENDS_MS, no other is started, because it would end for the same reason.
 */
const MOST_ENDS = 5;
const ENDS_MS = 10 * 60_000;
/** The calculator's environment bounds its memory: a malicious map takes gigabytes, the longest real ones 200 MB. */
const ENVIRONMENT = { DOTNET_GCHeapHardLimit: '0x20000000', DOTNET_gcServer: '0', LANG: 'C.UTF-8' };

const packageSchema = z.object({ version: z.string() });
const worth = z.number().nonnegative();
const figuresSchema = z.object({
  stars: worth.max(1_000),
  maxCombo: z.int().nonnegative(),
  pp: z.array(z.object({ accuracy: worth, pp: worth })),
  play: z.object({ pp: worth, ppIfFullCombo: worth }).nullable(),
});

/** Looks for the library beside Medley's dependencies and in NODE_PATH. */
export function findCalculatorLibrary(): CalculatorLibrary | undefined {
  const load = createRequire(import.meta.url);
  try {
    const { version } = packageSchema.parse(load(`${PACKAGE}/package.json`));
    return { path: load.resolve(PACKAGE), version };
  } catch {
    return undefined;
  }
}

/** Starts a calculator process. Each of its methods may have one unanswered call only. */
function startProcess(file: URL, library: CalculatorLibrary) {
  const child = fork(fileURLToPath(file), [library.path], {
    serialization: 'advanced',
    env: ENVIRONMENT,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  endWithUs(child);
  // The calculator must not keep alive a program that has nothing else to do.
  child.unref();
  child.channel?.unref();
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-MAX_COMPLAINT_CHARS);
  });
  child.on('error', error => {
    complaints = error.message;
  });
  const closed = new AbortController();
  child.once('close', () => closed.abort());
  const isGone = () => child.exitCode !== null || child.signalCode !== null || !child.connected;
  const end = () => void child.kill('SIGKILL');

  /** Waits for the next message. @throws Error when the process ends first, or is silent for `ms` and is killed */
  async function next(ms: number): Promise<unknown> {
    const over = joinSignals([closed.signal], ms);
    try {
      if (!isGone()) return (await once(child, 'message', { signal: over.signal }))[0];
    } catch (error) {
      if (!over.signal.aborted && !isGone()) throw error;
    } finally {
      over.release();
    }
    if (isGone()) throw new Error(`it ended (${child.signalCode ?? child.exitCode}) ${complaints.trim()}`.trim());
    end();
    throw new Error(`it took longer than ${ms} ms`);
  }

  return {
    isGone,
    end,
    next,
    ask(job: DifficultyJob, ms: number): Promise<unknown> {
      const answer = next(ms);
      // Sending fails only if the process has ended, which `next` reports already.
      child.send(job, () => undefined);
      return answer;
    },
  };
}

type Process = ReturnType<typeof startProcess>;

type Keeping = Required<Pick<CalculatorOptions, 'log' | 'deadlineMs' | 'now'>>;

/** Keeps a process that calculates one map at a time: starts it when needed, replaces it when it hangs or breaks. */
function keepProcess(file: URL, library: CalculatorLibrary, { log, deadlineMs, now }: Keeping) {
  let running: Process | undefined;
  let idle: NodeJS.Timeout | undefined;
  let ends: readonly number[] = [];

  async function start(): Promise<Process> {
    const started = startProcess(file, library);
    running = started;
    if ((await started.next(START_MS)) !== 'ready') throw new Error('it does not speak as it should');
    return started;
  }

  function restLater(): void {
    clearTimeout(idle);
    idle = setTimeout(() => running?.end(), IDLE_MS).unref();
  }

  function end(): void {
    clearTimeout(idle);
    running?.end();
  }

  return {
    end,
    isWornOut: () => ends.filter(at => at > now() - ENDS_MS).length >= MOST_ENDS,
    /** Starts the process to see whether it works. @throws Error when it cannot be started */
    async tryOut(): Promise<void> {
      await start();
      restLater();
    },
    async compute(job: DifficultyJob): Promise<ExactFigures | undefined> {
      clearTimeout(idle);
      try {
        const ready = running === undefined || running.isGone() ? await start() : running;
        const answer = figuresSchema.safeParse(await ready.ask(job, deadlineMs));
        if (answer.success) return answer.data;
        log.info({ err: answer.error }, 'a map was too much for osu!’s own calculator');
      } catch (error) {
        running?.end();
        ends = [...ends, now()].slice(-MOST_ENDS);
        log.warn({ err: error }, 'osu!’s own calculator is replaced');
      } finally {
        restLater();
      }
      return undefined;
    },
  };
}

/** A process that calculates by osu!'s current rules, one map at a time. If it hangs or breaks it is replaced. */
export function createCalculator(options: CalculatorOptions) {
  const { log, deadlineMs = 3_000, now = Date.now } = options;
  const library = 'library' in options ? options.library : findCalculatorLibrary();
  const file = options.file ?? new URL('./calculator-process.js', import.meta.url);
  const calculator = library && keepProcess(file, library, { log, deadlineMs, now });
  const enter = createSemaphore({ atOnce: 1, maxWaiting: MAX_WAITING, name: 'the calculator' });
  let finding: Promise<CalculatorFinding> | undefined;
  let unusable: string | undefined;
  let isClosed = false;

  async function tryOut(): Promise<CalculatorFinding> {
    if (library === undefined || calculator === undefined) return { state: 'missing' };
    const { version } = library;
    const leave = await enter(new AbortController().signal);
    try {
      await calculator.tryOut();
      return { state: 'ready', version };
    } catch (error) {
      calculator.end();
      unusable = error instanceof Error ? error.message : String(error);
      log.warn({ err: error, version }, 'osu!’s own calculator cannot be used; stars and pp are estimates');
      return { state: 'unusable', version, why: unusable };
    } finally {
      leave();
    }
  }

  /** Starts the calculator at the first call, to see whether it works; all calls share the result. */
  function inspect(): Promise<CalculatorFinding> {
    finding ??= tryOut();
    return finding;
  }

  /** True when the calculator is installed, can be started, and did not break too often lately. */
  const isUsable = () => calculator?.isWornOut() === false && unusable === undefined && !isClosed;

  return {
    /** The calculator's version; undefined when it is not installed. */
    version: library?.version,
    inspect,
    isUsable,
    /** Calculates a map; undefined when it cannot, so that estimates are needed. @throws the signal's reason */
    async run(job: DifficultyJob, signal: AbortSignal): Promise<ExactFigures | undefined> {
      if (calculator === undefined || !isUsable()) return undefined;
      if ((await abortable(inspect(), signal)).state !== 'ready') return undefined;
      const leave = await enter(signal).catch((error: unknown) => {
        if (error instanceof AppError && !signal.aborted) return undefined;
        throw error;
      });
      if (leave === undefined) return undefined;
      if (!isUsable()) return void leave();
      return abortable(calculator.compute(job).finally(leave), signal);
    },
    /** Why an installed calculator does not work; undefined when it works, or when none is installed. */
    trouble() {
      if (library === undefined || isUsable()) return undefined;
      return unusable ?? `osu!’s own calculator ended ${MOST_ENDS} times within ${ENDS_MS / 60_000} minutes.`;
    },
    close() {
      isClosed = true;
      calculator?.end();
    },
  };
}

/** Programs that the bench runs beside itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { ENGINE_FLAGS } from '../../src/infra/engine.ts';

export interface Child {
  /** What it printed first: its address. */
  readonly line: string;
  /** Largest resident memory since the last call, sampled every 50 ms; null where /proc does not say. */
  takePeakBytes(): number | null;
  /** Resident memory now; null where /proc does not say. */
  residentBytes(): Promise<number | null>;
  /** CPU time of all its threads since it began, in milliseconds; null where /proc does not say. */
  cpuMs(): Promise<number | null>;
  /** What a program that listens to its parent says of itself. */
  ask(question: string): Promise<unknown>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 15_000;
const ANSWER_TIMEOUT_MS = 60_000;
const SAMPLE_MS = 50;

/** Running now; they end when the bench is asked to. */
const running = new Set<Child>();

export async function stopChildren(): Promise<void> {
  await Promise.all([...running].map(child => child.stop()));
}

async function residentBytes(pid: number): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024;
  } catch {
    return null;
  }
}

/** Of a clock tick, in which /proc counts: 100 a second wherever Node runs. */
const TICK_MS = 10;

async function usedCpuMs(pid: number): Promise<number | null> {
  try {
    // Behind the program's name, which may hold anything: state, parent, ..., user and system time.
    const [, ...fields] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[10]) + Number(fields[11])) * TICK_MS;
  } catch {
    return null;
  }
}

function firstLine(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not start`)), START_TIMEOUT_MS);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    child.once('error', error => settle(() => reject(error)));
    child.once('exit', code => settle(() => reject(new Error(`${name} ended with ${code}`))));
    if (child.stdout === null) throw new Error('no output to read');
    createInterface({ input: child.stdout }).once('line', line => settle(() => resolve(line)));
  });
}

/** Starts a program and waits for its first line. */
export async function startChild(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Child> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore', 'ipc'],
  });
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  };
  try {
    const line = await firstLine(child, name);
    let peak: number | null = null;
    const sampler = setInterval(async () => {
      const bytes = await residentBytes(child.pid ?? 0);
      if (bytes !== null) peak = Math.max(peak ?? 0, bytes);
    }, SAMPLE_MS);
    const made: Child = {
      line,
      takePeakBytes() {
        const taken = peak;
        peak = null;
        return taken;
      },
      residentBytes: () => residentBytes(child.pid ?? 0),
      cpuMs: () => usedCpuMs(child.pid ?? 0),
      ask: question =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(() => settle(() => reject(new Error(`${name} does not answer`))), ANSWER_TIMEOUT_MS);
          const onMessage = (answer: unknown) => settle(() => resolve(answer));
          const onEnd = () => settle(() => reject(new Error(`${name} has ended`)));
          const settle = (act: () => void) => {
            clearTimeout(timer);
            child.off('message', onMessage);
            child.off('exit', onEnd);
            act();
          };
          child.on('message', onMessage);
          child.on('exit', onEnd);
          child.send(question, error => {
            if (error !== null) settle(() => reject(error));
          });
        }),
      stop() {
        running.delete(made);
        clearInterval(sampler);
        return stop();
      },
    };
    running.add(made);
    return made;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How the image and the systemd unit start Medley, and the flags that it sets for itself when it begins. */
export const AS_STARTED = {
  args: ['--max-semi-space-size=8', ...ENGINE_FLAGS],
  env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' },
};

/** Starts the built program as the image and the systemd unit do. */
export function startMedley(program: string, env: NodeJS.ProcessEnv): Promise<Child> {
  return startChild('Medley', ['--max-semi-space-size=8', program], { ...AS_STARTED.env, ...env });
}

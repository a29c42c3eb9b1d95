import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { AppError } from '../errors.ts';
import { abortReason, joinSignals } from './concurrency/abortable.ts';

export interface ProgramRequest {
  /** The program's absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The longest that the program may run. Default: until `signal` aborts. */
  readonly timeoutMs?: number | undefined;
  /** The program's niceness: 0 is normal, 19 the lowest priority; undefined leaves it as it is. */
  readonly niceness?: number | undefined;
  /** Receives the program's output as it comes; when it throws, the program is killed and its error thrown. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly killedBy: NodeJS.Signals | null;
  /** The last part of what the program wrote on stderr, at most 16 k characters. */
  readonly complaints: string;
}

const MAX_COMPLAINT_CHARS = 16 * 1024;

const alive = new Set<ChildProcess>();
let watchesExit = false;

/**
 * Kills the child when this process ends. Without this, a child in a process group of its own would outlive this
 * process.
 */
export function endWithUs(child: ChildProcess): void {
  if (child.pid === undefined) return;
  alive.add(child);
  child.once('close', () => alive.delete(child));
  if (watchesExit) return;
  watchesExit = true;
  process.on('exit', () => alive.forEach(killGroup));
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The child leads no process group, or none any more, so only the child itself can be killed.
    child.kill('SIGKILL');
  }
}

function lowerPriority(child: ChildProcess, niceness: number): void {
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, niceness);
  } catch {
    // Setting the priority fails when the child has ended, or when the system forbids it. A running child then keeps
    // its normal priority.
  }
}

/**
 * Runs a program in a process group of its own, without stdin. The promise settles when the program is gone; on cancel,
 * at the deadline and when this process ends, the whole group is killed.
 * @throws AppError `upstream_unavailable` when it does not start, `timeout` at the deadline, the signal's reason when
 * it aborts
 */
export function runProgram(request: ProgramRequest): Promise<ProgramEnd> {
  const { program, args, env, signal, timeoutMs, niceness, onOutput } = request;
  return new Promise((resolve, reject) => {
    const givenUp = () => abortReason(signal, `${program} was given up`);
    if (signal.aborted) return reject(givenUp());
    const child = spawn(program, args, {
      env,
      cwd: tmpdir(),
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    endWithUs(child);
    if (niceness !== undefined) lowerPriority(child, niceness);
    let complaints = '';
    let failure: unknown;
    let hasExited = false;
    const letPipesGo = () => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const end = (why: unknown) => {
      failure ??= why;
      killGroup(child);
      if (hasExited) letPipesGo();
    };
    const over = joinSignals([signal], timeoutMs);
    over.signal.addEventListener('abort', () =>
      end(signal.aborted ? givenUp() : new AppError('timeout', `${program} took longer than ${timeoutMs} ms`)),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      if (failure !== undefined) return;
      try {
        onOutput?.(chunk);
      } catch (error) {
        end(error);
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaints = (complaints + chunk.toString('utf8')).slice(-MAX_COMPLAINT_CHARS);
    });
    child.once('error', cause => {
      failure ??= new AppError('upstream_unavailable', `${program} could not be run`, { cause });
      if (child.pid !== undefined) return;
      over.release();
      reject(failure);
    });
    child.once('exit', () => {
      hasExited = true;
      // A process that left the group may hold the child's pipes open for ever, so they are no longer waited for.
      if (failure !== undefined) letPipesGo();
    });
    child.once('close', (exitCode, killedBy) => {
      over.release();
      // Processes that the program started and left behind in its group are of no more use, so they are killed.
      killGroup(child);
      if (failure === undefined) resolve({ exitCode, killedBy, complaints });
      else reject(failure);
    });
  });
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The paths of all programs of that name in the folders of a PATH, in order; relative folders are skipped. */
export async function findPrograms(name: string, searchPath: string): Promise<readonly string[]> {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name;
  const found: string[] = [];
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const candidate = join(folder, fileName);
    if (await isProgram(candidate)) found.push(candidate);
  }
  return found;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program as it is built. */
export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Medley as it is built, in a process and a folder of its own. */
export interface Program {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  /** The printed address. */
  readonly ready: Promise<string>;
  /** Ends it without mercy, if it still runs, and clears up. */
  kill(): Promise<void>;
}

/** Its data lie in its own folder unless `DATA_DIR` says otherwise. */
export async function startProgram(
  environment: Readonly<Record<string, string>> = {},
  dotenv?: string,
): Promise<Program> {
  if (!existsSync(MAIN)) throw new Error('run `npm run build` first; `npm test` does');
  const folder = await mkdtemp(join(tmpdir(), 'medley-test-'));
  if (dotenv !== undefined) await writeFile(join(folder, '.env'), dotenv);
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(folder, 'data'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)));
  const ready = new Promise<string>(resolve => {
    child.stdout.on('data', chunk => {
      out += String(chunk);
      const address = /^Medley is ready at (http:\/\/\S+\/)\n$/.exec(out)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  child.stderr.on('data', chunk => {
    err += String(chunk);
  });
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    ended,
    ready,
    async kill() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

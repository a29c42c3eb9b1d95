import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from '../end-to-end/program.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { ask, compare, sample } from './bystander.ts';
import type { Drill } from './drill.ts';

const FAILURES = 3_000;
const END_MS = 5_000;

/** Requests that each write a line with a stack; resolves to how many were answered. */
async function flood(origin: string): Promise<number> {
  let answered = 0;
  for (let i = 0; i < FAILURES; i += 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, j) => ask(`${origin}/nowhere/${i + j}`, `127.0.0.${2 + (j % 6)}`)),
    );
    answered += answers.filter(({ status }) => status === 404).length;
  }
  return answered;
}

export const logsDrill: Drill = {
  name: 'logs',
  about: `${FAILURES} requests fail while stderr is read, then while nobody reads it, then SIGTERM`,
  async run(say) {
    const sandbox = await createSandbox();
    const folder = await mkdtemp(join(tmpdir(), 'medley-drill-'));
    const child = spawn(process.execPath, [MAIN], {
      cwd: folder,
      env: { PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'debug', UPSTREAM_OVERRIDES: sandbox.overrides },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise<number | null>(resolve => child.once('exit', resolve));
    try {
      child.stderr.resume();
      const [line] = await once(child.stdout, 'data');
      const origin = /http:\S+(?=\/\n)/.exec(String(line))?.[0] ?? '';
      const health = () => ask(`${origin}/healthz`);
      await sample(10, health);
      const [before] = await Promise.all([sample(50, health), flood(origin)]);
      child.stderr.pause();
      const [during, answered] = await Promise.all([sample(50, health), flood(origin)]);
      const isFine = compare(say, '/healthz meanwhile, stderr read or not', before, during);
      say(`answered ${answered} of ${FAILURES} requests that each write a line with a stack`);
      const startedAt = performance.now();
      child.kill('SIGTERM');
      const code = await Promise.race([exited, new Promise<'late'>(resolve => setTimeout(resolve, END_MS, 'late'))]);
      say(`SIGTERM: exit code ${code} after ${Math.round(performance.now() - startedAt)} ms`);
      return isFine && answered === FAILURES && code === 0;
    } finally {
      child.kill('SIGKILL');
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

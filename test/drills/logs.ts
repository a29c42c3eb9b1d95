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

export const logsDrill: Drill = {
  name: 'logs',
  about: `stderr is a pipe that nobody reads, ${FAILURES} requests fail, then SIGTERM`,
  async run(say) {
    const sandbox = await createSandbox();
    const folder = await mkdtemp(join(tmpdir(), 'medley-drill-'));
    const child = spawn(process.execPath, [MAIN], {
      cwd: folder,
      env: { PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'debug', UPSTREAM_OVERRIDES: sandbox.overrides },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      child.stderr.pause();
      const [line] = await once(child.stdout, 'data');
      const origin = /http:\S+(?=\/\n)/.exec(String(line))?.[0] ?? '';
      const health = () => ask(`${origin}/healthz`);
      await sample(10, health);
      const before = await sample(50, health);
      let answered = 0;
      const flood = (async () => {
        for (let i = 0; i < FAILURES; i += 20) {
          const answers = await Promise.all(
            Array.from({ length: 20 }, (_, j) => ask(`${origin}/nowhere/${i + j}`, `127.0.0.${2 + (j % 6)}`)),
          );
          answered += answers.filter(({ status }) => status === 404).length;
        }
      })();
      const during = await sample(50, health);
      await flood;
      const isFine = compare(say, '/healthz', before, during);
      say(`answered ${answered} of ${FAILURES} requests that each write a line with a stack`);
      const startedAt = performance.now();
      child.kill('SIGTERM');
      const late = new Promise(resolve => setTimeout(resolve, END_MS, ['late']));
      const [code] = (await Promise.race([once(child, 'exit'), late])) as readonly unknown[];
      say(`SIGTERM: exit code ${String(code)} after ${Math.round(performance.now() - startedAt)} ms`);
      return isFine && answered === FAILURES && code === 0;
    } finally {
      child.kill('SIGKILL');
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

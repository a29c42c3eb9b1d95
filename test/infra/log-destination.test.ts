import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLogDestination } from '../../src/infra/log-destination.ts';

const MODULE = fileURLToPath(new URL('../../src/infra/log-destination.ts', import.meta.url));
const MB = 1024 * 1024;

/** A program whose stderr is a pipe that is read only from `read` on. */
function start(script: string) {
  const code = `import { openLogDestination } from ${JSON.stringify(MODULE)};
    const say = text => process.stdout.write(text + '\\n');
    ${script}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', chunk => {
    out += String(chunk);
  });
  return {
    child,
    out: () => out,
    ended: once(child, 'exit'),
    async read() {
      child.stderr.on('data', chunk => {
        err += String(chunk);
      });
      await once(child.stderr, 'end');
      return err.trimEnd().split('\n');
    },
  };
}

const FLOOD = `const log = openLogDestination(2, { maxBytes: ${MB} });
  for (let i = 0; i < 30_000; i++) log.write(JSON.stringify({ i, text: 'x'.repeat(90) }) + '\\n');`;

describe('a pipe that is not read', () => {
  it('neither holds the process up nor keeps it from ending', async () => {
    const program = start(`${FLOOD}
      setTimeout(async () => {
        say('alive');
        const before = performance.now();
        await log.flush(300);
        say('flushed after ' + Math.round(performance.now() - before));
        process.exit(3);
      }, 50);`);
    expect(await program.ended).toEqual([3, null]);
    const [, waitedMs] = /^alive\nflushed after (\d+)\n$/.exec(program.out()) ?? [];
    expect(Number(waitedMs)).toBeGreaterThanOrEqual(290);
  });

  it('gets what fits the bound once it is read, whole lines only, and the number of those that were dropped', async () => {
    const program = start(`${FLOOD}
      say('written');
      setTimeout(async () => {
        await log.flush(30_000);
        process.exit(0);
      }, 400);`);
    await expect.poll(program.out).toBe('written\n');
    const lines = (await program.read()).map(line => JSON.parse(line));
    const kept = lines.filter(line => 'i' in line);
    const dropped = lines.flatMap(line => line.dropped ?? []);
    expect(kept.length).toBeGreaterThan(5_000);
    expect(dropped).toHaveLength(1);
    expect(kept.length + dropped[0]).toBe(30_000);
    expect(kept.map(line => line.i)).toEqual(Array.from({ length: kept.length }, (_, i) => i));
    await program.ended;
  });

  it('may be closed by its reader', async () => {
    const program = start(`const log = openLogDestination();
      const timer = setInterval(() => log.write('{}\\n'), 5);
      setTimeout(async () => { clearInterval(timer); await log.flush(30_000); say('done'); }, 300);`);
    program.child.stderr.destroy();
    expect(await program.ended).toEqual([0, null]);
    expect(program.out()).toBe('done\n');
  });
});

it('a file is written to at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'medley-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = await open(join(folder, 'log'), 'w');
  const log = openLogDestination(file.fd);
  log.write('one\n');
  log.write('two\n');
  expect(await readFile(join(folder, 'log'), 'utf8')).toBe('one\ntwo\n');
  await file.close();
  // Closed since: lost, not thrown.
  expect(() => log.write('three\n')).not.toThrow();
});

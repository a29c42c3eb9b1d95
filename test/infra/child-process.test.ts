import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { findPrograms, type ProgramRequest, runProgram } from '../../src/infra/child-process.ts';
import { makeFolder, processesNaming } from '../ffmpeg.ts';

async function install(folder: string, name: string, script: string): Promise<string> {
  const program = join(folder, name);
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  return program;
}

async function run(script: string, request: Partial<ProgramRequest> = {}) {
  const folder = await makeFolder();
  const program = await install(folder, 'task', script);
  const never = new AbortController().signal;
  const end = runProgram({ program, args: [folder], env: { PATH: '/usr/bin:/bin' }, signal: never, ...request });
  return { folder, end };
}

describe('a program', () => {
  it('reports how it ended and what it printed', async () => {
    let printed = '';
    const { end } = await run('echo out; echo trouble >&2; exit 3', { onOutput: chunk => (printed += chunk) });
    expect(await end).toEqual({ exitCode: 3, killedBy: null, complaints: 'trouble\n' });
    expect(printed).toBe('out\n');
  });

  it('keeps the end of what it complains, and no more', async () => {
    const { end } = await run('i=0; while [ $i -lt 3000 ]; do echo "line $i of many" >&2; i=$((i+1)); done');
    const { complaints } = await end;
    expect(complaints.length).toBeLessThanOrEqual(16 * 1024);
    expect(complaints).toContain('line 2999 of many');
  });

  it('gets no stdin and only the environment it was given', async () => {
    let printed = '';
    const { end } = await run('cat; env | grep -c SECRET', {
      env: { PATH: '/usr/bin:/bin', OTHER: '1' },
      onOutput: chunk => (printed += chunk),
    });
    await end;
    expect(printed).toBe('0\n');
  });

  it('is killed with all it started when the caller gives up', async () => {
    const abort = new AbortController();
    let isUp = () => {};
    const up = new Promise<void>(resolve => (isUp = resolve));
    const { folder, end } = await run('sleep 60 & sh -c "sleep 61; true $0" "$1" & echo up; wait', {
      signal: abort.signal,
      onOutput: () => isUp(),
    });
    await up;
    // One that is just being started has no name for a moment.
    await expect.poll(() => processesNaming(folder).length).toBeGreaterThanOrEqual(2);
    abort.abort(new AppError('too_large', 'enough'));
    await expect(end).rejects.toMatchObject({ code: 'too_large' });
    await expect.poll(() => processesNaming(folder)).toEqual([]);
  });

  it('is killed at its deadline, though it ignores what one asks of it', async () => {
    const { folder, end } = await run('trap "" TERM INT HUP; while :; do sleep 1; done', { timeoutMs: 150 });
    await expect(end).rejects.toMatchObject({ code: 'timeout' });
    await expect.poll(() => processesNaming(folder)).toEqual([]);
  });

  it('does not keep us waiting for something that left its group with our pipe', async () => {
    const { folder, end } = await run('setsid sleep 20 & echo up; sleep 60', { timeoutMs: 150 });
    const startedAt = performance.now();
    await expect(end).rejects.toMatchObject({ code: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    await expect.poll(() => processesNaming(folder)).toEqual([]);
  });

  it('nor when it ended itself before its time was over', async () => {
    const { end } = await run('setsid sleep 30 & exit 0', { timeoutMs: 300 });
    const startedAt = performance.now();
    await expect(end).rejects.toMatchObject({ code: 'timeout' });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('ends when its reader fails', async () => {
    const { end } = await run('echo much; sleep 60', {
      onOutput: () => {
        throw new AppError('too_large', 'too much');
      },
    });
    await expect(end).rejects.toMatchObject({ code: 'too_large' });
  });

  it('is not begun when the caller has given up before', async () => {
    const { end } = await run('sleep 60', { signal: AbortSignal.abort('no more') });
    await expect(end).rejects.toBeInstanceOf(AppError);
    await expect(end).rejects.toMatchObject({ code: 'timeout', cause: 'no more' });
  });

  it('that cannot be started is an error like any other', async () => {
    const { end } = await run('true', { program: '/nowhere/at/all' });
    await expect(end).rejects.toMatchObject({ code: 'upstream_unavailable', cause: { code: 'ENOENT' } });
  });

  it('lets others go first', async () => {
    let pid = 0;
    const abort = new AbortController();
    const priority = new Promise<number>(resolve => {
      void run('echo $$; sleep 60', {
        niceness: 7,
        signal: abort.signal,
        onOutput: chunk => {
          pid = Number(chunk.toString());
          resolve(getPriority(pid));
        },
      }).then(({ end }) => end.catch(() => undefined));
    });
    expect(await priority).toBe(7);
    abort.abort();
  });
});

describe('looking on a PATH', () => {
  it('finds programs in order, passing over what is relative, a folder or not to be run', async () => {
    const folder = await makeFolder();
    const [one, two, three] = ['one', 'two', 'three'].map(name => join(folder, name));
    for (const each of [one, two, three]) await mkdir(String(each));
    await mkdir(join(String(one), 'task'));
    await writeFile(join(String(two), 'task'), 'text');
    const program = await install(String(three), 'task', 'true');
    expect(await findPrograms('task', `relative:${one}:${two}:/nowhere:${three}:`)).toEqual([program]);
    expect(await findPrograms('task', '')).toEqual([]);
  });
});

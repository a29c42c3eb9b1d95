import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openStore } from '../../src/infra/store/store.ts';
import { SANDBOX_OSU } from '../sandbox/osu.ts';
import { createSandbox } from '../sandbox/sandbox.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = join(ROOT, 'dist/catalogue.js');
const PAGE = 50;
/** More than are written at once, and not yet all. */
const KILLED_AFTER_PAGES = 25;

const ACCESS = { OSU_CLIENT_ID: String(SANDBOX_OSU.clientId), OSU_CLIENT_SECRET: SANDBOX_OSU.clientSecret };

async function openPlace(beatmapsets: number) {
  if (!existsSync(PROGRAM)) throw new Error('run `npm run build` first; `npm test` does');
  const sandbox = await createSandbox({ beatmapsets });
  const folder = await mkdtemp(join(tmpdir(), 'medley-catalogue-'));
  const children = new Set<ReturnType<typeof spawn>>();
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  function start(
    environment: Readonly<Record<string, string>>,
    [command, ...words]: readonly [string, ...string[]] = [process.execPath, PROGRAM],
  ) {
    const child = spawn(command, words, {
      cwd: folder,
      env: { PATH: '', DATA_DIR: folder, UPSTREAM_OVERRIDES: sandbox.overrides, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.add(child);
    let said = '';
    child.stderr.on('data', chunk => {
      said += String(chunk);
    });
    const ended = new Promise<{ readonly code: number | null; readonly said: string }>(resolve => {
      child.once('close', code => resolve({ code, said }));
    });
    return { child, ended };
  }

  function keptIds(): readonly number[] {
    const store = openStore(join(folder, 'catalogue.db'));
    try {
      return store
        .all('SELECT id FROM catalogue_sets ORDER BY id', [], z.object({ id: z.number() }))
        .map(({ id }) => id);
    } finally {
      store.close();
    }
  }

  const wanted = sandbox.beatmaps.sets
    .filter(({ status }) => [1, 2, 4].includes(status))
    .map(({ id }) => id)
    .sort((a, b) => a - b);
  return { sandbox, start, keptIds, wanted };
}

describe('npm run catalogue', () => {
  it('killed half-way goes on from there: no set twice, none missing', async () => {
    const { sandbox, start, keptIds, wanted } = await openPlace(3_000);
    const first = start(ACCESS);
    await expect
      .poll(() => sandbox.count('osu.search'), { interval: 5, timeout: 60_000 })
      .toBeGreaterThanOrEqual(KILLED_AFTER_PAGES);
    first.child.kill('SIGKILL');
    expect((await first.ended).code).toBeNull();
    const half = keptIds().length;
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(wanted.length);

    sandbox.clearRequests();
    const { code, said } = await start(ACCESS).ended;
    expect(code, said).toBe(0);
    expect(said).toContain(`Read ${wanted.length.toLocaleString('en')} sets from osu.`);
    expect(said).toContain(`The catalogue holds ${wanted.length.toLocaleString('en')} sets.`);
    expect(keptIds()).toEqual(wanted);
    const pages = sandbox.requests.filter(({ endpoint }) => endpoint === 'osu.search');
    expect(pages[0]?.path).toContain('cursor_string=');
    expect(pages.length).toBeLessThan(wanted.length / PAGE);
  });

  it('stops by a SIGTERM to npm, and says how to go on', async () => {
    const { sandbox, start } = await openPlace(3_000);
    const npm = ['npm', '--prefix', ROOT, 'run', '--silent', 'catalogue'] as const;
    const { child, ended } = start({ ...ACCESS, PATH: process.env.PATH ?? '' }, npm);
    await expect.poll(() => sandbox.count('osu.search'), { interval: 5, timeout: 60_000 }).toBeGreaterThan(0);
    child.kill('SIGTERM');
    const { code, said } = await ended;
    expect(code, said).toBe(130);
    expect(said).toContain('Stopped. Run it again to go on from here.');
  });

  it('takes the next mirror when the first gives nothing', async () => {
    const { sandbox, start, keptIds, wanted } = await openPlace(300);
    sandbox.faults.set('osu-direct.*', 'html');
    const { code, said } = await start({}).ended;
    expect(code, said).toBe(0);
    expect(said).toContain('osu.direct cannot be read');
    expect(keptIds()).toEqual(wanted);
  });
});

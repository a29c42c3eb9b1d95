import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Catalogue } from '../../../src/beatmaps/catalogue/catalogue.ts';
import { createCatalogueThread } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { parseQuery } from '../../../src/beatmaps/query/query.ts';
import type { AppError } from '../../../src/errors.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { type BuiltWorker, buildWorker } from '../built-worker.ts';
import { madeUpSet } from '../made-up-sets.ts';

/** The thread as the build makes it, over files. */

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker('catalogue/catalogue-worker');
});
afterAll(() => worker.remove());

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-thread-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Own {
  readonly file?: URL;
  readonly isFiller?: () => boolean;
  readonly idleMs?: number;
}

function openThread(folder: string, own: Own = {}) {
  const failures: { readonly error: AppError; readonly message: string }[] = [];
  const catalogue = createCatalogueThread({
    file: worker.file,
    path: join(folder, 'catalogue.db'),
    isFilling: false,
    isFiller: () => true,
    onFailure: (error, message) => failures.push({ error, message }),
    restartMs: 5,
    ...own,
  });
  onTestFinished(() => catalogue.close());
  return { catalogue, failures };
}

const ALL = { query: parseQuery(''), status: 'any', sort: { field: 'relevance', order: 'desc' } } as const;
const idsOf = async (catalogue: Catalogue) =>
  (await catalogue.search(ALL, { limit: 50, offset: 0 })).sets.map(({ id }) => id).toSorted((a, b) => a - b);

const SETS = [1, 2, 3].map(id => madeUpSet({ id, title: `Kite ${id}` }));

describe('the thread of the catalogue', () => {
  it('answers as the catalogue does, and keeps what waits when it is closed', async () => {
    const folder = await openFolder();
    const { catalogue, failures } = openThread(folder);
    catalogue.remember(SETS);
    await catalogue.flush();
    expect(await catalogue.set(2)).toEqual(SETS[1]);
    expect(await catalogue.set(9)).toBeUndefined();
    expect((await catalogue.suggest('kite 3', 5)).map(({ id }) => id)).toEqual([3]);
    await catalogue.keepPlace('here', 'page 3');
    expect(await catalogue.place('here')).toBe('page 3');
    catalogue.remember([madeUpSet({ id: 4 })]);
    await Promise.all([catalogue.close(), catalogue.close()]);
    await expect(catalogue.size()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(await idsOf(openThread(folder).catalogue)).toEqual([1, 2, 3, 4]);
    expect(failures).toEqual([]);
  });

  it('writes nothing in a process that only reads', async () => {
    const folder = await openFolder();
    const { catalogue } = openThread(folder, { isFiller: () => false });
    const filler = openThread(folder).catalogue;
    catalogue.remember(SETS);
    await catalogue.flush();
    expect(await filler.size()).toBe(0);
    filler.remember(SETS);
    await filler.flush();
    expect(await catalogue.size()).toBe(3);
  });

  it('waits while another process makes the file', async () => {
    const folder = await openFolder();
    const other = openStore(join(folder, 'catalogue.db'));
    onTestFinished(() => other.close());
    other.run('BEGIN IMMEDIATE');
    const { catalogue, failures } = openThread(folder);
    const size = catalogue.size();
    // Longer than what it waits for once it is open.
    await new Promise(resolve => setTimeout(resolve, 900));
    other.run('COMMIT');
    expect(await size).toBe(0);
    expect(failures).toEqual([]);
  });

  it('runs from the first call until there was none for a while, and again from the next', async () => {
    const folder = await openFolder();
    const file = pathToFileURL(join(folder, 'counting.mjs'));
    const runs = async () => (await readFile(join(folder, 'runs'), 'utf8').catch(() => '')).split(' ').slice(1);
    // Notes each beginning and end.
    await writeFile(
      file,
      `import { appendFileSync } from 'node:fs';
      const note = word => appendFileSync(${JSON.stringify(join(folder, 'runs'))}, ' ' + word);
      note('start');
      process.on('exit', () => note('end'));
      await import(${JSON.stringify(worker.file.href)});`,
    );
    const { catalogue, failures } = openThread(folder, { file, idleMs: 1 });
    expect(await runs()).toEqual([]);
    catalogue.remember(SETS);
    await expect.poll(runs).toEqual(['start', 'end']);
    expect(await idsOf(catalogue)).toEqual([1, 2, 3]);
    await expect.poll(runs).toEqual(['start', 'end', 'start', 'end']);
    expect(failures).toEqual([]);
  });

  it('reads the words for corrections when it starts', async () => {
    const folder = await openFolder();
    const filler = openThread(folder).catalogue;
    filler.remember(SETS);
    await filler.close();
    const mistyped = { ...ALL, query: parseQuery('kiet') };
    // A search that lacks the words is not corrected itself, but has them read, so each try is a thread's first search.
    const isCorrectedAfter = async (ms: number) => {
      const { catalogue } = openThread(folder);
      await catalogue.size();
      await pause(ms);
      return (await catalogue.search(mistyped, { limit: 5, offset: 0 })).corrected;
    };
    let isCorrected = false;
    for (const ms of [50, 1_000, 10_000]) isCorrected ||= await isCorrectedAfter(ms);
    expect(isCorrected).toBe(true);
  });

  it('is started again when it ends, a few times, and fails what was asked with a reason', async () => {
    const folder = await openFolder();
    const file = pathToFileURL(join(folder, 'breaking.mjs'));
    await writeFile(
      file,
      `import { existsSync, writeFileSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      const mark = ${JSON.stringify(join(folder, 'broke'))};
      if (existsSync(mark)) await import(${JSON.stringify(worker.file.href)});
      else parentPort.on('message', () => { writeFileSync(mark, ''); throw new Error('broken'); });`,
    );
    const { catalogue, failures } = openThread(folder, { file });
    await expect(Promise.all([catalogue.size(), catalogue.place('x')])).rejects.toMatchObject({
      name: 'AppError',
      code: 'upstream_unavailable',
    });
    await expect.poll(() => catalogue.size().catch(() => undefined)).toBe(0);
    expect(failures.map(({ message }) => message)).toEqual(['the catalogue is away, and started again']);
  });

  it('is given up when it ends again and again', async () => {
    const folder = await openFolder();
    await writeFile(join(folder, 'catalogue.db'), 'this is no database, and long enough to be looked at as one');
    const { catalogue, failures } = openThread(folder);
    await expect(catalogue.size()).rejects.toThrow('it is no database or a damaged one; move it away');
    await expect.poll(() => failures.at(-1)?.message).toBe('there is no catalogue until the next start');
    expect(failures).toHaveLength(6);
    await expect(catalogue.suggest('x', 5)).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('a thread that does not keep up', () => {
  it('is told of no more sets than it may hold, and of more when it has taken some', async () => {
    const folder = await openFolder();
    const path = join(folder, 'slow.mjs');
    // Says how often it was told of sets, and takes them when it is asked to flush.
    await writeFile(
      path,
      `import { parentPort } from 'node:worker_threads';
      const held = [];
      const answer = (id, value) => parentPort.postMessage({ kind: 'value', id, value });
      parentPort.on('message', ask => {
        if (ask === 'close') parentPort.close();
        else if (ask.name === 'remember') held.push(ask.id);
        else if (ask.name === 'size') answer(ask.id, held.length);
        else {
          for (const id of held.splice(0)) answer(id);
          answer(ask.id);
        }
      });`,
    );
    const { catalogue, failures } = openThread(folder, { file: pathToFileURL(path) });
    for (let i = 0; i < 150; i += 1) catalogue.remember(SETS);
    expect(await catalogue.size()).toBe(100);
    await catalogue.flush();
    for (let i = 0; i < 30; i += 1) catalogue.remember(SETS);
    expect(await catalogue.size()).toBe(30);
    await catalogue.close();
    expect(failures.map(({ message }) => message)).not.toContain('the catalogue could not be written or read');
  });
});

describe('a file that another process writes to', () => {
  it('is written to when the other one has finished', async () => {
    const folder = await openFolder();
    const { catalogue, failures } = openThread(folder);
    expect(await catalogue.size()).toBe(0);
    const other = openStore(join(folder, 'catalogue.db'));
    onTestFinished(() => other.close());
    other.run('BEGIN IMMEDIATE');
    catalogue.remember(SETS);
    const flushed = catalogue.flush();
    expect(await catalogue.size()).toBe(0);
    other.run('COMMIT');
    await flushed;
    expect(await catalogue.size()).toBe(3);
    expect(failures).toEqual([]);
  });
});

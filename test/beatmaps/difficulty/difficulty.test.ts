import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCalculator } from '../../../src/beatmaps/difficulty/calculator.ts';
import { createDifficulty, type DifficultyOptions } from '../../../src/beatmaps/difficulty/difficulty.ts';
import { createOsuFileCache } from '../../../src/beatmaps/difficulty/osu-file-cache.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { osuChecksum } from '../../sandbox/osu-file.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { type BuiltWorker, buildWorker } from '../built-worker.ts';

vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  return { ...real, utimes: vi.fn(real.utimes) };
});

let worker: BuiltWorker;
beforeAll(async () => {
  worker = await buildWorker();
});
afterAll(() => worker.remove());

const never = new AbortController().signal;
const FILES = ['osu.file', 'osu-direct.file', 'catboy.file'] as const;

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-difficulty-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openDifficulty(options: Partial<DifficultyOptions> = {}) {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const http = createTestClient(Object.fromEntries(sandbox.overrides.split(',').map(pair => pair.split('=', 2))));
  const dataDir = options.dataDir ?? (await makeFolder());
  const log = createRecordingLog();
  const difficulty = createDifficulty({ http, dataDir, log, workerFile: worker.file, ...options });
  onTestFinished(() => difficulty.close());
  const [set] = sandbox.beatmaps.sets;
  const map = set?.maps[3];
  if (set === undefined || map === undefined) throw new Error('the sandbox has lost its first set');
  const beatmap = { id: map.id, checksum: osuChecksum(set, map), mode: 'osu' } as const;
  const asked = () => FILES.map(endpoint => sandbox.count(endpoint));
  return { sandbox, difficulty, dataDir, log, beatmap, asked };
}

describe('the difficulty of a map', () => {
  it('comes from the official file, once', async () => {
    const { difficulty, beatmap, asked, dataDir } = await openDifficulty();
    const request = { beatmap, mods: ['HD', 'DT'], accuracies: [95, 100] };
    const [result, again] = await Promise.all([difficulty.of(request, never), difficulty.of(request, never)]);
    expect(result.pp.map(({ accuracy }) => accuracy)).toEqual([95, 100]);
    expect(result.pp[1]?.pp).toBeGreaterThan(result.pp[0]?.pp ?? Number.POSITIVE_INFINITY);
    expect(result).toMatchObject({ algorithm: '2025-03-06', isOtherFile: false, clockRate: 1.5 });
    expect(again).toEqual(result);
    await difficulty.of({ ...request, mods: [] }, never);
    expect(asked()).toEqual([1, 0, 0]);
    expect(await readdir(join(dataDir, 'osu'))).toEqual([`${beatmap.checksum}.osu`]);
  });

  it('comes at once after the clock was set back', async () => {
    let time = Date.now();
    const { sandbox, difficulty, beatmap, asked } = await openDifficulty({ now: () => time });
    await difficulty.of({ beatmap, mods: [] }, never);
    time -= 3_600_000;
    const [set] = sandbox.beatmaps.sets;
    const other = set?.maps[2];
    if (set === undefined || other === undefined) throw new Error('the sandbox has lost its first set');
    const next = { id: other.id, checksum: osuChecksum(set, other), mode: 'osu' } as const;
    await difficulty.of({ beatmap: next, mods: [] }, AbortSignal.timeout(3_000));
    expect(asked()).toEqual([2, 0, 0]);
  });

  it('is calculated once a day for cards and scans alike where osu!’s own calculator is not installed', async () => {
    let time = Date.now();
    const calculator = createCalculator({ log: createRecordingLog(), library: undefined });
    const { difficulty, beatmap } = await openDifficulty({ calculator, now: () => time });
    const first = await difficulty.of({ beatmap, mods: ['DT'] }, never);
    expect(await difficulty.of({ beatmap, mods: ['DT'], isScan: true }, never)).toBe(first);
    time += 23 * 3_600_000;
    expect(await difficulty.of({ beatmap, mods: ['DT'] }, never)).toBe(first);
  });

  it('is known without a request after a restart', async () => {
    const first = await openDifficulty();
    const result = await first.difficulty.of({ beatmap: first.beatmap, mods: [] }, never);
    const second = await openDifficulty({ dataDir: first.dataDir });
    expect(await second.difficulty.of({ beatmap: second.beatmap, mods: [] }, never)).toEqual(result);
    expect(second.asked()).toEqual([0, 0, 0]);
  });

  it.each([
    ['answers 503', 'status:503'],
    ['answers a page', 'html'],
    ['answers nothing', 'empty'],
    ['answers bytes', 'garbage'],
    ['cuts the file', 'cut'],
    ['never ends', 'endless'],
    ['asks for patience', 'retry-after:30'],
    ['leads elsewhere', 'redirect-off-site'],
    ['does not have it', 'status:404'],
  ] as const)('comes from a mirror where osu! %s', async (_, fault) => {
    const { difficulty, beatmap, sandbox, asked } = await openDifficulty();
    sandbox.faults.set('osu.file', fault);
    expect((await difficulty.of({ beatmap, mods: [] }, never)).isOtherFile).toBe(false);
    expect(asked()).toEqual([1, 1, 0]);
  });

  it('comes from the third where a half file has another checksum', async () => {
    const { difficulty, beatmap, sandbox, asked } = await openDifficulty();
    sandbox.faults.set('osu.file', 'status:500');
    sandbox.faults.set('osu-direct.file', 'truncate');
    expect((await difficulty.of({ beatmap, mods: [] }, never)).isOtherFile).toBe(false);
    expect(asked()).toEqual([1, 1, 1]);
  });

  it('is asked of all sites when there are many, each at its own pace', async () => {
    const { difficulty, sandbox, asked } = await openDifficulty();
    const maps = sandbox.beatmaps.sets.flatMap(set => set.maps.map(map => ({ set, map }))).slice(0, 18);
    await Promise.all(
      maps.map(({ set, map }) => {
        const mode = (['osu', 'taiko', 'fruits', 'mania'] as const)[map.mode];
        return difficulty.of({ beatmap: { id: map.id, checksum: osuChecksum(set, map), mode }, mods: [] }, never);
      }),
    );
    const [official = 0, direct = 0, catboy = 0] = asked();
    expect(official + direct + catboy).toBe(18);
    // Their bursts; the last two come from wherever it was fastest.
    expect(official).toBeGreaterThanOrEqual(4);
    expect(official).toBeLessThanOrEqual(6);
    for (const mirror of [direct, catboy]) expect(mirror).toBeGreaterThanOrEqual(4);
  });

  it('is labelled where no upstream has the file of that checksum, and asked for once', async () => {
    const { difficulty, beatmap, asked } = await openDifficulty();
    const older = { ...beatmap, checksum: '0123456789abcdef0123456789abcdef' };
    expect((await difficulty.of({ beatmap: older, mods: [] }, never)).isOtherFile).toBe(true);
    expect((await difficulty.of({ beatmap: older, mods: ['HR'] }, never)).isOtherFile).toBe(true);
    expect(asked()).toEqual([1, 1, 1]);
  });

  it('needs no checksum', async () => {
    const { difficulty, beatmap, asked } = await openDifficulty();
    const nameless = { ...beatmap, checksum: null };
    expect((await difficulty.of({ beatmap: nameless, mods: [] }, never)).isOtherFile).toBe(false);
    await difficulty.of({ beatmap: nameless, mods: ['EZ'] }, never);
    expect(asked()).toEqual([1, 0, 0]);
  });

  it('is not found where no upstream has one', async () => {
    const { difficulty, log } = await openDifficulty();
    const beatmap = { id: 77, checksum: null, mode: 'osu' } as const;
    const gone = { code: 'not_found', params: { what: 'beatmap' } };
    const asking = [1, 2].map(() => difficulty.of({ beatmap, mods: [] }, never));
    await Promise.all(asking.map(one => expect(one).rejects.toMatchObject(gone)));
    // The caller goes without; it is logged once.
    const result = log.at('info').filter(({ message }) => message === 'a difficulty could not be worked out');
    expect(result).toMatchObject([{ details: { beatmap: 77, err: gone } }]);
  });

  it('fails as the upstreams do when all of them do', async () => {
    const { difficulty, beatmap, sandbox } = await openDifficulty();
    for (const endpoint of FILES) sandbox.faults.set(endpoint, 'status:503');
    const failure = { code: 'upstream_unavailable' };
    await expect(difficulty.of({ beatmap, mods: [] }, never)).rejects.toMatchObject(failure);
    for (const endpoint of FILES) sandbox.faults.clear(endpoint);
    expect((await difficulty.of({ beatmap, mods: [] }, never)).stars).toBeGreaterThan(1);
  });

  it.each([
    [{ mods: ['HR', 'EZ'] }, 'mods'],
    [{ mods: ['QQ'] }, 'mods'],
    [{ mods: ['4K'] }, 'mods'],
    [{ mods: [{ acronym: 'QQ' }] }, 'mods'],
    [{ mods: [], accuracies: [101] }, 'accuracies'],
    [{ mods: [], accuracies: [Number.NaN] }, 'accuracies'],
    [{ mods: [], misses: -1 }, 'misses'],
  ] as const)('refuses %j', async (parts, what) => {
    const { difficulty, beatmap } = await openDifficulty();
    const refusal = { code: 'invalid_request', params: { what } };
    await expect(difficulty.of({ beatmap, ...parts }, never)).rejects.toMatchObject(refusal);
  });

  it('leaves who gives up', async () => {
    const { difficulty, beatmap, sandbox } = await openDifficulty();
    sandbox.faults.set('osu.file', 'hang');
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const result = expect(difficulty.of({ beatmap, mods: [] }, controller.signal)).rejects.toBe(reason);
    controller.abort(reason);
    await result;
  });

  it('does not need a disk that works', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'osu'), 'a file where the folder should be');
    const { difficulty, beatmap, log } = await openDifficulty({ dataDir: folder });
    expect((await difficulty.of({ beatmap, mods: [] }, never)).stars).toBeGreaterThan(1);
    expect(log.at('warn').length).toBeGreaterThan(0);
  });
});

describe('the cache of .osu files', () => {
  const file = (letter: string) => Buffer.alloc(1_000, letter);
  const names = async (folder: string) => (await readdir(folder)).sort();

  async function openCache(folder: string) {
    const { createHash } = await import('node:crypto');
    const cache = createOsuFileCache({ folder, maxBytes: 3_500, log: createRecordingLog() });
    const sum = (letter: string) => createHash('md5').update(file(letter)).digest('hex');
    return { cache, sum };
  }

  it('keeps what was used last within its bytes', async () => {
    const folder = await makeFolder();
    const { cache, sum } = await openCache(folder);
    for (const letter of 'abc') await cache.put(sum(letter), file(letter));
    expect(await cache.take(sum('a'))).toEqual(file('a'));
    await cache.put(sum('d'), file('d'));
    expect(await cache.take(sum('b'))).toBeUndefined();
    await expect.poll(() => names(folder)).toEqual(['a', 'c', 'd'].map(letter => `${sum(letter)}.osu`).sort());
  });

  it('gives a file whose time of use cannot be written, and keeps it', async () => {
    const folder = await makeFolder();
    const { cache, sum } = await openCache(folder);
    await cache.put(sum('a'), file('a'));
    vi.mocked(utimes).mockRejectedValueOnce(new Error('read-only'));
    expect(await cache.take(sum('a'))).toEqual(file('a'));
    expect(await cache.take(sum('a'))).toEqual(file('a'));
  });

  it('finds after a restart what it has room for, and nothing that is damaged', async () => {
    const folder = await makeFolder();
    await mkdir(folder, { recursive: true });
    const { cache, sum } = await openCache(folder);
    for (const letter of 'abcde') await writeFile(join(folder, `${sum(letter)}.osu`), file(letter));
    await writeFile(join(folder, `${sum('e')}.osu`), 'half');
    await writeFile(join(folder, '1-1.draft'), 'half');
    await writeFile(join(folder, 'notes.txt'), 'not ours');
    expect(await cache.take(sum('e'))).toBeUndefined();
    await expect
      .poll(async () => (await names(folder)).filter(name => name.endsWith('.osu')).length)
      .toBeLessThanOrEqual(3);
    expect(await names(folder)).toContain('notes.txt');
    expect(await names(folder)).not.toContain('1-1.draft');
  });
});

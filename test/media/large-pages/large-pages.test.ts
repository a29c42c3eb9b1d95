import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fixture as facebookFixture, IDS } from '../sources/facebook/fixture.ts';
import { CODES, fixture as instagramFixture } from '../sources/instagram/fixture.ts';
import { type Compiled, compileMedia } from './compiled.ts';
import { type Hostility, hostilePage, ordinaryPage } from './pages.ts';

/** Ten times the aims, which are 0.15 s a megabyte and 50 ms: the machine of a test has other work to do. */
const MAX_MS_A_MEGABYTE = 1_500;
const MAX_BLOCKED_MS = 500;

const MEASURE = fileURLToPath(new URL('measure.ts', import.meta.url));
const measured = z.object({
  outcome: z.string(),
  tookMs: z.number(),
  blockedMs: z.number(),
  megabytes: z.number(),
});
type Measured = z.infer<typeof measured>;

interface Page {
  readonly name: string;
  readonly site: 'facebook' | 'instagram';
  readonly html: () => string;
  readonly outcome: string;
}

const ordinary = (megabytes: number): readonly Page[] => [
  {
    name: `${megabytes} MB`,
    site: 'instagram',
    html: () => ordinaryPage(instagramFixture('polaris-reel.html'), CODES.reel, megabytes),
    outcome: '1 items',
  },
  {
    name: `${megabytes} MB`,
    site: 'facebook',
    html: () => ordinaryPage(facebookFixture('reel.html'), IDS.reel, megabytes),
    outcome: '1 items',
  },
];

const hostile = (kind: Hostility, outcome: string): readonly Page[] =>
  [7, 0.9].map(megabytes => ({
    name: `${megabytes} MB of ${kind}`,
    site: 'facebook',
    html: () => hostilePage(kind, IDS.reel, megabytes),
    outcome,
  }));

const PAGES: readonly Page[] = [
  ...ordinary(9),
  ...ordinary(0.6),
  ...hostile('stories of others', 'upstream_changed'),
  ...hostile('copies of the story', '1 items'),
  ...hostile('nested stories', 'upstream_changed'),
  ...hostile('many objects', 'upstream_changed'),
  ...hostile('manifests', '1 items'),
];

let compiled: Compiled | undefined;
let folder: string | undefined;
let results: readonly Measured[] = [];

beforeAll(async () => {
  compiled = await compileMedia();
  folder = await mkdtemp(join(tmpdir(), 'medley-pages-'));
  const files: string[] = [];
  for (const [index, { site, html }] of PAGES.entries()) {
    const file = join(folder, `${site}-${index}.html`);
    await writeFile(file, html());
    files.push(file);
  }
  const args = ['--import', 'tsx', MEASURE, compiled.folder, ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 170_000 });
  results = stdout
    .trim()
    .split('\n')
    .map(line => measured.parse(JSON.parse(line)));
}, 180_000);

afterAll(async () => {
  await compiled?.remove();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

describe('a large page', () => {
  it.each(PAGES.map((page, index) => ({ ...page, index })))('of $site, $name, holds nothing up', one => {
    const result = results[one.index];
    if (result === undefined) throw new Error('it was not measured');
    const perMegabyte = result.tookMs / result.megabytes;
    process.stdout.write(
      `${one.site}, ${one.name}: ${result.tookMs.toFixed(0)} ms, ${perMegabyte.toFixed(0)} ms a megabyte, the loop held ${result.blockedMs.toFixed(0)} ms at most\n`,
    );
    expect(result.outcome).toBe(one.outcome);
    expect(perMegabyte).toBeLessThan(MAX_MS_A_MEGABYTE);
    expect(result.blockedMs).toBeLessThan(MAX_BLOCKED_MS);
  });
});

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
import { hostilePage, ordinaryPage } from './pages.ts';

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

let compiled: Compiled;
let folder: string;

beforeAll(async () => {
  compiled = await compileMedia();
  folder = await mkdtemp(join(tmpdir(), 'medley-pages-'));
}, 60_000);

afterAll(async () => {
  await compiled.remove();
  await rm(folder, { recursive: true, force: true });
});

async function measure(site: 'facebook' | 'instagram', html: string) {
  const file = join(folder, 'page.html');
  await writeFile(file, html);
  const args = ['--import', 'tsx', MEASURE, compiled.folder, site, file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  return measured.parse(JSON.parse(stdout));
}

type Page = readonly [name: string, site: 'facebook' | 'instagram', html: () => string, outcome: string];

const hostile = (kind: Parameters<typeof hostilePage>[0], megabytes: number): Page[] => [
  [
    `${megabytes} MB of ${kind}`,
    'facebook',
    () => hostilePage(kind, IDS.reel, megabytes),
    kind === 'copies of the story' || kind === 'manifests' ? '1 items' : 'upstream_changed',
  ],
];

const PAGES: readonly Page[] = [
  ['9 MB', 'instagram', () => ordinaryPage(instagramFixture('polaris-reel.html'), CODES.reel, 9), '1 items'],
  ['0.6 MB', 'instagram', () => ordinaryPage(instagramFixture('polaris-reel.html'), CODES.reel, 0.6), '1 items'],
  ['9 MB', 'facebook', () => ordinaryPage(facebookFixture('reel.html'), IDS.reel, 9), '1 items'],
  ['0.6 MB', 'facebook', () => ordinaryPage(facebookFixture('reel.html'), IDS.reel, 0.6), '1 items'],
  ...hostile('stories of others', 7),
  ...hostile('stories of others', 0.9),
  ...hostile('copies of the story', 7),
  ...hostile('copies of the story', 0.9),
  ...hostile('nested stories', 7),
  ...hostile('nested stories', 0.9),
  ...hostile('many objects', 7),
  ...hostile('many objects', 0.9),
  ...hostile('manifests', 7),
  ...hostile('manifests', 0.9),
];

describe('a large page', () => {
  it.each(PAGES)('%s of %s holds nothing up', { timeout: 90_000 }, async (name, site, html, outcome) => {
    const result = await measure(site, html());
    const perMegabyte = result.tookMs / result.megabytes;
    process.stdout.write(
      `${site}, ${name}: ${result.tookMs.toFixed(0)} ms, ${perMegabyte.toFixed(0)} ms a megabyte, blocked ${result.blockedMs.toFixed(0)} ms at most\n`,
    );
    expect(result.outcome).toBe(outcome);
    expect(perMegabyte).toBeLessThan(MAX_MS_A_MEGABYTE);
    expect(result.blockedMs).toBeLessThan(MAX_BLOCKED_MS);
  });
});

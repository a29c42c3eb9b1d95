import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';

const entry = z.object({
  version: z.string().optional(),
  link: z.boolean().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  optional: z.boolean().optional(),
});
const lockFile = z.object({ packages: z.record(z.string(), entry) });

/**
 * Native parts for other systems, by whose they are. The registry this file was made with did not have them, and a hash cannot be had of
 * what cannot be read. `npm install` on such a system, or with a registry that has them, adds theirs: then they leave this list.
 */
const UNSEEN = /^node_modules\/@(?:wreq-js\/binding|msgpackr-extract\/msgpackr-extract|biomejs\/cli|rollup\/rollup)-/;
const MOST_UNSEEN = 41;

const packages = Object.entries(
  lockFile.parse(JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))).packages,
).filter(([path, { link }]) => path !== '' && link !== true);

it('the lock file says what each package must hash to', () => {
  const unhashed = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(unhashed.filter(([path, { optional }]) => optional !== true || !UNSEEN.test(path))).toEqual([]);
  expect(unhashed.length).toBeLessThanOrEqual(MOST_UNSEEN);
});

it('the lock file names no registry', () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

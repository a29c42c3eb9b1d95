/** What the build keeps out of every process, and what it says where it cannot be made. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const files = readdirSync(dist).filter(name => name.endsWith('.js'));
const read = (name: string) => readFileSync(join(dist, name), 'utf8');

const SourceMap = z.object({ sources: z.array(z.string()) });
const sources = files.flatMap(name => SourceMap.parse(JSON.parse(read(`${name}.map`))).sources);

describe('the built program', () => {
  it('has no letter beyond ASCII, for which Node would hold the text of a large file at two bytes a letter', () => {
    expect(files.length).toBeGreaterThan(20);
    // Strings are escaped by the build; patterns have to be written so.
    const wide = files.flatMap(name =>
      (read(name).match(/.{0,40}[^\0-\x7f].{0,10}/g) ?? []).map(at => `${name}: ${at}`),
    );
    expect(wide).toEqual([]);
  });

  it.each([
    ['the languages of zod', /\/zod\/.*\/locales\//, 1],
    ['an undici beside that of Medley', /\/node_modules\/.+\/undici\//, 0],
  ])('holds nothing of %s', (_, path, atMost) => {
    expect(sources.length).toBeGreaterThan(1_000);
    expect(sources.filter(source => path.test(source)).length).toBeLessThanOrEqual(atMost);
  });
});

it('ends in one sentence on an older Node, which could not load the programs', () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.9.0' } })`;
  const script = fileURLToPath(new URL('../build.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [`--import=data:text/javascript,${old}`, script], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('Medley needs Node 20.18.1 or newer; this is 20.9.0.\n');
  expect(status).toBe(1);
  const { engines } = z
    .object({ engines: z.object({ node: z.string() }) })
    .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));
  expect(engines.node).toBe('>=20.18.1');
});

it('ends in one sentence where this account may not write', () => {
  const folder = mkdtempSync(join(tmpdir(), 'medley-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'build.mjs');
  cpSync(fileURLToPath(new URL('../build.mjs', import.meta.url)), script);
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  mkdirSync(join(folder, 'src'));
  chmodSync(folder, 0o555);
  // Root may write everywhere, unless it gives that up.
  const prefix = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];
  const { status, stderr } = spawnSync('env', [...prefix, process.execPath, script], { encoding: 'utf8' });
  expect(stderr).toBe(
    `The sources changed, and nothing can be built in ${folder} (EACCES): run \`npm run build\` as the account that owns it.\n`,
  );
  expect(status).toBe(1);
});

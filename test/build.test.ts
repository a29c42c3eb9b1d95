/** What the build keeps out of every process. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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

/**
 * `npm run check-api`: lints `/openapi.json` of the built program, generates a client of it and compiles a program that uses that client.
 * The tools come through npx, so that none of them is a dependency; it needs the registry.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../../end-to-end/program.ts';

const LINTER = '@redocly/cli@2';
const GENERATOR = 'openapi-typescript@7';
const COMPILER = 'typescript@5';

const USE = `
import type { components, operations, paths } from './client';

type Post = paths['/api/igdownload']['get']['responses'][200]['content']['application/json'];
type Query = NonNullable<operations['search']['parameters']['query']>;
type Schemas = components['schemas'];

export const files = (post: Post): readonly string[] => post.result.response.data.map(({ url }) => url);
export const query: Query = { q: 'stars>5', mode: 'taiko', sort: 'plays' };
export const best = (scores: Schemas['UserScoresAnswer']): Schemas['Score'] | undefined => scores.scores[0];
export const title = ({ beatmapset }: Schemas['Recommendation']): string => beatmapset.title;
export const ruleset: Schemas['Ruleset'] = 'fruits';
export const why = ({ error }: Schemas['Error']): 'not_found' | string => error.code;
// @ts-expect-error There is no such mode.
export const wrong: Query = { mode: 'piano' };
`;

const folder = await mkdtemp(join(tmpdir(), 'medley-api-'));
const program = await startProgram({ PUBLIC_URL: 'https://medley.test' });
try {
  const origin = await program.ready;
  const response = await fetch(new URL('/openapi.json', origin), { headers: { host: 'medley.test' } });
  await writeFile(join(folder, 'openapi.json'), await response.text());
  await writeFile(join(folder, 'use.ts'), USE);
  const run = (...words: readonly string[]) =>
    execFileSync('npx', ['--yes', ...words], { cwd: folder, stdio: 'inherit' });
  run(LINTER, 'lint', 'openapi.json', '--max-problems', '20');
  run(GENERATOR, 'openapi.json', '--output', 'client.d.ts');
  run('--package', COMPILER, 'tsc', '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', 'use.ts');
  process.stdout.write('The document is clean, and a client of it compiles.\n');
} finally {
  await program.kill();
  await rm(folder, { recursive: true });
}

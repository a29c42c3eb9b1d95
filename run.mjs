// Runs a program in this process: `node run.mjs NAME [ARGUMENT ...]` one of dist/, or `node --import tsx run.mjs FILE` one of the tests. Where
// there are sources, dist/ is built first when they changed. One process, so that a signal to npm reaches the program itself.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [name, ...rest] = process.argv.slice(2);
const path = file => fileURLToPath(new URL(file, import.meta.url));
const program = path(name.endsWith('.ts') ? name : `dist/${name}.js`);

if (existsSync(path('src'))) {
  // A process of its own gives back what building takes; it reads no settings that were meant for the program.
  const { status } = spawnSync(process.execPath, [path('build.mjs')], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}
process.argv.splice(1, process.argv.length, program, ...rest);
await import(pathToFileURL(program).href);

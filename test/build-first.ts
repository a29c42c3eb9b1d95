import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds before the first test when a source is newer than dist/: tests of the built program would otherwise fail misleadingly. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../build.mjs', import.meta.url))], { stdio: 'inherit' });
}

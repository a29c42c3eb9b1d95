import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface BuiltWorker {
  readonly file: URL;
  remove(): Promise<void>;
}

/**
 * A thread as the build makes it, in a folder of its own: threads run what Node can read, and tests need no build before them.
 * @param source in src/beatmaps, without its ending
 */
export async function buildWorker(source = 'difficulty/difficulty-worker'): Promise<BuiltWorker> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-worker-'));
  const path = join(folder, 'worker.js');
  await build({
    entryPoints: [join(ROOT, `src/beatmaps/${source}.ts`)],
    outfile: path,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
  });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return { file: pathToFileURL(path), remove: () => rm(folder, { recursive: true, force: true }) };
}

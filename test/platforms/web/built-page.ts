import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCE = join(ROOT, 'src/platforms/web/page');

export interface BuiltPage {
  readonly folder: string;
  remove(): Promise<void>;
}

/** The page as `npm run build` makes it, in a folder of its own: tests need no build before them. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-page-'));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', SOURCE, '--outDir', folder]);
  await cp(join(SOURCE, 'static'), join(folder, 'static'), { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

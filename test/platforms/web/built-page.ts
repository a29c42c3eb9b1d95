import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = fileURLToPath(new URL('../../../build.mjs', import.meta.url));

export interface BuiltPage {
  readonly folder: string;
  remove(): Promise<void>;
}

/** The page as `npm run build` makes it, in a folder of its own: tests need no build before them. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-page-'));
  await promisify(execFile)(process.execPath, [BUILD, '--page', folder]);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What reading a page needs. */
const PARTS = ['src/errors.ts', 'src/media', 'src/infra'];

export interface Compiled {
  /** The folder that stands for `src`. */
  readonly folder: string;
  remove(): Promise<void>;
}

async function sourcesOf(part: string): Promise<readonly string[]> {
  if (part.endsWith('.ts')) return [part];
  const names = await readdir(join(ROOT, part), { recursive: true });
  return names.filter(name => name.endsWith('.ts')).map(name => join(part, name));
}

/** The modules that read pages, as JavaScript in a folder of their own: threads run what Node can read. */
export async function compileMedia(): Promise<Compiled> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-media-'));
  for (const source of (await Promise.all(PARTS.map(sourcesOf))).flat()) {
    const { outputText } = ts.transpileModule(await readFile(join(ROOT, source), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
    });
    const path = join(folder, source.replace(/\.ts$/, '.js'));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, outputText);
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return { folder: join(folder, 'src'), remove: () => rm(folder, { recursive: true, force: true }) };
}

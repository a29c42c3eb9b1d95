/**
 * The program with a call of the tracer at the head of every function of `src`. A callback that is one expression (`each => each.id`) is
 * part of the function that it stands in.
 */
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type OnLoadArgs } from 'esbuild';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @returns its `main.js`, and the path of each function's file by the number which its calls carry */
export async function buildTraced(folder: string) {
  const functions: string[] = [];
  const names = await readdir(join(ROOT, 'src'), { recursive: true });
  const threads = names.filter(name => name.endsWith('-worker.ts')).map(name => join('src', name));
  const outdir = join(folder, 'dist');
  const options = { absWorkingDir: ROOT, outdir, format: 'esm', platform: 'node', logLevel: 'warning' } as const;
  await mkdir(outdir);
  // The program looks for both in the folder above its own.
  for (const name of ['node_modules', 'package.json']) await symlink(join(ROOT, name), join(folder, name));
  await build({ ...options, entryPoints: ['test/walk/tracer.ts'] });
  await build({
    ...options,
    entryPoints: ['src/main.ts', ...threads],
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    packages: 'external',
    plugins: [{ name: 'trace', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, file => load(file, functions)) }],
    banner: { js: "import { walk as $walk } from './tracer.js';" },
  });
  return { main: join(outdir, 'main.js'), functions };
}

async function load({ path }: OnLoadArgs, functions: string[]) {
  const source = await readFile(path, 'utf8');
  const name = relative(ROOT, path).replaceAll(sep, '/');
  const contents = name.startsWith('src/platforms/web/page/')
    ? source
    : withCalls(source, () => functions.push(name) - 1);
  return { contents, loader: 'ts' } as const;
}

function withCalls(source: string, nextNumber: () => number): string {
  const inserts: { readonly at: number; readonly text: string }[] = [];
  function visit(node: ts.Node): void {
    const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined;
    if (body !== undefined && ts.isBlock(body)) {
      inserts.push({ at: body.getStart() + 1, text: `$walk(${nextNumber()});` });
    } else if (body !== undefined && !ts.isCallExpression(node.parent)) {
      inserts.push({ at: body.getStart(), text: `($walk(${nextNumber()}), ` }, { at: body.end, text: ')' });
    }
    ts.forEachChild(node, visit);
  }
  visit(ts.createSourceFile('', source, ts.ScriptTarget.ESNext, true));
  return inserts
    .sort((a, b) => b.at - a.at)
    .reduce((text, insert) => text.slice(0, insert.at) + insert.text + text.slice(insert.at), source);
}

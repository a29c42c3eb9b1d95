// Builds dist/ with esbuild: `node build.mjs` does nothing when nothing changed; `node build.mjs --page FOLDER` builds the web chat's page
// alone. Types are checked by `npm run types`, not here.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = dirname(fileURLToPath(import.meta.url));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.build-stamp');
/** A build is made here first, so that two of them at once do not delete each other's files. */
const MADE = `${DIST}-${process.pid}`;
const PAGE = join(ROOT, 'src/platforms/web/page');

/** Programs and threads, by the name of their file in dist/. */
const ENTRIES = {
  main: 'src/main.ts',
  doctor: 'src/doctor.ts',
  catalogue: 'src/catalogue.ts',
  live: 'src/live.ts',
  backup: 'src/backup.ts',
  migrate: 'src/migrate.ts',
  'catalogue-worker': 'src/beatmaps/catalogue/catalogue-worker.ts',
  'calculator-process': 'src/beatmaps/difficulty/calculator-process.ts',
  'difficulty-worker': 'src/beatmaps/difficulty/difficulty-worker.ts',
  'page-worker': 'src/media/sources/page-worker.ts',
};

/** Packages with a native part, or with files that they look for beside themselves; and what others would use if it were there. */
const EXTERNAL = [
  'libsql',
  'sharp',
  '@resvg/resvg-js',
  'rosu-pp-js',
  'wreq-js',
  'piscina',
  'esbuild',
  'zlib-sync',
  'bufferutil',
  'utf-8-validate',
];

/** In the order of their cascade; the page loads them as one. */
const STYLES = ['tokens', 'base', 'conversation', 'welcome', 'composer', 'card', 'media', 'gallery', 'item'];

/** What the page needs of the package, by the names that its styles use. */
const FONT_FOLDER = join(ROOT, 'node_modules/@fontsource-variable/figtree');
const FONTS = {
  'figtree-latin.woff2': 'files/figtree-latin-wght-normal.woff2',
  'figtree-latin-ext.woff2': 'files/figtree-latin-ext-wght-normal.woff2',
  'figtree-LICENSE.txt': 'LICENSE',
};

/** CommonJS packages in the bundle ask for Node's own modules by `require`. */
const BANNER = [
  "import{createRequire as $createRequire}from'node:module';",
  "import{fileURLToPath as $fileURLToPath}from'node:url';",
  'const require=$createRequire(import.meta.url);',
  'const __filename=$fileURLToPath(import.meta.url);',
  "const __dirname=$fileURLToPath(new URL('.',import.meta.url));",
].join('');

async function buildPrograms(build) {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: MADE,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    // Names stay: those of errors and functions stand in logs. Shortening them and giving the old ones back as the program runs
    // (keepNames) costs a tenth of a request.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    // Licences name people with letters beyond ASCII; in files of their own they take no memory.
    legalComments: 'external',
    external: EXTERNAL,
    banner: { js: BANNER },
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
  });
}

/** Ends in one sentence where another account, such as that of a service, may not write here. */
function makeFolder() {
  try {
    mkdirSync(MADE);
  } catch ({ code }) {
    const remedy = 'run `npm run build` as the account that owns it';
    process.stderr.write(`The sources changed, and nothing can be built in ${ROOT} (${code}): ${remedy}.\n`);
    process.exit(1);
  }
}

/** Texts are read when they are first spoken, file by file; English ones are in the programs. */
function copyTexts() {
  const from = join(ROOT, 'src/i18n');
  const files = readdirSync(from, { recursive: true }).filter(name => name.endsWith('.json'));
  for (const name of files) {
    mkdirSync(dirname(join(MADE, 'i18n', name)), { recursive: true });
    writeFileSync(join(MADE, 'i18n', name), JSON.stringify(JSON.parse(readFileSync(join(from, name), 'utf8'))));
  }
}

async function buildPage(build, folder) {
  mkdirSync(folder, { recursive: true });
  cpSync(join(PAGE, 'static'), join(folder, 'static'), { recursive: true });
  for (const [name, file] of Object.entries(FONTS)) cpSync(join(FONT_FOLDER, file), join(folder, 'static', name));
  const shared = { bundle: true, minify: true, sourcemap: true, target: 'es2022', logLevel: 'warning' };
  await Promise.all([
    build({
      ...shared,
      entryPoints: { main: join(PAGE, 'main.ts'), sw: join(PAGE, '../worker/sw.ts') },
      outdir: folder,
      format: 'esm',
    }),
    build({
      ...shared,
      stdin: {
        contents: STYLES.map(name => `@import './${name}.css';`).join('\n'),
        resolveDir: join(PAGE, 'styles'),
        loader: 'css',
      },
      // Fonts are beside the page's files, and named by their address.
      external: ['/assets/*'],
      outfile: join(folder, 'static/page.css'),
    }),
  ]);
  compressPage(folder);
}

/** Once here rather than for every visitor. Fonts and PNGs are compressed already. */
function compressPage(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && /\.(js|css|html|svg|webmanifest)$/.test(entry.name),
  );
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const content = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** Moves each file in one step: a program that was started from dist/ a moment ago still finds what it loads. */
function moveToDist() {
  const files = filesIn(MADE);
  for (const name of files) {
    mkdirSync(dirname(join(DIST, name)), { recursive: true });
    renameSync(join(MADE, name), join(DIST, name));
  }
  const built = new Set(files);
  for (const name of filesIn(DIST)) if (!built.has(name)) rmSync(join(DIST, name), { force: true });
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)));
}

/** Changes when a source, a dependency or this file does. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version);
  const files = filesIn(join(ROOT, 'src'))
    .map(name => join(ROOT, 'src', name))
    .sort();
  for (const file of [...files, join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(ROOT, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** As in package.json, of which npm only warns. An older Node cannot load the programs, and would show a page of them. */
const OLDEST_NODE = '20.18.1';
if (process.versions.node.localeCompare(OLDEST_NODE, 'en', { numeric: true }) < 0) {
  process.stderr.write(`Medley needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

const [flag, folder] = process.argv.slice(2);
if (flag === '--page' && folder !== undefined) {
  const { build } = await import('esbuild');
  await buildPage(build, folder);
} else {
  const current = fingerprint();
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== current) {
    makeFolder();
    const { build } = await import('esbuild');
    process.once('exit', () => rmSync(MADE, { recursive: true, force: true }));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
    copyTexts();
    await Promise.all([buildPrograms(build), buildPage(build, join(MADE, 'page'))]);
    moveToDist();
    writeFileSync(STAMP, current);
  }
}

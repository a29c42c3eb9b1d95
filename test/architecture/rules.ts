import { posix } from 'node:path';
import { type ImportFact, readFacts, type SourceFacts, type SourceFile } from './source-facts.ts';

interface Module {
  readonly name: string;
  readonly files: RegExp;
  /** Files of ours that it may import. */
  readonly may: RegExp;
  /** Files that it may import types from, beyond `may`. */
  readonly mayTypes?: RegExp;
  /** False for code that runs where there are no packages. */
  readonly packages?: boolean;
}

const ENTRIES = /^src\/(main|doctor|catalogue|backup|migrate|live)\.ts$/;
/** Puts the parts together, by the configuration it is given. */
const ASSEMBLY = /^src\/(core|media-services|storage|chats|roles|monitoring)\.ts$/;
const CONFIG = /^src\/config\.ts$/;
/** Hides a proxy of the environment from a package; it reads nothing for itself. */
const PROXY_HIDING = /^src\/infra\/http\/browser-package\.ts$/;
/** What runs in a browser: the page, and its service worker. */
const PAGE = /^src\/platforms\/web\/(page|worker)\//;

/** Texts in a language, and the example answers of the API's reference. */
const DATA = /^src\/(i18n\/[\w-]+\/[\w-]+|api\/\w+\/[\w-]+-examples)\.json$/;

/** Whatever is not named is forbidden. The first module whose `files` match is the file's. */
const MODULES: readonly Module[] = [
  { name: 'entry', files: ENTRIES, may: /^src\/(?!(main|doctor|catalogue|backup|migrate|live)\.ts$)/ },
  {
    name: 'assembly',
    files: ASSEMBLY,
    may: /^src\/(?!(main|doctor|catalogue|backup|migrate|live|config|config-values)\.ts$)/,
    mayTypes: CONFIG,
  },
  {
    name: 'doctor',
    files: /^src\/doctor\//,
    may: /^src\/(?!(main|doctor|catalogue|backup|migrate|live|config|config-values)\.ts$)/,
  },
  {
    name: 'migration',
    files: /^src\/migration\//,
    may: /^src\/(migration\/|beatmaps\/|bot\/|media\/|platforms\/discord\/|infra\/|errors\.ts$)/,
  },
  { name: 'config', files: /^src\/config(-values)?\.ts$/, may: /^src\/config-values\.ts$/ },
  { name: 'errors', files: /^src\/errors\.ts$/, may: /^$/ },
  { name: 'i18n', files: /^src\/i18n\//, may: /^src\/i18n\//, mayTypes: /^src\/errors\.ts$/ },
  { name: 'infra', files: /^src\/infra\//, may: /^src\/(infra\/|errors\.ts$)/ },
  { name: 'media', files: /^src\/media\//, may: /^src\/(media\/|infra\/|errors\.ts$)/ },
  { name: 'probe', files: /^src\/probe\//, may: /^src\/(probe\/|media\/|infra\/|errors\.ts$)/ },
  { name: 'beatmaps', files: /^src\/beatmaps\//, may: /^src\/(beatmaps\/|infra\/|errors\.ts$)/ },
  {
    name: 'bot',
    files: /^src\/bot\//,
    may: /^src\/(bot\/|infra\/(concurrency|cache)\/|media\/|beatmaps\/|i18n\/|errors\.ts$)/,
    mayTypes: /^src\/infra\//,
  },
  // Of the texts, the page carries only its own in English, for the moments before the server has sent others.
  { name: 'page', files: PAGE, may: /^src\/(platforms\/web\/page\/|i18n\/en\/web\.json$)/, packages: false },
  ...['discord', 'telegram', 'web'].map(platform),
  { name: 'platform', files: /^src\/platforms\/platform\.ts$/, may: /^$/, mayTypes: /^src\/bot\/contract\// },
  { name: 'api', files: /^src\/api\//, may: /^src\/(api\/|media\/|beatmaps\/|infra\/|errors\.ts$)/ },
];

function platform(name: string): Module {
  const media = 'media\\/(post\\.ts$|delivery\\/|tunnel\\/)';
  const may = `platforms\\/platform\\.ts$|platforms\\/${name}\\/|bot\\/|i18n\\/|infra\\/|errors\\.ts$|${media}`;
  return { name, files: new RegExp(`^src\\/platforms\\/${name}\\/`), may: new RegExp(`^src\\/(${may})`) };
}

/**
 * Each table lists what a folder consists of, in layers: a file imports from its own entry and from the layers before it, never from
 * another entry of its layer. An entry is a folder or a file. A folder inside may have a table of its own.
 */
const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/bot': [
    ['contract'],
    ['stores'],
    ['cards'],
    ['views'],
    ['osu'],
    ['commands'],
    ['tracking'],
    ['runtime'],
    ['answer'],
  ],
  'src/infra': [
    ['concurrency', 'parse-json.ts', 'log-redaction.ts', 'log-destination.ts', 'engine.ts'],
    ['log.ts', 'cache', 'child-process.ts'],
    ['rate-limit', 'store', 'summed-log.ts', 'failure-tally.ts'],
    ['queue', 'http', 'server', 'readiness.ts'],
    ['redis', 'text-translation.ts', 'metrics.ts'],
  ],
  'src/platforms/discord': [
    ['api'],
    ['render'],
    ['outgoing'],
    ['incoming'],
    ['doctor.ts', 'register.ts'],
    ['platform.ts'],
  ],
  'src/platforms/web': [
    ['page', 'worker'],
    ['protocol'],
    ['render'],
    ['outgoing'],
    ['incoming', 'linking'],
    ['examples.ts', 'register.ts'],
    ['platform.ts'],
  ],
  'src/platforms/web/page': [['base'], ['card'], ['composer', 'thread'], ['connection.ts', 'offline.ts'], ['main.ts']],
  'src/beatmaps': [
    ['model'],
    ['query'],
    ['upstreams'],
    ['catalogue', 'difficulty'],
    ['rating'],
    ['plays'],
    ['cache-policy.ts', 'cursor.ts'],
    ['players.ts', 'set-lookup.ts'],
    ['set-search.ts'],
    ['beatmaps.ts'],
    ['recommend'],
    ['beatmap-services.ts'],
  ],
  'src/media': [['post.ts'], ['files', 'parse'], ['extract'], ['sources', 'transcode'], ['tunnel'], ['delivery']],
  'src/platforms/telegram': [
    ['api'],
    ['render'],
    ['outgoing'],
    ['inline'],
    ['incoming'],
    ['register.ts', 'doctor.ts'],
    ['platform.ts'],
  ],
};

/** Packages, or some `members` of them, at home in one place; their types may be named anywhere but in the first two. */
const PACKAGES: ReadonlyArray<{ names: RegExp; home: RegExp; types?: boolean; members?: RegExp }> = [
  { names: /^(discord\.js|@discordjs\/.+|discord-api-types)(\/|$)/, home: /^src\/platforms\/discord\//, types: false },
  { names: /^(telegraf|grammy|@grammyjs\/.+|typegram)(\/|$)/, home: /^src\/platforms\/telegram\//, types: false },
  { names: /^wreq-js$/, home: /^src\/infra\/http\// },
  { names: /^undici$/, home: /^src\/(infra|platforms\/discord)\// },
  // Serving is fine anywhere; asking is not.
  { names: /^(node:)?https?$/, home: /^src\/infra\//, members: /^(request|get|Agent|globalAgent|ClientRequest|\*)$/ },
  { names: /^(node:)?(http2|tls)$/, home: /^src\/infra\// },
  { names: /^ioredis$/, home: /^src\/infra\/redis\// },
  { names: /^libsql$/, home: /^src\/infra\/store\// },
  { names: /^pino$/, home: /^src\/infra\/log\.ts$/ },
  { names: /^(fastify|fastify-.+|@fastify\/.+)$/, home: /^src\/(infra|api|platforms)\// },
];

const BANNED_WORDS = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager', 'managers']);

/** Every breach of the project's rules, one line each, beginning with the file's path. */
export function findViolations(files: readonly SourceFile[]): string[] {
  const known = files.map(file => ({ path: file.path, facts: readFacts(file) }));
  const own = known.flatMap(({ path, facts }) =>
    [...checkName(path), ...checkImports(path, facts), ...checkContent(path, facts)].map(
      violation => `${path}: ${violation}`,
    ),
  );
  return [...own, ...checkFolders(known)];
}

/**
 * Two folders that import each other are one folder in truth. Files of `src` and of a module's root join what is below,
 * so they may.
 */
function checkFolders(files: readonly { readonly path: string; readonly facts: SourceFacts }[]): string[] {
  const imported = new Map<string, string>();
  for (const { path, facts } of files) {
    const folder = posix.dirname(path);
    for (const { specifier = '' } of facts.imports) {
      const other = posix.dirname(posix.join(folder, specifier));
      const isBetween = specifier.startsWith('.') && other !== folder && [folder, other].every(isBelowModule);
      if (isBetween) imported.set(`${folder} ${other}`, path);
    }
  }
  return [...imported].flatMap(([pair, path]) => {
    const [folder = '', other = ''] = pair.split(' ');
    return folder > other && imported.has(`${other} ${folder}`)
      ? [`${path}: imports ${other}, which imports ${folder}`]
      : [];
  });
}

function isBelowModule(folder: string): boolean {
  return folder.split('/').length > 2;
}

function checkName(path: string): string[] {
  const segments = path
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .split('/');
  return segments.flatMap(segment => [
    ...(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(segment) ? [] : [`${segment} is not kebab-case`]),
    ...segment.split('-').flatMap(word => (BANNED_WORDS.has(word) ? [`${word} says nothing`] : [])),
  ]);
}

function checkImports(path: string, facts: SourceFacts): string[] {
  const module = MODULES.find(({ files }) => files.test(path));
  if (module === undefined) return ['belongs to no module'];
  return facts.imports.flatMap(fact => {
    if (fact.specifier === undefined) return ['imports something computed'];
    return /^\.{1,2}\//.test(fact.specifier)
      ? checkOwnImport(path, module, fact, posix.join(posix.dirname(path), fact.specifier))
      : checkPackage(path, module, fact, fact.specifier);
  });
}

function checkOwnImport(path: string, module: Module, fact: ImportFact, target: string): string[] {
  if (!target.startsWith('src/')) return [`imports ${target}, outside of src`];
  if (!target.endsWith('.ts') && !DATA.test(target)) return [`imports ${target} without its ending`];
  const layered = checkLayers(path, target);
  if (layered.length > 0) return layered;
  if (CONFIG.test(target) && !ENTRIES.test(path) && !(fact.isTypeOnly && ASSEMBLY.test(path)))
    return ['imports config, which is for entry files alone'];
  if (module.may.test(target)) return [];
  if (fact.isTypeOnly && module.mayTypes?.test(target) === true) return checkTypeNames(module, fact);
  const kind = module.mayTypes?.test(target) === true ? 'values of ' : '';
  return [`${module.name} may not import ${kind}${target}`];
}

function checkLayers(path: string, target: string): string[] {
  return Object.entries(LAYERS).flatMap(([folder, layers]) => {
    if (!path.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) return [];
    const [own, other] = [placeOf(path, folder, layers), placeOf(target, folder, layers)];
    if (own === undefined) return [`stands in no layer of ${folder}`];
    if (other === undefined) return [`imports ${target}, which stands in no layer of ${folder}`];
    if (own.entry === other.entry || own.layer > other.layer) return [];
    return [`${own.entry} may not import ${other.entry}, which does not come before it in ${folder}`];
  });
}

function placeOf(path: string, folder: string, layers: readonly (readonly string[])[]) {
  const places = layers.flatMap((entries, layer) => entries.map(entry => ({ entry, layer })));
  return places.find(({ entry }) => `${path}/`.startsWith(`${folder}/${entry}/`));
}

/** i18n needs of the errors the union of codes and nothing else. */
function checkTypeNames(module: Module, fact: ImportFact): string[] {
  if (module.name !== 'i18n') return [];
  return fact.names.filter(name => name !== 'ErrorCode').map(name => `i18n may not import the type ${name}`);
}

function checkPackage(path: string, module: Module, fact: ImportFact, name: string): string[] {
  if (module.packages === false) return [`${module.name} may not import ${name}`];
  if (ENTRIES.test(path)) return [];
  return PACKAGES.filter(({ names, home, types = true, members }) => {
    if (!names.test(name) || home.test(path) || (fact.isTypeOnly && types)) return false;
    return members === undefined || fact.names.some(member => members.test(member));
  }).map(() => `${name} is not at home here`);
}

function checkContent(path: string, facts: SourceFacts): string[] {
  const isList = path.endsWith('/index.ts');
  return [
    ...(facts.hasDefaultExport ? ['has a default export'] : []),
    ...(facts.hasReExport ? ['re-exports: import from the file itself'] : []),
    ...(isList && facts.valueExports !== 1 ? ['an index.ts is one list and nothing else'] : []),
    ...(facts.usesProcessEnv && !CONFIG.test(path) && !PROXY_HIDING.test(path)
      ? ['reads process.env, which only config may']
      : []),
    ...(facts.usesGlobalFetch && !PAGE.test(path) ? ['uses the global fetch instead of infra/http.ts'] : []),
  ];
}

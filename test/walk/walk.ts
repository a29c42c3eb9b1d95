/**
 * `npm run walk` prints the way of a request through the program, traced by a call at the head of every function, as one line for each kind
 * of request. `npm run walk -- KIND ...` (`discord` for all that begin so) traces these alone and lists their files in order; `--json` prints
 * the same for programs. Packages, threads and the page are left out. Each request is traced three times, and what one of the traces does
 * not show is not counted, because a timer called it.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { stopChildren } from '../bench/child.ts';
import { buildTraced } from './build.ts';
import { type Ask, openChats } from './chats.ts';

/** Name, whom to ask, and whether the same post was asked for once before. */
const KINDS = [
  ['discord-cold', 'discord', 'cold'],
  ['discord-cached', 'discord', 'cached'],
  ['telegram-cold', 'telegram', 'cold'],
  ['telegram-cached', 'telegram', 'cached'],
  ['web-cold', 'web', 'cold'],
  ['web-cached', 'web', 'cached'],
  ['help', 'help', 'cold'],
  ['igdownload-cold', 'igdownload', 'cold'],
  ['igdownload-cached', 'igdownload', 'cached'],
] as const;
const WARM_UPS = 1;
const TRACES = 3;

type Walk = ReturnType<typeof walkOf>;

let posts = 0;

async function trace(chats: Awaited<ReturnType<typeof openChats>>, ask: Ask): Promise<readonly number[]> {
  await chats.child.ask('begin');
  await ask(`https://www.instagram.com/reel/Walk${String(posts).padStart(7, 'x')}/`);
  return z.array(z.number()).parse(await chats.child.ask('end'));
}

function walkOf(kind: string, traces: readonly (readonly number[])[], functions: readonly string[]) {
  const others = traces.slice(0, -1).map(calls => new Set(calls));
  const calls = traces.at(-1)?.filter(call => others.every(other => other.has(call))) ?? [];
  const paths = calls.map(call => functions[call] ?? '');
  const called = [...new Set(calls)].map(call => functions[call] ?? '');
  const files = [...new Set(called)].map(path => {
    const lines = readFileSync(path, 'utf8').split('\n').length - 1;
    return { path, lines, functions: called.filter(each => each === path).length };
  });
  return {
    kind,
    functions: called.length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    /** Calls whose folder is another one than that of the call before. */
    moves: paths.filter((path, index) => index > 0 && dirname(path) !== dirname(paths[index - 1] ?? '')).length,
    /** In the order of their first calls. */
    files,
  };
}

async function walk(kinds: readonly (typeof KINDS)[number][], folder: string): Promise<readonly Walk[]> {
  const { main, functions } = await buildTraced(folder);
  const chats = await openChats(main, folder);
  const walks: Walk[] = [];
  for (const [kind, who, state] of kinds) {
    const traces: (readonly number[])[] = [];
    for (let count = 0; count < WARM_UPS + TRACES; count += 1) {
      posts += 1;
      if (state === 'cached') await trace(chats, chats.asks[who]);
      traces.push(await trace(chats, chats.asks[who]));
    }
    walks.push(walkOf(kind, traces.slice(-TRACES), functions));
  }
  return walks;
}

function table(walks: readonly Walk[]): string {
  const rows = walks.map(each => [each.kind, each.files.length, each.functions, each.moves, each.lines]);
  return [['', 'files', 'functions', 'moves', 'lines'], ...rows]
    .map(([kind, ...cells]) => `${String(kind).padEnd(17)}${cells.map(cell => String(cell).padStart(10)).join('')}\n`)
    .join('');
}

function way({ kind, files }: Walk): string {
  const lines = files.map(({ path, functions }) => `${String(functions).padStart(5)}  ${path}\n`);
  return `\n${kind}: functions and files, in the order of the first calls\n${lines.join('')}`;
}

const names = process.argv.slice(2).filter(name => name !== '--json');
const kinds = KINDS.filter(([kind]) => names.length === 0 || names.some(name => kind.startsWith(name)));
if (kinds.length === 0) {
  process.stderr.write(`There are ${KINDS.map(([kind]) => kind).join(', ')}.\n`);
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), 'medley-walk-'));
try {
  const walks = await walk(kinds, folder);
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(walks, undefined, 2)}\n`);
  else process.stdout.write([table(walks), ...(names.length > 0 ? walks.map(way) : [])].join(''));
} finally {
  await stopChildren();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

/**
 * Reads pages in a process of its own and prints what each took, as a line of JSON: `node --import tsx measure.ts FOLDER FILES`, with
 * the folder of the compiled modules and files named `facebook-….html` or `instagram-….html`.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { REFS } from '../sources/facebook/fixture.ts';
import { CODES, refOf } from '../sources/instagram/fixture.ts';

const [, , folder = '', ...files] = process.argv;

/** The first read starts the thread and warms the code up. */
const WARM_UP = 1;
/**
 * Of so many reads at most the best counts, and none follows one within the aims: what the machine does beside it comes and goes, what
 * the code does comes every time.
 */
const MEASURED = 5;
const AIM_MS_A_MEGABYTE = 150;
const AIM_BLOCKED_MS = 50;

const compiled = (path: string) => import(pathToFileURL(join(folder, path)).href);
const FACEBOOK: typeof import('../../../src/media/sources/facebook/parse.ts') = await compiled(
  'media/sources/facebook/parse.js',
);
const INSTAGRAM: typeof import('../../../src/media/sources/instagram/parse.ts') = await compiled(
  'media/sources/instagram/parse.js',
);
const KIT: typeof import('../../../src/media/sources/kit/source.ts') = await compiled('media/sources/kit/source.js');

async function itemsOf(site: string, bytes: Buffer): Promise<number> {
  const [ref, read] =
    site === 'facebook' ? [REFS.reel, FACEBOOK.readFacebookPage] : [refOf(CODES.reel), INSTAGRAM.readInstagramAnswer];
  // The bytes of an answer are given back once it has been read, so each read has its own.
  const response = { status: 200, headers: {}, url: ref.url, bytes: Buffer.from(bytes), text: '' };
  const post = await KIT.readSiteAnswer(read, response, { ref, kind: 'page', strategy: 'measured', now: 0 });
  return post.items.length;
}

/** How many items came of it, or the code of the failure. */
async function read(site: string, bytes: Buffer): Promise<string> {
  try {
    return `${await itemsOf(site, bytes)} items`;
  } catch (error) {
    // The compiled modules have an AppError of their own.
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
}

for (const file of files) {
  const site = basename(file).split('-', 1)[0] ?? '';
  const bytes = readFileSync(file);
  for (let count = 0; count < WARM_UP; count += 1) await read(site, bytes);
  let [outcome, tookMs, blockedMs] = ['', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const megabytes = bytes.length / 1024 ** 2;
  const isWithinAims = () => tookMs / megabytes < AIM_MS_A_MEGABYTE && blockedMs < AIM_BLOCKED_MS;
  for (let count = 0; count < MEASURED && !isWithinAims(); count += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    // The first tick is what the next is measured from.
    await wait(50);
    delay.reset();
    await wait(20);
    // The time of the processor, all threads together: other work on the machine makes it hardly longer.
    const before = process.cpuUsage();
    outcome = await read(site, bytes);
    const { user, system } = process.cpuUsage(before);
    tookMs = Math.min(tookMs, (user + system) / 1_000);
    await wait(20);
    delay.disable();
    blockedMs = Math.min(blockedMs, delay.max / 1e6);
  }
  process.stdout.write(`${JSON.stringify({ outcome, tookMs, blockedMs, megabytes })}\n`);
}

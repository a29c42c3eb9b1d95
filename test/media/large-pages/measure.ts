/**
 * Reads one page in a process of its own and prints what it took: `node --import tsx measure.ts FOLDER SITE FILE`, with the folder of
 * the compiled modules. Prints one line of JSON.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../../src/errors.ts';
import { REFS } from '../sources/facebook/fixture.ts';
import { CODES, refOf } from '../sources/instagram/fixture.ts';

const [, , folder = '', site = '', file = ''] = process.argv;

const FACEBOOK: typeof import('../../../src/media/sources/facebook/parse-answer.ts') = await import(
  pathToFileURL(join(folder, 'media/sources/facebook/parse-answer.js')).href
);
const INSTAGRAM: typeof import('../../../src/media/sources/instagram/parse.ts') = await import(
  pathToFileURL(join(folder, 'media/sources/instagram/parse.js')).href
);

const text = readFileSync(file, 'utf8');

async function read(body: string): Promise<string> {
  try {
    if (site === 'facebook') {
      const { items } = await FACEBOOK.parseFacebookAnswer(
        { status: 200, headers: {}, url: REFS.reel.url, text: body },
        REFS.reel,
        0,
      );
      return `${items.length} items`;
    }
    const ref = refOf(CODES.reel);
    const response = { status: 200, headers: {}, url: ref.url, text: body };
    const post = await INSTAGRAM.parseResponse(response, { ref, kind: 'page', strategy: 'measured', now: 0 });
    return `${post.items.length} items`;
  } catch (error) {
    // The compiled modules have an AppError of their own.
    if (error instanceof Error && error.name === AppError.name && 'code' in error) return String(error.code);
    throw error;
  }
}

/** The first reads start the thread and warm the code up; the last is measured. */
const WARM_UP = 4;
for (let count = 0; count < WARM_UP; count += 1) await read(text);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
// The first tick is what the next is measured from.
await new Promise(resolve => setTimeout(resolve, 100));
delay.reset();
await new Promise(resolve => setTimeout(resolve, 20));
const started = performance.now();
const outcome = await read(text);
const tookMs = performance.now() - started;
await new Promise(resolve => setTimeout(resolve, 20));
delay.disable();
process.stdout.write(
  `${JSON.stringify({ outcome, tookMs, blockedMs: delay.max / 1e6, megabytes: text.length / 1024 ** 2 })}\n`,
);

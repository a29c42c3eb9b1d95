/** Whether an answer to a changed page is right, or rightly named. */
import { AppError, type ErrorCode } from '../../../src/errors.ts';
import type { MediaItem } from '../../../src/media/post.ts';
import type { Outcome, Reading } from './posts.ts';

/** Codes that say that the site, not the post, is why there is no answer. */
const OF_THE_SITE: ReadonlySet<ErrorCode> = new Set([
  'upstream_changed',
  'upstream_unavailable',
  'upstream_rate_limited',
  'login_required',
]);

/** One file has many signatures: its path is its name. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

function pathsOf(item: MediaItem): readonly string[] {
  return item.variants.map(variant => pathOf(variant.url));
}

function isSameItem(item: MediaItem, original: MediaItem | undefined): boolean {
  if (original === undefined || item.kind !== original.kind) return false;
  const known = new Set(pathsOf(original));
  return pathsOf(item).every(path => known.has(path));
}

/**
 * What is wrong with an answer; null for the whole post, for a part of it that says how much is missing, and for a post of words, which is
 * what an emptied list of attachments says, where no file is left.
 */
export function flawOfReading(reading: Reading, original: Reading, body: string): string | null {
  const total = original.items.length + original.missingItems;
  if (reading.items.length === 0) {
    const isWords = reading.missingItems === 0 && !holdsFiles(body, original);
    return isWords ? null : 'an answer without an item';
  }
  // How many are missing is not always said; that some are, is.
  if (reading.missingItems === 0 && reading.items.length !== total) {
    return `${reading.items.length} items of ${total}, and none said to be missing`;
  }
  const foreign = reading.items.find(
    item =>
      !isSameItem(
        item,
        original.items.find(one => one.position === item.position),
      ),
  );
  return foreign === undefined ? null : `item ${foreign.position} is another, of kind ${foreign.kind}`;
}

/** Whether an answer still holds a file of the post, under whatever name. */
function holdsFiles(body: string, original: Reading): boolean {
  const files = original.items.flatMap(pathsOf).map(path => path.slice(path.lastIndexOf('/')));
  return files.some(file => body.includes(file));
}

/** The same for whatever came of a changed answer. `isHeld`: it still holds the asked id. */
export function flawOf(outcome: Outcome, original: Reading, body: string, isHeld: boolean): string | null {
  if (!(outcome instanceof AppError)) return flawOfReading(outcome, original, body);
  if (OF_THE_SITE.has(outcome.code)) return null;
  const { code, params } = outcome;
  const isGuess = code === 'not_found' && params.weak === 1 && !isHeld;
  return isGuess ? null : `${code}: ${outcome.message}`;
}

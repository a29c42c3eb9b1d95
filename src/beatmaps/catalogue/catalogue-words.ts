import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import type { Store } from '../../infra/store/store.ts';
import { wordDistance } from '../query/query-text.ts';

/** The words of the catalogue in memory, for finding what a mistyped one was meant to be. */
export interface Vocabulary {
  /** Reads the words that are kept, in small portions; until then nothing is corrected. Callers at the same time share one reading. */
  load(): Promise<void>;
  readonly isLoaded: boolean;
  add(text: string): void;
  /** Known words within two mistakes (one in short words), nearest first; what is still being typed may lack its end. */
  correct(word: string, isUnfinished: boolean): readonly string[];
  /** Every word that begins so; undefined where that cannot be said, or there are more than `most`. */
  beginningWith(letters: string, most: number): readonly string[] | undefined;
}

const PAGE = 2_000;
const MIN_LENGTH = 3;
const MAX_LENGTH = 24;
/** Up to this length one mistake is already much. */
const SHORT = 4;
const MAX_COMPARED = 200;
const MAX_CORRECTIONS = 5;
const MAX_WORDS = 1_000_000;
/** New words that are looked through one by one. */
const MAX_LATE = 2_000;

const VersionRow = z.object({ data_version: z.number() });
/** Another number as soon as another process has written. */
const VERSION_SQL = 'PRAGMA data_version';
const PageRow = z.object({ words: z.string().nullable(), last: z.string().nullable() });
const PAGE_SQL = `SELECT group_concat(term || ' ' || doc, ' ') AS words, max(term) AS last
  FROM (SELECT term, doc FROM catalogue_words WHERE term > ? ORDER BY term LIMIT ${PAGE})`;

interface Candidate {
  readonly word: string;
  readonly distance: number;
  readonly uses: number;
}

export function createVocabulary(store: Store): Vocabulary {
  const words: string[] = [];
  const uses: number[] = [];
  const numbers = new Map<string, number>();
  /** Numbers of the words that have a pair of letters. */
  const pairs = new Map<string, NumberList>();
  let lengths = new Uint8Array(1_024);
  let shared = new Uint8Array(1_024);
  const long = new Set<string>();
  /** All there are, long ones too, in order; those that came since are in `late`. */
  let ordered: string[] = [];
  const late: string[] = [];
  let version: number | undefined;
  let loading: Promise<void> | undefined;
  let isLoaded = false;

  function learn(word: string, count: number): void {
    if (word.length < MIN_LENGTH) return;
    const known = numbers.get(word);
    if (known !== undefined) {
      uses[known] = (uses[known] ?? 0) + count;
      return;
    }
    if (words.length + long.size >= MAX_WORDS) {
      version = undefined;
      return;
    }
    if (word.length > MAX_LENGTH) {
      if (!long.has(word)) late.push(word);
      long.add(word);
      return;
    }
    late.push(word);
    const number = words.push(word) - 1;
    uses.push(count);
    numbers.set(word, number);
    if (number >= lengths.length) {
      lengths = doubled(lengths, new Uint8Array(2 * lengths.length));
      shared = new Uint8Array(lengths.length);
    }
    lengths[number] = word.length;
    for (const pair of pairsOf(word)) {
      const having = pairs.get(pair);
      if (having === undefined) pairs.set(pair, createNumberList(number));
      else having.push(number);
    }
  }

  const readVersion = () => store.get(VERSION_SQL, [], VersionRow)?.data_version;

  async function read(): Promise<void> {
    version = readVersion();
    for (let last = ''; ; ) {
      const page = store.get(PAGE_SQL, [last], PageRow);
      if (page?.words == null || page.last === null) break;
      const parts = page.words.split(' ');
      for (let index = 0; index + 1 < parts.length; index += 2) learn(parts[index] ?? '', Number(parts[index + 1]));
      last = page.last;
      await setImmediate();
    }
    putInOrder();
    isLoaded = true;
  }

  function putInOrder(): void {
    ordered = [...new Set([...ordered, ...late.splice(0)])].sort();
  }

  /** Counts in `shared` how many of the pairs each word has. */
  function countShared(own: readonly string[]): void {
    shared.fill(0, 0, words.length);
    for (const pair of own) {
      for (const number of pairs.get(pair)?.values() ?? []) shared[number] = (shared[number] ?? 0) + 1;
    }
  }

  /** Words that have the most pairs of letters in common. */
  function likeliest(word: string, mistakes: number): readonly number[] {
    const own = pairsOf(word);
    // Two letters in the wrong order touch three pairs.
    const least = Math.max(1, own.length - 3 * mistakes);
    const farthest = mistakes + 6;
    const buckets: number[][] = own.map(() => []);
    countShared(own);
    for (let number = 0; number < words.length; number += 1) {
      const count = shared[number] ?? 0;
      if (count < least || Math.abs((lengths[number] ?? 0) - word.length) > farthest) continue;
      const bucket = buckets[count - 1];
      if (bucket !== undefined && bucket.length < MAX_COMPARED) bucket.push(number);
    }
    return buckets.reverse().flat().slice(0, MAX_COMPARED);
  }

  return {
    get isLoaded() {
      return isLoaded;
    },
    load() {
      loading ??= read().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    add(text) {
      // Before the load begins there is nothing to add to; while it runs it may be past these words already.
      if (loading !== undefined) for (const word of new Set(text.split(' '))) learn(word, 1);
    },
    beginningWith(letters, most) {
      if (!isLoaded || letters.length < MIN_LENGTH || version === undefined || version !== readVersion())
        return undefined;
      if (late.length > MAX_LATE) putInOrder();
      const found = late.filter(word => word.startsWith(letters));
      for (let at = firstFrom(ordered, letters); ordered[at]?.startsWith(letters); at += 1) {
        if (found.length > most) break;
        found.push(ordered[at] ?? '');
      }
      return found.length > most ? undefined : found;
    },
    correct(word, isUnfinished) {
      if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
      const mistakes = word.length <= SHORT ? 1 : 2;
      const found: Candidate[] = [];
      for (const number of likeliest(word, mistakes)) {
        const candidate = words[number] ?? '';
        const distance = wordDistance(word, candidate, { most: mistakes, isBeginningEnough: isUnfinished });
        if (distance !== undefined && distance > 0) found.push({ word: candidate, distance, uses: uses[number] ?? 0 });
      }
      return found
        .sort((a, b) => a.distance - b.distance || b.uses - a.uses)
        .slice(0, MAX_CORRECTIONS)
        .map(candidate => candidate.word);
    },
  };
}

/** Finds by halving the first place whose word does not come before `word`. */
function firstFrom(ordered: readonly string[], word: string): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ordered[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Each pair once, the borders of the word included. */
function pairsOf(word: string): readonly string[] {
  const framed = `^${word}$`;
  const found = new Set<string>();
  for (let index = 0; index + 1 < framed.length; index += 1) found.add(framed.slice(index, index + 2));
  return [...found];
}

/** Numbers in few bytes, gone through fast. */
interface NumberList {
  push(number: number): void;
  values(): Uint32Array;
}

function createNumberList(first: number): NumberList {
  let numbers = Uint32Array.of(first, 0);
  let count = 1;
  return {
    push(number) {
      if (count === numbers.length) numbers = doubled(numbers, new Uint32Array(2 * count));
      numbers[count] = number;
      count += 1;
    },
    values: () => numbers.subarray(0, count),
  };
}

function doubled<T extends Uint8Array | Uint32Array>(known: T, larger: T): T {
  larger.set(known);
  return larger;
}

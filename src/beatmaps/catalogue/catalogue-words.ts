import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import type { Store } from '../../infra/store/store.ts';
import { wordDistance } from '../query/query-text.ts';

const PAGE = 2_000;
const MIN_LENGTH = 3;
const MAX_LENGTH = 24;
/** A word of up to this length may have one mistake, a longer word two. */
const SHORT = 4;
const MAX_COMPARED = 200;
const MAX_CORRECTIONS = 5;
const MAX_WORDS = 1_000_000;
/** How many new words may stay unsorted; searches compare these one by one. */
const MAX_LATE = 2_000;

const VersionRow = z.object({ data_version: z.number() });
/** SQLite's command for a number that changes when another process has written to the file. */
const VERSION_SQL = 'PRAGMA data_version';
const PageRow = z.object({ words: z.string().nullable(), last: z.string().nullable() });
const PAGE_SQL = `SELECT group_concat(term || ' ' || doc, ' ') AS words, max(term) AS last
  FROM (SELECT term, doc FROM catalogue_words WHERE term > ? ORDER BY term LIMIT ${PAGE})`;

export type Vocabulary = ReturnType<typeof createVocabulary>;

/** The words of the catalogue in memory, by which mistyped words are corrected. */
export function createVocabulary(store: Store) {
  const index = new PairIndex();
  const inOrder = new OrderedWords();
  const long = new Set<string>();
  let version: number | undefined;
  let loading: Promise<void> | undefined;
  let isLoaded = false;

  function learn(word: string, count: number): void {
    if (word.length < MIN_LENGTH || index.count(word, count) || long.has(word)) return;
    if (index.size + long.size >= MAX_WORDS) {
      // There is no room in memory for this word. Clearing the version makes `beginningWith` return undefined from now
      // on, because the words in memory are no longer all words.
      version = undefined;
      return;
    }
    inOrder.add(word);
    if (word.length > MAX_LENGTH) long.add(word);
    else index.add(word, count);
  }

  const readVersion = () => store.get(VERSION_SQL, [], VersionRow)?.data_version;

  async function read(): Promise<void> {
    version = readVersion();
    for (let last = ''; ; ) {
      const page = store.get(PAGE_SQL, [last], PageRow);
      if (page?.words == null || page.last === null) break;
      const parts = page.words.split(' ');
      for (let at = 0; at + 1 < parts.length; at += 2) learn(parts[at] ?? '', Number(parts[at + 1]));
      last = page.last;
      await setImmediate();
    }
    inOrder.sort();
    isLoaded = true;
  }

  return {
    isLoaded: () => isLoaded,
    /** Reads the stored words in small portions; until then nothing is corrected. Concurrent callers share one read. */
    load() {
      loading ??= read().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    add(text: string) {
      // `load` reads in alphabetical order and may be past the place of a new word, so the word is learnt here.
      if (loading !== undefined) for (const word of new Set(text.split(' '))) learn(word, 1);
    },
    /** All words that begin with `letters`; undefined when not all words are known, or more than `most` match. */
    beginningWith(letters: string, most: number): readonly string[] | undefined {
      const isKnown = isLoaded && letters.length >= MIN_LENGTH && version !== undefined && version === readVersion();
      return isKnown ? inOrder.beginningWith(letters, most) : undefined;
    },
    /**
     * Known words within two mistakes (one if `word` is short), nearest first.
     * @param isUnfinished true when `word` may be only the beginning of the word that is meant
     */
    correct(word: string, isUnfinished: boolean): readonly string[] {
      if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
      const most = word.length <= SHORT ? 1 : 2;
      return index
        .likeliest(word, most)
        .flatMap(candidate => {
          const distance = wordDistance(word, candidate.word, { most, isBeginningEnough: isUnfinished });
          return distance === undefined || distance === 0 ? [] : [{ ...candidate, distance }];
        })
        .sort((a, b) => a.distance - b.distance || b.uses - a.uses)
        .slice(0, MAX_CORRECTIONS)
        .map(candidate => candidate.word);
    },
  };
}

/** Words in alphabetical order, for finding them by their beginnings. */
class OrderedWords {
  #words: readonly string[] = [];
  /** Words that were added since the last sorting. */
  readonly #late: string[] = [];

  add(word: string): void {
    this.#late.push(word);
  }

  sort(): void {
    this.#words = [...this.#words, ...this.#late.splice(0)].sort();
  }

  beginningWith(letters: string, most: number): readonly string[] | undefined {
    if (this.#late.length > MAX_LATE) this.sort();
    const found = this.#late.filter(word => word.startsWith(letters));
    for (let at = firstFrom(this.#words, letters); this.#words[at]?.startsWith(letters); at += 1) {
      if (found.length > most) break;
      found.push(this.#words[at] ?? '');
    }
    return found.length > most ? undefined : found;
  }
}

/** An index of words by the pairs of letters in them. */
class PairIndex {
  readonly #words: string[] = [];
  readonly #uses: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** For each pair of letters, the words that contain it, as positions in `#words`. */
  readonly #pairs = new Map<string, NumberList>();
  #lengths = new Uint8Array(1_024);
  #shared = new Uint8Array(1_024);

  get size(): number {
    return this.#words.length;
  }

  /** Adds to a word's count of uses; false when the word is unknown. */
  count(word: string, uses: number): boolean {
    const number = this.#numbers.get(word);
    if (number !== undefined) this.#uses[number] = (this.#uses[number] ?? 0) + uses;
    return number !== undefined;
  }

  add(word: string, uses: number): void {
    const number = this.#words.push(word) - 1;
    this.#uses.push(uses);
    this.#numbers.set(word, number);
    if (number >= this.#lengths.length) {
      this.#lengths = doubled(this.#lengths, new Uint8Array(2 * this.#lengths.length));
      this.#shared = new Uint8Array(this.#lengths.length);
    }
    this.#lengths[number] = word.length;
    for (const pair of pairsOf(word)) {
      const having = this.#pairs.get(pair);
      if (having === undefined) this.#pairs.set(pair, new NumberList(number));
      else having.push(number);
    }
  }

  /** Words that share the most pairs of letters with `word`. */
  likeliest(word: string, mistakes: number) {
    const own = pairsOf(word);
    // One mistake, such as two swapped letters, changes up to three pairs of letters; all other pairs must be shared.
    const least = Math.max(1, own.length - 3 * mistakes);
    const farthest = mistakes + 6;
    const buckets: number[][] = own.map(() => []);
    const lengths = this.#lengths;
    const shared = this.#countShared(own);
    for (let number = 0; number < this.#words.length; number += 1) {
      const count = shared[number] ?? 0;
      if (count < least || Math.abs((lengths[number] ?? 0) - word.length) > farthest) continue;
      const bucket = buckets[count - 1];
      if (bucket !== undefined && bucket.length < MAX_COMPARED) bucket.push(number);
    }
    const found = buckets.reverse().flat().slice(0, MAX_COMPARED);
    return found.map(number => ({ word: this.#words[number] ?? '', uses: this.#uses[number] ?? 0 }));
  }

  /** Counts for each word how many of the letter pairs `own` it has. */
  #countShared(own: readonly string[]): Uint8Array {
    const shared = this.#shared;
    shared.fill(0, 0, this.#words.length);
    for (const pair of own) {
      for (const number of this.#pairs.get(pair)?.values() ?? []) shared[number] = (shared[number] ?? 0) + 1;
    }
    return shared;
  }
}

/** Finds by binary search the position of the first word that does not come before `word`. */
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

/** The pairs of neighbouring letters in a word, each once, with marks for its beginning and end. */
function pairsOf(word: string): readonly string[] {
  const framed = `^${word}$`;
  const found = new Set<string>();
  for (let index = 0; index + 1 < framed.length; index += 1) found.add(framed.slice(index, index + 2));
  return [...found];
}

/** A growing list of numbers that takes few bytes and is fast to read. */
class NumberList {
  #numbers: Uint32Array;
  #count = 1;

  constructor(first: number) {
    this.#numbers = Uint32Array.of(first, 0);
  }

  push(number: number): void {
    if (this.#count === this.#numbers.length) this.#numbers = doubled(this.#numbers, new Uint32Array(2 * this.#count));
    this.#numbers[this.#count] = number;
    this.#count += 1;
  }

  values(): Uint32Array {
    return this.#numbers.subarray(0, this.#count);
  }
}

function doubled<T extends Uint8Array | Uint32Array>(known: T, larger: T): T {
  larger.set(known);
  return larger;
}

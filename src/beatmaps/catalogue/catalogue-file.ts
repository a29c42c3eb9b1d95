import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Store } from '../../infra/store/store.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import { type CandidateWindow, drawCandidates } from './candidates.ts';
import { CATALOGUE_STEPS, dropSortIndexes, ensureSortIndexes } from './catalogue-schema.ts';
import { createCatalogueSearch } from './catalogue-search.ts';
import { createVocabulary } from './catalogue-words.ts';
import { tidySteps, writeSets } from './catalogue-writer.ts';

export interface CatalogueFileOptions {
  readonly store: Store;
  /** Called with errors of background work, for which no caller waits. */
  onFailure(error: unknown): void;
  /** How long new sets wait to be written together, in milliseconds. Default 500. */
  readonly writeDelayMs?: number;
  /** True when many sets will come while no person is asking, so that more sets are written at once. */
  readonly isFilling?: boolean;
}

const MAX_WAITING = 5_000;
/** How many sets are written at once. This takes about 10 ms, for which other callers may have to wait. */
const PORTION = 50;
const FILLING_PORTION = 1_000;

const PlaceRow = z.object({ place: z.string() });
const PLACE = 'SELECT place FROM catalogue_places WHERE name = ?';
const KEEP_PLACE = 'INSERT OR REPLACE INTO catalogue_places (name, place) VALUES (?, ?)';
const FORGET_PLACE = 'DELETE FROM catalogue_places WHERE name = ?';

/** The catalogue in its file, used in the calling thread. `Catalogue` describes the methods. */
export function openCatalogueFile(options: CatalogueFileOptions) {
  const { store, onFailure, writeDelayMs = 500, isFilling = false } = options;
  store.migrate('catalogue', CATALOGUE_STEPS);
  if (isFilling) dropSortIndexes(store);
  else ensureSortIndexes(store);
  const vocabulary = createVocabulary(store);
  const queue = createWriteQueue({
    write(sets) {
      for (const text of store.transaction(() => writeSets(store, sets))) vocabulary.add(text);
    },
    portion: isFilling ? FILLING_PORTION : PORTION,
    delayMs: writeDelayMs,
    onFailure,
  });
  const reading = createCatalogueSearch(store, vocabulary, error => {
    // Closing the file aborts the loading of the vocabulary, which is no failure.
    if (!queue.isClosed()) onFailure(error);
  });

  return {
    ...reading,
    remember: (sets: readonly Beatmapset[]) => queue.add(sets.filter(set => set.beatmaps.length > 0)),
    flush: queue.flush,
    sets: (ids: readonly number[]) => ids.flatMap(id => reading.set(id) ?? []),
    draw: (window: CandidateWindow, size: number, seed: number) => drawCandidates(store, window, size, seed),
    place: (name: string) => store.get(PLACE, [name], PlaceRow)?.place,
    async keepPlace(name: string, place: string | null) {
      await queue.flush();
      if (place === null) store.run(FORGET_PLACE, [name]);
      else store.run(KEEP_PLACE, [name, place]);
    },
    async tidy() {
      await queue.flush();
      for (const _ of tidySteps(store)) await setImmediate();
      ensureSortIndexes(store);
    },
    warm: vocabulary.load,
    close: queue.close,
  };
}

interface WriteQueueOptions {
  write(sets: readonly Beatmapset[]): void;
  /** How many sets are written at once; the calling thread is blocked meanwhile. */
  readonly portion: number;
  readonly delayMs: number;
  onFailure(error: unknown): void;
}

/** How many times a flush waits for another process to finish writing. After that the flush fails. */
const MAX_WAITS = 60;

/** A queue of sets to be written: in portions, so that other work can run in between. */
function createWriteQueue({ write, portion, delayMs, onFailure }: WriteQueueOptions) {
  const waiting = new Map<number, Beatmapset>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function append(sets: readonly Beatmapset[]): void {
    for (const set of sets) {
      waiting.delete(set.id);
      waiting.set(set.id, set);
    }
  }

  function writePortion(): void {
    const sets = [...waiting.values()].slice(0, portion);
    // The sets leave the queue before they are written, so that a portion that cannot be written is not tried for ever.
    for (const { id } of sets) waiting.delete(id);
    try {
      if (sets.length > 0) write(sets);
    } catch (error) {
      if (isBusy(error)) {
        // If another process was writing, the sets return to the queue, unless newer copies were added since.
        const newer = [...waiting.values()];
        waiting.clear();
        append([...sets, ...newer]);
      }
      throw error;
    }
  }

  function schedule(): void {
    if (timer !== undefined || isClosed || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      try {
        writePortion();
      } catch (error) {
        if (!isBusy(error)) onFailure(error);
      }
      schedule();
    }, delayMs);
    timer.unref();
  }

  return {
    isClosed: () => isClosed,
    /**
     * Adds sets; of two sets with the same id the later one stays. A full queue drops its oldest sets, which upstreams
     * will send again.
     */
    add(sets: readonly Beatmapset[]): void {
      if (isClosed) return;
      append(sets);
      for (const id of waiting.keys()) {
        if (waiting.size <= MAX_WAITING) break;
        waiting.delete(id);
      }
      schedule();
    },
    /** Resolves when all queued sets are written. @throws what writing throws */
    async flush(): Promise<void> {
      for (let waits = 0; waiting.size > 0; ) {
        try {
          writePortion();
          await setImmediate();
        } catch (error) {
          waits += 1;
          if (!isBusy(error) || waits > MAX_WAITS) throw error;
          await sleep(delayMs);
        }
      }
    },
    /** Writes all queued sets at once; sets that are added later are ignored. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
      try {
        while (waiting.size > 0) writePortion();
      } catch (error) {
        waiting.clear();
        onFailure(error);
      }
    },
  };
}

/** True when another process writes to the file, such as `npm run catalogue` while it builds an index. */
function isBusy(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY';
}

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Store } from '../../infra/store/store.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import { createCandidatePool } from './candidates.ts';
import type { CatalogueWork } from './catalogue-messages.ts';
import { CATALOGUE_STEPS, dropSortIndexes, ensureSortIndexes } from './catalogue-schema.ts';
import { type CatalogueSearch, createCatalogueSearch } from './catalogue-search.ts';
import { createVocabulary } from './catalogue-words.ts';
import { tidySteps, writeSets } from './catalogue-writer.ts';

/** The catalogue over its file, in this very thread. See `Catalogue` for what each of these promises. */
export interface CatalogueFile extends CatalogueSearch {
  remember(sets: readonly Beatmapset[]): void;
  flush(): Promise<void>;
  sets: CatalogueWork['sets'];
  draw: CatalogueWork['draw'];
  place(name: string): string | undefined;
  keepPlace(name: string, place: string | null): Promise<void>;
  tidy(): Promise<void>;
  warm(): Promise<void>;
  close(): void;
}

export interface CatalogueFileOptions {
  readonly store: Store;
  /** Gets failures of the background, for which no caller waits. */
  onFailure(error: unknown): void;
  /** Default 500. */
  readonly writeDelayMs?: number;
  /** Many sets are about to come, and there are no other callers: more of them are written at once. */
  readonly isFilling?: boolean;
}

const MAX_WAITING = 5_000;
/** About 10 ms of writing, which a question may have to wait for. */
const PORTION = 50;
const FILLING_PORTION = 1_000;

const PlaceRow = z.object({ place: z.string() });
const PLACE = 'SELECT place FROM catalogue_places WHERE name = ?';
const KEEP_PLACE = 'INSERT OR REPLACE INTO catalogue_places (name, place) VALUES (?, ?)';
const FORGET_PLACE = 'DELETE FROM catalogue_places WHERE name = ?';

/** Another process writes: `npm run catalogue`, for as long as it makes an index. */
function isBusy(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_BUSY';
}

export function openCatalogueFile(options: CatalogueFileOptions): CatalogueFile {
  const { store, onFailure, writeDelayMs = 500, isFilling = false } = options;
  store.migrate('catalogue', CATALOGUE_STEPS);
  if (isFilling) dropSortIndexes(store);
  else ensureSortIndexes(store);
  const vocabulary = createVocabulary(store);
  let isClosed = false;
  const reading = createCatalogueSearch({
    store,
    vocabulary,
    onFailure(error) {
      // Reading words ends with the file.
      if (!isClosed) onFailure(error);
    },
  });
  const pool = createCandidatePool(store);
  const queue = createWriteQueue<Beatmapset>({
    maxSize: MAX_WAITING,
    portion: isFilling ? FILLING_PORTION : PORTION,
    delayMs: writeDelayMs,
    write(sets) {
      for (const text of store.transaction(() => writeSets(store, sets))) vocabulary.add(text);
    },
    isWorthWaiting: isBusy,
    onFailure,
  });

  const readPlace = (name: string) => store.get(PLACE, [name], PlaceRow)?.place;

  function keepPlace(name: string, place: string | null): void {
    if (place === null) store.run(FORGET_PLACE, [name]);
    else store.run(KEEP_PLACE, [name, place]);
  }

  return {
    ...reading,
    remember: sets => queue.add(sets.filter(set => set.beatmaps.length > 0)),
    flush: queue.flush,
    sets: ids => ids.flatMap(id => reading.set(id) ?? []),
    draw: pool.draw,
    place: readPlace,
    async keepPlace(name, place) {
      await queue.flush();
      keepPlace(name, place);
    },
    async tidy() {
      await queue.flush();
      for (const _ of tidySteps(store)) await setImmediate();
      ensureSortIndexes(store);
    },
    warm: vocabulary.load,
    close() {
      isClosed = true;
      queue.close();
    },
  };
}

/** Takes values at once and hands them on later, in portions, so that others have their turn in between. */
export interface WriteQueue<T> {
  /** The later of two with one id is kept. When the queue is full the oldest goes: it will be seen again. */
  add(values: readonly T[]): void;
  /** Resolves when everything that waits is written. @throws what `write` throws */
  flush(): Promise<void>;
  /** Writes everything at once; nothing is taken after. Failures go to `onFailure`. */
  close(): void;
}

export interface WriteQueueOptions<T> {
  readonly maxSize: number;
  /** Written at once: nothing else is done as long as it is written. */
  readonly portion: number;
  readonly delayMs: number;
  write(values: readonly T[]): void;
  /** True when a failed write may succeed a little later. */
  isWorthWaiting?(error: unknown): boolean;
  onFailure(error: unknown): void;
}

/** A flush waits so often before it fails. */
const MAX_WAITS = 60;

function createWriteQueue<T extends { readonly id: number }>(options: WriteQueueOptions<T>): WriteQueue<T> {
  const { maxSize, portion, delayMs, write, isWorthWaiting = () => false, onFailure } = options;
  const waiting = new Map<number, T>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function writePortion(): void {
    const values = [...waiting.values()].slice(0, portion);
    // Gone before they are written: a portion that cannot be written must not be tried for ever.
    for (const { id } of values) waiting.delete(id);
    try {
      if (values.length > 0) write(values);
    } catch (error) {
      if (isWorthWaiting(error)) putBack(values);
      throw error;
    }
  }

  /** Before those that came since, which are newer. */
  function putBack(values: readonly T[]): void {
    const newer = [...waiting];
    waiting.clear();
    for (const value of values) waiting.set(value.id, value);
    for (const [id, value] of newer) {
      waiting.delete(id);
      waiting.set(id, value);
    }
  }

  function schedule(): void {
    if (timer !== undefined || isClosed || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      try {
        writePortion();
      } catch (error) {
        if (!isWorthWaiting(error)) onFailure(error);
      }
      schedule();
    }, delayMs);
    timer.unref();
  }

  return {
    add(values) {
      if (isClosed) return;
      for (const value of values) {
        waiting.delete(value.id);
        waiting.set(value.id, value);
      }
      for (const id of waiting.keys()) {
        if (waiting.size <= maxSize) break;
        waiting.delete(id);
      }
      schedule();
    },
    async flush() {
      for (let waits = 0; waiting.size > 0; ) {
        try {
          writePortion();
          await setImmediate();
        } catch (error) {
          waits += 1;
          if (!isWorthWaiting(error) || waits > MAX_WAITS) throw error;
          await sleep(delayMs);
        }
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      try {
        while (waiting.size > 0) writePortion();
      } catch (error) {
        waiting.clear();
        onFailure(error);
      }
    },
  };
}

import { join } from 'node:path';
import { type AppError, toAppError } from '../../errors.ts';
import { openStore, type Store } from '../../infra/store/store.ts';
import type { Catalogue } from './catalogue.ts';
import { openCatalogueFile } from './catalogue-file.ts';
import { catalogueBy, perform } from './catalogue-messages.ts';
import { createCatalogueThread } from './catalogue-thread.ts';

export interface CatalogueOptions {
  readonly dataDir: string;
  /** Whether this process writes the catalogue; where several share one, the others only read it. Default: it does. */
  readonly isFiller?: () => boolean;
  /** Many sets are about to come, and no person asks meanwhile: more of them are written at once. Default false. */
  readonly isFilling?: boolean;
  /** No caller waits for it. `message` says what it means for people. */
  onFailure(error: AppError, message: string): void;
  /** The compiled thread. Default: the file beside the program; run from source, no thread but the caller's own. */
  readonly workerFile?: URL | undefined;
}

const THREAD = import.meta.url.endsWith('.ts') ? undefined : new URL('./catalogue-worker.js', import.meta.url);

/** The catalogue of a data directory, in a file and a thread of its own. */
export function openCatalogue(options: CatalogueOptions): Catalogue {
  const { dataDir, isFiller = () => true, isFilling = false, onFailure } = options;
  const path = join(dataDir, 'catalogue.db');
  const file = options.workerFile ?? THREAD;
  if (file === undefined) return createCatalogueHere({ store: openStore(path), isFiller, isFilling, onFailure });
  return createCatalogueThread({ file, path, isFilling, isFiller, onFailure });
}

export interface CatalogueHereOptions {
  /** Closed with the catalogue. */
  readonly store: Store;
  readonly isFiller?: () => boolean;
  readonly isFilling?: boolean;
  /** Default 500. */
  readonly writeDelayMs?: number;
  onFailure(error: AppError, message: string): void;
}

/** The same in the caller's own thread, which is held as long as each question takes. */
export function createCatalogueHere(options: CatalogueHereOptions): Catalogue {
  const { store, isFiller = () => true, onFailure, ...others } = options;
  const file = openCatalogueFile({
    ...others,
    store,
    onFailure: error => onFailure(toAppError(error), 'the catalogue could not be written or read'),
  });
  return {
    ...catalogueBy((name, args) => perform(file, name, args)),
    remember(sets) {
      if (isFiller()) file.remember(sets);
    },
    async close() {
      file.close();
      store.close();
    },
  };
}

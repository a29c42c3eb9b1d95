import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, toAppError } from '../../errors.ts';
import { openStore, type Store } from '../../infra/store/store.ts';
import type { Catalogue } from './catalogue.ts';
import { openCatalogueFile } from './catalogue-file.ts';
import {
  type ArgsOf,
  type CatalogueThreadData,
  catalogueBy,
  errorOf,
  perform,
  type Told,
  type ValueOf,
  type WorkName,
} from './catalogue-messages.ts';

export interface CatalogueOptions {
  readonly dataDir: string;
  /** True while this process writes the catalogue; where several share one, the others only read it. Default: it does. */
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

export interface CatalogueThreadOptions extends CatalogueThreadData {
  /** The compiled thread. */
  readonly file: URL;
  /** True while this process writes the catalogue; where several share one, the others only read it. */
  readonly isFiller: () => boolean;
  /** No caller waits for it. `message` says what it means for people. */
  onFailure(error: AppError, message: string): void;
  /** Before a thread that ended is started again; longer each time. Default 1 000. */
  readonly restartMs?: number;
}

/** More than people ask within the time that an answer may take. */
const MAX_PENDING = 1_000;
/** Lists of sets on their way to the thread. What comes beyond is left out: it will be seen again. */
const MAX_REMEMBERING = 100;
const MAX_RESTARTS = 5;
/** A thread that lived so long before it ended has its restarts again. */
const HEALTHY_MS = 600_000;
/** For what waits to be written when the program ends. */
const CLOSE_MS = 15_000;
/** The words of a very large catalogue take 200 MB. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

const BACKGROUND_FAILURE = 'the catalogue could not be written or read';

interface Pending {
  resolve(value: never): void;
  reject(error: AppError): void;
}

/** A message from the thread, whose value is of the type that was asked for. */
type Heard =
  | Exclude<Told, { readonly kind: 'value' }>
  | { readonly kind: 'value'; readonly id: number; readonly value: never };

/** The catalogue in a thread of its own. A thread that ends is started again a few times; what it was asked then fails. */
export function createCatalogueThread(options: CatalogueThreadOptions): Catalogue {
  const { file, path, isFilling, isFiller, onFailure, restartMs = 1_000 } = options;
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let remembering = 0;
  let restarts = 0;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Why there is no thread now. */
  let away: AppError | undefined;
  let closing: Promise<void> | undefined;

  function settle(id: number): Pending | undefined {
    const waiting = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) worker?.unref();
    return waiting;
  }

  function hear(heard: Heard): void {
    switch (heard.kind) {
      case 'value':
        settle(heard.id)?.resolve(heard.value);
        break;
      case 'failure':
        settle(heard.id)?.reject(errorOf(heard.failure));
        break;
      case 'background failure':
        onFailure(errorOf(heard.failure), BACKGROUND_FAILURE);
        break;
      case 'unusable':
        away = errorOf(heard.failure);
    }
  }

  function start(): void {
    const startedAt = Date.now();
    const data: CatalogueThreadData = { path, isFilling };
    const thread = new Worker(file, { workerData: data, env: {}, execArgv: [], resourceLimits: RESOURCE_LIMITS });
    worker = thread;
    away = undefined;
    let cause: unknown;
    thread.unref();
    thread.on('message', hear);
    thread.on('messageerror', error => {
      cause = error;
      void thread.terminate();
    });
    thread.on('error', error => {
      cause = error;
    });
    thread.once('exit', () => {
      worker = undefined;
      if (Date.now() - startedAt >= HEALTHY_MS) restarts = 0;
      lose(cause);
    });
  }

  /** Fails what was asked, and has another thread started unless it is the end. */
  function lose(cause: unknown): void {
    away ??= new AppError('upstream_unavailable', 'the thread of the catalogue has ended', { cause });
    for (const id of [...pending.keys()]) settle(id)?.reject(away);
    if (closing !== undefined) return;
    if (restarts >= MAX_RESTARTS) {
      onFailure(away, 'there is no catalogue until the next start');
      return;
    }
    onFailure(away, 'the catalogue is away, and started again');
    timer = setTimeout(start, restartMs * 2 ** restarts);
    timer.unref();
    restarts += 1;
  }

  function ask<Name extends WorkName>(name: Name, args: ArgsOf<Name>): Promise<ValueOf<Name>> {
    return new Promise((resolve, reject) => {
      if (closing !== undefined) return reject(new AppError('upstream_unavailable', 'the catalogue is closed'));
      if (worker === undefined) return reject(away);
      if (pending.size >= MAX_PENDING) {
        return reject(new AppError('rate_limited', 'too many ask the catalogue', { params: { reason: 'busy' } }));
      }
      lastId += 1;
      pending.set(lastId, { resolve, reject });
      worker.ref();
      worker.postMessage({ id: lastId, name, args });
    });
  }

  async function end(): Promise<void> {
    clearTimeout(timer);
    const thread = worker;
    if (thread === undefined) return;
    thread.ref();
    const ended = new Promise<void>(resolve => thread.once('exit', () => resolve()));
    const late = setTimeout(() => {
      onFailure(new AppError('timeout', 'the catalogue takes too long to close'), 'what waited to be written is lost');
      void thread.terminate();
    }, CLOSE_MS);
    thread.postMessage('close');
    await ended;
    clearTimeout(late);
  }

  start();
  return {
    ...catalogueBy(ask),
    remember(sets) {
      const isFull = remembering >= MAX_REMEMBERING || pending.size >= MAX_PENDING;
      if (isFull || closing !== undefined || !isFiller()) return;
      remembering += 1;
      ask('remember', [sets])
        .catch((error: AppError) => {
          // The end of the thread was reported when it happened.
          if (error !== away) onFailure(error, BACKGROUND_FAILURE);
        })
        .finally(() => {
          remembering -= 1;
        });
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}

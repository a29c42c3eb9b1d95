import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, fromErrorData, toAppError } from '../../errors.ts';
import { openStore } from '../../infra/store/store.ts';
import type { Catalogue } from './catalogue.ts';
import { type CatalogueFileOptions, openCatalogueFile } from './catalogue-file.ts';
import {
  type ArgsOf,
  type CatalogueMessage,
  type CatalogueThreadData,
  type CatalogueWork,
  catalogueBy,
  type ValueOf,
  type WorkName,
} from './catalogue-messages.ts';

export interface CatalogueOptions {
  /** True while this process writes the catalogue; others that share the file only read. Default: it writes. */
  readonly isFiller?: () => boolean;
  /** True when many sets will come while no person is asking, so that more are written at once. Default false. */
  readonly isFilling?: boolean;
  /** Reports an error for which no caller waits; `message` says what it means for the operator. */
  onFailure(error: AppError, message: string): void;
}

export interface CatalogueOfDataDir extends CatalogueOptions {
  readonly dataDir: string;
  /** The thread's compiled file. Default: the one beside the program; a run from source uses no thread. */
  readonly workerFile?: URL | undefined;
}

const THREAD = import.meta.url.endsWith('.ts') ? undefined : new URL('./catalogue-worker.js', import.meta.url);

/** Opens the catalogue in a data directory, in a file and a thread of its own. */
export function openCatalogue({ dataDir, workerFile: file = THREAD, ...options }: CatalogueOfDataDir): Catalogue {
  const path = join(dataDir, 'catalogue.db');
  if (file === undefined) return createCatalogueHere({ ...options, store: openStore(path) });
  return createCatalogueThread({ ...options, file, path });
}

const BACKGROUND_FAILURE = 'the catalogue could not be written or read';

export type CatalogueHereOptions = CatalogueOptions & Pick<CatalogueFileOptions, 'store' | 'writeDelayMs'>;

/** The catalogue in the caller's thread, which each call blocks. Closing the catalogue closes the store. */
export function createCatalogueHere({ isFiller, onFailure, ...options }: CatalogueHereOptions): Catalogue {
  const onBackgroundFailure = (error: unknown) => onFailure(toAppError(error), BACKGROUND_FAILURE);
  const file = openCatalogueFile({ ...options, onFailure: onBackgroundFailure });
  const work: CatalogueWork = file;
  const perform = async <Name extends WorkName>(name: Name, args: ArgsOf<Name>): Promise<ValueOf<Name>> =>
    await work[name](...args);
  return {
    ...catalogueBy(perform),
    remember(sets) {
      if (isFiller?.() !== false) file.remember(sets);
    },
    async close() {
      file.close();
      options.store.close();
    },
  };
}

/** The most calls that may wait for the thread: more than people can make while the thread answers one call. */
const MAX_PENDING = 1_000;
/** How many lists of sets may wait for the thread; further ones are dropped, as upstreams will send them again. */
const MAX_REMEMBERING = 100;
const MAX_RESTARTS = 5;
/** After a thread ran for this long, earlier restarts no longer count against their limit. */
const HEALTHY_MS = 600_000;
/** How long writing the remembered sets may take when the thread is to end. */
const CLOSE_MS = 15_000;
/** A thread that is asked nothing for this long is ended, to free its memory and the words that it has loaded. */
const IDLE_MS = 600_000;
/** The bounds of the thread's memory. The words of a very large catalogue take 200 MB. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

export interface CatalogueThreadOptions extends CatalogueOptions {
  readonly path: string;
  /** The thread's compiled file. */
  readonly file: URL;
  /** The delay before a thread that ended is started again, in milliseconds; it grows each time. Default 1 000. */
  readonly restartMs?: number;
  /** How long the thread runs without a call, in milliseconds. Default 600 000. */
  readonly idleMs?: number;
}

/**
 * The catalogue in a thread, which runs from the first call until there was none for a while. If it breaks, open calls
 * fail, and it is restarted a limited number of times.
 */
export function createCatalogueThread(options: CatalogueThreadOptions): Catalogue {
  const { isFiller, onFailure } = options;
  const thread = new CatalogueThread(options);
  let remembering = 0;
  return {
    ...catalogueBy((name, args) => thread.ask(name, args)),
    remember(sets) {
      if (remembering >= MAX_REMEMBERING || !thread.takesMore || isFiller?.() === false) return;
      remembering += 1;
      thread
        .ask('remember', [sets])
        .catch((error: AppError) => {
          // The end of the thread was reported when it happened, so its effects on calls are not reported again.
          if (error !== thread.away) onFailure(error, BACKGROUND_FAILURE);
        })
        .finally(() => {
          remembering -= 1;
        });
    },
    close: () => thread.close(),
  };
}

interface Pending {
  resolve(value: never): void;
  reject(error: AppError): void;
}

class CatalogueThread {
  readonly #options: CatalogueThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #restarts = 0;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when the previous thread, which was idle for too long, has ended. */
  #leaving: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** The error with which calls fail while no thread can run; undefined while one can. */
  away: AppError | undefined;

  constructor(options: CatalogueThreadOptions) {
    this.#options = options;
  }

  get takesMore(): boolean {
    return this.#closing === undefined && this.#pending.size < MAX_PENDING;
  }

  ask<Name extends WorkName>(name: Name, args: ArgsOf<Name>): Promise<ValueOf<Name>> {
    return new Promise((resolve, reject) => {
      if (this.#closing) return reject(new AppError('upstream_unavailable', 'the catalogue is closed'));
      if (this.away !== undefined) return reject(this.away);
      if (!this.takesMore) {
        return reject(new AppError('rate_limited', 'too many ask the catalogue', { params: { reason: 'busy' } }));
      }
      this.#lastId += 1;
      this.#pending.set(this.#lastId, { resolve, reject });
      this.#worker ??= this.#start();
      clearTimeout(this.#timer);
      this.#worker.ref();
      this.#worker.postMessage({ id: this.#lastId, name, args });
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #start(): Worker {
    const { file, path, isFilling = false } = this.#options;
    const startedAt = Date.now();
    const data: CatalogueThreadData = { path, isFilling };
    const thread = new Worker(file, { workerData: data, env: {}, execArgv: [], resourceLimits: RESOURCE_LIMITS });
    let cause: unknown;
    this.#wait(thread);
    thread.on('message', heard => this.#hear(heard));
    thread.on('messageerror', error => {
      cause = error;
      void thread.terminate();
    });
    thread.on('error', error => {
      cause = error;
    });
    thread.once('exit', () => {
      if (this.#worker !== thread) return;
      this.#worker = undefined;
      if (Date.now() - startedAt >= HEALTHY_MS) this.#restarts = 0;
      this.#lose(cause);
    });
    return thread;
  }

  /**
   * Passes a message from the thread on to the caller who waits for it. Only that caller knows the type of the value,
   * so here the value has the type `never`, which fits any type.
   */
  #hear(heard: CatalogueMessage<never>): void {
    if (heard.kind === 'value') this.#take(heard.id)?.resolve(heard.value);
    else if (heard.kind === 'failure') this.#take(heard.id)?.reject(fromErrorData(heard.failure));
    else if (heard.kind === 'unusable') this.away = fromErrorData(heard.failure);
    else this.#options.onFailure(fromErrorData(heard.failure), BACKGROUND_FAILURE);
  }

  #take(id: number): Pending | undefined {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0 && this.#worker !== undefined) this.#wait(this.#worker);
    return waiting;
  }

  /** Fails the open calls, and starts another thread, unless the catalogue is being closed. */
  #lose(cause: unknown): void {
    const { onFailure, restartMs = 1_000 } = this.#options;
    clearTimeout(this.#timer);
    this.away ??= new AppError('upstream_unavailable', 'the thread of the catalogue has ended', { cause });
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(this.away);
    if (this.#closing !== undefined) return;
    if (this.#restarts >= MAX_RESTARTS) {
      onFailure(this.away, 'there is no catalogue until the next start');
      return;
    }
    onFailure(this.away, 'the catalogue is away, and started again');
    this.#timer = setTimeout(
      () => {
        this.away = undefined;
        this.#worker = this.#start();
      },
      restartMs * 2 ** this.#restarts,
    );
    this.#timer.unref();
    this.#restarts += 1;
  }

  /** Ends the thread if no call comes for a while; a later call starts another, even before this one has ended. */
  #wait(thread: Worker): void {
    const { idleMs = IDLE_MS } = this.#options;
    thread.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#worker = undefined;
      this.#leaving = this.#stop(thread);
    }, idleMs);
    this.#timer.unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.all([this.#leaving, this.#worker && this.#stop(this.#worker)]);
  }

  async #stop(thread: Worker): Promise<void> {
    thread.ref();
    const ended = new Promise<void>(resolve => thread.once('exit', () => resolve()));
    const late = setTimeout(() => {
      const error = new AppError('timeout', 'the catalogue takes too long to close');
      this.#options.onFailure(error, 'what waited to be written is lost');
      void thread.terminate();
    }, CLOSE_MS);
    thread.postMessage('close');
    await ended;
    clearTimeout(late);
  }
}

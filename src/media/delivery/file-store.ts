import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import { workContext } from '../../infra/concurrency/running-work.ts';
import type { Logger } from '../../infra/log.ts';
import type { Probe } from '../transcode/probe.ts';
import { createDiskQuota, type DiskQuota, type QuotaReservation } from './disk-quota.ts';
import type { DownloadFailure } from './download.ts';
import { claimSpoolFolder } from './spool-folder.ts';

export interface MadeFile {
  readonly status: 'done';
  readonly bytes: number;
  readonly mime: string;
  /** Facts that the file states about itself; null for an image. */
  readonly probe: Probe | null;
}

export type FileFailure =
  /** `of` is the key of the input file that failed; absent when that is unknown. */
  | (Exclude<DownloadFailure, { readonly status: 'needs_space' }> & { readonly of?: string })
  /** The program that makes the file failed, although all input files were available. */
  | { readonly status: 'tool'; readonly cause: unknown };

export interface HeldFile extends MadeFile {
  readonly path: string;
  /** Releases the file. Safe to call twice. */
  dispose(): Promise<void>;
}

/** Everything that `FileOrder.make` needs to make one file. */
export interface Workplace {
  /** The path at which to make the file; no file exists there yet. */
  readonly path: string;
  /** Aborts when no caller wants the file any more. */
  readonly signal: AbortSignal;
  /**
   * Waits for disk space; space that was reserved earlier is given back first. Resolves with the bytes that the file
   * may have, or undefined after `ROOM_WAIT_MS` without space.
   */
  reserve(bytes: number): Promise<number | undefined>;
  /** Tells all callers who wait for the file how long its encoding will still take. */
  encoding(leftMs: number): void;
}

export interface FileOrder {
  /** Identifies the file: equal keys mean the same file. */
  readonly key: string;
  readonly maxBytes: number;
  readonly make: (workplace: Workplace) => Promise<MadeFile | FileFailure>;
  /** False for a file that is of no use to later callers. Default true. */
  readonly isKept?: boolean;
}

export interface FileStoreOptions {
  /** The folder for files, created when missing. Each process has a folder in it, removed after the process ended. */
  readonly tempDir: string;
  /** The most bytes of all files that callers hold. */
  readonly maxBytes: number;
  /** The most bytes of files that no caller holds but that stay for later callers. */
  readonly keptBytes: number;
  /** A kept file that was not used for this long is deleted. Default: never. */
  readonly keptMs?: number;
  readonly log: Pick<Logger, 'error'>;
}

/** The longest wait for disk space. */
const ROOM_WAIT_MS = 60_000;

/** A file and its state, from the first request for it until it is deleted. */
interface Making {
  readonly key: string;
  readonly maxBytes: number;
  readonly path: string;
  readonly isKept: boolean;
  readonly controller: AbortController;
  readonly outcome: Promise<MadeFile | FileFailure>;
  made: MadeFile | undefined;
  reservation: QuotaReservation | undefined;
  holders: number;
  /** Callbacks of waiting callers who want to know how long the encoding will still take. */
  readonly watchers: Set<(leftMs: number) => void>;
  /** Deletes the kept file when it was not used for `keptMs`. */
  expiry: NodeJS.Timeout | undefined;
  removed: Promise<void> | undefined;
}

/**
 * Files on the disk, by key. Concurrent callers of the same file share its making. A file stays while a caller holds
 * it. After that it stays until space is needed: the least recently used file is deleted first.
 */
export class FileStore {
  readonly #options: FileStoreOptions;
  readonly #folder: ReturnType<typeof claimSpoolFolder>;
  readonly #quota: DiskQuota;
  /** The files that later callers may share, unfinished ones too, by key. */
  readonly #makings = new Map<string, Making>();
  /** All files that are not deleted yet, including those that later callers cannot share any more. */
  readonly #live = new Set<Making>();
  /** Files that no caller holds, the least recently used first. */
  readonly #kept = new Set<Making>();
  #keptBytes = 0;
  #count = 0;
  #isClosed = false;

  constructor(options: FileStoreOptions) {
    this.#options = options;
    this.#folder = claimSpoolFolder(options.tempDir);
    // Held and kept files share one quota; kept files never take more than `keptBytes` of it.
    this.#quota = createDiskQuota(options.maxBytes + options.keptBytes);
  }

  /** @throws the signal's reason when it aborts */
  async hold(order: FileOrder, signal: AbortSignal): Promise<HeldFile | FileFailure> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#isClosed)
        return { status: 'unavailable', cause: new AppError('upstream_unavailable', 'the store is closed') };
      const known = this.#makings.get(order.key);
      const making = known !== undefined && this.#revive(known) ? known : this.#start(order);
      const result = await this.#share(making, order.maxBytes, signal);
      // If the file was too large for an earlier caller's lower limit, it is made again with this caller's limit.
      const limit = Math.min(order.maxBytes, this.#options.maxBytes);
      if (result.status !== 'too_large' || making.maxBytes >= limit) return result;
    }
  }

  /** Aborts the making of all unfinished files and removes every file. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#live].map(making => this.#remove(making)));
    await this.#folder.remove().catch(error => this.#logLeftover(error));
  }

  #start(order: FileOrder): Making {
    this.#count += 1;
    const making: Making = {
      key: order.key,
      maxBytes: Math.min(order.maxBytes, this.#options.maxBytes),
      path: join(this.#folder.path, `${this.#count}`),
      isKept: order.isKept ?? true,
      controller: new AbortController(),
      outcome: Promise.resolve().then(() => this.#run(order, making)),
      made: undefined,
      reservation: undefined,
      holders: 0,
      watchers: new Set(),
      expiry: undefined,
      removed: undefined,
    };
    this.#makings.set(order.key, making);
    this.#live.add(making);
    return making;
  }

  /** Makes the file. Never rejects: all callers may have left by then, so the rejection would be unhandled. */
  async #run(order: FileOrder, making: Making): Promise<MadeFile | FileFailure> {
    let outcome = await this.#make(order, making);
    const isFull = 'cause' in outcome && isDiskFull(outcome.cause);
    if (isFull && this.#kept.size > 0 && !making.controller.signal.aborted) {
      await Promise.all([rm(making.path, { force: true }), ...[...this.#kept].map(one => this.#remove(one))]);
      outcome = await this.#make(order, making);
    }
    if (outcome.status === 'done') {
      making.made = outcome;
      making.reservation?.shrink(outcome.bytes);
    } else this.#forget(making);
    return outcome;
  }

  async #make({ make }: FileOrder, making: Making): Promise<MadeFile | FileFailure> {
    const { path, controller } = making;
    const { signal } = controller;
    try {
      await mkdir(this.#folder.path, { recursive: true, mode: 0o700 });
      const encoding = (leftMs: number) => making.watchers.forEach(watch => void watch(leftMs));
      return await make({ path, signal, reserve: bytes => this.#reserve(making, bytes), encoding });
    } catch (cause) {
      return { status: signal.aborted ? 'unavailable' : 'disk', cause };
    }
  }

  async #reserve(making: Making, bytes: number): Promise<number | undefined> {
    const { signal } = making.controller;
    // Space is given back before more is awaited; otherwise two files could wait for each other for ever.
    making.reservation?.release();
    const patience = AbortSignal.timeout(ROOM_WAIT_MS);
    try {
      making.reservation = await this.#quota.enter(
        Math.min(bytes, this.#options.maxBytes),
        AbortSignal.any([signal, patience]),
      );
      return making.reservation.bytes;
    } catch (error) {
      if (signal.aborted || !patience.aborted) throw error;
      return undefined;
    }
  }

  async #share(making: Making, limit: number, signal: AbortSignal): Promise<HeldFile | FileFailure> {
    making.holders += 1;
    const { onEncoding } = workContext();
    if (onEncoding !== undefined) making.watchers.add(onEncoding);
    let releasing: Promise<unknown> | undefined;
    const dispose = async () => {
      releasing ??= this.#release(making);
      await releasing;
    };
    try {
      const outcome = await abortable(making.outcome, signal);
      if (outcome.status === 'done' && outcome.bytes <= limit) return { ...outcome, path: making.path, dispose };
      await dispose();
      return outcome.status === 'done' ? { status: 'too_large', bytes: outcome.bytes } : outcome;
    } catch (error) {
      await dispose();
      throw error;
    } finally {
      if (onEncoding !== undefined) making.watchers.delete(onEncoding);
    }
  }

  #release(making: Making): Promise<unknown> {
    const { keptBytes, keptMs } = this.#options;
    making.holders -= 1;
    if (making.holders > 0) return Promise.resolve();
    const isWanted = making.isKept && this.#makings.get(making.key) === making && !this.#isClosed;
    if (making.made === undefined || !isWanted || making.made.bytes > keptBytes) return this.#remove(making);
    this.#kept.add(making);
    this.#keptBytes += making.made.bytes;
    if (keptMs !== undefined) making.expiry = setTimeout(() => this.#remove(making), keptMs).unref();
    const removals: Promise<void>[] = [];
    for (const oldest of this.#kept) {
      if (this.#keptBytes <= keptBytes) break;
      removals.push(this.#remove(oldest));
    }
    return Promise.all(removals);
  }

  /** Takes a kept file back into use; returns false if it no longer exists on the disk. */
  #revive(making: Making): boolean {
    if (!this.#leaveKept(making) || existsSync(making.path)) return true;
    void this.#remove(making);
    return false;
  }

  #leaveKept(making: Making): boolean {
    if (!this.#kept.delete(making)) return false;
    clearTimeout(making.expiry);
    this.#keptBytes -= making.made?.bytes ?? 0;
    return true;
  }

  #forget(making: Making): void {
    if (this.#makings.get(making.key) === making) this.#makings.delete(making.key);
  }

  #remove(making: Making): Promise<void> {
    this.#leaveKept(making);
    this.#forget(making);
    making.removed ??= this.#end(making);
    return making.removed;
  }

  async #end(making: Making): Promise<void> {
    making.controller.abort();
    await making.outcome;
    // A file that was never made needs no log line here, because its failure has been logged already.
    await rm(making.path, { force: true }).catch(error => making.made !== undefined && this.#logLeftover(error));
    making.reservation?.release();
    this.#live.delete(making);
  }

  /** Logs a file that cannot be deleted, as on a read-only disk. The next start deletes it with its folder. */
  #logLeftover(error: unknown): void {
    this.#options.log.error({ err: error }, 'a file could not be removed');
  }
}

/** Says whether an error, of Node or in the output of a program, means that the disk is full. */
export function isDiskFull(failure: unknown): boolean {
  let error = failure;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if (('code' in error && error.code === 'ENOSPC') || /no space left on device/i.test(error.message)) return true;
    error = error.cause;
  }
  return false;
}

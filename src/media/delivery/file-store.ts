import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Logger } from '../../infra/log.ts';
import type { Probe } from '../transcode/probe.ts';
import { createDiskQuota, type QuotaReservation } from './disk-quota.ts';
import { claimSpoolFolder } from './spool-folder.ts';

export interface MadeFile {
  readonly status: 'done';
  readonly bytes: number;
  readonly mime: string;
  /** Null for images. */
  readonly probe: Probe | null;
}

export type FileFailure =
  /** `bytes` is null when it became clear only on the way. */
  | { readonly status: 'too_large'; readonly bytes: number | null }
  | {
      readonly status: 'expired' | 'timeout' | 'unavailable' | 'disk';
      readonly cause: unknown;
      /** Which of several files it was, where that is known. */
      readonly of?: string;
    }
  /** The file it was to be made of was there. */
  | { readonly status: 'tool'; readonly cause: unknown };

export interface HeldFile extends MadeFile {
  readonly path: string;
  /** Lets go of the file. Safe to call twice. */
  dispose(): Promise<void>;
}

/** Where one file is made. */
export interface Workplace {
  /** Nothing is there yet. */
  readonly path: string;
  /** Aborts when no caller wants the file any more. */
  readonly signal: AbortSignal;
  /**
   * Waits for room on the disk; what was reserved before is given back first. Resolves with the bytes there may be, or undefined when
   * there was no room for long.
   */
  reserve(bytes: number): Promise<number | undefined>;
}

export interface FileOrder {
  /** The same for the same file. */
  readonly key: string;
  readonly maxBytes: number;
  readonly make: (workplace: Workplace) => Promise<MadeFile | FileFailure>;
  /** False for a file of no use to those who ask later. Default true. */
  readonly isKept?: boolean;
}

/**
 * Files on the disk by their key. Those who want the same one share one making of it. A file stays while a caller holds it, and then
 * as long as there is room for kept ones; those that were not wanted for the longest time go first.
 */
export interface FileStore {
  /** @throws the signal's reason when it aborts */
  hold(order: FileOrder, signal: AbortSignal): Promise<HeldFile | FileFailure>;
  /** Ends every making and removes every file. */
  close(): Promise<void>;
}

export interface FileStoreOptions {
  /** Made when missing. Holds a folder for each process, which removes those of processes that have ended. */
  readonly tempDir: string;
  /** All files together that are held. */
  readonly maxBytes: number;
  /** All files together that are kept but not held. */
  readonly keptBytes: number;
  /** After which a kept file that was not wanted goes. Default never. */
  readonly keptMs?: number;
  readonly log: Pick<Logger, 'error'>;
  /** For room on the disk. Default 60 000. */
  readonly waitMs?: number;
}

interface Job {
  readonly key: string;
  readonly maxBytes: number;
  readonly path: string;
  readonly isKept: boolean;
  readonly controller: AbortController;
  readonly outcome: Promise<MadeFile | FileFailure>;
  made: MadeFile | undefined;
  room: QuotaReservation | undefined;
  holders: number;
  /** Ends its time as a kept file. */
  expiry: NodeJS.Timeout | undefined;
  removed: Promise<void> | undefined;
}

export function createFileStore(options: FileStoreOptions): FileStore {
  const { tempDir, maxBytes, keptBytes, keptMs, log, waitMs = 60_000 } = options;
  const folder = claimSpoolFolder(tempDir);
  // Kept files never take more than their own share of it.
  const gate = createDiskQuota(maxBytes + keptBytes);
  const jobs = new Map<string, Job>();
  const live = new Set<Job>();
  /** Those that are not held, the longest unwanted first. */
  const kept = new Set<Job>();
  let keptNow = 0;
  let count = 0;
  let closed = false;

  function start(order: FileOrder): Job {
    count += 1;
    const job: Job = {
      key: order.key,
      maxBytes: Math.min(order.maxBytes, maxBytes),
      path: join(folder.path, `${count}`),
      isKept: order.isKept ?? true,
      controller: new AbortController(),
      outcome: Promise.resolve().then(() => run(order, job)),
      made: undefined,
      room: undefined,
      holders: 0,
      expiry: undefined,
      removed: undefined,
    };
    jobs.set(order.key, job);
    live.add(job);
    return job;
  }

  /** Never rejects: when no caller wants the file any more, the outcome is not read. */
  async function run(order: FileOrder, job: Job): Promise<MadeFile | FileFailure> {
    const first = await attempt(order, job);
    const mayHelp = 'cause' in first && isDiskFull(first.cause) && kept.size > 0 && !job.controller.signal.aborted;
    if (mayHelp) await Promise.all([rm(job.path, { force: true }), ...[...kept].map(remove)]);
    const outcome = mayHelp ? await attempt(order, job) : first;
    if (outcome.status === 'done') {
      job.made = outcome;
      job.room?.shrink(outcome.bytes);
    } else forget(job);
    return outcome;
  }

  async function attempt({ make }: FileOrder, job: Job): Promise<MadeFile | FileFailure> {
    const { path, controller } = job;
    const { signal } = controller;
    try {
      await mkdir(folder.path, { recursive: true, mode: 0o700 });
      return await make({ path, signal, reserve: bytes => reserve(job, bytes) });
    } catch (cause) {
      return { status: signal.aborted ? 'unavailable' : 'disk', cause };
    }
  }

  async function reserve(job: Job, bytes: number): Promise<number | undefined> {
    const { signal } = job.controller;
    // Waiting for more while holding some could end with everybody waiting for everybody.
    job.room?.release();
    const patience = AbortSignal.timeout(waitMs);
    try {
      job.room = await gate.enter(Math.min(bytes, maxBytes), AbortSignal.any([signal, patience]));
      return job.room.bytes;
    } catch (error) {
      if (signal.aborted || !patience.aborted) throw error;
      return undefined;
    }
  }

  function forget(job: Job): void {
    if (jobs.get(job.key) === job) jobs.delete(job.key);
  }

  function leaveKept(job: Job): boolean {
    if (!kept.delete(job)) return false;
    clearTimeout(job.expiry);
    keptNow -= job.made?.bytes ?? 0;
    return true;
  }

  /** Takes a file that was not held, if it is still there. */
  function revive(job: Job): boolean {
    if (!leaveKept(job)) return true;
    if (existsSync(job.path)) return true;
    void remove(job);
    return false;
  }

  function release(job: Job): Promise<unknown> {
    job.holders -= 1;
    if (job.holders > 0) return Promise.resolve();
    const isCurrent = jobs.get(job.key) === job && !closed;
    const isWanted = job.isKept && isCurrent;
    if (job.made === undefined || !isWanted || job.made.bytes > keptBytes) return remove(job);
    kept.add(job);
    keptNow += job.made.bytes;
    if (keptMs !== undefined) job.expiry = setTimeout(remove, keptMs, job).unref();
    const removals: Promise<void>[] = [];
    for (const oldest of kept) {
      if (keptNow <= keptBytes) break;
      removals.push(remove(oldest));
    }
    return Promise.all(removals);
  }

  /** Never rejects. */
  function remove(job: Job): Promise<void> {
    leaveKept(job);
    forget(job);
    job.removed ??= end(job);
    return job.removed;
  }

  /** On a disk that turned read-only, say. The next start removes it with its folder. */
  function notRemoved(error: unknown): void {
    log.error({ err: error }, 'a file could not be removed');
  }

  async function end(job: Job): Promise<void> {
    job.controller.abort();
    await job.outcome;
    // What could not be made has been said already.
    await rm(job.path, { force: true }).catch(error => job.made !== undefined && notRemoved(error));
    job.room?.release();
    live.delete(job);
  }

  async function share(job: Job, limit: number, signal: AbortSignal): Promise<HeldFile | FileFailure> {
    job.holders += 1;
    let letting: Promise<unknown> | undefined;
    const dispose = async () => {
      letting ??= release(job);
      await letting;
    };
    try {
      const outcome = await abortable(job.outcome, signal);
      if (outcome.status === 'done' && outcome.bytes <= limit) return { ...outcome, path: job.path, dispose };
      await dispose();
      return outcome.status === 'done' ? { status: 'too_large', bytes: outcome.bytes } : outcome;
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  return {
    async hold(order, signal) {
      for (;;) {
        signal.throwIfAborted();
        if (closed)
          return { status: 'unavailable', cause: new AppError('upstream_unavailable', 'the store is closed') };
        const known = jobs.get(order.key);
        const job = known !== undefined && revive(known) ? known : start(order);
        const result = await share(job, order.maxBytes, signal);
        // Others may have begun it for a chat that takes less.
        if (result.status !== 'too_large' || job.maxBytes >= Math.min(order.maxBytes, maxBytes)) return result;
      }
    },

    async close() {
      closed = true;
      await Promise.all([...live].map(remove));
      await folder.remove().catch(notRemoved);
    },
  };
}

/** Whether the disk said so itself, or a program on its behalf. */
export function isDiskFull(failure: unknown): boolean {
  let error = failure;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if (('code' in error && error.code === 'ENOSPC') || /no space left on device/i.test(error.message)) return true;
    error = error.cause;
  }
  return false;
}

import { readdirSync, rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { type ByteRoom, createByteGate } from './byte-gate.ts';
import type { Download, DownloadFailure, DownloadOutcome, DownloadRequest } from './download.ts';

export type SpoolFailure = Exclude<DownloadFailure, { why: 'needs_room' }>;

export interface SpooledFile {
  readonly why: 'done';
  readonly path: string;
  readonly bytes: number;
  readonly mime: string;
  /** Lets go of the file; it is removed when nobody holds it any more. Safe to call twice. */
  dispose(): Promise<void>;
}

export interface SpoolRequest extends Pick<DownloadRequest, 'source' | 'url' | 'mime' | 'maxBytes'> {
  /** The same for the same file. */
  readonly key: string;
  /** What is known or thought of its size. */
  readonly expectedBytes: number | null;
}

/** Files on the disk for as long as somebody holds them. Those who want the same one at once share one download. */
export interface Spool {
  /** @throws the signal's reason when it aborts */
  fetch(request: SpoolRequest, signal: AbortSignal): Promise<SpooledFile | SpoolFailure>;
  /** Ends every download and removes every file. */
  close(): Promise<void>;
}

export interface SpoolOptions {
  /** Made when missing. Holds a folder for each process; those of processes that are gone are removed. */
  readonly tempDir: string;
  /** All files together. */
  readonly maxBytes: number;
  readonly download: Download;
  /** For room on the disk. Default 60 000. */
  readonly waitMs?: number;
}

/** Room for a file whose size nobody knows yet: few are larger, and for those room is made when the CDN says so. */
const USUAL_BYTES = 32 * 1024 * 1024;
/** So that a few of unknown size do not take it all. */
const UNKNOWN_SHARE = 1 / 16;

interface Job {
  readonly maxBytes: number;
  readonly path: string;
  readonly controller: AbortController;
  readonly outcome: Promise<DownloadOutcome>;
  room: ByteRoom | undefined;
  holders: number;
  removed: Promise<void> | undefined;
}

export function createSpool({ tempDir, maxBytes: totalBytes, download, waitMs = 60_000 }: SpoolOptions): Spool {
  const folder = join(tempDir, String(process.pid));
  removeLeftovers(tempDir);
  const gate = createByteGate(totalBytes);
  const jobs = new Map<string, Job>();
  const live = new Set<Job>();
  let made = 0;
  let closed = false;

  function start(request: SpoolRequest): Job {
    made += 1;
    const controller = new AbortController();
    const job: Job = {
      maxBytes: Math.min(request.maxBytes, totalBytes),
      path: join(folder, `${made}`),
      controller,
      outcome: Promise.resolve().then(() => run(request, job)),
      room: undefined,
      holders: 0,
      removed: undefined,
    };
    jobs.set(request.key, job);
    live.add(job);
    return job;
  }

  /** Never rejects: when nobody wants the file any more, nobody reads what becomes of it. */
  async function run(request: SpoolRequest, job: Job): Promise<DownloadOutcome> {
    const outcome = await attempt(request, job).catch(
      (cause: unknown): DownloadFailure => ({ why: job.controller.signal.aborted ? 'unavailable' : 'disk', cause }),
    );
    if (outcome.why !== 'done') forget(request.key, job);
    return outcome;
  }

  async function attempt(request: SpoolRequest, job: Job): Promise<DownloadOutcome> {
    const { source, url, mime, expectedBytes } = request;
    const { maxBytes, path, controller } = job;
    const { signal } = controller;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const usual = Math.min(USUAL_BYTES, totalBytes * UNKNOWN_SHARE);
    for (let wanted = Math.min(expectedBytes ?? usual, maxBytes); ; ) {
      const room = await enter(wanted, signal);
      if (room === undefined) return { why: 'timeout', cause: new AppError('timeout', 'no room on the disk for now') };
      job.room = room;
      const outcome = await download({ source, url, mime, path, maxBytes, roomBytes: room.bytes, signal });
      if (outcome.why === 'done') room.shrink(outcome.bytes);
      if (outcome.why !== 'needs_room' || outcome.bytes <= wanted) return outcome;
      // Waiting for more while holding some could end with everybody waiting for everybody.
      room.release();
      wanted = outcome.bytes;
    }
  }

  /** Undefined when there was no room for long: those who hold it may be waiting for more themselves. */
  async function enter(bytes: number, signal: AbortSignal): Promise<ByteRoom | undefined> {
    const patience = AbortSignal.timeout(waitMs);
    try {
      return await gate.enter(bytes, AbortSignal.any([signal, patience]));
    } catch (error) {
      if (signal.aborted || !patience.aborted) throw error;
      return undefined;
    }
  }

  function forget(key: string, job: Job): void {
    if (jobs.get(key) === job) jobs.delete(key);
  }

  function letGo(key: string, job: Job): Promise<void> {
    job.holders -= 1;
    if (job.holders > 0) return Promise.resolve();
    forget(key, job);
    return remove(job);
  }

  function remove(job: Job): Promise<void> {
    job.removed ??= end(job);
    return job.removed;
  }

  async function end(job: Job): Promise<void> {
    job.controller.abort();
    await job.outcome;
    try {
      await rm(job.path, { force: true });
    } finally {
      job.room?.release();
      live.delete(job);
    }
  }

  async function hold(
    job: Job,
    { key, maxBytes }: SpoolRequest,
    signal: AbortSignal,
  ): Promise<SpooledFile | SpoolFailure> {
    job.holders += 1;
    let letting: Promise<void> | undefined;
    const dispose = () => {
      letting ??= letGo(key, job);
      return letting;
    };
    try {
      const outcome = await unlessAborted(job.outcome, signal);
      if (outcome.why === 'done' && outcome.bytes <= maxBytes) return { ...outcome, path: job.path, dispose };
      await dispose();
      return outcome.why === 'done' || outcome.why === 'needs_room'
        ? { why: 'too_large', bytes: outcome.bytes }
        : outcome;
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  return {
    async fetch(request, signal) {
      for (;;) {
        signal.throwIfAborted();
        if (closed) return { why: 'unavailable', cause: new AppError('upstream_unavailable', 'the spool is closed') };
        const job = jobs.get(request.key) ?? start(request);
        const result = await hold(job, request, signal);
        // Others may have begun it for a chat that takes less.
        if (result.why !== 'too_large' || job.maxBytes >= Math.min(request.maxBytes, totalBytes)) return result;
      }
    },

    async close() {
      closed = true;
      await Promise.all([...live].map(remove));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = () => reject(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}

/** Folders of processes that are gone, and one of this process's number, which another had before. */
function removeLeftovers(tempDir: string): void {
  for (const name of namesIn(tempDir)) {
    const pid = /^\d{1,10}$/.test(name) ? Number(name) : undefined;
    if (pid !== undefined && (pid === process.pid || !isRunning(pid)))
      rmSync(join(tempDir, name), { recursive: true, force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another account.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Logger } from './log.ts';
import type { RecordStore } from './store/records.ts';

/** Checks something that must work before requests are sent to this process. */
export interface ReadinessCheck {
  /** The check's name in one word, such as `store`. */
  readonly name: string;
  /** Why the check fails, in a short sentence without secrets; undefined when it passes. A check that throws fails. */
  check(): string | undefined | Promise<string | undefined>;
  /** False: a failure is reported, but requests may still be sent to this process. Default true. */
  readonly isVital?: boolean;
}

export interface ReadinessReport {
  /** True when every vital check passed. */
  readonly isReady: boolean;
  readonly checks: readonly { readonly name: string; readonly reason: string | undefined }[];
}

export type Readiness = ReturnType<typeof createReadiness>;

export interface ReadinessOptions {
  /** The log gets one line when a check begins to fail, and one when it passes again. */
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly checks?: readonly ReadinessCheck[];
  /** A check that takes longer than this fails. Default 2 000. */
  readonly timeoutMs?: number;
  /** How long a report is reused. Default 2 000. */
  readonly keptMs?: number;
}

export function createReadiness(options: ReadinessOptions) {
  const { log, timeoutMs = 2_000, keptMs = 2_000 } = options;
  const checks = [...(options.checks ?? [])];
  const failing = new Map<string, string>();
  let last: { readonly at: number; readonly report: Promise<ReadinessReport> } | undefined;

  async function reasonOf(check: ReadinessCheck): Promise<string | undefined> {
    const late = pause(timeoutMs, `No answer within ${timeoutMs} ms.`, { ref: false });
    try {
      return await Promise.race([check.check(), late]);
    } catch (error) {
      if (!failing.has(check.name)) log.warn({ check: check.name, err: error }, 'a readiness check failed');
      return 'It could not be checked.';
    }
  }

  function tell(name: string, reason: string | undefined): void {
    const before = failing.get(name);
    if (reason === undefined) failing.delete(name);
    else failing.set(name, reason);
    if (reason !== undefined && before === undefined) log.warn({ check: name, reason }, 'not ready');
    if (reason === undefined && before !== undefined) log.info({ check: name }, 'ready again');
  }

  async function run(): Promise<ReadinessReport> {
    const results = await Promise.all(
      checks.map(async check => ({ ...check, name: check.name, reason: await reasonOf(check) })),
    );
    for (const { name, reason } of results) tell(name, reason);
    return {
      isReady: results.every(({ reason, isVital = true }) => reason === undefined || !isVital),
      checks: results.map(({ name, reason }) => ({ name, reason })),
    };
  }

  return {
    /** Adds a check, for example the check of a module that is created after this registry. */
    add: (check: ReadinessCheck) => void checks.push(check),
    /** Runs the checks and never rejects; callers within `keptMs` get the same report. */
    report(): Promise<ReadinessReport> {
      const now = performance.now();
      if (last === undefined || now - last.at > keptMs) last = { at: now, report: run() };
      return last.report;
    },
  };
}

/** Free bytes that the disk of DATA_DIR must have; with less, no new request is accepted. */
export const MIN_FREE_BYTES = 200_000_000;

/** Returns a sentence that says how little disk space is left; undefined when there is enough. */
export function whyTooFull(freeBytes: number): string | undefined {
  const mega = (bytes: number) => Math.floor(bytes / 1_000_000);
  return freeBytes < MIN_FREE_BYTES ? `Only ${mega(freeBytes)} MB of ${mega(MIN_FREE_BYTES)} are free.` : undefined;
}

/** A check that fails when no file can be made in that folder, or its disk is nearly full. */
export function diskCheck(folder: string): ReadinessCheck {
  return {
    name: 'disk',
    async check() {
      const { bavail, bsize } = await statfs(folder);
      return whyTooFull(bavail * bsize) ?? (await whyNoFile(folder));
    },
  };
}

/** Tries to make a file, because permissions alone do not tell: after errors a disk becomes read-only by itself. */
async function whyNoFile(folder: string): Promise<string | undefined> {
  const path = join(folder, '.writable');
  try {
    await writeFile(path, '');
    await rm(path, { force: true });
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return code === 'EROFS' ? 'It is read-only.' : `No file can be made there (${code}).`;
  }
}

/** A check that fails when nothing can be written to the durable store. */
export function storeCheck(records: RecordStore): ReadinessCheck {
  const marks = records.collection({ name: 'readiness', schema: z.number(), ttlMs: 3_600_000 });
  return {
    name: 'store',
    async check() {
      try {
        await marks.set('written', Date.now());
        return undefined;
      } catch (error) {
        return whyUnwritten(error);
      }
    },
  };
}

/** A plain reason in place of the messages of SQLite and Redis, which name files and commands. */
function whyUnwritten(error: unknown): string {
  const text: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    text.push(cause.message, 'code' in cause ? String(cause.code) : '');
  }
  const all = text.join(' ');
  if (/SQLITE_FULL|is full|ENOSPC/i.test(all)) return 'It cannot be written: the disk is full.';
  if (/READONLY|read-only|readonly|EROFS/i.test(all)) return 'It cannot be written: it is read-only.';
  if (/\bOOM\b/.test(all)) return 'It cannot be written: Redis is full.';
  if (/Redis/i.test(all)) return 'It cannot be written: Redis does not answer.';
  return 'It cannot be written.';
}

import { join } from 'node:path';
import { AppError } from '../../errors.ts';
import { createMemoryCache } from '../../infra/cache/cache.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import { type Beatmap, type Ruleset, rulesetNumber } from '../model/beatmapset.ts';
import { checkMods } from '../model/mods.ts';
import type { Score, ScoreMod } from '../model/score.ts';
import type { Calculator } from './calculator.ts';
import { countHits, type DifficultyFigures, type DifficultyJob } from './difficulty-job.ts';
import { createOsuFileCache } from './osu-file-cache.ts';
import { createOsuFiles } from './osu-files.ts';
import { createDifficultyWorkerPool } from './worker-pool.ts';

export interface DifficultyRequest {
  readonly beatmap: Pick<Beatmap, 'id' | 'checksum' | 'mode'>;
  /** Default: the difficulty's own. Another converts it, which only osu!'s can be. */
  readonly ruleset?: Ruleset;
  /** Acronyms, or a play's mods with their settings. */
  readonly mods: readonly (string | ScoreMod)[];
  /** Accuracies to compute pp for, 0 to 100. */
  readonly accuracies?: readonly number[];
  /** Misses of those plays; by default they are full combos. */
  readonly misses?: number;
  readonly combo?: number;
  /** Computes the pp of this play, of a failed one up to where it ended, and of the same to the end without a miss. */
  readonly play?: Pick<Score, 'statistics' | 'max_combo' | 'lazer'> & { readonly passed?: boolean };
  readonly strains?: boolean;
  /** Scored as the new client does: the play's own, else true. */
  readonly lazer?: boolean;
  /** One of many to choose among: estimates are enough. */
  readonly isScan?: boolean;
}

/** AR, OD, bpm and length are what the mods make of them. */
export interface MapDifficulty extends DifficultyFigures {
  /** True when osu!'s own calculator computed stars and pp; else they are estimates, never to be shown as osu!'s own figures. */
  readonly isExact: boolean;
  /** Day of the rules of the library that estimates; osu!'s own have moved on since. */
  readonly algorithm: string;
  /** Computed from another file than the one whose checksum was named, which no upstream had. */
  readonly isOtherFile: boolean;
}

/**
 * Stars, pp and strains of difficulties, from their `.osu` files, computed beside the program so that no map can hold it up.
 */
export interface Difficulty {
  /**
   * @throws AppError `not_found` (params.what `beatmap`); `invalid_request` (params.what `mods`, `mode`, `accuracies`);
   * `upstream_changed` (params.what `osu_file`) for a map that cannot be computed; `rate_limited` (params.reason `busy`); the
   * upstreams' codes when no upstream has the file; the signal's reason
   */
  of(request: DifficultyRequest, signal: AbortSignal): Promise<MapDifficulty>;
  /** True while figures are expected to be exact. */
  isExact(): boolean;
  close(): Promise<void>;
}

export interface DifficultyOptions {
  readonly http: HttpClient;
  /** Files are kept in its folder `osu`. */
  readonly dataDir: string;
  /** True while this process keeps files, else it only reads those of another process. Default: it does. */
  readonly isFiller?: () => boolean;
  readonly log: Logger;
  /** osu!'s own calculator, where the host has it. */
  readonly calculator?: Calculator;
  /** Threads that compute. Default 1. */
  readonly workers?: number;
  /** One map is computed for so long at most. Default 3000. */
  readonly deadlineMs?: number;
  /** All kept files together take so many at most. Default 256 MiB, about 3,000 files. */
  readonly maxBytes?: number;
  /** Computations that may wait. Default 200. */
  readonly maxWaiting?: number;
  /** The compiled thread. Default: the file beside this one. */
  readonly workerFile?: URL;
  readonly now?: () => number;
}

/** rosu-pp-js 3.1 computes by the rules that osu! announced on this day. */
const DIFFICULTY_ALGORITHM = '2025-03-06';

const MAX_ACCURACIES = 32;
const HOUR_MS = 3_600_000;
/** A figure that is an estimate this time may be exact the next. */
const ESTIMATE_MS = 10 * 60_000;
/** An answer takes 0.5 KB, with its strains about 30. */
const MAX_ANSWERS = 5_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

function refuse(what: string, message: string): AppError {
  return new AppError('invalid_request', message, { params: { what } });
}

function isCount(value: number | undefined): boolean {
  return value === undefined || (Number.isInteger(value) && value >= 0 && value < 1e9);
}

/** @throws AppError `invalid_request` */
function readMods(mods: DifficultyRequest['mods'], ruleset: Ruleset): readonly ScoreMod[] {
  const names = mods.filter(mod => typeof mod === 'string');
  const ofPlay = mods.filter(mod => typeof mod !== 'string');
  return [...checkMods(names, ruleset).map(acronym => ({ acronym })), ...ofPlay];
}

/** @throws AppError `invalid_request` */
function readJob(request: DifficultyRequest): Omit<DifficultyJob, 'file'> {
  const { beatmap, ruleset = beatmap.mode, accuracies = [], misses, combo, play, strains = false } = request;
  if (accuracies.length > MAX_ACCURACIES || accuracies.some(each => !(each >= 0 && each <= 100))) {
    throw refuse('accuracies', `accuracies are up to ${MAX_ACCURACIES} numbers from 0 to 100`);
  }
  if (!isCount(misses) || !isCount(combo)) throw refuse('misses', 'misses and combo are counts');
  if (beatmap.mode !== 'osu' && ruleset !== beatmap.mode) throw refuse('mode', 'only maps of osu! can be converted');
  return {
    mode: rulesetNumber(ruleset),
    mods: readMods(request.mods, ruleset),
    lazer: request.lazer ?? play?.lazer ?? true,
    accuracies,
    misses,
    combo,
    play: play === undefined ? undefined : countHits(play, ruleset),
    strains,
  };
}

function bytesOf({ strains }: MapDifficulty): number {
  return 512 + (strains === null ? 0 : strains.series.reduce((sum, { values }) => sum + values.length * 8, 0));
}

/** How long a failure is true: a map that breaks the library does so again. */
function failureTtlMs(error: unknown): number {
  if (!(error instanceof AppError)) return 0;
  if (error.code === 'upstream_changed' && error.params.what === 'osu_file') return HOUR_MS;
  return error.code === 'not_found' ? HOUR_MS / 6 : 0;
}

export function createDifficulty(options: DifficultyOptions): Difficulty {
  const { http, dataDir, log, calculator, now = Date.now } = options;
  const cache = createOsuFileCache({
    folder: join(dataDir, 'osu'),
    ...(options.isFiller && { isFiller: options.isFiller }),
    maxBytes: options.maxBytes ?? 256 * 1024 * 1024,
    log,
  });
  const files = createOsuFiles({ http, cache, log, now });
  const threads = createDifficultyWorkerPool({
    log,
    threads: options.workers ?? 1,
    deadlineMs: options.deadlineMs ?? 3_000,
    maxWaiting: options.maxWaiting ?? 200,
    ...(options.workerFile === undefined ? {} : { file: options.workerFile }),
  });
  const answers = createMemoryCache<MapDifficulty>({
    maxEntries: MAX_ANSWERS,
    maxSize: MAX_ANSWER_BYTES,
    sizeOf: bytesOf,
    now,
  });

  return {
    async of(request, signal) {
      const { beatmap, isScan = false } = request;
      const job = readJob(request);
      const load = async (own: AbortSignal): Promise<MapDifficulty> => {
        try {
          const { file, isOther } = await files.get(beatmap, own);
          // It refuses what is no map, or was made to break calculators, before that comes to the other one.
          const figures = await threads.run({ ...job, file }, own);
          const exact = isScan ? undefined : await calculator?.run({ ...job, file }, own);
          const isExact = exact !== undefined && !isOther;
          return { ...figures, ...exact, isExact, algorithm: DIFFICULTY_ALGORITHM, isOtherFile: isOther };
        } catch (error) {
          // Those who ask do without and say nothing of it.
          if (!own.aborted) log.info({ err: error, beatmap: beatmap.id }, 'a difficulty could not be worked out');
          throw error;
        }
      };
      const mayBeExact = !isScan && calculator !== undefined;
      const policy = {
        ttlMs({ isOtherFile, isExact }: MapDifficulty) {
          if (mayBeExact && !isExact) return ESTIMATE_MS;
          return isOtherFile || beatmap.checksum === null ? HOUR_MS : 24 * HOUR_MS;
        },
        errorTtlMs: failureTtlMs,
      };
      const key = `difficulty:${beatmap.id}:${beatmap.checksum ?? ''}:${JSON.stringify(job)}${mayBeExact}`;
      const { value } = await answers.wrap(key, load, policy, signal);
      return value;
    },
    isExact: () => calculator?.isUsable() === true,
    async close() {
      calculator?.close();
      await threads.close();
    },
  };
}

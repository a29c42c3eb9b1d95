import { join } from 'node:path';
import { AppError, invalidRequest } from '../../errors.ts';
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
  /** The ruleset to rate for. Default: the difficulty's own. Only maps of osu! can be converted to another ruleset. */
  readonly ruleset?: Ruleset;
  /** Acronyms of mods, or the mods of a play with their settings. */
  readonly mods: readonly (string | ScoreMod)[];
  /** The accuracies to calculate pp for, 0 to 100. */
  readonly accuracies?: readonly number[];
  /** The misses in plays of the requested accuracies. Default 0. */
  readonly misses?: number;
  readonly combo?: number;
  /**
   * A play whose pp are calculated: those of the play as it was, and those of the same play without a miss up to the
   * map's end.
   */
  readonly play?: Pick<Score, 'statistics' | 'max_combo' | 'lazer'> & { readonly passed?: boolean };
  readonly strains?: boolean;
  /** True to score the play as osu!lazer does. Default: as the play's own client does; without a play, true. */
  readonly lazer?: boolean;
  /** True when the map is one of many to choose from, for which estimates are enough. */
  readonly isScan?: boolean;
}

/** The stars, pp and settings of a difficulty with mods, which also change its AR, OD, bpm and length. */
export interface MapDifficulty extends DifficultyFigures {
  /** True when stars and pp are from osu!'s own calculator; else they are estimates, which must be marked as such. */
  readonly isExact: boolean;
  /** The date of the osu! rules by which the estimating library calculates; newer rules of osu! differ from them. */
  readonly algorithm: string;
  /** True when no upstream had the `.osu` file with the map's checksum, and another version of the file was used. */
  readonly isOtherFile: boolean;
}

export type Difficulty = ReturnType<typeof createDifficulty>;

export interface DifficultyOptions {
  readonly http: Pick<HttpClient, 'request'>;
  /** The folder whose subfolder `osu` holds the stored files. */
  readonly dataDir: string;
  /** True while this process stores files; others only read the files. Default: it stores them. */
  readonly isFiller?: () => boolean;
  readonly log: Logger;
  /** osu!'s own calculator, if the host installed it. */
  readonly calculator?: Calculator;
  /** The thread's compiled file. Default: the file beside this one. */
  readonly workerFile?: URL;
  readonly now?: () => number;
}

/** The date on which osu! announced the rules by which rosu-pp-js 3.1 calculates. */
export const DIFFICULTY_ALGORITHM = '2025-03-06';

/** The most bytes of all stored files, about 3,000 of them. */
const MAX_FILES_BYTES = 256 * 1024 * 1024;
/** The longest time for one map. */
const DEADLINE_MS = 3_000;
/** How many calculations may wait. */
const MAX_WAITING = 200;
const MAX_ACCURACIES = 32;
const HOUR_MS = 3_600_000;
/** An estimate is cached briefly, because the next answer may be exact. */
const ESTIMATE_MS = 10 * 60_000;
/** The most cached answers; one takes 0.5 KB, or about 30 KB with its strains. */
const MAX_ANSWERS = 5_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

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
    throw invalidRequest('accuracies', `accuracies are up to ${MAX_ACCURACIES} numbers from 0 to 100`);
  }
  if (!isCount(misses) || !isCount(combo)) throw invalidRequest('misses', 'misses and combo are counts');
  if (beatmap.mode !== 'osu' && ruleset !== beatmap.mode)
    throw invalidRequest('mode', 'only maps of osu! can be converted');
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

/** How long a failure is remembered: a map that broke the library would break it again. */
function failureTtlMs(error: unknown): number {
  if (!(error instanceof AppError)) return 0;
  if (error.code === 'upstream_changed' && error.params.what === 'osu_file') return HOUR_MS;
  return error.code === 'not_found' ? HOUR_MS / 6 : 0;
}

/** Stars, pp and strains of difficulties, calculated from their `.osu` files outside of the main thread. */
export function createDifficulty(options: DifficultyOptions) {
  const { http, dataDir, log, calculator, isFiller, workerFile, now = Date.now } = options;
  const folder = join(dataDir, 'osu');
  const cache = createOsuFileCache({ folder, maxBytes: MAX_FILES_BYTES, log, ...(isFiller && { isFiller }) });
  const files = createOsuFiles(http, cache, log, now);
  const threads = createDifficultyWorkerPool({
    ...{ log, threads: 1, deadlineMs: DEADLINE_MS, maxWaiting: MAX_WAITING },
    ...(workerFile && { file: workerFile }),
  });
  const bounds = { maxEntries: MAX_ANSWERS, maxSize: MAX_ANSWER_BYTES };
  const answers = createMemoryCache<MapDifficulty>({ ...bounds, sizeOf: bytesOf, now });

  return {
    /**
     * @throws AppError `not_found` (params.what `beatmap`); `invalid_request` (params.what `mods`, `mode`,
     * `accuracies`); `upstream_changed` (params.what `osu_file`) for a map that cannot be computed; `rate_limited`
     * (params.reason `busy`); the upstreams' codes when none has the file; the signal's reason
     */
    async of(request: DifficultyRequest, signal: AbortSignal): Promise<MapDifficulty> {
      const { beatmap, isScan = false } = request;
      const job = readJob(request);
      const mayBeExact = !isScan && calculator?.version !== undefined;
      const load = async (own: AbortSignal): Promise<MapDifficulty> => {
        try {
          const { file, isOther } = await files.get(beatmap, own);
          // The estimating library reads the file first, because it refuses malicious files and files that are no maps.
          const figures = await threads.run({ ...job, file }, own);
          const exact = mayBeExact ? await calculator.run({ ...job, file }, own) : undefined;
          const isExact = exact !== undefined && !isOther;
          return { ...figures, ...exact, isExact, algorithm: DIFFICULTY_ALGORITHM, isOtherFile: isOther };
        } catch (error) {
          // The failure is logged here, because callers go on without stars and pp and log nothing.
          if (!own.aborted) log.info({ err: error, beatmap: beatmap.id }, 'a difficulty could not be worked out');
          throw error;
        }
      };
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
    /** True while new stars and pp will be from osu!'s own calculator. */
    isExact: () => calculator?.isUsable() === true,
    async close() {
      calculator?.close();
      await threads.close();
    },
  };
}

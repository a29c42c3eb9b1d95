import * as z from 'zod';
import { createLru } from '../../infra/cache/cache.ts';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import type { Candidate } from '../catalogue/candidates.ts';

export type RecommendationHistory = ReturnType<typeof createRecommendationHistory>;

export interface RecommendationHistoryOptions {
  readonly records: RecordStore;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

const MapIds = z.array(z.number());

/** One record for each answer: the maps in it, in a group for each person. */
export const RECOMMENDATIONS = {
  name: 'recommendations',
  schema: MapIds,
  ttlMs: 28 * 24 * 3_600_000,
  maxRecords: 50_000,
} as const satisfies CollectionOptions<readonly number[]>;

/**
 * Remembers what was recommended to whom, so that it is not recommended again for 28 days. People are known by `callerKey`.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export function createRecommendationHistory({ records, now = Date.now }: RecommendationHistoryOptions) {
  const answers = records.groupedCollection<readonly number[]>(RECOMMENDATIONS);

  return {
    mapsOf: async (key: string): Promise<ReadonlySet<number>> => new Set((await answers.listGroup(key)).flat()),
    async add(key: string, mapIds: readonly number[]) {
      const [first] = mapIds;
      // Two answers of one moment differ in their maps.
      if (first !== undefined) await answers.set(`${key} ${now()} ${first}`, mapIds, key);
    },
    /** Deletes what was recommended to that person. */
    forgetUser: (key: string) => answers.deleteGroup(key),
  };
}

const MAX_ANSWERS = 500;
/** Longer than anyone reads ten maps, and about as long as a list of best plays stays as it is. */
const LATELY_MS = 15 * 60_000;
/** So many are kept for one question; those looked at longer ago fall out. */
const MAX_CANDIDATES = 60;

/**
 * Maps looked at for questions asked lately. Figures that came too late for one answer are there for the next one of the same question,
 * however few maps of a large catalogue are drawn.
 */
export function createRecentAnswers() {
  const recent = createLru<string, readonly Candidate[]>({ max: MAX_ANSWERS, ttl: LATELY_MS });
  return {
    of(question: string) {
      const known = recent.get(question);
      return {
        /** True when the question was asked lately. */
        isRepeat: known !== undefined,
        lookedAt: known ?? [],
        note(lookedAt: readonly Candidate[]) {
          const ids = new Set(lookedAt.map(({ id }) => id));
          // Another answer may have come meanwhile.
          const earlier = (recent.get(question) ?? []).filter(({ id }) => !ids.has(id));
          recent.set(question, [...lookedAt, ...earlier].slice(0, MAX_CANDIDATES));
        },
      };
    },
  };
}

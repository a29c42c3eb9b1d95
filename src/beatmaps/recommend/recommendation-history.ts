import * as z from 'zod';
import { createLru } from '../../infra/cache/cache.ts';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import type { Candidate } from '../catalogue/candidates.ts';

export type RecommendationHistory = ReturnType<typeof createRecommendationHistory>;

export interface RecommendationHistoryOptions {
  readonly records: RecordStore;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

const MapIds = z.array(z.number());

/** The collection of recommended maps: one record for each answer, grouped by person. */
export const RECOMMENDATIONS = {
  name: 'recommendations',
  schema: MapIds,
  ttlMs: 28 * 24 * 3_600_000,
  maxRecords: 50_000,
} as const satisfies CollectionOptions<readonly number[]>;

/**
 * Remembers which maps were recommended to whom, so that nobody gets them again within 28 days. People are stored by
 * `callerKey`.
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export function createRecommendationHistory({ records, now = Date.now }: RecommendationHistoryOptions) {
  const answers = records.groupedCollection<readonly number[]>(RECOMMENDATIONS);

  return {
    mapsOf: async (key: string): Promise<ReadonlySet<number>> => new Set((await answers.listGroup(key)).flat()),
    async add(key: string, mapIds: readonly number[]) {
      const [first] = mapIds;
      // The key includes the first map, because two answers may be stored at the same moment.
      if (first !== undefined) await answers.set(`${key} ${now()} ${first}`, mapIds, key);
    },
    /** Deletes everything that was recommended to this person. */
    forgetUser: (key: string) => answers.deleteGroup(key),
  };
}

const MAX_ANSWERS = 500;
/** How long a question counts as asked lately. A person takes less time to look at about ten maps and to ask again. */
const LATELY_MS = 15 * 60_000;
/** The most maps that are kept for a question; the least recently drawn ones are dropped. */
const MAX_CANDIDATES = 60;

/**
 * Keeps the maps that were drawn for recent questions, and offers them again when a question is repeated. Thus figures
 * that were calculated too late for one answer are used in the next, which would otherwise draw other maps.
 */
export function createRecentAnswers() {
  const recent = createLru<string, readonly Candidate[]>({ max: MAX_ANSWERS, ttl: LATELY_MS });
  return {
    of(question: string) {
      const known = recent.get(question);
      return {
        /** True when the same question was asked lately. */
        isRepeat: known !== undefined,
        lookedAt: known ?? [],
        note(lookedAt: readonly Candidate[]) {
          const ids = new Set(lookedAt.map(({ id }) => id));
          // Another answer to the same question may have added its maps in the meantime, so these are kept too.
          const earlier = (recent.get(question) ?? []).filter(({ id }) => !ids.has(id));
          recent.set(question, [...lookedAt, ...earlier].slice(0, MAX_CANDIDATES));
        },
      };
    },
  };
}

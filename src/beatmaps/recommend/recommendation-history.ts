import * as z from 'zod';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';

/**
 * What was recommended to whom, so that it is not recommended again for 28 days. People by `callerKey`.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface RecommendationHistory {
  mapsOf(key: string): Promise<ReadonlySet<number>>;
  add(key: string, mapIds: readonly number[]): Promise<void>;
  /** Deletes what was recommended to that person. */
  forgetUser(key: string): Promise<void>;
}

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

export function createRecommendationHistory({
  records,
  now = Date.now,
}: RecommendationHistoryOptions): RecommendationHistory {
  const answers = records.groupedCollection<readonly number[]>(RECOMMENDATIONS);

  return {
    mapsOf: async key => new Set((await answers.listGroup(key)).flat()),
    async add(key, mapIds) {
      const [first] = mapIds;
      // Two answers of one moment differ in their maps.
      if (first !== undefined) await answers.set(`${key} ${now()} ${first}`, mapIds, key);
    },
    forgetUser: key => answers.deleteGroup(key),
  };
}

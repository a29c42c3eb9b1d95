import * as z from 'zod';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';

export type RecommendationHistory = ReturnType<typeof createRecommendationHistory>;

const MapIds = z.array(z.number());

/** The collection of recommended maps: one record for each answer, grouped by person. */
export const RECOMMENDATIONS = {
  name: 'recommendations',
  schema: MapIds,
  ttlMs: 28 * 24 * 3_600_000,
  maxRecords: 50_000,
} as const satisfies CollectionOptions<readonly number[]>;

/**
 * Remembers which maps were recommended to whom, so that no person gets them again within 28 days. People are stored by
 * `callerKey`.
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export function createRecommendationHistory({ records, now = Date.now }: { records: RecordStore; now?: () => number }) {
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

import * as z from 'zod';
import type { Logger } from '../../../infra/log.ts';
import type { CollectionOptions, RecordStore } from '../../../infra/store/records.ts';

const Ids = z.array(z.string());
const LIFE_MS = 90 * 24 * 3_600_000;
const MAX_ANSWERS = 100_000;
export const ANSWER_PARTS = {
  name: 'discord-answers',
  schema: Ids,
  ttlMs: LIFE_MS,
  maxRecords: MAX_ANSWERS,
} as const satisfies CollectionOptions<string[]>;

/** The most messages of an answer; twenty galleries of twenty files take fewer. */
const MAX_PARTS = 100;

export type AnswerParts = ReturnType<typeof createAnswerParts>;

/** Remembers the messages of answers that have several, so that all can be deleted together. Never rejects. */
export function createAnswerParts(records: Pick<RecordStore, 'collection'>, log: Pick<Logger, 'info'>) {
  const store = records.collection(ANSWER_PARTS);

  return {
    /** The ids of the answer's messages in order; empty for an answer of one message. */
    async of(answerId: string): Promise<readonly string[]> {
      const known = await store.get(answerId).catch((error: unknown) => {
        log.info({ err: error }, 'discord: the parts of an answer could not be read');
      });
      return known ?? [];
    },
    async add(answerId: string, messageIds: readonly string[]): Promise<void> {
      try {
        const known = (await store.get(answerId)) ?? [];
        const all = [...new Set([...known, ...messageIds])];
        if (all.length > known.length) await store.set(answerId, all.slice(-MAX_PARTS));
      } catch (error) {
        log.info({ err: error }, 'discord: the parts of an answer could not be noted');
      }
    },
  };
}

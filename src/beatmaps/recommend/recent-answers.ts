import { createLru } from '../../infra/cache/create-lru.ts';
import type { Candidate } from '../catalogue/candidate.ts';

const MAX_ANSWERS = 500;
/** Longer than anyone reads ten maps, and about as long as a list of best plays stays as it is. */
const LATELY_MS = 15 * 60_000;
/** Of one question; those looked at longer ago fall out. */
const MAX_CANDIDATES = 60;

/**
 * What was looked at for questions asked lately. Figures that came too late for one answer are there for the next one of the same question,
 * however few maps of a large catalogue are drawn.
 */
export interface RecentAnswers {
  /** @param question undefined for one that is always answered as if it were the first time */
  of(question: string | undefined): RecentAnswer;
}

export interface RecentAnswer {
  /** Whether the question was asked lately. */
  readonly isRepeat: boolean;
  readonly lookedAt: readonly Candidate[];
  note(lookedAt: readonly Candidate[]): void;
}

export function createRecentAnswers(): RecentAnswers {
  const recent = createLru<string, readonly Candidate[]>({ max: MAX_ANSWERS, ttl: LATELY_MS });
  return {
    of(question) {
      const known = question === undefined ? undefined : recent.get(question);
      return {
        isRepeat: known !== undefined,
        lookedAt: known ?? [],
        note(lookedAt) {
          if (question === undefined) return;
          const ids = new Set(lookedAt.map(({ id }) => id));
          // Another answer may have come meanwhile.
          const earlier = (recent.get(question) ?? []).filter(({ id }) => !ids.has(id));
          recent.set(question, [...lookedAt, ...earlier].slice(0, MAX_CANDIDATES));
        },
      };
    },
  };
}

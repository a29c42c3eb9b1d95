import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Cache, CachePolicy } from '../../infra/cache/cache.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmap, Ruleset } from '../model/beatmapset.ts';
import { foldMod } from '../model/mods.ts';
import type { ScoreMod } from '../model/score.ts';
import type { OsuApi } from '../upstreams/osu-api.ts';

/** The stars and combo of a difficulty with mods, as osu! states them by its current rules. */
export const officialRatingSchema = z.object({ stars: z.number().positive(), maxCombo: z.number().nullable() });
export type OfficialRating = Readonly<z.infer<typeof officialRatingSchema>>;

export type RatedMap = Pick<Beatmap, 'id' | 'checksum' | 'mode' | 'difficulty_rating'>;

export type OfficialStars = ReturnType<typeof createOfficialStars>;

export interface OfficialStarsOptions {
  /** The official API; absent without credentials. */
  readonly osu: Pick<OsuApi, 'attributes'> | undefined;
  readonly cache: Cache<OfficialRating>;
  readonly log: Logger;
  readonly now?: () => number;
}

const WEEK_MS = 7 * 86_400_000;
/** How long stars are cached for a map without a checksum, which would show that the map has changed. */
const DAY_MS = 86_400_000;
/** How long osu! is not asked after it failed; otherwise each card would wait for another failure. */
const REST_MS = 30_000;
/** osu! counts as away only after so many failed calls in a row, because a single failure may be chance. */
const AWAY_AFTER = 3;
/** How long it is remembered that osu! has no such map or refuses these mods. */
const REFUSED_MS = 10 * 60_000;

/**
 * Mods that change no stars in any ruleset: `CL` marks the client, `SO` only spins the spinners, and the others decide
 * when a play ends.
 */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['CL', 'NF', 'SD', 'PF', 'SO', 'AC']);
/** The rulesets in which mods that hide notes change the stars, by osu!'s rules of 2026-07. */
const READ_BY: readonly Ruleset[] = ['osu', 'taiko'];
const HIDING: ReadonlySet<string> = new Set(['HD', 'FI', 'FL']);

/** The mods that may change stars, in one spelling and order; empty for none. */
export function ratedMods(mods: readonly (string | ScoreMod)[], ruleset: Ruleset): readonly ScoreMod[] {
  return mods
    .map((mod): ScoreMod => (typeof mod === 'string' ? { acronym: mod } : mod))
    .filter(({ acronym }) => !WITHOUT_EFFECT.has(acronym))
    .filter(({ acronym }) => READ_BY.includes(ruleset) || !HIDING.has(acronym))
    .map(mod => ({ ...mod, acronym: foldMod(mod.acronym) }))
    .sort((a, b) => (a.acronym < b.acronym ? -1 : 1));
}

/** Asks the official API for stars with mods. */
export function createOfficialStars({ osu, cache, log, now = Date.now }: OfficialStarsOptions) {
  let restUntil = 0;
  let answeredAt = 0;
  let failures = 0;

  /** Counts a failed call. A timeout does not count while later calls were answered, as osu! is not down then. */
  function noteFailure(error: unknown, beatmap: number, askedAt: number): void {
    const isTooLate = error instanceof AppError && error.code === 'timeout' && answeredAt >= askedAt;
    if (isOfThisMap(error) || isTooLate || now() < restUntil) return;
    failures += 1;
    const isAway = failures >= AWAY_AFTER;
    if (isAway) {
      failures = 0;
      restUntil = now() + REST_MS;
    }
    const sentence = `osu! could not be asked for stars; they are estimates ${isAway ? 'for a while' : 'this time'}`;
    log.info({ err: error, beatmap }, sentence);
  }

  return {
    /** The stars; undefined without credentials, and while osu! is not asked. @throws the signal's reason */
    async of({ id, checksum }: RatedMap, ruleset: Ruleset, mods: readonly ScoreMod[], signal: AbortSignal) {
      if (osu === undefined) return undefined;
      const key = `osu-stars:${id}:${checksum ?? ''}:${ruleset}:${JSON.stringify(mods)}`;
      const policy: CachePolicy<OfficialRating> = {
        ttlMs: () => (checksum === null ? DAY_MS : WEEK_MS),
        staleIfErrorMs: () => WEEK_MS,
        errorTtlMs: error => (isOfThisMap(error) ? REFUSED_MS : 0),
      };
      const load = async (own: AbortSignal): Promise<OfficialRating> => {
        const askedAt = now();
        if (askedAt < restUntil) throw new AppError('upstream_unavailable', 'osu! failed just now');
        try {
          const { star_rating, max_combo } = await osu.attributes(id, { ruleset, mods }, own);
          answeredAt = now();
          failures = 0;
          return { stars: star_rating, maxCombo: max_combo };
        } catch (error) {
          // A call is also aborted when its caller gives up, which says nothing about osu!.
          if (!own.aborted) noteFailure(error, id, askedAt);
          throw error;
        }
      };
      try {
        return (await cache.wrap(key, load, policy, signal)).value;
      } catch {
        signal.throwIfAborted();
        return undefined;
      }
    },
  };
}

/** True for an error that says nothing about other maps: osu! has no such map, or refuses these mods. */
function isOfThisMap(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'not_found' || error.code === 'upstream_changed');
}

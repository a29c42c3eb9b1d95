import type { Beatmap, Beatmapset } from '../model/beatmapset.ts';
import { FEATURES, type Feature, type Play } from './player-profile.ts';
import type { ReferenceMap } from './question.ts';
import { farmShare, type ScoredCandidate } from './scoring.ts';
import type { SearchPlan } from './search-plan.ts';

/** The reason for which a map was recommended; the views put it into words. Values are those with the mods. */
export type Reason =
  /** The map is similar to this one: one of the player's best plays, or the map that the person named. */
  | {
      readonly kind: 'like';
      readonly beatmap: { readonly id: number; readonly version: string };
      readonly beatmapset: { readonly id: number; readonly artist: string; readonly title: string };
      readonly mods: readonly string[];
    }
  /** The player often plays these mods; `value` is their share of the best plays, 0 to 1. */
  | { readonly kind: 'mods'; readonly value: number }
  /**
   * The map is close to what the player plays. `value` is the map's own, but for `pp` it is what the player can reach
   * next, and for `accuracy` (0 to 1) what they usually have.
   */
  | { readonly kind: Feature | 'stars' | 'pp' | 'accuracy'; readonly value: number }
  /** The map is popular; `value` is its number of favourites. */
  | { readonly kind: 'popular'; readonly value: number }
  /** The map gives much pp for its difficulty, judging by its plays and length. */
  | { readonly kind: 'farm' }
  /** The map is easy and popular, for a new player. */
  | { readonly kind: 'start' };

export interface Recommendation {
  readonly beatmap: Beatmap;
  readonly beatmapset: Beatmapset;
  /** The mods to play the map with; empty for none. */
  readonly mods: readonly string[];
  /** The estimated pp with `accuracy` and `misses`. */
  readonly pp: number;
  /** The player's usual accuracy with these mods, 0 to 1. */
  readonly accuracy: number;
  /** The player's usual number of misses. */
  readonly misses: number;
  /** How much the player's total pp would grow; null without a player. */
  readonly gain: number | null;
  /** The stars with the mods. */
  readonly stars: number;
  /** True when the stars are not osu!'s own. */
  readonly isEstimate: boolean;
  /** The date of the osu! rules by which pp and stars were calculated from the map's file; null for estimates. */
  readonly algorithm: string | null;
  readonly reasons: readonly Reason[];
}

const MANY_FAVOURITES = 500;
const MAX_START_STARS = 3.5;
const MUCH_FARM = 0.7;
const MAX_HABITS = 3;
/**
 * The least width of the range of values that are usual for a player, as a share of the range's middle. A map whose
 * value lies in the range counts as close to what the player likes.
 */
const CLOSE = 0.06;

/** The recommendation with other stars than the estimated ones by which it was chosen. */
export function withStars(
  recommendation: Recommendation,
  { stars, isEstimate }: Pick<Recommendation, 'stars' | 'isEstimate'>,
): Recommendation {
  const reasons = recommendation.reasons
    .filter(({ kind }) => kind !== 'start' || stars <= MAX_START_STARS)
    .map(reason => (reason.kind === 'stars' ? { ...reason, value: stars } : reason));
  return { ...recommendation, stars, isEstimate, reasons };
}

/** @param reference the map that the person named, to which recommended maps should be similar */
export function reasonsFor(
  choice: ScoredCandidate,
  { isStart, target }: SearchPlan,
  reference: ReferenceMap | undefined,
): Reason[] {
  const { candidate, figures, profile } = choice;
  const play = reference === undefined ? likestPlay(choice) : undefined;
  const reasons: Reason[] = [];
  if (isStart && figures.stars <= MAX_START_STARS) reasons.push({ kind: 'start' });
  if (reference !== undefined) reasons.push(likeOf(reference.map, reference.set, []));
  if (play !== undefined) reasons.push(likeOf({ id: play.mapId, version: play.version }, play.set, play.mods));
  if (profile.modClass.mods.length > 0 && profile.plays.length > 0)
    reasons.push({ kind: 'mods', value: profile.share });
  reasons.push({ kind: 'stars', value: figures.stars });
  reasons.push(...habits(choice));
  if (target.pp !== null) reasons.push({ kind: 'pp', value: target.pp.middle });
  if (profile.plays.length > 0) reasons.push({ kind: 'accuracy', value: profile.accuracy });
  if ((candidate.favourites ?? 0) >= MANY_FAVOURITES)
    reasons.push({ kind: 'popular', value: candidate.favourites ?? 0 });
  if (target.farm !== false && farmShare(candidate, figures) >= MUCH_FARM) reasons.push({ kind: 'farm' });
  return reasons;
}

/** Features in which the map is closest to what the player usually plays, as reasons. */
function habits({ figures, profile }: ScoredCandidate): readonly Reason[] {
  return FEATURES.flatMap(kind => {
    const value = figures[kind];
    const habit = profile.features[kind];
    if (value === null || habit === undefined) return [];
    const reach = Math.max(habit.high - habit.low, habit.middle * CLOSE) / 2;
    const distance = Math.abs(value - habit.middle) / Math.max(reach, 0.1);
    return distance <= 1 ? [{ kind, value, distance }] : [];
  })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_HABITS)
    .map(({ kind, value }) => ({ kind, value }));
}

const SCALES: Readonly<Record<Feature | 'stars', number>> = {
  stars: 0.4,
  ar: 0.5,
  od: 1.5,
  cs: 0.4,
  bpm: 15,
  length: 45,
};

const SCALED = ['stars', ...FEATURES] as const;

/** The one of the player's plays with the recommended mods whose map is most similar to this map. */
function likestPlay({ figures, profile }: ScoredCandidate): Play | undefined {
  const distanceOf = (play: Play) =>
    SCALED.reduce((sum, key) => {
      const [value, other] = [figures[key], play.figures[key]];
      return value === null || other === null ? sum : sum + ((value - other) / SCALES[key]) ** 2;
    }, 0);
  return profile.plays.toSorted((a, b) => distanceOf(a) - distanceOf(b))[0];
}

function likeOf({ id, version }: Pick<Beatmap, 'id' | 'version'>, set: Beatmapset, mods: readonly string[]): Reason {
  const { id: setId, artist, title } = set;
  return { kind: 'like', beatmap: { id, version }, beatmapset: { id: setId, artist, title }, mods };
}

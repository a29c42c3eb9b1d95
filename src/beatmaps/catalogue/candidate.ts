import type { Beatmap, Beatmapset, Ruleset } from '../model/beatmapset.ts';

/** A difficulty that could be recommended, in as little as choosing takes. Figures are without mods. */
export interface Candidate {
  readonly setId: number;
  readonly id: number;
  readonly ruleset: Ruleset;
  readonly stars: number;
  readonly ar: number | null;
  readonly od: number | null;
  readonly cs: number | null;
  readonly bpm: number | null;
  /** Seconds. */
  readonly length: number;
  /** Circles, sliders and spinners. */
  readonly objects: number | null;
  /** The mapper's number: of the difficulty where it is known, else of the set. */
  readonly mapper: number | null;
  /** Of the difficulty. */
  readonly plays: number | null;
  /** Of the set. */
  readonly favourites: number | null;
  /** Of the set, 0 to 10. */
  readonly rating: number | null;
}

/** Ranked and approved maps give pp; loved ones are for those who ask. */
export function isPlayable({ status }: Pick<Beatmapset, 'status'>): boolean {
  return status === 'ranked' || status === 'approved' || status === 'loved';
}

export function candidateOf(set: Beatmapset, map: Beatmap): Candidate {
  return {
    setId: set.id,
    id: map.id,
    ruleset: map.mode,
    stars: map.difficulty_rating,
    ar: map.ar,
    od: map.od,
    cs: map.cs,
    bpm: map.bpm ?? set.bpm,
    length: map.total_length,
    objects: objectsOf(map),
    mapper: map.owners[0]?.id ?? map.user_id ?? set.user_id,
    plays:
      map.playcount ?? (set.play_count === null ? null : Math.round(set.play_count / Math.max(1, set.beatmaps.length))),
    favourites: set.favourite_count,
    rating: set.rating,
  };
}

function objectsOf({ count_circles, count_sliders, count_spinners }: Beatmap): number | null {
  if (count_circles === null || count_sliders === null) return null;
  return count_circles + count_sliders + (count_spinners ?? 0);
}

/**
 * Beatmaps as Medley knows them, whichever upstream told. Names follow the osu! API's so that the HTTP answers can keep them; what an
 * upstream did not say is null.
 */
export const RULESETS = ['osu', 'taiko', 'fruits', 'mania'] as const;
export type Ruleset = (typeof RULESETS)[number];

/** In the order of the osu! API's numbers, from -2 to 4. */
export const STATUSES = ['graveyard', 'wip', 'pending', 'ranked', 'approved', 'qualified', 'loved'] as const;
export type Status = (typeof STATUSES)[number];

export interface Beatmap {
  readonly id: number;
  readonly beatmapset_id: number;
  readonly mode: Ruleset;
  readonly status: Status;
  /** The difficulty's name. */
  readonly version: string;
  /** Stars without mods, by the upstream's own figures. */
  readonly difficulty_rating: number;
  /** Seconds. */
  readonly total_length: number;
  readonly hit_length: number | null;
  readonly bpm: number | null;
  readonly ar: number | null;
  readonly od: number | null;
  /** The number of keys in mania. */
  readonly cs: number | null;
  readonly hp: number | null;
  readonly max_combo: number | null;
  readonly count_circles: number | null;
  readonly count_sliders: number | null;
  readonly count_spinners: number | null;
  readonly playcount: number | null;
  readonly passcount: number | null;
  readonly checksum: string | null;
  /** Mapper of this difficulty; several when it was made together. */
  readonly owners: readonly { readonly id: number; readonly username: string }[];
  readonly user_id: number | null;
}

export interface Beatmapset {
  readonly id: number;
  readonly artist: string;
  readonly artist_unicode: string | null;
  readonly title: string;
  readonly title_unicode: string | null;
  readonly creator: string;
  readonly user_id: number | null;
  readonly source: string;
  /** Mapper tags, space separated. */
  readonly tags: string;
  readonly status: Status;
  readonly bpm: number | null;
  readonly favourite_count: number | null;
  readonly play_count: number | null;
  readonly rating: number | null;
  readonly nsfw: boolean;
  readonly video: boolean;
  readonly storyboard: boolean;
  readonly genre_id: number | null;
  readonly language_id: number | null;
  /** ISO 8601, UTC. */
  readonly submitted_date: string | null;
  readonly last_updated: string | null;
  readonly ranked_date: string | null;
  readonly download_disabled: boolean;
  readonly download_disabled_reason: string | null;
  readonly cover_url: string;
  readonly card_url: string;
  readonly list_url: string;
  readonly preview_url: string;
  /** Difficulties of the set's own rulesets (never converts), easiest first within a ruleset. Empty where the upstream left them out. */
  readonly beatmaps: readonly Beatmap[];
}

/** The osu! API's number of a status: -2 graveyard to 4 loved. */
export function statusNumber(status: Status): number {
  return STATUSES.indexOf(status) - 2;
}

/** Stars of the easiest and the hardest difficulty, of one ruleset or of all. */
export function starRange(set: Beatmapset, ruleset?: Ruleset): { readonly min: number; readonly max: number } | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const beatmap of set.beatmaps) {
    if (ruleset !== undefined && beatmap.mode !== ruleset) continue;
    min = Math.min(min, beatmap.difficulty_rating);
    max = Math.max(max, beatmap.difficulty_rating);
  }
  return min > max ? null : { min, max };
}

/** Difficulties by ruleset, easiest first within each. */
export function orderBeatmaps(beatmaps: readonly Beatmap[]): readonly Beatmap[] {
  return [...beatmaps].sort(
    (a, b) =>
      RULESETS.indexOf(a.mode) - RULESETS.indexOf(b.mode) || a.difficulty_rating - b.difficulty_rating || a.id - b.id,
  );
}

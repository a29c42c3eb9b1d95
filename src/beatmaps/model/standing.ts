/** Players in brief, as lists of the osu! API give them. */
import * as z from 'zod';
import { RULESETS, type Ruleset } from './beatmapset.ts';
import { id, number, part, text } from './osu-fields.ts';

/** How a player stands in one ruleset. */
export interface Standing {
  readonly pp: number | null;
  readonly global_rank: number | null;
  /** 0 to 100. */
  readonly hit_accuracy: number | null;
}

export interface PlayerStandings {
  readonly id: number;
  readonly username: string;
  readonly country_code: string | null;
  /** Of rulesets that the player never played there is none. */
  readonly standings: Readonly<Partial<Record<Ruleset, Standing>>>;
}

/** A line of the world ranking. */
export interface RankedPlayer {
  readonly id: number;
  readonly username: string;
  readonly rank: number | null;
  readonly pp: number;
}

const standing = part(z.looseObject({ pp: number, global_rank: number, hit_accuracy: number, accuracy: number }));
const standings = part(z.looseObject({ osu: standing, taiko: standing, fruits: standing, mania: standing }));
const playerShape = z.looseObject({ id, username: text, country_code: text, statistics_rulesets: standings });
const rankedShape = z.looseObject({
  pp: number,
  global_rank: number,
  user: part(z.looseObject({ id, username: text })),
});

/** One of `GET /users?ids[]=`; undefined when the value is none. */
export function parsePlayerStandings(value: unknown): PlayerStandings | undefined {
  const raw = playerShape.safeParse(value).data;
  if (raw === undefined || raw.id === null || raw.username === null) return undefined;
  const known = RULESETS.flatMap(ruleset => {
    const given = raw.statistics_rulesets?.[ruleset] ?? null;
    if (given === null) return [];
    const { pp, global_rank, hit_accuracy, accuracy } = given;
    const shown = hit_accuracy ?? (accuracy === null ? null : accuracy * 100);
    return [[ruleset, { pp, global_rank, hit_accuracy: shown }] as const];
  });
  return { id: raw.id, username: raw.username, country_code: raw.country_code, standings: Object.fromEntries(known) };
}

/** One line of `GET /rankings/{ruleset}/performance`; undefined when the value is none. */
export function parseRankedPlayer(value: unknown): RankedPlayer | undefined {
  const raw = rankedShape.safeParse(value).data;
  const user = raw?.user ?? null;
  if (raw === undefined || user === null || user.id === null || user.username === null || raw.pp === null) {
    return undefined;
  }
  return { id: user.id, username: user.username, rank: raw.global_rank, pp: raw.pp };
}

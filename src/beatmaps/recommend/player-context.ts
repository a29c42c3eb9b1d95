import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { renderOffsetCursor } from '../cursor.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { createTotalPp, type TotalPp } from '../plays/totals.ts';
import { type PlayerProfile, profileOf } from './player-profile.ts';

/** What is known of the player for whom maps are recommended. */
export interface PlayerContext {
  readonly profile: PlayerProfile;
  /** The ids of difficulties that the player has played. */
  readonly known: ReadonlySet<number>;
  /** The player's total pp at osu!; null when unknown. */
  readonly totalPp: number | null;
  /** The calculation of the total; null without a player. */
  readonly total: TotalPp | null;
  readonly player: { readonly id: number; readonly username: string } | null;
  readonly stale: boolean;
}

/** The most entries that the API returns at once; it has 200 best plays. */
const PAGE = 100;

export function noPlayer(ruleset: Ruleset): PlayerContext {
  const profile = profileOf(ruleset, []);
  return { profile, known: new Set(), totalPp: null, total: null, player: null, stale: false };
}

/** Reads a player's plays. @throws AppError as `Beatmaps.user` and `userScores` do; recent plays may be missing */
export async function readPlayerContext(
  { beatmaps, log }: { readonly beatmaps: Pick<Beatmaps, 'user' | 'userScores'>; readonly log: Logger },
  user: number | string,
  ruleset: Ruleset | undefined,
  signal: AbortSignal | undefined,
): Promise<PlayerContext> {
  const found = await beatmaps.user(user, ruleset, signal);
  const { id, username, mode, statistics } = found.user;
  const own = { ruleset: mode, limit: PAGE, signal };
  const [first, second, recent] = await Promise.all([
    beatmaps.userScores(id, 'best', own),
    beatmaps.userScores(id, 'best', { ...own, cursor: renderOffsetCursor(PAGE) }),
    beatmaps.userScores(id, 'recent', own).catch((error: unknown) => {
      signal?.throwIfAborted();
      log.warn({ err: error }, 'recommended without knowing what was played lately');
      return { scores: [] };
    }),
  ]);
  const best = [...first.scores, ...second.scores];
  const totalPp = statistics?.pp ?? null;
  return {
    profile: profileOf(mode, best),
    known: new Set([...best, ...recent.scores].flatMap(score => score.beatmap_id ?? score.beatmap?.id ?? [])),
    totalPp,
    total: createTotalPp(
      best.flatMap(({ pp }) => pp ?? []),
      totalPp,
    ),
    player: { id, username },
    stale: found.stale || first.stale || second.stale,
  };
}

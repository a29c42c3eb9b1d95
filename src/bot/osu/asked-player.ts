import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { AppError } from '../../errors.ts';
import type { CommandContext, OptionSuggestion } from '../contract/command.ts';
import { callerKey } from '../contract/request.ts';
import { type Mode, TERMS } from '../contract/terms.ts';
import { usageError } from '../contract/usage-error.ts';

/** A command's option for a ruleset. In commands about a player, the last word of a line may be the ruleset, too. */
export const MODE_OPTION = TERMS.mode;

export function rulesetOf(mode: Mode): Ruleset;
export function rulesetOf(mode: Mode | undefined): Ruleset | undefined;
export function rulesetOf(mode: Mode | undefined): Ruleset | undefined {
  return mode === 'catch' ? 'fruits' : mode;
}

const MAX_SUGGESTIONS = 25;

/** A command's option for a player. People who linked theirs may leave the name out. */
export const PLAYER_OPTION = { type: 'string', form: 'name', maxLength: 200, suggest: suggestPlayers } as const;

export type AskedPlayer = Awaited<ReturnType<typeof askedPlayer>>;

/**
 * The player's id or name, and the ruleset when the caller names none: null for the one the player plays most.
 * `isProven` is true when the caller has proved to be this player.
 * @throws AppError `credentials_required`, or `invalid_request` with a hint when no player is named or linked
 */
export async function askedPlayer(given: string | undefined, { caller, services }: CommandContext) {
  requirePlayers(services.beatmaps);
  if (given !== undefined) return { user: given, mode: null, isProven: false };
  const { player } = await services.settings.user(callerKey(caller));
  if (player === null) throw usageError('noPlayer');
  return { user: player.id, mode: player.mode, isProven: player.proven };
}

/** The profile of the player and ruleset asked for. @throws as `askedPlayer` does, `not_found`, or an upstream's */
export async function askedUser(
  given: { readonly player: string | undefined; readonly mode?: Mode | undefined },
  context: CommandContext,
) {
  const { user, mode, isProven } = await askedPlayer(given.player, context);
  const ruleset = rulesetOf(given.mode) ?? mode ?? undefined;
  return { ...(await context.services.beatmaps.user(user, ruleset, context.signal)), isProven };
}

/** @throws AppError `credentials_required` */
export function requirePlayers({ hasPlayers }: { readonly hasPlayers: boolean }): void {
  if (!hasPlayers) throw new AppError('credentials_required', 'no credentials of the osu! API');
}

/** Suggests the linked player first, then players who were requested lately. */
async function suggestPlayers(
  partial: string,
  { caller, services, t }: CommandContext,
): Promise<readonly OptionSuggestion[]> {
  const { player } = await services.settings.user(callerKey(caller));
  const isOwn = player?.name.toLowerCase().startsWith(partial.toLowerCase()) === true;
  const own =
    player !== null && isOwn ? [{ label: t.messages.osu.yours({ name: player.name }), value: player.name }] : [];
  const others = services.beatmaps
    .suggestPlayers(partial, MAX_SUGGESTIONS)
    .filter(({ id }) => own.length === 0 || id !== player?.id)
    .map(({ username }) => ({ label: username, value: username }));
  return [...own, ...others];
}

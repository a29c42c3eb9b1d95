import type { Beatmap, Beatmapset, Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { CommandContext } from '../contract/command.ts';
import { usageError } from '../contract/usage-error.ts';
import type { AskedMap } from '../views/osu/map-heading.ts';
import { findMap } from './map-reference.ts';

/** Left out for the map that the chat saw last. In text form its words end where another option's name begins. */
export const MAP_OPTION = { type: 'string', form: 'rest', required: false, maxLength: 300 } as const;

/** `paper comet +HDDT`, or the mods alone. */
const MODS_AT_END = /^(.*?)\s*(?:^|\s)\+([a-z\d]{2,40})$/i;

/** In text the mods may stand behind the map, or in its place. */
export function splitMods(map: string | undefined, mods: string | undefined) {
  const match = mods === undefined && map !== undefined ? MODS_AT_END.exec(map) : null;
  return match === null ? { map, mods } : { map: match[1] || undefined, mods: match[2] };
}

/**
 * The difficulty that people name, of a whole set the hardest; without a name the one that this chat saw last. It is remembered as that.
 *
 * @throws AppError `invalid_request` with a hint, `not_found`, or an upstream's
 */
export async function askedMap(text: string | undefined, context: CommandContext): Promise<AskedMap> {
  const map = await resolve(text, context);
  await context.services.memory.maps.remember(context.caller, { id: map.beatmap.id, ruleset: map.ruleset });
  return map;
}

async function resolve(text: string | undefined, { caller, services, signal }: CommandContext): Promise<AskedMap> {
  if (text === undefined) {
    const last = await services.memory.maps.last(caller);
    if (last === undefined) throw usageError('noMap');
    return { ...(await services.beatmaps.setOfMap(last.id, signal)), ruleset: last.ruleset };
  }
  const found = await findMap(text, services.beatmaps, signal);
  const beatmap = found.beatmap ?? hardestOf(found.set, found.ruleset);
  if (beatmap === undefined) throw usageError('noDifficulty');
  return { ...found, beatmap, ruleset: beatmap.mode === 'osu' ? (found.ruleset ?? 'osu') : beatmap.mode };
}

/** Of the ruleset, else of the set's first. */
export function hardestOf({ beatmaps }: Beatmapset, ruleset?: Ruleset): Beatmap | undefined {
  const wanted = ruleset !== undefined && beatmaps.some(({ mode }) => mode === ruleset) ? ruleset : beatmaps[0]?.mode;
  return beatmaps.findLast(({ mode }) => mode === wanted);
}

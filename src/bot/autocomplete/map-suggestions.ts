import { setPage } from '../../beatmaps/model/link.ts';
import type { CommandContext, Suggestion } from '../command.ts';

const MAX_SUGGESTIONS = 25;

/** Sets for what was typed of a map's name. Asks no upstream. */
export async function suggestMaps(partial: string, { services }: CommandContext): Promise<readonly Suggestion[]> {
  const sets = await services.beatmaps.suggestSets(partial, MAX_SUGGESTIONS);
  return sets.map(({ id, artist, title, creator }) => ({
    label: `${artist} - ${title} (${creator})`,
    value: setPage(id),
  }));
}

import { setPage } from '../../beatmaps/model/link.ts';
import type { CommandContext, Suggestion } from '../command.ts';

const MAX_SUGGESTIONS = 25;

/** Sets for what was typed of a map's name. Asks no upstream. */
export function suggestMaps(partial: string, { services }: CommandContext): readonly Suggestion[] {
  return services.beatmaps
    .suggestSets(partial, MAX_SUGGESTIONS)
    .map(({ id, artist, title, creator }) => ({ label: `${artist} - ${title} (${creator})`, value: setPage(id) }));
}

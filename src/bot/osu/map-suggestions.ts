import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import { setPage } from '../../beatmaps/model/link.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { CommandContext, Suggestion } from '../contract/command.ts';

const MAX_SUGGESTIONS = 25;

type SetLine = Awaited<ReturnType<Beatmaps['suggestSets']>>[number];

/** Sets for what was typed of a map's name. Asks no upstream. */
export async function suggestMaps(partial: string, { services, t }: CommandContext): Promise<readonly Suggestion[]> {
  const sets = await services.beatmaps.suggestSets(partial, MAX_SUGGESTIONS);
  return sets.map(set => {
    const { id, artist, title, creator } = set;
    return { label: `${artist} - ${title} (${creator})`, detail: detailOf(set, t), value: setPage(id) };
  });
}

/** `1.60★ – 6.40★ · 2:00 · ranked` */
function detailOf({ min_stars, max_stars, length, status }: SetLine, t: Translator): string {
  const stars = [...new Set([min_stars, max_stars])].flatMap(each =>
    each === null ? [] : [`${t.decimal(each, 2, 2)}★`],
  );
  const parts = [stars.join(' – '), length === null ? '' : t.duration(length * 1000), t.messages.osu.statuses[status]];
  return parts.filter(part => part !== '').join(' · ');
}

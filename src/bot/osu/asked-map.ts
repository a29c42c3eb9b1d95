import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import type { Beatmap, Beatmapset, Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { matchOsuLink, setPage } from '../../beatmaps/model/link.ts';
import type { SetAnswer } from '../../beatmaps/set-lookup.ts';
import { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { looksLikeLink } from '../contract/arguments.ts';
import type { CommandContext, OptionSuggestion } from '../contract/command.ts';
import { usageError } from '../contract/usage-error.ts';
import type { AskedMap } from '../views/osu/beatmap.ts';

/** Left out for the map that the chat saw last. In text form its words end where another option's name begins. */
export const MAP_OPTION = { type: 'string', form: 'rest', maxLength: 300, suggest: suggestMaps } as const;

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

/** The hardest difficulty of the ruleset, else of the set's first ruleset. */
export function hardestOf({ beatmaps }: Beatmapset, ruleset?: Ruleset): Beatmap | undefined {
  const wanted = ruleset !== undefined && beatmaps.some(({ mode }) => mode === ruleset) ? ruleset : beatmaps[0]?.mode;
  return beatmaps.findLast(({ mode }) => mode === wanted);
}

/** A map by what people call it: an osu! address, a number, or words to be found. */
export interface FoundMap extends SetAnswer {
  /** The difficulty meant; undefined when it was the whole set. */
  readonly beatmap: Beatmap | undefined;
  /** In which the address asks to see it. */
  readonly ruleset?: Ruleset | undefined;
}

/** @throws AppError `invalid_request` with a hint, `not_found`, or an upstream's */
export async function findMap(text: string, beatmaps: Beatmaps, signal: AbortSignal): Promise<FoundMap> {
  const link = matchOsuLink(text);
  if (link?.kind === 'set') return { ...(await beatmaps.set(link.id, signal)), beatmap: undefined };
  if (link?.kind === 'map') return { ...(await beatmaps.setOfMap(link.id, signal)), ruleset: link.ruleset };
  if (link !== undefined || /^https?:\/\//i.test(text)) throw usageError('notBeatmapLink');
  if (/^[1-9]\d{0,14}$/.test(text)) return findNumber(Number(text), beatmaps, signal);
  return findWords(text, beatmaps, signal);
}

/** A set's number before a difficulty's: sets are what people copy from search pages. */
async function findNumber(id: number, beatmaps: Beatmaps, signal: AbortSignal): Promise<FoundMap> {
  try {
    return { ...(await beatmaps.set(id, signal)), beatmap: undefined };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return beatmaps.setOfMap(id, signal);
  }
}

async function findWords(text: string, beatmaps: Beatmaps, signal: AbortSignal): Promise<FoundMap> {
  const { sets, source, stale } = await beatmaps.search({ q: text, status: 'any', limit: 1, signal });
  const [best] = sets;
  if (best === undefined) {
    if (looksLikeLink(text) && text.includes('/')) throw usageError('notBeatmapLink');
    throw new AppError('not_found', 'no set has these words', { params: { what: 'words' } });
  }
  return { set: best, beatmap: undefined, source, stale };
}

const MAX_SUGGESTIONS = 25;

type SetLine = Awaited<ReturnType<Beatmaps['suggestSets']>>[number];

/** Sets for what was typed of a map's name. Asks no upstream. */
async function suggestMaps(partial: string, { services, t }: CommandContext): Promise<readonly OptionSuggestion[]> {
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

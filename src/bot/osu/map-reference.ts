import type { Beatmaps, SetAnswer } from '../../beatmaps/beatmaps.ts';
import type { Beatmap, Ruleset } from '../../beatmaps/model/beatmapset.ts';
import { matchOsuLink } from '../../beatmaps/model/link.ts';
import { AppError } from '../../errors.ts';
import { looksLikeLink } from '../contract/arguments.ts';
import { usageError } from '../contract/usage-error.ts';

/** What people call a map: an osu! address, a number, or words to be found. */
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

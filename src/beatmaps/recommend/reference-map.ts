import { AppError } from '../../errors.ts';
import type { Beatmaps } from '../beatmaps.ts';
import type { Beatmap, Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { matchOsuLink } from '../model/link.ts';
import { isNotFound } from '../upstreams/upstream-answer.ts';

export interface ReferenceMap {
  readonly set: Beatmapset;
  readonly map: Beatmap;
}

/**
 * Finds the map that others should be similar to: a difficulty, or the hardest one of a set in the ruleset. A bare
 * number is a difficulty's id, or else a set's.
 * @throws AppError `invalid_request` (params.what: `like`), `not_found` (params.what: `beatmap`), or the upstream's
 * code
 */
export async function findReferenceMap(
  beatmaps: Pick<Beatmaps, 'set' | 'setOfMap'>,
  reference: number | string,
  ruleset: Ruleset | undefined,
  signal: AbortSignal | undefined,
): Promise<ReferenceMap> {
  const text = String(reference).trim();
  const link = matchOsuLink(text);
  if (link?.kind === 'map') return ofMap(link.id);
  if (link?.kind === 'set') return ofSet(link.id, link.ruleset ?? ruleset);
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    const params = { what: 'like' };
    throw new AppError('invalid_request', 'like must be the number or the osu! address of a beatmap', { params });
  }
  return ofMap(Number(text)).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return ofSet(Number(text), ruleset);
  });

  async function ofMap(id: number): Promise<ReferenceMap> {
    const { set, beatmap } = await beatmaps.setOfMap(id, signal);
    return { set, map: beatmap };
  }

  async function ofSet(id: number, wanted: Ruleset | undefined): Promise<ReferenceMap> {
    const { set } = await beatmaps.set(id, signal);
    const maps = set.beatmaps.filter(({ mode }) => wanted === undefined || mode === wanted);
    const map = maps.toSorted((a, b) => b.difficulty_rating - a.difficulty_rating)[0];
    if (map !== undefined) return { set, map };
    throw new AppError('not_found', `set ${id} has no difficulty of this ruleset`, { params: { what: 'beatmap' } });
  }
}

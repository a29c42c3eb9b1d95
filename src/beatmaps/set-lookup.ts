/** Looks up sets by their ids and by the ids of their difficulties, in all sources. */
import { AppError, invalidRequest } from '../errors.ts';
import { createLru } from '../infra/cache/cache.ts';
import type { Logger } from '../infra/log.ts';
import { type BeatmapCaches, type FoundSet, POLICIES } from './cache-policy.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { type Suggestion, suggestionOf } from './catalogue/catalogue-schema.ts';
import type { Beatmap, Beatmapset, Ruleset } from './model/beatmapset.ts';
import { matchOsuLink } from './model/link.ts';
import { askInOrder, type Health } from './upstreams/failover.ts';
import type { BeatmapSource, SourceId } from './upstreams/source.ts';
import { isNotFound, missingAs } from './upstreams/upstream-answer.ts';

/** The local copy of all sets that Medley has read, with a search. */
export type BeatmapCatalogue = Pick<Catalogue, 'search' | 'suggest' | 'remember' | 'set' | 'setOfMap'>;

/** The sources of sets, and the caches for their answers. */
export interface SetAccess {
  /** The sources, in the order of asking. */
  readonly sources: () => readonly BeatmapSource[];
  readonly health: Health;
  readonly catalogue: BeatmapCatalogue | undefined;
  readonly caches: Pick<BeatmapCaches, 'pages' | 'sets'>;
  readonly log: Logger;
  readonly now: () => number;
}

export interface SetAnswer {
  readonly set: Beatmapset;
  readonly source: SourceId;
  /** True when every upstream failed and an older answer is used. */
  readonly stale: boolean;
  /** True for an answer from the cache that is still fresh. Default false. */
  readonly cached?: boolean;
}

/** Asks the catalogue. A broken or absent catalogue counts as empty, so that the upstreams' error is thrown. */
export async function askCatalogue<T>(
  { catalogue, log }: SetAccess,
  read: (catalogue: BeatmapCatalogue) => Promise<T | undefined>,
): Promise<T | undefined> {
  try {
    return catalogue && (await read(catalogue));
  } catch (error) {
    log.error({ err: error }, 'the catalogue could not be read');
    return undefined;
  }
}

function readSetRef(reference: string): { readonly kind: 'set' | 'map' | 'number'; readonly id: number } | undefined {
  const text = reference.trim();
  const link = matchOsuLink(text);
  if (link?.kind === 'set') return { kind: 'set', id: link.id };
  if (link?.kind === 'map') return link.setId === undefined ? link : { kind: 'set', id: link.setId };
  return BARE_ID.test(text) ? { kind: 'number', id: Number(text) } : undefined;
}

/** The set, or the difficulty with its set, that a person named. */
export interface NamedMap extends SetAnswer {
  readonly beatmap?: Beatmap | undefined;
  /** The ruleset that the address states. */
  readonly ruleset?: Ruleset | undefined;
}

/**
 * Finds the set or difficulty that an osu! address or an id names; undefined for any other text. A bare number is
 * looked up as an id of the kind `first`, then of the other kind.
 */
export async function findNamed(
  text: string,
  { set, setOfMap }: Pick<ReturnType<typeof createSetLookup>, 'set' | 'setOfMap'>,
  first: 'set' | 'map',
  signal?: AbortSignal,
): Promise<NamedMap | undefined> {
  const link = matchOsuLink(text);
  if (link?.kind === 'set') return { ...(await set(link.id, signal)), ruleset: link.ruleset };
  if (link?.kind === 'map') return { ...(await setOfMap(link.id, signal)), ruleset: link.ruleset };
  if (!BARE_ID.test(text)) return undefined;
  const [find, findElse] = first === 'set' ? [set, setOfMap] : [setOfMap, set];
  return find(Number(text), signal).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    return findElse(Number(text), signal);
  });
}

const BARE_ID = /^[1-9]\d{0,14}$/;
const MAX_KNOWN_MAPS = 20_000;

export function createSetLookup(access: SetAccess) {
  const { catalogue, caches } = access;
  /** The set ids of difficulties that were looked up, so that no upstream has to be asked for them again. */
  const setIds = createLru<number, number>({ max: MAX_KNOWN_MAPS });

  async function lookUp(by: 'set' | 'setOfMap', id: number, signal: AbortSignal | undefined): Promise<SetAnswer> {
    const key = by === 'set' ? setKey(id) : `osu-map:${id}`;
    try {
      const { value, from } = await caches.sets.wrap(key, own => load(access, by, id, own), POLICIES.set, signal);
      for (const beatmap of value.set.beatmaps) setIds.set(beatmap.id, value.set.id);
      const own = setKey(value.set.id);
      if (from === 'load' && key !== own) {
        await caches.sets.set(own, value, POLICIES.set.ttlMs(value), POLICIES.set.staleIfErrorMs?.(value));
      }
      return { ...value, stale: from === 'stale', cached: from === 'cache' };
    } catch (error) {
      const isFinal = isNotFound(error) || signal?.aborted === true;
      const known = isFinal ? undefined : await askCatalogue(access, each => each[by](id));
      if (known === undefined) throw error;
      return { set: known, source: 'catalogue', stale: true };
    }
  }

  const set = (id: number, signal?: AbortSignal) => lookUp('set', id, signal);

  async function setOfMap(mapId: number, signal?: AbortSignal) {
    const setId = setIds.get(mapId);
    const find = (answer: SetAnswer | undefined) => answer?.set.beatmaps.find(({ id }) => id === mapId);
    const known = setId === undefined ? undefined : await set(setId, signal);
    const found = known !== undefined && find(known) ? known : await lookUp('setOfMap', mapId, signal);
    const beatmap = find(found);
    if (beatmap !== undefined) return { ...found, beatmap };
    // The id belongs to a convert, or to a difficulty that was removed from its set.
    const params = { what: 'beatmap' };
    throw new AppError('not_found', `set ${found.set.id} has no difficulty ${mapId}`, { params });
  }

  return {
    set,
    setOfMap,
    /** @param reference see `Beatmaps.download` @throws AppError `invalid_request` (params.what `id`) */
    async find(reference: number | string, signal?: AbortSignal): Promise<SetAnswer> {
      const text = String(reference).trim();
      const ref = readSetRef(text);
      const named = ref?.kind === 'set' ? set(ref.id, signal) : findNamed(text, { set, setOfMap }, 'set', signal);
      const found = await named;
      if (found !== undefined) return found;
      throw invalidRequest('id', 'id must be the number or the osu! address of a beatmap');
    },
    /**
     * The most popular sets that match what a person has typed, or the one set whose id or address they typed. Asks
     * only the catalogue, no upstream.
     */
    async suggestSets(typed: string, limit: number): Promise<readonly Suggestion[]> {
      if (catalogue === undefined) return [];
      const ref = readSetRef(typed);
      if (ref === undefined) return catalogue.suggest(typed, limit);
      const ofSet = ref.kind === 'map' ? undefined : await catalogue.set(ref.id);
      const ofMap = ref.kind === 'set' ? undefined : await catalogue.setOfMap(ref.id);
      const known = [ofSet, ofMap].filter(each => each !== undefined).map(suggestionOf);
      // A typed number that is no known id may be a part of a song's name.
      return known.length > 0 || ref.kind !== 'number' ? known : catalogue.suggest(typed, limit);
    },
  };
}

function setKey(id: number): string {
  return `osu-set:${id}`;
}

async function load(access: SetAccess, by: 'set' | 'setOfMap', id: number, signal: AbortSignal): Promise<FoundSet> {
  const answer = askInOrder({
    ...access,
    sources: access.sources(),
    ask: each => each[by](id, signal),
    isDefinitive: source => source.id === 'osu',
    signal,
  });
  const { value, source } = await missingAs('beatmap', answer);
  access.catalogue?.remember([value]);
  return { set: value, source };
}

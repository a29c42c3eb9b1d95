import { AppError } from '../errors.ts';
import { createLru } from '../infra/cache/create-lru.ts';
import type { Logger } from '../infra/log.ts';
import { type BeatmapCaches, type FoundSet, SET_POLICY } from './cache-policy.ts';
import { type Suggestion as SetSuggestion, suggestionOf } from './catalogue/catalogue-schema.ts';
import { createMapPlays, type MapPlays } from './map-plays.ts';
import type { Beatmap, Beatmapset } from './model/beatmapset.ts';
import { matchOsuLink } from './model/link.ts';
import { createPlayers, type Players } from './players.ts';
import { type BeatmapCatalogue, createSetSearch, type SearchRequest, type SearchResult } from './set-search.ts';
import { askInOrder, createHealth } from './upstreams/failover.ts';
import { type DownloadAddress, downloadAddresses, type Mirror } from './upstreams/mirror.ts';
import type { OsuApi } from './upstreams/osu-api.ts';
import { type BeatmapSource, mirrorSource, officialSource, type SourceId } from './upstreams/source.ts';
import { missingAs } from './upstreams/upstream-answer.ts';

export interface SetAnswer {
  readonly set: Beatmapset;
  readonly source: SourceId;
  /** Not from an upstream just now, because all of them failed. */
  readonly stale: boolean;
  /** An earlier answer that is fresh still. Default false. */
  readonly cached?: boolean;
}

export interface DownloadAnswer {
  /** The set's number. */
  readonly id: number;
  readonly set: Beatmapset;
  readonly available: boolean;
  /** Why it is not, in the words of osu!, when it said. */
  readonly reason: string | null;
  /** Best first; osu!'s own page is always the last. */
  readonly addresses: readonly DownloadAddress[];
  readonly source: SourceId;
  readonly stale: boolean;
  readonly cached?: boolean;
}

/**
 * The one entry for bot and api. With credentials the official API leads and the mirrors stand in; without, the mirrors know
 * sets, and players are `credentials_required`.
 *
 * @throws AppError from every method: `invalid_request` (params.what), `not_found` (params.what `beatmap` or `score`, absent for a
 * player), `credentials_required`, or the upstream's code when all of them failed (params.upstreams)
 */
export interface Beatmaps extends Players, MapPlays {
  /** True with credentials, without which no player can be asked for. */
  readonly hasPlayers: boolean;
  search(request: SearchRequest): Promise<SearchResult>;
  set(id: number, signal?: AbortSignal): Promise<SetAnswer>;
  setOfMap(mapId: number, signal?: AbortSignal): Promise<SetAnswer & { readonly beatmap: Beatmap }>;
  /**
   * The most popular sets for what has been typed so far, or the one whose number or address it is. Asks no upstream: only what passed
   * through is known.
   */
  suggestSets(typed: string, limit: number): Promise<readonly SetSuggestion[]>;
  /** @param reference a set's number, else a difficulty's, or any osu! address of one */
  download(reference: number | string, signal?: AbortSignal): Promise<DownloadAnswer>;
}

export interface BeatmapsOptions {
  /** Absent without credentials. */
  readonly osu?: OsuApi | undefined;
  /** In the order to begin with. */
  readonly mirrors: readonly Mirror[];
  readonly catalogue?: BeatmapCatalogue | undefined;
  readonly caches: BeatmapCaches;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

type SetRef = { readonly kind: 'set' | 'map' | 'number'; readonly id: number };

function readSetRef(reference: string): SetRef | undefined {
  const text = reference.trim();
  const link = matchOsuLink(text);
  if (link?.kind === 'set') return { kind: 'set', id: link.id };
  if (link?.kind === 'map') return link.setId === undefined ? link : { kind: 'set', id: link.setId };
  return /^[1-9]\d{0,14}$/.test(text) ? { kind: 'number', id: Number(text) } : undefined;
}

/** @throws AppError `invalid_request` */
function parseSetRef(reference: number | string): SetRef {
  const ref = readSetRef(String(reference));
  if (ref !== undefined) return ref;
  const params = { what: 'id' };
  throw new AppError('invalid_request', 'id must be the number or the osu! address of a beatmap', { params });
}

type Recall = (catalogue: BeatmapCatalogue) => Promise<Beatmapset | undefined>;

const MAX_KNOWN_MAPS = 20_000;

function setKey(id: number): string {
  return `osu-set:${id}`;
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}

export function createBeatmaps(options: BeatmapsOptions): Beatmaps {
  const { osu, mirrors, catalogue, caches, log, now = Date.now } = options;
  const all: readonly BeatmapSource[] = [
    ...(osu === undefined ? [] : [officialSource(osu)]),
    ...mirrors.map(mirrorSource),
  ];
  const health = createHealth({ ids: all.map(({ id }) => id), now });

  /** The sets of difficulties that were found before, which spares a question. */
  const setIds = createLru<number, number>({ max: MAX_KNOWN_MAPS });

  /** The official one leads whenever it does not rest, however fast the mirrors are. */
  function sources(): readonly BeatmapSource[] {
    const order = health.order();
    const awake = order.flatMap(id => all.find(source => source.id === id) ?? []);
    return [...awake.filter(({ id }) => id === 'osu'), ...awake.filter(({ id }) => id !== 'osu')];
  }

  function mirrorsByHealth(): readonly Mirror[] {
    const order = health.order();
    const place = ({ id }: Mirror) => (health.isResting(id) ? order.length : order.indexOf(id));
    return [...mirrors].sort((a, b) => place(a) - place(b));
  }

  /** A broken catalogue must not hide why the upstreams failed. */
  async function remembered(recall: Recall): Promise<Beatmapset | undefined> {
    try {
      return catalogue === undefined ? undefined : await recall(catalogue);
    } catch (error) {
      log.error({ err: error }, 'the catalogue could not be read');
      return undefined;
    }
  }

  async function findSet(
    key: string,
    ask: (source: BeatmapSource, signal: AbortSignal) => Promise<Beatmapset>,
    recall: Recall,
    signal: AbortSignal | undefined,
  ): Promise<SetAnswer> {
    const load = async (own: AbortSignal): Promise<FoundSet> => {
      const answer = askInOrder({
        sources: sources(),
        health,
        ask: each => ask(each, own),
        isDefinitive: ({ id }) => id === 'osu',
        signal: own,
        log,
        now,
      });
      const { value, source } = await missingAs('beatmap', answer);
      catalogue?.remember([value]);
      return { set: value, source };
    };
    try {
      const { value, from } = await caches.sets.wrap(key, load, SET_POLICY, signal);
      for (const { id } of value.set.beatmaps) setIds.set(id, value.set.id);
      const own = setKey(value.set.id);
      if (from === 'load' && key !== own) await caches.sets.set(own, value, SET_POLICY.ttlMs(value));
      return { ...value, stale: from === 'stale', cached: from === 'cache' };
    } catch (error) {
      const known = isNotFound(error) || signal?.aborted === true ? undefined : await remembered(recall);
      if (known === undefined) throw error;
      return { set: known, source: 'catalogue', stale: true };
    }
  }

  const set = (id: number, signal?: AbortSignal) =>
    findSet(
      setKey(id),
      (source, own) => source.set(id, own),
      known => known.set(id),
      signal,
    );

  async function findSetOfMap(mapId: number, signal: AbortSignal | undefined): Promise<SetAnswer> {
    const setId = setIds.get(mapId);
    const known = setId === undefined ? undefined : await set(setId, signal);
    if (known?.set.beatmaps.some(({ id }) => id === mapId) === true) return known;
    return findSet(
      `osu-map:${mapId}`,
      (source, own) => source.setOfMap(mapId, own),
      known => known.setOfMap(mapId),
      signal,
    );
  }

  async function setOfMap(mapId: number, signal?: AbortSignal) {
    const found = await findSetOfMap(mapId, signal);
    const beatmap = found.set.beatmaps.find(({ id }) => id === mapId);
    // A convert, or a difficulty that the mapper took out.
    if (beatmap === undefined) {
      const params = { what: 'beatmap' };
      throw new AppError('not_found', `set ${found.set.id} has no difficulty ${mapId}`, { params });
    }
    return { ...found, beatmap };
  }

  async function resolve({ kind, id }: SetRef, signal: AbortSignal | undefined): Promise<SetAnswer> {
    if (kind === 'map') return setOfMap(id, signal);
    try {
      return await set(id, signal);
    } catch (error) {
      if (kind === 'set' || !isNotFound(error)) throw error;
      return setOfMap(id, signal);
    }
  }

  async function suggestSets(typed: string, limit: number): Promise<readonly SetSuggestion[]> {
    if (catalogue === undefined) return [];
    const ref = readSetRef(typed);
    if (ref === undefined) return catalogue.suggest(typed, limit);
    const ofSet = ref.kind === 'map' ? undefined : await catalogue.set(ref.id);
    const ofMap = ref.kind === 'set' ? undefined : await catalogue.setOfMap(ref.id);
    const known = [ofSet, ofMap].filter(each => each !== undefined).map(suggestionOf);
    // A number may be a word of a name, too.
    return known.length > 0 || ref.kind !== 'number' ? known : catalogue.suggest(typed, limit);
  }

  return {
    ...createPlayers({ osu, caches }),
    ...createMapPlays({ osu, caches }),
    hasPlayers: osu !== undefined,
    search: createSetSearch({ sources, health, catalogue, caches, log, now }),
    set,
    setOfMap,
    suggestSets,
    async download(reference, signal) {
      const { set: found, source, stale, cached = false } = await resolve(parseSetRef(reference), signal);
      return {
        id: found.id,
        set: found,
        available: !found.download_disabled,
        reason: found.download_disabled ? found.download_disabled_reason : null,
        addresses: downloadAddresses(found, mirrorsByHealth()),
        source,
        stale,
        cached,
      };
    },
  };
}

import type { Logger } from '../infra/log.ts';
import type { BeatmapCaches } from './cache-policy.ts';
import type { Suggestion as SetSuggestion } from './catalogue/catalogue-schema.ts';
import { createMapPlays, type MapPlays } from './map-plays.ts';
import type { Beatmap, Beatmapset } from './model/beatmapset.ts';
import { createPlayers, type Players } from './players.ts';
import { type BeatmapCatalogue, createSetLookup, type SetAnswer } from './set-lookup.ts';
import { type SearchRequest, type SearchResult, searchSets } from './set-search.ts';
import { createHealth, inOrder, leading } from './upstreams/failover.ts';
import { type DownloadAddress, downloadAddresses, type Mirror } from './upstreams/mirror.ts';
import type { OsuApi } from './upstreams/osu-api.ts';
import type { BeatmapSource, SourceId } from './upstreams/source.ts';

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

export function createBeatmaps({ osu, mirrors, catalogue, caches, log, now = Date.now }: BeatmapsOptions): Beatmaps {
  const all: readonly BeatmapSource[] = [...(osu === undefined ? [] : [{ ...osu, id: 'osu' as const }]), ...mirrors];
  const health = createHealth({ ids: all.map(({ id }) => id), now });
  // The official one leads whenever it does not rest, however fast the mirrors are.
  const sources = () => leading(inOrder(health, all), 'osu');
  const access = { sources, health, catalogue, caches, log, now };
  const { find, ...sets } = createSetLookup(access);

  return {
    ...createPlayers({ osu, caches }),
    ...createMapPlays({ osu, caches }),
    ...sets,
    hasPlayers: osu !== undefined,
    search: request => searchSets(access, request),
    async download(reference, signal) {
      const { set, source, stale, cached = false } = await find(reference, signal);
      const resting = mirrors.filter(({ id }) => health.isResting(id));
      const awake = inOrder(health, mirrors).filter(mirror => !resting.includes(mirror));
      return {
        id: set.id,
        set,
        available: !set.download_disabled,
        reason: set.download_disabled ? set.download_disabled_reason : null,
        addresses: downloadAddresses(set, [...awake, ...resting], health),
        source,
        stale,
        cached,
      };
    },
  };
}

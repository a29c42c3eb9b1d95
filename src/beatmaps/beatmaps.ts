import type { Logger } from '../infra/log.ts';
import type { BeatmapCaches } from './cache-policy.ts';
import { createMapPlays, createPlayers } from './players.ts';
import { type BeatmapCatalogue, createSetLookup } from './set-lookup.ts';
import { type SearchRequest, searchSets } from './set-search.ts';
import { createHealth, inOrder, leading } from './upstreams/failover.ts';
import { downloadAddresses, type Mirror } from './upstreams/mirror.ts';
import type { OsuApi } from './upstreams/osu-api.ts';
import type { BeatmapSource } from './upstreams/source.ts';

export type Beatmaps = ReturnType<typeof createBeatmaps>;

export interface BeatmapsOptions {
  /** The official API; absent without credentials. */
  readonly osu?: OsuApi | undefined;
  /** The mirrors in the order in which they are asked at first, before failures and slow answers change that order. */
  readonly mirrors: readonly Mirror[];
  readonly catalogue?: BeatmapCatalogue | undefined;
  readonly caches: BeatmapCaches;
  readonly log: Logger;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

/**
 * The functions by which the bot and the API read beatmaps and players. With credentials the official API is asked
 * first, and mirrors when it fails; without them mirrors answer for sets, and requests about players fail with
 * `credentials_required`.
 * @throws AppError from every method: `invalid_request` (params.what), `not_found` (params.what `beatmap` or `score`,
 * absent for a player), `credentials_required`, or the upstream's code when all of them failed (params.upstreams)
 */
export function createBeatmaps({ osu, mirrors, catalogue, caches, log, now = Date.now }: BeatmapsOptions) {
  const all: readonly BeatmapSource[] = [...(osu === undefined ? [] : [{ ...osu, id: 'osu' as const }]), ...mirrors];
  const health = createHealth({ ids: all.map(({ id }) => id), now });
  // The official API is asked before the mirrors, even if they are faster, unless it is in a cooldown.
  const sources = () => leading(inOrder(health, all), 'osu');
  const access = { sources, health, catalogue, caches, log, now };
  const { find, ...sets } = createSetLookup(access);

  return {
    ...createPlayers({ osu, caches }),
    ...createMapPlays({ osu, caches }),
    ...sets,
    /** True with credentials for the official API; without them nothing is known about players. */
    hasPlayers: osu !== undefined,
    search: (request: SearchRequest) => searchSets(access, request),
    /** @param reference the id of a set or, if no set has it, of a difficulty; or any osu! address of either */
    async download(reference: number | string, signal?: AbortSignal) {
      const { set, source, stale, cached = false } = await find(reference, signal);
      const resting = mirrors.filter(({ id }) => health.isResting(id));
      const awake = inOrder(health, mirrors).filter(mirror => !resting.includes(mirror));
      return {
        id: set.id,
        set,
        available: !set.download_disabled,
        /** The reason for which the set is not available, if osu! states one. */
        reason: set.download_disabled ? set.download_disabled_reason : null,
        /** Download addresses, best first; osu!'s own page is the last. */
        addresses: downloadAddresses(set, [...awake, ...resting], health),
        source,
        stale,
        cached,
      };
    },
  };
}

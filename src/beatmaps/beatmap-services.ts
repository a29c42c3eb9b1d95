import type { HttpClient } from '../infra/http/http-client.ts';
import type { Logger } from '../infra/log.ts';
import type { RecordStore } from '../infra/store/records.ts';
import { createBeatmaps } from './beatmaps.ts';
import { createMemoryBeatmapCaches, type SharedBeatmapCaches } from './cache-policy.ts';
import { createBackgroundFill } from './catalogue/background-fill.ts';
import { openCatalogue } from './catalogue/open-catalogue.ts';
import { createCalculator } from './difficulty/calculator.ts';
import { createDifficulty } from './difficulty/difficulty.ts';
import { createOfficialStars } from './rating/official-stars.ts';
import { createRatings } from './rating/ratings.ts';
import { createRecommend } from './recommend/recommend.ts';
import { createRecommendationHistory } from './recommend/recommendation-history.ts';
import { createMirrors } from './upstreams/mirror.ts';
import { createOsuApi } from './upstreams/osu-api.ts';
import { createArtwork } from './upstreams/osu-artwork.ts';

export interface BeatmapServicesOptions {
  readonly http: Pick<HttpClient, 'request'>;
  readonly records: RecordStore;
  /** The folder for the catalogue and the `.osu` files of difficulties. */
  readonly dataDir: string;
  /** True while this process writes the catalogue and stores `.osu` files; other processes only read what it wrote. */
  readonly isFiller: () => boolean;
  /** Credentials for the official API; without them the mirrors answer what they can. */
  readonly credentials: { readonly clientId: number; readonly clientSecret: string } | undefined;
  readonly sharedCaches?: SharedBeatmapCaches | undefined;
  readonly log: Logger;
  /** The compiled worker thread that calculates difficulty. Default: the file beside the program. */
  readonly workerFile?: URL | undefined;
  /** How long star ratings and pp may take in all, in milliseconds. Default: the default of `createRatings`. */
  readonly ratingsMs?: number | undefined;
}

export type BeatmapServices = ReturnType<typeof createBeatmapServices>;

/**
 * Creates the services for beatmaps and players. Close `difficulty` first, and `catalogue` when no request runs any
 * more.
 */
export function createBeatmapServices(options: BeatmapServicesOptions) {
  const { http, records, dataDir, isFiller, credentials, sharedCaches, log, workerFile, ratingsMs: waitMs } = options;
  const catalogue = openCatalogue({
    dataDir,
    isFiller,
    onFailure: (error, message) => log.error({ err: error }, message),
  });
  const osu = credentials && createOsuApi({ http, log, ...credentials });
  const caches = createMemoryBeatmapCaches(undefined, sharedCaches);
  const mirrors = createMirrors({ http });
  const beatmaps = createBeatmaps({ osu, mirrors, catalogue, caches, log });
  const calculator = createCalculator({ log });
  const difficulty = createDifficulty({ http, dataDir, isFiller, log, calculator, ...(workerFile && { workerFile }) });
  const official = createOfficialStars({ osu, cache: caches.stars, log });
  const ratings = createRatings({ official, difficulty, waitMs });
  const recommendationHistory = createRecommendationHistory({ records });
  const recommend = createRecommend({ beatmaps, catalogue, history: recommendationHistory, difficulty, ratings, log });
  return {
    ...{ beatmaps, catalogue, difficulty, calculator, ratings, recommend, recommendationHistory },
    /** Fills the catalogue. It requests nothing until it is started, and must be stopped before everything else. */
    backgroundFill: createBackgroundFill({ mirrors, catalogue, isFiller, log }),
    artwork: createArtwork({ http, log }),
  };
}

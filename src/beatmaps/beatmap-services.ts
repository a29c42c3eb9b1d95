import type { HttpClient } from '../infra/http/http-client.ts';
import type { Logger } from '../infra/log.ts';
import type { RecordStore } from '../infra/store/records.ts';
import { type Beatmaps, createBeatmaps } from './beatmaps.ts';
import { createMemoryBeatmapCaches, type SharedBeatmapCaches } from './cache-policy.ts';
import { type BackgroundFill, createBackgroundFill } from './catalogue/background-fill.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { openCatalogue } from './catalogue/open-catalogue.ts';
import { type Calculator, createCalculator } from './difficulty/calculator.ts';
import { createDifficulty, type Difficulty } from './difficulty/difficulty.ts';
import { createOfficialStars } from './rating/official-stars.ts';
import { createRatings, type Ratings } from './rating/ratings.ts';
import { createRecommend, type Recommend } from './recommend/recommend.ts';
import { createRecommendationHistory, type RecommendationHistory } from './recommend/recommendation-history.ts';
import { createMirrors } from './upstreams/mirror.ts';
import { createOsuApi } from './upstreams/osu-api.ts';
import { type Artwork, createArtwork } from './upstreams/osu-artwork.ts';

export interface BeatmapServicesOptions {
  readonly http: HttpClient;
  readonly records: RecordStore;
  /** The folder for the catalogue and the `.osu` files of difficulties. */
  readonly dataDir: string;
  /** True while this process writes the catalogue and stores `.osu` files; others only read what it wrote. */
  readonly isFiller: () => boolean;
  /** Credentials for the official API; without them the mirrors answer what they can. */
  readonly credentials: { readonly clientId: number; readonly clientSecret: string } | undefined;
  /** Caches that several processes share. */
  readonly sharedCaches?: SharedBeatmapCaches | undefined;
  readonly log: Logger;
  /** The compiled worker thread that calculates difficulty. Default: the file beside the program. */
  readonly workerFile?: URL | undefined;
  /** The catalogue's compiled worker thread. Default: the file beside the program; a run from source has none. */
  readonly catalogueFile?: URL | undefined;
}

/** The beatmap services over one store. Close `difficulty` first, and `catalogue` when no request runs any more. */
export interface BeatmapServices {
  readonly beatmaps: Beatmaps;
  readonly catalogue: Pick<Catalogue, 'remember' | 'flush' | 'close'>;
  /** Fills the catalogue. It requests nothing until it is started, and must be stopped before everything else. */
  readonly backgroundFill: BackgroundFill;
  readonly difficulty: Difficulty;
  readonly calculator: Calculator;
  readonly ratings: Ratings;
  readonly recommend: Recommend;
  readonly recommendationHistory: RecommendationHistory;
  readonly artwork: Artwork;
}

export function createBeatmapServices(options: BeatmapServicesOptions): BeatmapServices {
  const { http, records, dataDir, isFiller, credentials, sharedCaches, log, workerFile, catalogueFile } = options;
  const catalogue = openCatalogue({
    dataDir,
    isFiller,
    onFailure: (error, message) => log.error({ err: error }, message),
    workerFile: catalogueFile,
  });
  const osu = credentials && createOsuApi({ http, log, ...credentials });
  const caches = createMemoryBeatmapCaches(undefined, sharedCaches);
  const mirrors = createMirrors({ http });
  const backgroundFill = createBackgroundFill({ mirrors, catalogue, isFiller, log });
  const beatmaps = createBeatmaps({ osu, mirrors, catalogue, caches, log });
  const calculator = createCalculator({ log });
  const difficulty = createDifficulty({ http, dataDir, isFiller, log, calculator, ...(workerFile && { workerFile }) });
  const official = createOfficialStars({ osu, cache: caches.stars, log });
  const ratings = createRatings({ official, difficulty });
  const recommendationHistory = createRecommendationHistory({ records });
  const recommend = createRecommend({ beatmaps, catalogue, history: recommendationHistory, difficulty, ratings, log });
  const artwork = createArtwork({ http, log });
  return {
    ...{ beatmaps, catalogue, backgroundFill, difficulty, calculator, ratings, recommend, recommendationHistory },
    artwork,
  };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cookie } from 'tough-cookie';
import { z } from 'zod';
import { createMetrics } from './api/metrics.ts';
import { createBeatmapServices } from './beatmaps/beatmap-services.ts';
import { openBeatmapShelves } from './beatmaps/cache-policy.ts';
import { MIRROR_PACES } from './beatmaps/upstreams/mirrors.ts';
import { OSU_ASSET_HOSTS, OSU_HOST, OSU_PACE } from './beatmaps/upstreams/osu-api.ts';
import { createButtonTokens } from './bot/buttons/button-token.ts';
import { createSvgRasterizer } from './bot/cards/svg-rasterizer.ts';
import { createCommandList } from './bot/commands/index.ts';
import { createDispatcher } from './bot/dispatch/dispatcher.ts';
import { createJobs } from './bot/runtime/jobs.ts';
import { createSettingsStore } from './bot/settings/settings.ts';
import type { Config } from './config.ts';
import { createMemoryCache } from './infra/cache/cache.ts';
import type { ThrottleRules } from './infra/http/host-throttle.ts';
import { createHttpClient } from './infra/http/http-client.ts';
import { createOverrides } from './infra/http/overrides.ts';
import type { Logger } from './infra/log.ts';
import { createMemoryRateLimiter } from './infra/rate-limit/rate-limit.ts';
import { createDelivery } from './media/delivery/delivery.ts';
import { createMuxedFiles } from './media/delivery/muxed-files.ts';
import { parseCookiesFile } from './media/extract/cookies-file.ts';
import { createExtractor } from './media/extract/extractor.ts';
import { cookiesVariable } from './media/extract/source-descriptor.ts';
import { createStoredPostParser } from './media/extract/stored-post.ts';
import { createStoredStrategyRecords } from './media/extract/strategy-records.ts';
import { createCdnHeaders, hostsBelow } from './media/files/cdn.ts';
import { type Post, postBytes } from './media/post.ts';
import { sourceDescriptors } from './media/sources/index.ts';
import { createYtDlpStrategy, findYtDlp } from './media/sources/yt-dlp.ts';
import { findFfmpeg } from './media/transcode/ffmpeg.ts';
import { createPlayerLinks } from './media/tunnel/player-links.ts';
import { createTunnel } from './media/tunnel/tunnel.ts';
import { openStorage } from './storage.ts';

/** A reel takes about 10 KB, a long carousel 100; as much again is held by answers already written. */
const MAX_POSTS = 10_000;
const MAX_POST_BYTES = 16 * 1024 * 1024;
const MAX_SHORT_LINKS = 20_000;

/**
 * The sites are asked like a person with several tabs would ask; their CDNs, which serve anyone, only keep bounds that hold
 * a stream's place until its file has flowed.
 */
const CDN_PACE = { perSecond: 100, burst: 200, atOnce: 256 };
const CDN_HOSTS = hostsBelow(sourceDescriptors.flatMap(({ cdnHosts }) => cdnHosts));
const PACE: ThrottleRules = {
  default: { perSecond: 10, burst: 20, atOnce: 16 },
  hosts: {
    ...Object.fromEntries([...CDN_HOSTS, ...OSU_ASSET_HOSTS].map(host => [host, CDN_PACE])),
    [OSU_HOST]: OSU_PACE,
    ...MIRROR_PACES,
  },
};

export interface CoreOptions {
  readonly config: Config;
  /** Where programs such as ffmpeg are looked for, as in PATH. */
  readonly searchPath: string;
  readonly log: Logger;
}

/** What every role needs: storage, the services, and the dispatcher over them. */
export type Core = Awaited<ReturnType<typeof createCore>>;

/** @throws Error whose message says what keeps it from starting */
export async function createCore({ config, searchPath, log }: CoreOptions) {
  const { dataDir, publicUrl } = config;
  const metrics = createMetrics();
  const http = createHttpClient({
    overrides: createOverrides(config.upstreamOverrides),
    proxyUrl: config.upstreamProxy,
    pace: PACE,
    log,
    onRequest: metrics.countUpstream,
  });
  const storage = await openStorage(config, log);
  const { store, shared } = storage;
  const limiter = shared?.limiter ?? createMemoryRateLimiter();
  const ytDlp = await findYtDlp({ searchPath, proxy: config.upstreamProxy });
  const strategyRecords = createStoredStrategyRecords({ store, log });
  const cookies = await readCookies(config.cookiesFiles);
  const sources = sourceDescriptors.map(source =>
    source.create({
      http,
      log,
      upstreamConstants: config.upstreamConstants,
      cookies: cookies.get(source.id),
      extraStrategies: ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, source)],
      records: strategyRecords,
      onOutcome: (...outcome) => metrics.countStrategy(source.id, ...outcome),
    }),
  );

  const extractor = createExtractor({
    sources,
    cache: createMemoryCache<Post>({
      maxEntries: MAX_POSTS,
      maxSize: MAX_POST_BYTES,
      sizeOf: postBytes,
      behind: shared?.openShelf({ name: 'posts', parse: createStoredPostParser(sources) }),
    }),
    shortLinks: createMemoryCache<string>({ maxEntries: MAX_SHORT_LINKS }),
    log,
  });
  const { beatmaps, catalogue, backgroundFill, difficulty, ratings, recommend, recommendationHistory } =
    createBeatmapServices({
      http,
      store,
      records: storage.records,
      dataDir,
      isFiller: storage.isFiller,
      credentials: config.osu,
      shelves: shared && openBeatmapShelves(shared),
      log,
    });
  const { mediaHosts } = extractor;
  const cdnHeaders = createCdnHeaders(sourceDescriptors);
  const spoolDir = join(dataDir, 'spool');
  // Files are kept for chats and for streams alike.
  const keptBytes = Math.floor(config.mediaCacheBytes / 2);
  const muxedFiles = createMuxedFiles({
    http,
    mediaHosts,
    cdnHeaders,
    tempDir: join(spoolDir, 'streams'),
    keptBytes,
    log,
  });
  const tunnel = createTunnel({
    key: storage.keyFor('media links'),
    http,
    mediaHosts,
    cdnHeaders,
    assetHosts: OSU_ASSET_HOSTS,
    refresh: (post, signal) => extractor.refresh(post, signal),
    muxTracks: muxedFiles.muxTracks,
    log,
  });

  const playbacks = createPlayerLinks({
    key: storage.keyFor('media links'),
    tunnel,
    findPost: async (url, signal) => (await extractor.extract(url, { signal, readable: true })).post,
  });

  const delivery = createDelivery({
    http,
    mediaHosts,
    cdnHeaders,
    tempDir: spoolDir,
    refresh: (post, signal) => extractor.refresh(post, signal),
    addresses:
      publicUrl === undefined
        ? undefined
        : {
            file: file => publicUrl + tunnel.address(file),
            page: (post, index, expiresAt) => publicUrl + playbacks.address(post, index, expiresAt),
          },
    ffmpeg: await findFfmpeg({ searchPath }),
    keptBytes,
    log,
  });
  const settings = createSettingsStore({ records: storage.records });
  const jobs = createJobs({ store });

  const dispatcher = createDispatcher({
    commands: createCommandList({ sources: sourceDescriptors }),
    services: {
      extractor,
      beatmaps,
      ratings,
      recommend,
      recommendationHistory,
      painter: createSvgRasterizer(),
      settings,
      actions: createButtonTokens({
        key: storage.keyFor('buttons'),
        records: storage.records,
        onFailure: error => log.warn({ err: error }, 'the arguments of a button could not be stored'),
      }),
      jobs,
      version: await readVersion(),
    },
    limiter,
    userLimit: config.userLimit,
    log,
  });

  return {
    storage,
    metrics,
    limiter,
    extractor,
    beatmaps,
    recommend,
    tunnel,
    playbacks,
    delivery,
    settings,
    jobs,
    dispatcher,
    /** Goes on in the background: reads what searches are corrected by, and fills the catalogue. */
    warm(): void {
      if (config.catalogueFill) backgroundFill.start();
      catalogue.warm().catch(error => log.warn({ err: error }, 'searches are not corrected until the next start'));
    },
    /** When nothing uses it any more. */
    async close(): Promise<void> {
      await backgroundFill.stop();
      await Promise.all([delivery.close(), muxedFiles.close(), difficulty.close()]);
      await http.close();
      catalogue.close();
      await strategyRecords.close();
      await storage.close();
    },
  };
}

/** Of the sites' accounts, by source. */
async function readCookies(
  files: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<string, readonly Cookie[]>> {
  const cookies = new Map<string, readonly Cookie[]>();
  for (const [id, path] of Object.entries(files)) {
    if (path === undefined) continue;
    try {
      cookies.set(id, parseCookiesFile(await readFile(path, 'utf8')));
    } catch (cause) {
      throw new Error(`${cookiesVariable({ id })} cannot be read: ${path}`, { cause });
    }
  }
  return cookies;
}

async function readVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

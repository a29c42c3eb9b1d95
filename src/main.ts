import { hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cookie } from 'tough-cookie';
import { z } from 'zod';
import { api } from './api/api.ts';
import { createKeyCheck } from './api/api-keys.ts';
import { beatmapRoutes } from './api/beatmaps/beatmap-routes.ts';
import { recommendRoutes } from './api/beatmaps/recommend-routes.ts';
import { createErrorRenderer } from './api/errors.ts';
import { healthRoutes } from './api/health-routes.ts';
import { mediaRoutes } from './api/media/media-routes.ts';
import { tunnelRoutes } from './api/media/tunnel-routes.ts';
import { createMetrics } from './api/metrics.ts';
import { createBeatmapServices } from './beatmaps/beatmap-services.ts';
import { openBeatmapShelves } from './beatmaps/cache-policy.ts';
import { MIRROR_PACES } from './beatmaps/upstreams/mirrors.ts';
import { OSU_ASSET_HOSTS, OSU_HOST, OSU_PACE } from './beatmaps/upstreams/osu-api.ts';
import { createButtonTokens } from './bot/buttons/button-token.ts';
import { createSvgRasterizer } from './bot/cards/svg-rasterizer.ts';
import { createCommandList } from './bot/commands/index.ts';
import { createDispatcher, type Dispatcher } from './bot/dispatch/dispatcher.ts';
import { createJobs, type Jobs } from './bot/runtime/jobs.ts';
import { createRuntime } from './bot/runtime/runtime.ts';
import { createSettingsStore, type SettingsStore } from './bot/settings/settings.ts';
import { type Config, ConfigError, findMisspelt, loadConfig, readEnvironment } from './config.ts';
import { createMemoryCache } from './infra/cache/cache.ts';
import type { ThrottleRules } from './infra/http/host-throttle.ts';
import { createHttpClient } from './infra/http/http-client.ts';
import { createOverrides } from './infra/http/overrides.ts';
import { createLogger, type Logger } from './infra/log.ts';
import { createEmbeddedQueue } from './infra/queue/embedded-queue.ts';
import { createMemoryRateLimiter } from './infra/rate-limit/rate-limit.ts';
import type { SharedState } from './infra/redis/redis.ts';
import { createServer, type Server } from './infra/server/server.ts';
import { hasRecords } from './infra/store/adopted-tables.ts';
import { claimDataDir } from './infra/store/data-dir.ts';
import { createSoleTask } from './infra/store/file-lock.ts';
import { createLibsqlRecords } from './infra/store/libsql-records.ts';
import { createRecordStore, type RecordStore } from './infra/store/records.ts';
import { openStore, type Store } from './infra/store/store.ts';
import { createDelivery, type Delivery } from './media/delivery/delivery.ts';
import { createMuxedFiles } from './media/delivery/muxed-files.ts';
import { createSentFiles } from './media/delivery/sent-files.ts';
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
import { loadMediaKey, loadSharedMediaKey } from './media/tunnel/tunnel-key.ts';
import type { Platform } from './platforms/platform.ts';
import { createWebPlatform } from './platforms/web/platform.ts';

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

interface Medley {
  /** `http://HOST:PORT/` */
  readonly address: string;
  stop(): Promise<void>;
}

/** Builds the house from the inside out, opens its doors, and says how to close it again. */
async function start(config: Config, searchPath: string, log: Logger): Promise<Medley> {
  const metrics = createMetrics();
  const http = createHttpClient({
    overrides: createOverrides(config.upstreamOverrides),
    proxyUrl: config.upstreamProxy,
    pace: PACE,
    log,
    onRequest: metrics.countUpstream,
  });
  const { dataDir, redisUrl } = config;
  const claim = await claimDataDir(dataDir, {
    isShared: redisUrl !== undefined,
    onWait: () => log.info({ dataDir }, 'another process uses DATA_DIR; it is waited for'),
  });
  const shared = await openSharedState(config, log);
  const limiter = shared?.limiter ?? createMemoryRateLimiter();
  const store = openStore(join(dataDir, 'medley.db'));
  const recordStore = shared?.records ?? createRecordStore(createLibsqlRecords(store));
  if (shared !== undefined && hasRecords(store)) log.info({}, NOT_MIGRATED);
  const key = await loadKey(config, shared);
  const catalogueTask =
    shared &&
    createSoleTask(join(dataDir, 'catalogue.lock'), {
      onFailure: error => log.warn({ err: error }, 'whether this process fills the catalogue cannot be said'),
    });
  const ytDlp = await findYtDlp({ searchPath, proxy: config.upstreamProxy });
  const records = createStoredStrategyRecords({ store, log });
  const cookies = await readCookies(config.cookiesFiles);
  const sources = sourceDescriptors.map(source =>
    source.create({
      http,
      log,
      upstreamConstants: config.upstreamConstants,
      cookies: cookies.get(source.id),
      extraStrategies: ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, source)],
      records,
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
  const { beatmaps, catalogue, difficulty, recommend, recommendationHistory } = createBeatmapServices({
    http,
    store,
    records: recordStore,
    dataDir,
    isFiller: () => catalogueTask?.isOurs() ?? true,
    credentials: config.osu,
    shelves: shared && openBeatmapShelves(shared),
    log,
  });
  const { mediaHosts } = extractor;
  const cdnHeaders = createCdnHeaders(sourceDescriptors);
  const spoolDir = join(config.dataDir, 'spool');
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
    key,
    http,
    mediaHosts,
    cdnHeaders,
    assetHosts: OSU_ASSET_HOSTS,
    refresh: (post, signal) => extractor.refresh(post, signal),
    muxTracks: muxedFiles.muxTracks,
    log,
  });

  const playbacks = createPlayerLinks({
    key,
    tunnel,
    findPost: async (url, signal) => (await extractor.extract(url, { signal, readable: true })).post,
  });

  const { publicUrl } = config;
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
  const settings = createSettingsStore({ records: recordStore });
  const jobs = createJobs({ store });

  const dispatcher = createDispatcher({
    commands: createCommandList({ sources: sourceDescriptors }),
    services: {
      extractor,
      beatmaps,
      difficulty,
      recommend,
      recommendationHistory,
      painter: createSvgRasterizer(),
      settings,
      actions: createButtonTokens({
        key: derivedKey(key, 'medley buttons'),
        records: recordStore,
        onFailure: error => log.warn({ err: error }, 'the arguments of a button could not be stored'),
      }),
      jobs,
      version: await readVersion(),
    },
    limiter,
    userLimit: config.userLimit,
    log,
  });

  const server = createServer({ log, trustProxy: config.trustProxy, renderError: createErrorRenderer(config.creator) });
  const web = createWebPlatform({
    dispatcher,
    tunnel,
    publicUrl: config.publicUrl,
    log,
    examples: t =>
      config.webExamples.map(({ kind, url }) => ({
        label: t.messages.webExamples[kind],
        text: url,
      })),
  });
  const sourceIds = sourceDescriptors.map(({ id }) => id);
  const checkKey = createKeyCheck(config.apiKeys);
  metrics.observe(server.app);
  await server.app.register(
    api({
      limiter,
      checkKey,
      publicUrl: config.publicUrl,
      routes: [
        mediaRoutes({ extractor, sources: sourceIds, creator: config.creator, tunnel, publicUrl }),
        beatmapRoutes({ beatmaps }),
        recommendRoutes({ recommend }),
      ],
    }),
  );
  await server.app.register(tunnelRoutes({ tunnel, playbacks, publicUrl, log }));
  await server.app.register(healthRoutes({ server, checks: {}, metrics, checkKey }));
  await server.app.register(web.plugin);

  const chats = await createChats(config, {
    dispatcher,
    delivery,
    settings,
    jobs,
    store,
    records: recordStore,
    server,
    log,
  });

  const { origin } = await server.listen({ host: config.host, port: config.port });
  await web.start();
  for (const chat of chats) startChat(chat, log);
  catalogue.warm().catch(error => log.warn({ err: error }, 'searches are not corrected until the next start'));

  return {
    address: `${origin}/`,
    async stop() {
      // What people wait for is still answered while the core stands.
      await Promise.all([web, ...chats].map(face => face.stop()).concat(server.stop()));
      await Promise.all([delivery.close(), muxedFiles.close(), difficulty.close()]);
      await http.close();
      shared?.close();
      catalogue.close();
      catalogueTask?.close();
      await records.close();
      store.close();
      claim.release();
    },
  };
}

/** What the chat platforms share. */
interface ChatParts {
  readonly dispatcher: Dispatcher;
  readonly delivery: Delivery;
  readonly settings: SettingsStore;
  readonly jobs: Jobs;
  readonly store: Store;
  readonly records: RecordStore;
  readonly server: Server;
  readonly log: Logger;
}

/** With REDIS_URL; without, its library is not even loaded. It is waited for longer when there is no start without it. */
async function openSharedState({ redisUrl, mediaKey }: Config, log: Logger): Promise<SharedState | undefined> {
  if (redisUrl === undefined) return undefined;
  const { openRedisState } = await import('./infra/redis/redis.ts');
  const shared = openRedisState({ url: redisUrl, log });
  const isReady = await shared.isReady(mediaKey === undefined ? 15_000 : 2_000);
  if (isReady || mediaKey !== undefined) return shared;
  throw new Error(
    'Redis does not answer, and without MEDIA_KEY the key of media links is kept there: start it, correct REDIS_URL, or set MEDIA_KEY',
  );
}

function loadKey({ mediaKey, dataDir }: Config, shared: SharedState | undefined): Promise<Buffer> {
  if (mediaKey !== undefined) return Promise.resolve(Buffer.from(mediaKey));
  return shared === undefined ? loadMediaKey(dataDir) : loadSharedMediaKey(shared.agree, dataDir);
}

const NOT_MIGRATED =
  'with REDIS_URL the settings in DATA_DIR are not used: `npm run migrate -- REDIS_URL` copies them, if they were not yet';

/** Those with a token; the library of one without is not even loaded. */
async function createChats(config: Config, parts: ChatParts): Promise<readonly Platform[]> {
  const { log } = parts;
  const chats: Platform[] = [];
  if (config.discord !== undefined) {
    const { createDiscordPlatform } = await import('./platforms/discord/platform.ts');
    const queue = createEmbeddedQueue({ store: parts.store, log });
    const platforms = [createDiscordPlatform({ ...config.discord, ...parts })];
    const runtime = createRuntime({ platforms, queue, dispatcher: parts.dispatcher, log });
    chats.push({
      id: 'discord',
      start: () => runtime.start(),
      async stop() {
        await runtime.stop();
        await queue.close();
      },
    });
  }
  if (config.telegram !== undefined) {
    const { createTelegramPlatform } = await import('./platforms/telegram/platform.ts');
    const { token, apiUrl, webhookSecret } = config.telegram;
    const { publicUrl } = config;
    const webhook =
      webhookSecret === undefined || publicUrl === undefined ? undefined : { secret: webhookSecret, publicUrl };
    const telegram = createTelegramPlatform({
      token,
      apiUrl,
      webhook,
      sentFiles: createSentFiles({
        records: parts.records,
        onFailure: error => log.warn({ err: error }, 'the files that Telegram holds could not be looked up or noted'),
      }),
      ...parts,
    });
    if (telegram.plugin !== undefined) await parts.server.app.register(telegram.plugin);
    chats.push(telegram);
  }
  return chats;
}

/** A platform that cannot start must not take the others with it. */
function startChat(chat: Platform, log: Logger): void {
  chat.start().catch(error => log.error({ platform: chat.id, err: error }, 'this platform could not start'));
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

function derivedKey(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
}

/** Runs until a signal, then lets what runs finish. A second signal ends at once. */
async function main(): Promise<void> {
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const log = createLogger({ level: config.logLevel });
  for (const warning of findMisspelt(environment)) log.warn({}, warning);
  process.on('unhandledRejection', reason => {
    log.error({ err: reason }, 'a promise without an owner failed');
  });
  const medley = await start(config, environment.PATH ?? '', log);

  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    medley.stop().then(
      () => process.exit(0),
      error => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.stdout.write(`Medley is ready at ${medley.address}\n`);
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof ConfigError ? message : `Medley could not start: ${message}`}\n`);
  process.exit(1);
});

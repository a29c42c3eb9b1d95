import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { createBeatmapServices } from './beatmaps/beatmap-services.ts';
import { openSharedBeatmapCaches } from './beatmaps/cache-policy.ts';
import { MIRROR_THROTTLES } from './beatmaps/upstreams/mirror.ts';
import { OSU_ASSET_HOSTS, OSU_HOST, OSU_THROTTLE } from './beatmaps/upstreams/osu-api.ts';
import { createOsuSignIn } from './beatmaps/upstreams/osu-sign-in.ts';
import { createDispatcher } from './bot/answer/answer.ts';
import { createSvgRasterizer } from './bot/cards/svg-rasterizer.ts';
import { createCommandList } from './bot/commands/index.ts';
import { createOwnerCommands } from './bot/commands/owner.ts';
import type { Caller } from './bot/contract/caller.ts';
import type { ChatMemory } from './bot/contract/chat-memory.ts';
import type { RuntimeStatus } from './bot/contract/chat-platform.ts';
import { ownerKey } from './bot/contract/request.ts';
import type { Services } from './bot/contract/services.ts';
import type { SettingsStore } from './bot/contract/settings.ts';
import { CALLBACK_PATH, createAccountLinks } from './bot/stores/account-links.ts';
import { createBlockList } from './bot/stores/block-list.ts';
import { createButtonTokens } from './bot/stores/button-token.ts';
import { createChatMemory } from './bot/stores/chat-memory.ts';
import { createOptOuts } from './bot/stores/opt-outs.ts';
import { createSettingsStore } from './bot/stores/settings.ts';
import { createShownViews } from './bot/stores/shown-views.ts';
import type { Config } from './config.ts';
import { createMemoryCache } from './infra/cache/cache.ts';
import { createPacking } from './infra/cache/packed-values.ts';
import type { FailureTally } from './infra/failure-tally.ts';
import type { ThrottleRules } from './infra/http/host-throttle.ts';
import { createHttpClient } from './infra/http/http-client.ts';
import { hostsBelow } from './infra/http/transport/host-list.ts';
import { createOverrides } from './infra/http/transport/overrides.ts';
import type { Logger } from './infra/log.ts';
import { createMetrics } from './infra/metrics.ts';
import { createMemoryRateLimiter } from './infra/rate-limit/rate-limit.ts';
import { createDelivery } from './media/delivery/delivery.ts';
import { createMuxedFiles } from './media/delivery/muxed-files.ts';
import { ACCOUNTS, type AccountPaused, createAccounts } from './media/extract/accounts.ts';
import { readCookies } from './media/extract/cookies-file.ts';
import { createExtractor } from './media/extract/extractor.ts';
import { createStoredPostParser } from './media/extract/post-cache.ts';
import { openSite } from './media/extract/site.ts';
import { createSiteOutgoing, siteThrottles } from './media/extract/site-outgoing.ts';
import { SITE_STATES } from './media/extract/site-state.ts';
import type { SourceDescriptor } from './media/extract/source-descriptor.ts';
import { createCdnHeaders } from './media/files/cdn.ts';
import type { Post } from './media/post.ts';
import { sourceDescriptors } from './media/sources/index.ts';
import { createYtDlpStrategy, findYtDlp } from './media/sources/yt-dlp.ts';
import { findFfmpeg } from './media/transcode/ffmpeg.ts';
import { createPlayerLinks } from './media/tunnel/player-links.ts';
import { createTunnel } from './media/tunnel/tunnel.ts';
import { openStorage } from './storage.ts';

/** A reel takes about 10 KB, a long carousel 100. Most repeats come within minutes. */
const MAX_POST_BYTES = 8 * 1024 * 1024;
/** Those that are asked for again and again, with the answers already written about them. */
const MAX_POSTS_AT_HAND = 300;
const MAX_AT_HAND_BYTES = 6 * 1024 * 1024;
const MAX_SHORT_LINKS = 20_000;
/** More than there are places for streams: with a place, none waits for a connection. */
const STREAM_CONNECTIONS = 256;

/**
 * The sites are asked at UPSTREAM_PACE; their CDNs, which serve anyone, only keep bounds that hold a stream's place until its file has
 * flowed.
 */
const CDN_THROTTLE = { perSecond: 100, burst: 200, atOnce: 256 };
const CDN_HOSTS = hostsBelow(sourceDescriptors.flatMap(({ cdnHosts }) => cdnHosts));
const THROTTLES: ThrottleRules = {
  default: { perSecond: 10, burst: 20, atOnce: 16 },
  hosts: {
    ...Object.fromEntries([...CDN_HOSTS, ...OSU_ASSET_HOSTS].map(host => [host, CDN_THROTTLE])),
    [OSU_HOST]: OSU_THROTTLE,
    ...MIRROR_THROTTLES,
  },
};

export interface CoreOptions {
  readonly config: Config;
  /** The folders in which programs such as ffmpeg are looked for, as in PATH. */
  readonly searchPath: string;
  readonly log: Logger;
  /** The failures that `log` has counted. */
  readonly failures: Pick<FailureTally, 'list'>;
}

/** The parts that every role needs: storage, the services, and the dispatcher over them. */
export type Core = Awaited<ReturnType<typeof createCore>>;

/** @throws Error whose message says what keeps it from starting */
export async function createCore({ config, searchPath, log, failures }: CoreOptions) {
  const { dataDir, publicUrl } = config;
  const metrics = createMetrics();
  const outgoing = createSiteOutgoing(sourceDescriptors, config);
  const storage = await openStorage(config, log);
  const { shared } = storage;
  const limiter = shared?.limiter ?? createMemoryRateLimiter();
  const openClient = (connectionsPerHost?: number) =>
    createHttpClient({
      overrides: createOverrides(config.upstreamOverrides),
      outgoing,
      throttle: { ...THROTTLES, sites: siteThrottles(sourceDescriptors, config.upstreamPace) },
      limiter: shared?.limiter,
      log,
      onRequest: metrics.countUpstream,
      ...(connectionsPerHost !== undefined && { connectionsPerHost }),
    });
  const http = openClient();
  // Streams for strangers have connections and a pace of their own, so that no delivery to a chat waits for them.
  const streamHttp = openClient(STREAM_CONNECTIONS);
  const ytDlp = await findYtDlp({ searchPath, outgoing });
  const cookies = await readCookies(config.cookiesFiles);
  const ffmpeg = await findFfmpeg({ searchPath });
  const version = await readVersion();
  const collection = storage.records.groupedCollection(SITE_STATES);
  const accountRecords = storage.records.collection(ACCOUNTS);
  let onChallenge: ((paused: AccountPaused) => void) | undefined;
  const openAccounts = ({ id, sessionCookie }: SourceDescriptor) =>
    createAccounts({
      source: id,
      sessions: cookies.get(id) ?? [],
      sessionCookie,
      pace: config.accountPace,
      limiter,
      collection: accountRecords,
      log,
      onChallenge: paused => onChallenge?.(paused),
    });
  const sites = sourceDescriptors.map(descriptor =>
    openSite({
      descriptor,
      outgoing,
      limiter,
      collection,
      log,
      create: site =>
        descriptor.create({
          http,
          log,
          upstreamConstants: config.upstreamConstants,
          accounts: openAccounts(descriptor),
          extraStrategies: ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, descriptor)],
          site,
          onOutcome: (...outcome) => metrics.countStrategy(descriptor.id, ...outcome),
        }),
    }),
  );
  const sources = sites.map(({ source }) => source);

  const blocks = createBlockList({ records: storage.records });
  // It is asked about every post, and held from here on, whatever becomes of the store.
  await blocks.list().catch(error => log.warn({ err: error }, 'what is blocked could not be read yet'));
  const extractor = createExtractor({
    withheld: blocks,
    onExtracted: from => metrics.countLookup('posts', from),
    sources,
    cache: createMemoryCache<Post>({
      maxSize: MAX_POST_BYTES,
      hold: createPacking({ maxUnpacked: MAX_POSTS_AT_HAND, maxUnpackedBytes: MAX_AT_HAND_BYTES }),
      behind: shared?.openCache({ name: 'posts', parse: createStoredPostParser(sources) }),
    }),
    shortLinks: createMemoryCache<string>({ maxEntries: MAX_SHORT_LINKS }),
    log,
  });
  // Nothing that may fail comes after: from here on there is a thread to end.
  const { beatmaps, catalogue, backgroundFill, difficulty, ratings, recommend, recommendationHistory } =
    createBeatmapServices({
      http,
      records: storage.records,
      dataDir,
      isFiller: storage.isFiller,
      credentials: config.osu,
      sharedCaches: shared && openSharedBeatmapCaches(shared),
      log,
    });
  const { mediaHosts } = extractor;
  const cdnHeaders = createCdnHeaders(sourceDescriptors);
  const spoolDir = join(dataDir, 'spool');
  // Files are kept for chats and for streams alike.
  const keptBytes = Math.floor(config.mediaCacheBytes / 2);
  const muxedFiles = createMuxedFiles({
    http: streamHttp,
    mediaHosts,
    cdnHeaders,
    tempDir: join(spoolDir, 'streams'),
    keptBytes,
    log,
  });
  const tunnel = createTunnel({
    key: storage.keyFor('media links'),
    http: streamHttp,
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
    ffmpeg,
    keptBytes,
    onDelivered: metrics.countDelivery,
    log,
  });
  const memory = createChatMemory({
    records: storage.records,
    // A web chat is only there while it is looked at.
    canPost: platform => platform !== 'web',
    onFailure: error => log.warn({ err: error }, 'what a chat saw last, or who was there, could not be read or noted'),
  });
  const settings = withChatMemory(createSettingsStore({ records: storage.records }), memory);

  const accountLinks =
    publicUrl === undefined || config.osu === undefined
      ? undefined
      : createAccountLinks({
          records: storage.records,
          key: storage.keyFor('account links'),
          publicUrl,
          signIn: createOsuSignIn({ http, log, ...config.osu, redirectUri: publicUrl + CALLBACK_PATH }),
          settings,
        });

  const views = createShownViews({ records: storage.records });
  const services: Services = {
    extractor,
    beatmaps,
    ratings,
    recommend,
    recommendationHistory,
    painter: createSvgRasterizer(),
    settings,
    optOuts: createOptOuts({ records: storage.records, key: storage.keyFor('opt-outs') }),
    ...(accountLinks && { accountLinks }),
    memory,
    actions: createButtonTokens({
      key: storage.keyFor('buttons'),
      records: storage.records,
      onFailure: error => log.warn({ err: error }, 'the arguments of a button could not be stored'),
    }),
    requests: {
      async forgetUser(platform, userId) {
        const owner = ownerKey(platform, userId);
        await Promise.all([storage.queue.forget(owner), storage.spare?.forget(owner), views.forgetUser(owner)]);
      },
    },
    cutsExactly: ffmpeg !== undefined,
    version,
  };
  let readChats: (() => Promise<RuntimeStatus>) | undefined;
  const ownerCommands = createOwnerCommands({ blocks, failures, sources, readChats: async () => readChats?.() });
  const isOwner = ({ platform, userId }: Caller) =>
    config.owners.some(owner => owner.platform === platform && owner.id === userId);
  const dispatcher = createDispatcher({
    commands: createCommandList({
      sources: sourceDescriptors,
      // Others are commands.
      example:
        config.webExamples.find(({ url }) => extractor.sourceOf(url) !== undefined)?.url ??
        sourceDescriptors[0]?.example,
    }),
    // Others would see in a group what is typed there.
    hiddenCommands: caller => (caller.chatKind === 'private' && isOwner(caller) ? ownerCommands : []),
    isBlocked: async caller => !isOwner(caller) && (await blocks.hasCaller(caller)),
    services,
    limiter,
    userLimit: config.userLimit,
    log,
  });

  return {
    storage,
    http,
    metrics,
    limiter,
    sources,
    extractor,
    beatmaps,
    recommend,
    tunnel,
    playbacks,
    delivery,
    settings,
    services,
    accountLinks,
    dispatcher,
    /** The chats come after all this; owners are told how they do. */
    watchChats(read: () => Promise<RuntimeStatus>): void {
      readChats = read;
    },
    /** Someone has to look after an account that the site doubts. */
    watchAccounts(listener: (paused: AccountPaused) => void): void {
      onChallenge = listener;
    },
    /** Goes on in the background: reads what searches are corrected by, and fills the catalogue. */
    warm(): void {
      if (config.catalogueFill) backgroundFill.start();
      catalogue.warm().catch(error => log.warn({ err: error }, 'searches are not corrected until the next start'));
    },
    /** Before the process ends, however it does: a thread torn down within native code takes the process down with a signal. */
    endThreads: () => catalogue.close(),
    /** When nothing uses it any more. */
    async close(): Promise<void> {
      await backgroundFill.stop();
      await Promise.all([delivery.close(), muxedFiles.close(), difficulty.close()]);
      await Promise.all([http.close(), streamHttp.close()]);
      await catalogue.close();
      await Promise.all(sites.map(site => site.close()));
      await storage.close();
    },
  };
}

/** The memory of a chat moves with its settings, and is deleted when Medley is removed from the chat. */
function withChatMemory(settings: SettingsStore, memory: ChatMemory): SettingsStore {
  return {
    ...settings,
    async moveChat(from, to) {
      await settings.moveChat(from, to);
      await memory.moveChat(from, to);
    },
    async markChatLeft(key, at) {
      await settings.markChatLeft(key, at);
      if (at !== null) await memory.leaveChat(key);
    },
  };
}

async function readVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

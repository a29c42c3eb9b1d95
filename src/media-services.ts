import { join } from 'node:path';
import { MIRROR_THROTTLES } from './beatmaps/upstreams/mirror.ts';
import { OSU_ASSET_HOSTS } from './beatmaps/upstreams/osu-api.ts';
import { OSU_HOST, OSU_THROTTLE } from './beatmaps/upstreams/osu-call.ts';
import { createBlockList } from './bot/stores/exclusions.ts';
import type { Config } from './config.ts';
import { createMemoryCache, createPacking } from './infra/cache/cache.ts';
import { createOverrides, hostsBelow } from './infra/http/host-list.ts';
import type { ThrottleRules } from './infra/http/host-throttle.ts';
import { createHttpClient, type HttpClient } from './infra/http/http-client.ts';
import { assertLocalAddress, type Outgoing } from './infra/http/outgoing.ts';
import type { Logger } from './infra/log.ts';
import type { Metrics } from './infra/metrics.ts';
import type { RateLimiter } from './infra/rate-limit/rate-limit.ts';
import { createDelivery, type PublicAddresses } from './media/delivery/delivery.ts';
import { createMuxedFiles } from './media/delivery/muxed-files.ts';
import { ACCOUNTS, type AccountPaused, createAccounts } from './media/extract/accounts.ts';
import { readCookies } from './media/extract/cookies-file.ts';
import { COOLDOWNS } from './media/extract/cooldowns.ts';
import { createExtractor, type Extractor } from './media/extract/extractor.ts';
import { createStoredPostParser } from './media/extract/post-cache.ts';
import { openSite } from './media/extract/site-breaker.ts';
import { createSiteOutgoing, siteThrottles } from './media/extract/site-outgoing.ts';
import { cookiesVariable, type SourceDescriptor } from './media/extract/source-descriptor.ts';
import { createCdnHeaders } from './media/files/cdn.ts';
import type { Post } from './media/post.ts';
import { sourceDescriptors } from './media/sources/index.ts';
import { createYtDlpStrategy, findYtDlp } from './media/sources/yt-dlp.ts';
import { type Ffmpeg, findFfmpeg } from './media/transcode/ffmpeg.ts';
import { createPlayerLinks } from './media/tunnel/player-links.ts';
import { createTunnel } from './media/tunnel/tunnel.ts';
import type { Storage } from './storage.ts';

/** The most bytes of posts in memory. A reel takes 10 KB, a long carousel 100 KB; most repeats come within minutes. */
const MAX_POST_BYTES = 8 * 1024 * 1024;
/** How many of the most requested posts are kept in memory with the API's answers about them. */
const MAX_POSTS_AT_HAND = 300;
const MAX_AT_HAND_BYTES = 6 * 1024 * 1024;
const MAX_SHORT_LINKS = 20_000;
/**
 * The most connections for streams to one host: more than streams may run at once, so no stream waits for a connection.
 */
const STREAM_CONNECTIONS = 256;

/**
 * The throttle for the CDNs of sites, which serve anyone; UPSTREAM_PACE is for the sites themselves. A stream counts
 * until its whole file was sent.
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

export interface MediaServicesOptions {
  readonly config: Config;
  /** The sites that Medley offers. */
  readonly descriptors: readonly SourceDescriptor[];
  /** The folders in which programs such as ffmpeg are searched for, as in PATH. */
  readonly searchPath: string;
  readonly storage: Storage;
  /** The rate limiter; with Redis all processes share its counts. */
  readonly limiter: RateLimiter;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * The HTTP clients for all outside requests. Each has its own throttle; with Redis, all clients of all processes also
 * share the requests per second to a site.
 */
function openClients({ config, storage, metrics, log }: MediaServicesOptions, outgoing: Outgoing) {
  const open = (connectionsPerHost?: number) =>
    createHttpClient({
      overrides: createOverrides(config.upstreamOverrides),
      outgoing,
      throttle: { ...THROTTLES, sites: siteThrottles(sourceDescriptors, config.upstreamPace) },
      limiter: storage.shared?.limiter,
      log,
      onRequest: metrics.countUpstream,
      ...(connectionsPerHost !== undefined && { connectionsPerHost }),
    });
  // Streams to visitors have their own connections and throttle, so that deliveries to chats do not wait for them.
  return { http: open(), streamHttp: open(STREAM_CONNECTIONS) };
}

/** Opens the sites, each with its accounts and breaker, and with yt-dlp as the last resort if it is installed. */
async function openSites(
  { config, descriptors, searchPath, storage, limiter, metrics, log }: MediaServicesOptions,
  { http, outgoing }: { readonly http: HttpClient; readonly outgoing: Outgoing },
  onChallenge: (paused: AccountPaused) => void,
) {
  const ytDlp = await findYtDlp(searchPath, outgoing);
  const cookies = await readCookies(config.cookiesFiles);
  const collection = storage.records.groupedCollection(COOLDOWNS);
  const accountRecords = storage.records.collection(ACCOUNTS);
  return descriptors.map(descriptor => {
    const { id, sessionCookie } = descriptor;
    const accounts = createAccounts({
      ...{ source: id, sessions: cookies.get(id) ?? [], sessionCookie, pace: config.accountPace },
      ...{ limiter, collection: accountRecords, log, onChallenge },
    });
    if (cookies.has(id) && accounts.isEmpty) {
      const trouble = `holds no ${sessionCookie} cookie, so no account is used: export it again, logged in, as cookies.txt`;
      log.warn({}, `${cookiesVariable(descriptor)} ${trouble}`);
    }
    return openSite({
      ...{ descriptor, outgoing, limiter, collection, log },
      create: cooldowns =>
        descriptor.create({
          ...{ http, log, upstreamConstants: config.upstreamConstants, accounts, cooldowns },
          extraStrategies: ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, descriptor)],
          onOutcome: metrics.countStrategy,
        }),
    });
  });
}

/** Creates the ways in which a post's files reach people: addresses of Medley, a page that plays videos, uploads. */
function createFiles(
  { config, storage, metrics, log }: MediaServicesOptions,
  { http, streamHttp }: ReturnType<typeof openClients>,
  extractor: Extractor,
  ffmpeg: Ffmpeg | undefined,
) {
  const { dataDir, publicUrl } = config;
  const { mediaHosts, find, refresh } = extractor;
  const cdnHeaders = createCdnHeaders(sourceDescriptors);
  const spoolDir = join(dataDir, 'spool');
  // Half of the cache is for uploads to chats and half for streams.
  const keptBytes = Math.floor(config.mediaCacheBytes / 2);
  const shared = { mediaHosts, cdnHeaders, keptBytes, log };
  const muxedFiles = createMuxedFiles({ ...shared, http: streamHttp, tempDir: join(spoolDir, 'streams') });
  const key = storage.keyFor('media links');
  const tunnel = createTunnel({
    ...{ key, http: streamHttp, mediaHosts, cdnHeaders, find, refresh, log },
    assetHosts: OSU_ASSET_HOSTS,
    muxTracks: muxedFiles.muxTracks,
  });
  const playbacks = createPlayerLinks(key, tunnel, async (url, signal) => {
    return (await extractor.extract(url, { signal, readable: true })).post;
  });
  const addresses: PublicAddresses | undefined =
    publicUrl === undefined
      ? undefined
      : {
          file: file => publicUrl + tunnel.address(file),
          page: (post, index, expiresAt) => publicUrl + playbacks.address(post, index, expiresAt),
        };
  const delivery = createDelivery({
    ...{ ...shared, http, tempDir: spoolDir, refresh, addresses, ffmpeg },
    onDelivered: metrics.countDelivery,
  });
  return { tunnel, playbacks, delivery, muxedFiles };
}

export type MediaServices = Awaited<ReturnType<typeof openMediaServices>>;

/** Opens the services that turn links into posts and posts into files, and the HTTP clients for all other parts too. */
export async function openMediaServices(options: MediaServicesOptions) {
  const { config, searchPath, storage, metrics, log } = options;
  const outgoing = createSiteOutgoing(sourceDescriptors, config.upstreamProxies, config.upstreamLocalAddress);
  await assertLocalAddress(outgoing);
  const clients = openClients(options, outgoing);
  const ffmpeg = await findFfmpeg({ searchPath });
  let onChallenge: ((paused: AccountPaused) => void) | undefined;
  const sites = await openSites(options, { http: clients.http, outgoing }, paused => onChallenge?.(paused));
  const sources = sites.map(({ source }) => source);
  const blocks = createBlockList({ records: storage.records });
  // Each post is checked against the block list, so it is read into memory now and stays known if the store is away.
  await blocks.list().catch(error => log.warn({ err: error }, 'what is blocked could not be read yet'));
  const extractor = createExtractor({
    withheld: blocks,
    countLookup: metrics.countLookup,
    sources,
    cache: createMemoryCache<Post>({
      maxSize: MAX_POST_BYTES,
      hold: createPacking(MAX_POSTS_AT_HAND, MAX_AT_HAND_BYTES),
      behind: storage.shared?.openCache({ name: 'posts', parse: createStoredPostParser(sources) }),
    }),
    shortLinks: createMemoryCache<string>({ maxEntries: MAX_SHORT_LINKS }),
    log,
  });
  const { tunnel, playbacks, delivery, muxedFiles } = createFiles(options, clients, extractor, ffmpeg);
  return {
    ...{ http: clients.http, sources, blocks, extractor, tunnel, playbacks, delivery },
    hasFfmpeg: ffmpeg !== undefined,
    encodesMp3: ffmpeg?.hasMp3 === true,
    /** Calls the listener when a site challenges an account, because a person has to look after that account. */
    watchAccounts(listener: (paused: AccountPaused) => void): void {
      onChallenge = listener;
    },
    closeFiles: () => Promise.all([delivery.close(), muxedFiles.close()]),
    closeClients: () => Promise.all([clients.http.close(), clients.streamHttp.close()]),
    closeSites: () => Promise.all(sites.map(site => site.close())),
  };
}

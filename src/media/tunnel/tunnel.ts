import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import { hostsBelow, isTarget } from '../../infra/http/host-list.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { CdnHeaders } from '../files/cdn.ts';
import { createCdnRelay } from './cdn-relay.ts';
import { createMuxedRelay, type MuxedFile, type MuxTracks } from './muxed-relay.ts';
import {
  noSuchFile,
  type RefreshPost,
  sealTunnelFile,
  type TunnelFile,
  type TunnelRequest,
  type TunnelResponse,
  unsealTunnelFile,
} from './tunnel-file.ts';

/** Opaque, authenticated-encrypted, expiring addresses for media files. */
export interface Tunnel {
  /** Says whether a file of this address would be asked for: https, on a known host. */
  carries(url: string): boolean;
  /** `/media/<token>` */
  address(file: TunnelFile): string;
  /**
   * @throws AppError `not_found` (forged, malformed or expired token; a file that is gone), `upstream_*`, `timeout`, `too_large` for
   * tracks that are too large to be put together, and what `refresh` throws.
   */
  open(token: string, request: TunnelRequest): Promise<TunnelResponse>;
}

export interface TunnelOptions {
  /** 32 bytes. */
  readonly key: Buffer;
  readonly http: Pick<HttpClient, 'request' | 'stream'>;
  /** Suffixes: each host and what is below it. */
  readonly mediaHosts: readonly string[];
  readonly cdnHeaders: CdnHeaders;
  /** Exactly these: images and audio that belong to no post. */
  readonly assetHosts?: readonly string[];
  /** The post as it is kept, else asked for: for the headers that a file wants. Default: it is asked for. */
  readonly find?: RefreshPost;
  readonly refresh: RefreshPost;
  readonly muxTracks: MuxTracks;
  /** For two tracks to come and be put together. */
  readonly muxWait?: Partial<MuxWait>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly now?: () => number;
}

export interface MuxWait {
  /** The wait when another file could begin at once. Default 15 000. */
  readonly withFallbackMs: number;
  /** Proxies and players give up on what is silent for a minute. Default 55 000. */
  readonly aloneMs: number;
}

const MUX_WAIT: MuxWait = { withFallbackMs: 15_000, aloneMs: 55_000 };
/** How long tracks that could not be put together are not tried again where there is another file; each request for that one begins it anew. */
const GIVEN_UP_MS = 5 * 60_000;

export function createTunnel(options: TunnelOptions): Tunnel {
  const { key, http, mediaHosts, assetHosts = [], refresh, find = refresh, muxTracks, log, now = Date.now } = options;
  const wait = { ...MUX_WAIT, ...options.muxWait };
  const hosts = [...hostsBelow(mediaHosts), ...assetHosts];
  const openPlain = createCdnRelay({ http, hosts, cdnHeaders: options.cdnHeaders, find, refresh, now });
  const openMuxed = createMuxedRelay({ muxTracks, find, refresh });
  // A player asks for many ranges: they all have to be of the same file.
  const givenUp = createLru<string, true>({ max: 500, ttl: GIVEN_UP_MS, updateAgeOnGet: true });

  function readFile(token: string): TunnelFile {
    const file = unsealTunnelFile(key, token);
    if (file === undefined) throw noSuchFile('unreadable media token');
    if (file.expiresAt <= now()) throw noSuchFile('expired media token');
    return file;
  }

  /** The tracks put together; where that cannot be, the plain file of the same item. */
  async function openTracks(file: MuxedFile, request: TunnelRequest): Promise<TunnelResponse> {
    const { url, tracks, post, index } = file;
    if (url === tracks.video) return openMuxed(file, request, wait.aloneMs);
    if (givenUp.get(tracks.video)) return openPlain(file, request);
    try {
      return await openMuxed(file, request, wait.withFallbackMs);
    } catch (error) {
      request.signal.throwIfAborted();
      givenUp.set(tracks.video, true);
      const level = error instanceof AppError && error.code !== 'internal' ? 'info' : 'error';
      log[level]({ err: error, ...post, index }, 'two tracks could not be put together; the plain file is given');
      return openPlain(file, request);
    }
  }

  return {
    carries: url => isTarget(url, hosts),
    address: file => `/media/${sealTunnelFile(key, file)}`,
    async open(token, request) {
      const file = readFile(token);
      const { tracks } = file;
      return tracks === undefined ? openPlain(file, request) : openTracks({ ...file, tracks }, request);
    },
  };
}

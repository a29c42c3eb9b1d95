import type { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import { hostsBelow, isTarget } from '../../infra/http/host-list.ts';
import type { HttpClient, HttpHead } from '../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../infra/http/retry-after.ts';
import type { Logger } from '../../infra/log.ts';
import { type CdnAddress, type CdnHeaders, extensionOf, isGone, mediaType } from '../files/cdn.ts';
import { rangeHeaders, totalOf } from '../files/tunnel-range.ts';
import { createMuxedRelay, type MuxedFile, type MuxTracks } from './muxed-relay.ts';
import { renewedAddress } from './tunnel-renewal.ts';
import {
  noSuchFile,
  type RefreshPost,
  type RelayedFile,
  sealTunnelFile,
  type TunnelFile,
  type TunnelRequest,
  type TunnelResponse,
  unsealTunnelFile,
} from './tunnel-token.ts';

export type Tunnel = ReturnType<typeof createTunnel>;

export interface TunnelOptions {
  /** The secret key, 32 bytes. */
  readonly key: Buffer;
  readonly http: Pick<HttpClient, 'request' | 'stream'>;
  /** Domains of the media hosts; the subdomains of each are included. */
  readonly mediaHosts: readonly string[];
  readonly cdnHeaders: CdnHeaders;
  /** Exact names of further hosts, for images and audio that belong to no post. */
  readonly assetHosts?: readonly string[];
  /** Gets a post for the headers that its files require; the cache may answer. Default: `refresh`. */
  readonly find?: RefreshPost;
  readonly refresh: RefreshPost;
  readonly muxTracks: MuxTracks;
  /** How long a request waits for two tracks to be fetched and muxed. */
  readonly muxWait?: Partial<MuxWait>;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly now?: () => number;
}

export interface MuxWait {
  /** The wait if a whole file can be sent instead of the muxed one, in milliseconds. Default 15 000. */
  readonly withFallbackMs: number;
  /**
   * The wait if only the muxed file can be sent. Proxies and players give up after a minute of silence. Default 55 000.
   */
  readonly aloneMs: number;
}

const MUX_WAIT: MuxWait = { withFallbackMs: 15_000, aloneMs: 55_000 };
/**
 * After muxing has failed, a whole file is sent instead of the muxed one. Muxing is only tried again when no request
 * for this video has come for this long, so that a player never gets parts of two files.
 */
const GIVEN_UP_MS = 5 * 60_000;

/** Makes and opens addresses of media files. They are encrypted, authenticated, and expire. */
export function createTunnel(options: TunnelOptions) {
  const { key, mediaHosts, assetHosts = [], refresh, find = refresh, muxTracks, log, now = Date.now } = options;
  const wait = { ...MUX_WAIT, ...options.muxWait };
  const hosts = [...hostsBelow(mediaHosts), ...assetHosts];
  const openPlain = createCdnRelay({ ...options, find, now }, hosts);
  const openMuxed = createMuxedRelay(muxTracks, find, refresh);
  // A player requests many ranges, which must all be of the same file. So it is remembered for which videos muxing
  // failed.
  const givenUp = createLru<string, true>({ max: 500, ttl: GIVEN_UP_MS, updateAgeOnGet: true });

  /** Answers with the muxed tracks, or with another file of the item if they cannot be muxed. */
  async function openTracks(file: MuxedFile, request: TunnelRequest): Promise<RelayedFile> {
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
    /** Says whether the tunnel may fetch this address: it must be https and on a known host. */
    carries: (url: string) => isTarget(url, hosts),
    /** The address `/media/<token>` of a file. */
    address: (file: TunnelFile) => `/media/${sealTunnelFile(key, file)}`,
    /**
     * @throws AppError `not_found` (forged, malformed or expired token; a file that is gone), `upstream_*`, `timeout`,
     * `too_large` for tracks that are too large to be muxed, and whatever `refresh` throws.
     */
    async open(token: string, request: TunnelRequest): Promise<TunnelResponse> {
      const file = unsealTunnelFile(key, token);
      if (file === undefined) throw noSuchFile('unreadable media token');
      if (file.expiresAt <= now()) throw noSuchFile('expired media token');
      const { tracks } = file;
      const relayed = await (tracks === undefined
        ? openPlain(file, request)
        : openTracks({ ...file, tracks }, request));
      const type = relayed.headers['content-type'] ?? file.mime;
      return { ...relayed, fileName: fileNameAs(type, file), expiresAt: file.expiresAt };
    },
  };
}

/** The longest wait for the headers of an answer, and for each further chunk of it. */
const PAUSE_MS = 20_000;

interface Answer extends HttpHead {
  readonly body: Readable | undefined;
}

/** @param hosts patterns of host names, as the HTTP client takes them */
function createCdnRelay(
  options: TunnelOptions & Required<Pick<TunnelOptions, 'find' | 'now'>>,
  hosts: readonly string[],
) {
  const { http, cdnHeaders, refresh, find, now } = options;
  // A player makes many range requests. Later ones reuse the address that the first one looked up.
  const known = createLru<string, CdnAddress>({ max: 500, ttl: 30 * 60_000 });

  async function ask(
    { url, headers: wanted }: CdnAddress,
    { post, mime }: TunnelFile,
    { method, range, ifRange, signal }: TunnelRequest,
  ): Promise<Answer> {
    const headers = cdnHeaders(post?.source, { mime, ...(wanted && { headers: wanted }) });
    const call = { url, hosts, signal, timeoutMs: PAUSE_MS };
    if (method === 'GET') return http.stream({ ...call, headers: { ...headers, ...rangeHeaders(range, ifRange) } });
    const head = await http.request({ ...call, method, headers });
    if (head.status !== 405 && head.status !== 501) return { ...head, body: undefined };
    const first = await http.stream({ ...call, headers: { ...headers, range: 'bytes=0-0' } });
    first.body.destroy();
    return { ...first, ...wholeFile(first), body: undefined };
  }

  async function lookUp(getPost: RefreshPost, { post, index = 0, ...file }: TunnelFile, signal: AbortSignal) {
    if (post === undefined) throw noSuchFile('the address leads nowhere any more');
    const address = renewedAddress(await getPost(post, signal), { ...file, index });
    if (address === undefined) throw noSuchFile('the post has no such file any more');
    return address;
  }

  function relay(answer: Answer, file: TunnelFile, request: TunnelRequest): RelayedFile {
    const { status, headers, body } = answer;
    const isPart = status === 206 && rangeHeaders(request.range, undefined).range !== undefined;
    if (status === 416) {
      body?.destroy();
      return { status, headers: pick(headers, ['content-range']), body: undefined };
    }
    const type = mediaType(headers['content-type'], file.mime);
    if ((status !== 200 && !isPart) || type === undefined) {
      body?.destroy();
      throw relayFailure(answer, type, now());
    }
    return { status: isPart ? 206 : 200, headers: { ...pick(headers, RELAYED_HEADERS), 'content-type': type }, body };
  }

  /**
   * Streams a file of the CDN to the client; an expired address is renewed once.
   * @throws AppError `not_found`, `upstream_*`, `timeout`, and whatever `refresh` throws
   */
  return async (file: TunnelFile, request: TunnelRequest): Promise<RelayedFile> => {
    const { url, hasHeaders } = file;
    const address = known.get(url) ?? (hasHeaders ? await lookUp(find, file, request.signal) : { url });
    const answer = await ask(address, file, request);
    if (!isGone(answer.status)) {
      if (hasHeaders) known.set(url, address);
      return relay(answer, file, request);
    }
    answer.body?.destroy();
    known.delete(url);
    const fresh = await lookUp(refresh, file, request.signal);
    if (fresh.url === address.url && fresh.headers?.cookie === address.headers?.cookie)
      throw new AppError('upstream_unavailable', `the CDN refuses a current address (${answer.status})`);
    const again = await ask(fresh, file, request);
    if (!isGone(again.status)) known.set(url, fresh);
    return relay(again, file, request);
  };
}

const RELAYED_HEADERS = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

/** Turns the answer to a request for one byte into an answer to HEAD. */
function wholeFile({ status, headers }: HttpHead): Pick<HttpHead, 'status' | 'headers'> {
  if (status !== 206) return { status, headers };
  const { 'content-range': contentRange, 'content-length': _, ...rest } = headers;
  const total = totalOf(contentRange);
  const length = total === undefined ? {} : { 'content-length': total };
  return { status: 200, headers: { ...rest, 'accept-ranges': 'bytes', ...length } };
}

function relayFailure({ status, headers }: Answer, type: string | undefined, now: number): AppError {
  if (status === 404 || status === 410) return noSuchFile(`the CDN answers ${status}`);
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
    return new AppError('upstream_rate_limited', 'the CDN answers 429', { retryAfterMs });
  }
  const isOther = type === undefined && (status === 200 || status === 206);
  const what = isOther ? 'with something that is not media' : status;
  return new AppError('upstream_unavailable', `the CDN answers ${what}`);
}

/** The CDN may send JPEG for an address that ends in `.webp` (seen in 2026-08), so the sent type decides the name. */
function fileNameAs(type: string, { mime, fileName }: TunnelFile): string {
  const extension = extensionOf(type);
  if (type === mime || extension === undefined) return fileName;
  return `${fileName.replace(/\.\w{1,5}$/, '')}.${extension}`;
}

function pick(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

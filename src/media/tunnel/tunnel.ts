import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { HttpClient, HttpHead } from '../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../infra/http/retry-after.ts';
import { isTarget } from '../../infra/http/url-guard.ts';
import { cdnHeaders, extensionOf, hostsBelow, isGone, mediaType } from '../files/cdn.ts';
import { rangeHeaders, totalOf } from '../files/tunnel-range.ts';
import type { Post } from '../post.ts';
import { renewedAddress } from './tunnel-renewal.ts';
import { sealToken, unsealToken } from './tunnel-token.ts';

export interface TunnelFile {
  /** Asked again when the address has run out. A file of no post is gone when its address is. */
  readonly post?: Pick<Post, 'source' | 'id'> | undefined;
  /** Its place in the post. */
  readonly index?: number | undefined;
  readonly url: string;
  readonly mime: string;
  /** Pixels, where known: they help to find the file again after its address has expired. */
  readonly width?: number | null;
  readonly height?: number | null;
  /** Suggested name, already safe: letters, digits, `-`, `_`, `.`. */
  readonly fileName: string;
  /** Unix milliseconds after which the token is refused. */
  readonly expiresAt: number;
}

export interface TunnelRequest {
  readonly method: 'GET' | 'HEAD';
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly signal: AbortSignal;
}

export interface TunnelResponse {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for HEAD and 416. */
  readonly body: Readable | undefined;
  /** Fits the type that is really sent. */
  readonly fileName: string;
  /** Unix milliseconds: the token's own end. */
  readonly expiresAt: number;
}

/** Opaque, authenticated-encrypted, expiring addresses for media files. */
export interface Tunnel {
  /** Whether a file of this address would be asked for: https, on a known host. */
  carries(url: string): boolean;
  /** `/media/<token>` */
  address(file: TunnelFile): string;
  /**
   * @throws AppError `not_found` (forged, malformed or expired token; a file that is gone), `upstream_*`, `timeout`, and what
   * `refresh` throws.
   */
  open(token: string, request: TunnelRequest): Promise<TunnelResponse>;
}

export interface TunnelOptions {
  /** 32 bytes. */
  readonly key: Buffer;
  readonly http: Pick<HttpClient, 'request' | 'stream'>;
  /** Suffixes: each host and what is below it. */
  readonly mediaHosts: readonly string[];
  /** Exactly these: pictures and sounds that belong to no post. */
  readonly assetHosts?: readonly string[];
  /** Asks the upstream again for a post whose addresses expired early. */
  readonly refresh: (post: Pick<Post, 'source' | 'id'>, signal: AbortSignal) => Promise<Pick<Post, 'items'>>;
  readonly now?: () => number;
}

const PURPOSE = 'medley media 1';
/** For headers, and between two chunks. */
const PAUSE_MS = 20_000;

const sealed = z.object({
  s: z.enum(['instagram', 'facebook']).optional(),
  i: z.string().optional(),
  n: z.number().int().nonnegative().optional(),
  u: z.string(),
  m: z.string(),
  f: z.string(),
  w: z.number().nullish(),
  h: z.number().nullish(),
  e: z.number(),
});

interface Answer extends HttpHead {
  readonly body: Readable | undefined;
}

export function createTunnel(options: TunnelOptions): Tunnel {
  const { key, http, mediaHosts, assetHosts = [], refresh, now = Date.now } = options;
  const hosts = [...hostsBelow(mediaHosts), ...assetHosts];
  // A player asks for many ranges of one file: only the first of them pays for an expired address.
  const renewed = new LRUCache<string, string>({ max: 500, ttl: 30 * 60_000 });

  function readFile(token: string): TunnelFile {
    const text = unsealToken(key, PURPOSE, token);
    const { data } = sealed.safeParse(text === undefined ? undefined : JSON.parse(text));
    if (data === undefined) throw noSuchFile('unreadable media token');
    if (data.e <= now()) throw noSuchFile('expired media token');
    const { s: source, i: id, n: index, u: url, m: mime, f: fileName, w: width = null, h: height = null, e } = data;
    const post = source === undefined || id === undefined ? undefined : { source, id };
    return { post, index, url, mime, fileName, width, height, expiresAt: e };
  }

  async function ask(
    url: string,
    file: TunnelFile,
    { method, range, ifRange, signal }: TunnelRequest,
  ): Promise<Answer> {
    const headers = cdnHeaders(file.post?.source, file.mime);
    const call = { url, hosts, signal, timeoutMs: PAUSE_MS };
    if (method === 'GET') return http.stream({ ...call, headers: { ...headers, ...rangeHeaders(range, ifRange) } });
    const head = await http.request({ ...call, method, headers });
    if (head.status !== 405 && head.status !== 501) return { ...head, body: undefined };
    const first = await http.stream({ ...call, headers: { ...headers, range: 'bytes=0-0' } });
    first.body.destroy();
    return { ...first, ...wholeFile(first), body: undefined };
  }

  async function renew({ post, index = 0, ...file }: TunnelFile, signal: AbortSignal): Promise<string> {
    if (post === undefined) throw noSuchFile('the address leads nowhere any more');
    const url = renewedAddress(await refresh(post, signal), { ...file, index });
    if (url === undefined) throw noSuchFile('the post has no such file any more');
    return url;
  }

  function relay(answer: Answer, file: TunnelFile, request: TunnelRequest): TunnelResponse {
    const { status, headers, body } = answer;
    const isPart = status === 206 && rangeHeaders(request.range, undefined).range !== undefined;
    if (status === 416) {
      body?.destroy();
      return { status, headers: pick(headers, ['content-range']), body: undefined, ...identity(file, file.mime) };
    }
    const type = mediaType(headers['content-type'], file.mime);
    if ((status !== 200 && !isPart) || type === undefined) {
      body?.destroy();
      throw refusal(answer, type, now());
    }
    return {
      status: isPart ? 206 : 200,
      headers: { ...pick(headers, RELAYED), 'content-type': type },
      body,
      ...identity(file, type),
    };
  }

  return {
    carries: url => isTarget(url, hosts),

    address(file) {
      const { post, index, url, mime, fileName, width, height, expiresAt } = file;
      const text = JSON.stringify({
        s: post?.source,
        i: post?.id,
        n: index,
        u: url,
        m: mime,
        f: fileName,
        w: width,
        h: height,
        e: expiresAt,
      });
      return `/media/${sealToken(key, PURPOSE, text)}`;
    },

    async open(token, request) {
      const file = readFile(token);
      const url = renewed.get(file.url) ?? file.url;
      const answer = await ask(url, file, request);
      if (!isGone(answer.status)) return relay(answer, file, request);
      answer.body?.destroy();
      renewed.delete(file.url);
      const newUrl = await renew(file, request.signal);
      if (newUrl === url)
        throw new AppError('upstream_unavailable', `the CDN refuses a current address (${answer.status})`);
      const again = await ask(newUrl, file, request);
      if (!isGone(again.status)) renewed.set(file.url, newUrl);
      return relay(again, file, request);
    },
  };
}

const RELAYED = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

/** What HEAD says of the file, from an answer to its first byte. */
function wholeFile({ status, headers }: HttpHead): Pick<HttpHead, 'status' | 'headers'> {
  if (status !== 206) return { status, headers };
  const { 'content-range': contentRange, 'content-length': _, ...rest } = headers;
  const total = totalOf(contentRange);
  return {
    status: 200,
    headers: { ...rest, 'accept-ranges': 'bytes', ...(total === undefined ? {} : { 'content-length': total }) },
  };
}

function refusal({ status, headers }: Answer, type: string | undefined, now: number): AppError {
  if (status === 404 || status === 410) return noSuchFile(`the CDN answers ${status}`);
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
    return new AppError('upstream_rate_limited', 'the CDN answers 429', { retryAfterMs });
  }
  const why = type === undefined ? 'with something that is not media' : String(status);
  return new AppError('upstream_unavailable', `the CDN answers ${status === 200 || status === 206 ? why : status}`);
}

function noSuchFile(message: string): AppError {
  return new AppError('not_found', message, { params: { what: 'file' } });
}

/** The CDN sends JPEG for addresses that end in `.webp` (2026-08): the name follows what is sent. */
function identity(file: TunnelFile, type: string): Pick<TunnelResponse, 'fileName' | 'expiresAt'> {
  const extension = extensionOf(type);
  const { expiresAt } = file;
  if (type === file.mime || extension === undefined) return { fileName: file.fileName, expiresAt };
  return { fileName: `${file.fileName.replace(/\.\w{1,5}$/, '')}.${extension}`, expiresAt };
}

function pick(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

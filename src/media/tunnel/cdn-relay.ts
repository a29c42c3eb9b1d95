import type { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import type { HttpClient, HttpHead } from '../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../infra/http/retry-after.ts';
import { type CdnAddress, type CdnHeaders, extensionOf, isGone, mediaType } from '../files/cdn.ts';
import { rangeHeaders, totalOf } from '../files/tunnel-range.ts';
import {
  noSuchFile,
  type RefreshPost,
  type TunnelFile,
  type TunnelRequest,
  type TunnelResponse,
} from './tunnel-file.ts';
import { renewedAddress } from './tunnel-renewal.ts';

/**
 * Passes a file of the CDN on as it comes; an address that has run out is asked for again once.
 * @throws AppError `not_found`, `upstream_*`, `timeout`, and what `refresh` throws
 */
export type CdnRelay = (file: TunnelFile, request: TunnelRequest) => Promise<TunnelResponse>;

export interface CdnRelayOptions {
  readonly http: Pick<HttpClient, 'request' | 'stream'>;
  /** The hosts as the HTTP client lists them. */
  readonly hosts: readonly string[];
  readonly cdnHeaders: CdnHeaders;
  readonly find: RefreshPost;
  readonly refresh: RefreshPost;
  readonly now: () => number;
}

/** For headers, and between two chunks. */
const PAUSE_MS = 20_000;

interface Answer extends HttpHead {
  readonly body: Readable | undefined;
}

export function createCdnRelay({ http, hosts, cdnHeaders, find, refresh, now }: CdnRelayOptions): CdnRelay {
  // A player asks for many ranges of one file: only the first of them pays for an expired address, or for headers.
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

  async function lookUp(ask: RefreshPost, { post, index = 0, ...file }: TunnelFile, signal: AbortSignal) {
    if (post === undefined) throw noSuchFile('the address leads nowhere any more');
    const address = renewedAddress(await ask(post, signal), { ...file, index });
    if (address === undefined) throw noSuchFile('the post has no such file any more');
    return address;
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

  return async (file, request) => {
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

const RELAYED = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

/** The answer that HEAD would give, from one to the first byte. */
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
  const isOther = type === undefined && (status === 200 || status === 206);
  return new AppError(
    'upstream_unavailable',
    `the CDN answers ${isOther ? 'with something that is not media' : status}`,
  );
}

/** The CDN sends JPEG for addresses that end in `.webp` (2026-08): the name follows what is sent. */
function identity(file: TunnelFile, type: string): Pick<TunnelResponse, 'fileName' | 'expiresAt'> {
  const extension = extensionOf(type);
  const { expiresAt } = file;
  if (type === file.mime || extension === undefined) return { fileName: file.fileName, expiresAt };
  return { fileName: `${file.fileName.replace(/\.\w{1,5}$/, '')}.${extension}`, expiresAt };
}

function pick(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

import { AppError } from '../../errors.ts';
import type { ExchangeHead } from './exchange.ts';
import type { HostList, HttpRequest } from './http-client.ts';
import { parseTarget } from './url-guard.ts';

/** One station of a call: what is asked of which address. */
export interface Hop {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly body: string | undefined;
  /** A redirect has left the first host: the caller's credentials stay behind, for the rest of the call. */
  readonly abroad: boolean;
  /** Redirects followed so far. */
  readonly count: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);
const BODY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'content-language']);
/** Ours or undici's to set. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'keep-alive',
]);

/** @throws AppError `forbidden` */
export function firstHop(request: HttpRequest): Hop {
  const method = request.method ?? 'GET';
  const url = parseTarget(request.url, undefined, request.hosts);
  return { url, method, body: method === 'POST' ? (request.body ?? '') : undefined, abroad: false, count: 0 };
}

export function isRedirect(head: ExchangeHead): boolean {
  return REDIRECTS.has(head.status) && head.headers.location !== undefined;
}

/**
 * The station that a redirect leads to.
 *
 * @throws AppError `forbidden` when the request's list does not allow it; `upstream_unavailable` when there were too many
 */
export function nextHop(hop: Hop, head: ExchangeHead, hosts: HostList, maxRedirects: number): Hop {
  if (hop.count >= maxRedirects) {
    throw new AppError('upstream_unavailable', `${hop.url.hostname} redirects more than ${maxRedirects} times`);
  }
  const url = parseTarget(head.headers.location ?? '', hop.url, hosts);
  const becomesGet = hop.method === 'POST' && head.status < 304;
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    body: becomesGet ? undefined : hop.body,
    abroad: hop.abroad || url.hostname !== hop.url.hostname,
    count: hop.count + 1,
  };
}

export interface HeaderExtras {
  readonly userAgent: string;
  readonly acceptEncoding: string;
  /** From the jar. */
  readonly cookie: string;
  /** Only when it is not that of the connection. */
  readonly host: string | undefined;
}

/** Names and values in turn: the caller's, without what this hop may not see, and our defaults. */
export function renderHeaders(hop: Hop, given: Readonly<Record<string, string>>, extras: HeaderExtras): string[] {
  const list: string[] = [];
  let { userAgent, acceptEncoding, cookie } = extras;
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (isWithheld(key, hop)) continue;
    if (key === 'cookie') {
      cookie = cookie === '' ? value : `${value}; ${cookie}`;
      continue;
    }
    if (key === 'user-agent') userAgent = '';
    if (key === 'accept-encoding') acceptEncoding = '';
    list.push(name, value);
  }
  if (userAgent !== '') list.push('user-agent', userAgent);
  if (acceptEncoding !== '') list.push('accept-encoding', acceptEncoding);
  if (cookie !== '') list.push('cookie', cookie);
  if (extras.host !== undefined) list.push('host', extras.host);
  return list;
}

function isWithheld(key: string, hop: Hop): boolean {
  return (
    OWN_HEADERS.has(key) || (hop.abroad && CREDENTIALS.has(key)) || (hop.body === undefined && BODY_HEADERS.has(key))
  );
}

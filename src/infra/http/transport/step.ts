import { AppError } from '../../../errors.ts';
import type { ExchangeHead, HttpCall } from './exchange.ts';
import { parseTarget } from './host-list.ts';

/** One step of a call: the first request, or the one that a redirect leads to. */
export interface CallStep {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly body: string | undefined;
  /** A redirect has left the first host: what was meant for that alone stays behind, for the rest of the call. */
  readonly leftFirstHost: boolean;
  /** Followed so far. */
  readonly redirects: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const FOR_FIRST_HOST: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'referer']);
const BODY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'content-language']);
/** Ours or the transport's to set. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'keep-alive',
]);

/** @throws AppError `forbidden` */
export function firstStep(call: HttpCall): CallStep {
  const method = call.method ?? 'GET';
  const url = parseTarget(call.url, undefined, call.hosts);
  return { url, method, body: method === 'POST' ? (call.body ?? '') : undefined, leftFirstHost: false, redirects: 0 };
}

export function isRedirect(head: ExchangeHead): boolean {
  return REDIRECTS.has(head.status) && head.headers.location !== undefined;
}

/**
 * The step that a redirect leads to.
 *
 * @throws AppError `forbidden` when the request's list does not allow it; `upstream_unavailable` when there were too many
 */
export function nextStep(step: CallStep, head: ExchangeHead, hosts: HttpCall['hosts'], maxRedirects: number): CallStep {
  if (step.redirects >= maxRedirects) {
    throw new AppError('upstream_unavailable', `${step.url.hostname} redirects more than ${maxRedirects} times`);
  }
  const url = parseTarget(head.headers.location ?? '', step.url, hosts);
  const becomesGet = step.method === 'POST' && head.status < 304;
  return {
    url,
    method: becomesGet ? 'GET' : step.method,
    body: becomesGet ? undefined : step.body,
    leftFirstHost: step.leftFirstHost || url.hostname !== step.url.hostname,
    redirects: step.redirects + 1,
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

/** Names and values, alternating: the caller's, without what this step may not see, and our defaults. */
export function renderHeaders(step: CallStep, given: Readonly<Record<string, string>>, extras: HeaderExtras): string[] {
  const list: [name: string, value: string][] = [];
  let { userAgent, acceptEncoding, cookie } = extras;
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (isLeftOut(key, step)) continue;
    if (key === 'cookie') {
      cookie = cookie === '' ? value : `${value}; ${cookie}`;
      continue;
    }
    if (key === 'user-agent') userAgent = '';
    if (key === 'accept-encoding') acceptEncoding = '';
    list.push([name, value]);
  }
  if (userAgent !== '') list.push(['user-agent', userAgent]);
  if (acceptEncoding !== '') list.push(['accept-encoding', acceptEncoding]);
  if (cookie !== '') list.push(['cookie', cookie]);
  if (extras.host !== undefined) list.push(['host', extras.host]);
  return inNavigationOrder(list).flat();
}

function isLeftOut(key: string, step: CallStep): boolean {
  return (
    OWN_HEADERS.has(key) ||
    (step.leftFirstHost && FOR_FIRST_HOST.has(key)) ||
    (step.body === undefined && BODY_HEADERS.has(key))
  );
}

type Header = readonly [name: string, value: string];

/** Headers that a browser opens a page with, in its order (Chrome, 2026); others come where `others` stands. */
const ORDER: readonly string[] = [
  'host',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'upgrade-insecure-requests',
  'user-agent',
  'accept',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-user',
  'sec-fetch-dest',
  'referer',
  'accept-encoding',
  'accept-language',
  'others',
  'cookie',
  'priority',
];
const RANKS: ReadonlyMap<string, number> = new Map(ORDER.map((name, rank) => [name, rank]));

function rankOf([name]: Header): number {
  return RANKS.get(name.toLowerCase()) ?? ORDER.indexOf('others');
}

/** The headers of a request that opens a page, in the order of a browser; those of any other request as they are. */
export function inNavigationOrder(headers: readonly Header[]): readonly Header[] {
  const opensPage = headers.some(([name]) => name.toLowerCase() === 'upgrade-insecure-requests');
  return opensPage ? headers.toSorted((a, b) => rankOf(a) - rankOf(b)) : headers;
}

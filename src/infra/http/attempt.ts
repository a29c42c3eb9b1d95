import { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/abortable.ts';
import { waitInQueue } from '../concurrency/running-work.ts';
import type {
  Exchanged,
  ExchangeFailure,
  ExchangeHead,
  ExchangeOptions,
  HttpCall,
  HttpEvent,
  Transport,
} from './exchange.ts';
import { type Overrides, parseTarget } from './host-list.ts';
import type { HostThrottle } from './host-throttle.ts';
import type { Outgoing } from './outgoing.ts';
import { parseRetryAfter } from './retry-after.ts';

export interface AttemptOptions {
  readonly transports: Readonly<Record<NonNullable<HttpCall['transport']>, Transport>>;
  readonly connectivity: Connectivity;
  readonly overrides: Overrides | undefined;
  readonly outgoing: Outgoing;
  readonly throttle: HostThrottle;
  readonly userAgent: string;
  readonly onRequest: ((event: HttpEvent) => void) | undefined;
}

interface AttemptRequest
  extends Pick<ExchangeOptions, 'deadline' | 'maxBytes' | 'flowTimeoutMs' | 'use' | 'onFlowClosed'> {
  readonly step: CallStep;
  readonly call: HttpCall;
}

/**
 * Sends one request of a call, once: checks its address, waits for the host's throttle, adds headers, sends it and
 * stores cookies.
 * @throws AppError for what keeps the request from being sent
 */
export type Attempt = (request: AttemptRequest) => Promise<Exchanged | ExchangeFailure>;

export function createAttempt(options: AttemptOptions): Attempt {
  const { transports, connectivity, overrides, outgoing, throttle, userAgent, onRequest } = options;

  return async attempt => {
    const { step, call, deadline } = attempt;
    const host = step.url.hostname;
    const target = { host, override: overrides?.find(host), address: outgoing.of(host) };
    const isOverridden = target.override !== undefined;
    const transport = transports[call.transport ?? 'plain'];
    await transport.prepare(target, deadline)?.catch(error => {
      throw error instanceof AppError ? connectivity.judge(error) : error;
    });
    const cookie = (await call.cookies?.getCookieString(step.url.href)) ?? '';
    const headers = renderHeaders(attempt, { userAgent, cookie, host: isOverridden ? host : undefined });
    const gate = isOverridden ? undefined : throttle.gate(host, target.address.name);
    const waiting = gate?.enter(deadline);
    if (waiting !== undefined) await waitInQueue(waiting);

    const startedAt = performance.now();
    const result = await transport.exchange(target, {
      ...attempt,
      path: step.url.pathname + step.url.search,
      method: step.method,
      headers,
      body: step.body,
      onFlowClosed: () => {
        gate?.leave();
        attempt.onFlowClosed();
      },
    });
    if ('error' in result || result.use !== 'flow') gate?.leave();
    const durationMs = performance.now() - startedAt;
    if ('error' in result) {
      const failure = connectivity.judge(result.error);
      onRequest?.({ host, status: undefined, failure, durationMs });
      return { ...result, error: failure };
    }
    if (!isOverridden) connectivity.answered();
    onRequest?.({ host, status: result.head.status, failure: undefined, durationMs });
    // A cookie whose domain is not this host's is dropped, as a browser does.
    for (const line of call.cookies === undefined ? [] : result.head.setCookies)
      await call.cookies?.setCookie(line, step.url.href, { ignoreError: true });
    return result;
  };
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The retries that a call has left, and the pause before the next one: longer each time, never beyond the deadline.
 * @param repeatable true when the server may safely receive the request twice
 */
export function createRetry(retries: number, repeatable: boolean, deadline: Deadline, now: () => number) {
  let left = retries;
  let pauseMs = FIRST_PAUSE_MS;

  const jitter = (): number => pauseMs * (0.5 + Math.random() / 2);
  const fitting = (ms: number): number | undefined => (ms < deadline.remainingMs() ? ms : undefined);

  return {
    /** Milliseconds to wait before the request is sent again after a 429 or 5xx; undefined when the answer is final. */
    afterAnswer(head: ExchangeHead): number | undefined {
      if (left <= 0 || !repeatable || !BUSY.has(head.status)) return undefined;
      return fitting(parseRetryAfter(head.headers['retry-after'], now()) ?? jitter());
    },
    /** Milliseconds to wait before the request is sent again after a failure; undefined when the failure is final. */
    afterFailure(failure: ExchangeFailure): number | undefined {
      if (left <= 0 || !failure.transient || !(repeatable || !failure.sent)) return undefined;
      return fitting(jitter());
    },
    pause(ms: number): Promise<void> {
      left--;
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      return deadline.sleep(ms);
    },
  };
}

/** Error codes for a host name that was not found, or to which there is no route. */
const UNREACHED: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH']);

/** If any host has answered within this time, this server is online, and only the failing host has a problem. */
const RECENT_MS = 60_000;

export type Connectivity = ReturnType<typeof createConnectivity>;

/** Tells whether one host cannot be reached, or this machine has no network at all. */
export function createConnectivity(now: () => number) {
  let answeredAt = Number.NEGATIVE_INFINITY;
  return {
    /** To be called when a host has answered, with any status. */
    answered() {
      answeredAt = now();
    },
    /** The failure, with `params.what: 'offline'` when this machine most likely has no network at all. */
    judge(failure: AppError): AppError {
      const { code, cause, message } = failure;
      const isUnreached = cause instanceof Error && 'code' in cause && UNREACHED.has(cause.code);
      if (!isUnreached || now() - answeredAt < RECENT_MS) return failure;
      return new AppError(code, message, { params: { ...failure.params, what: 'offline' }, cause });
    },
  };
}

/** One step of a call: the first request, or the one that a redirect leads to. */
export interface CallStep {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly body: string | undefined;
  /** True once a redirect has led to another host, which must not get the headers meant for the first one. */
  readonly leftFirstHost: boolean;
  /** The number of redirects that were followed so far. */
  readonly redirects: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const FOR_FIRST_HOST: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'referer']);
const BODY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'content-language']);
/** Headers that only Medley or the transport sets; a caller's headers of these names are ignored. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'keep-alive',
]);

/**
 * The first request of a call.
 * @throws AppError `forbidden` when the call may not request this address
 */
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
 * @throws AppError `forbidden` when the call's list of hosts does not allow it; `upstream_unavailable` after too many
 * redirects
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

interface HeaderExtras {
  readonly userAgent: string;
  /** The `cookie` header, from the call's cookie jar. */
  readonly cookie: string;
  /** The Host header; set only when an override makes the request connect to another host than the header names. */
  readonly host: string | undefined;
}

/** Header names and values, alternating: the caller's headers that this host may see, and Medley's defaults. */
function renderHeaders({ step, call, flowTimeoutMs }: AttemptRequest, extras: HeaderExtras): string[] {
  const { userAgent, cookie, host = '' } = extras;
  const list: Header[] = [];
  // The browser transport sets its own user agent and accepted encodings, so neither is added here.
  const isPlain = call.transport !== 'browser';
  const encodings = flowTimeoutMs === undefined ? 'gzip, deflate, br' : 'identity';
  const added = new Map([
    ['user-agent', isPlain ? userAgent : ''],
    ['accept-encoding', isPlain ? encodings : ''],
    ['cookie', cookie],
    ['host', host],
  ]);
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    const key = name.toLowerCase();
    const isForOthers = step.leftFirstHost && FOR_FIRST_HOST.has(key);
    if (OWN_HEADERS.has(key) || isForOthers || (step.body === undefined && BODY_HEADERS.has(key))) continue;
    if (key === 'cookie') {
      added.set(key, [value, added.get(key)].filter(Boolean).join('; '));
    } else {
      added.delete(key);
      list.push([name, value]);
    }
  }
  return inNavigationOrder([...list, ...[...added].filter(([, value]) => value !== '')]).flat();
}

type Header = readonly [name: string, value: string];

/** Chrome's order of headers when it opens a page (as of 2026). A header that is not named here comes at `others`. */
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

/** Sorts the headers of a request that opens a page as a browser does; leaves other requests as they are. */
export function inNavigationOrder(headers: readonly Header[]): readonly Header[] {
  const opensPage = headers.some(([name]) => name.toLowerCase() === 'upgrade-insecure-requests');
  return opensPage ? headers.toSorted((a, b) => rankOf(a) - rankOf(b)) : headers;
}

import type { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import { Deadline } from '../concurrency/abortable.ts';
import type { Logger } from '../log.ts';
import type { RateLimiter } from '../rate-limit/rate-limit.ts';
import { type ResolveHost, resolveBySystem } from './address-guard.ts';
import {
  type Attempt,
  createAttempt,
  createConnectivity,
  createRetry,
  firstStep,
  isRedirect,
  nextStep,
} from './attempt.ts';
import { createBodyTurns, decodeBody, decodeText, isCompressed } from './body.ts';
import { type BrowserPackage, createBrowserPackage } from './browser-package.ts';
import { createBrowserTransport } from './browser-transport.ts';
import type { PlainTransportOptions } from './connectors.ts';
import type { BodyUse, Exchanged, ExchangeHead, HttpCall, HttpEvent } from './exchange.ts';
import type { Overrides } from './host-list.ts';
import { createHostThrottle, type ThrottleRules } from './host-throttle.ts';
import { createOutgoing, type Outgoing } from './outgoing.ts';
import { createPlainTransport } from './plain-transport.ts';
import { OWN_DOING } from './read-failure.ts';

/** Host names that a request may reach: `example.com` is exact, `*.example.com` any subdomain of it. */
export type HostList = readonly string[];

export interface HttpRequest extends HttpCall {
  /** Time for the whole call, redirects and retries included. Default 10 000. */
  readonly timeoutMs?: number;
  /** The most bytes of a decompressed body; more fail with `too_large`. Default 16 MiB (ignored by `stream`). */
  readonly maxBytes?: number;
  /** How many redirects are followed, default 5. With 0 the 3xx answer itself is returned. */
  readonly maxRedirects?: number;
  /**
   * How many times a request is sent again after connection failures, 502, 503, 504 and 429. Default 1 for a
   * `repeatable` request, else 0. A request that is not `repeatable` is sent again only if no byte of it was sent.
   */
  readonly retries?: number;
  /** True if repeating the request is safe. Default: true unless it is a POST; to be set for a POST that only reads. */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal;
}

export interface HttpHead {
  readonly status: number;
  /** Headers by lower-case name; repeated ones joined by `, ` (except `set-cookie`, which only the jar sees). */
  readonly headers: Readonly<Record<string, string>>;
  /** The address that answered, after redirects. */
  readonly url: string;
}

export interface HttpResponse extends HttpHead {
  /** The body, decompressed (gzip, br, deflate). */
  readonly bytes: Buffer;
  /** The body, decoded as UTF-8. */
  readonly text: string;
}

export interface HttpStream extends HttpHead {
  /**
   * The body as the server sends it, which is not compressed. Must be consumed or destroyed; aborting the request's
   * signal destroys it. Fails with an AppError.
   */
  readonly body: Readable;
}

/**
 * The only way in which Medley sends requests to sites. An answer of any status is returned, never thrown. Failures to
 * get an answer are AppErrors with their cause: `timeout`, `upstream_unavailable` (connection, TLS, DNS, broken body,
 * redirect loop), `too_large`, `forbidden` (a host, scheme or address that is not allowed). `params.what` is `offline`
 * when no host can be reached, `browserTransport` when that transport is missing; `params.own` is 1 when a limit of
 * Medley caused it: the byte cap, a full queue, a closed client.
 */
export interface HttpClient {
  /** True when the `browser` transport can be used: its optional package is installed and could be loaded. */
  readonly hasBrowserTransport: boolean;
  request(request: HttpRequest): Promise<HttpResponse>;
  /**
   * Resolves with the headers while the body still comes; `timeoutMs` bounds the wait for the headers and each pause
   * between chunks.
   */
  stream(request: HttpRequest): Promise<HttpStream>;
  /** Ends every call in progress with `upstream_unavailable`, and closes the connections. */
  close(): Promise<void>;
}

export interface HttpClientOptions extends Partial<Omit<PlainTransportOptions, 'resolve' | 'bodyTurns'>> {
  /**
   * Hosts that are replaced by another origin: only for these, plain http and private addresses are allowed and there
   * is no throttle. The Host header still names the replaced host.
   */
  readonly overrides?: Overrides | undefined;
  /**
   * Chooses the outgoing address for a host that is not overridden. Default: the system's choice. Before a request goes
   * through a proxy, its target is resolved on this machine and refused when an address is not public.
   */
  readonly outgoing?: Outgoing | undefined;
  /** The user agent on the plain transport when the request names none. Default `Medley`. */
  readonly userAgent?: string;
  readonly throttle?: ThrottleRules;
  /** A rate limiter that all processes share, for the sites among the throttle's rules. */
  readonly limiter?: RateLimiter | undefined;
  readonly log?: Pick<Logger, 'debug' | 'warn'>;
  readonly onRequest?: (event: HttpEvent) => void;
  readonly lookup?: ResolveHost;
  readonly browserPackage?: BrowserPackage;
  readonly now?: () => number;
}

const TRANSPORT_DEFAULTS = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 15_000,
  pauseTimeoutMs: 8_000,
  connectionsPerHost: 128,
};
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const DEFAULT_MAX_REDIRECTS = 5;

export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const { outgoing = createOutgoing(), now = Date.now, log } = options;
  const browserPackage = options.browserPackage ?? createBrowserPackage({ log });
  const bodyTurns = createBodyTurns();
  const bounds = { ...TRANSPORT_DEFAULTS, ...options, resolve: options.lookup ?? resolveBySystem };
  const transports = {
    plain: createPlainTransport({ ...bounds, bodyTurns }),
    browser: createBrowserTransport({ ...bounds, browserPackage }),
  };
  const attempt = createAttempt({
    transports,
    connectivity: createConnectivity(now),
    overrides: options.overrides,
    outgoing,
    throttle: createHostThrottle(options.throttle, { now, limiter: options.limiter }),
    userAgent: options.userAgent ?? 'Medley',
    onRequest: options.onRequest,
  });
  // The browser transport cannot choose a local address, so it is not used where one is configured.
  const canPlayBrowser = outgoing.of('').localAddress === undefined;
  const live = new Set<Deadline>();
  let closed = false;

  function begin(request: HttpRequest, wanted: Call['wanted']): Call {
    if (closed) throw closedError();
    const deadline = new Deadline(request.timeoutMs ?? DEFAULT_TIMEOUT_MS, request.signal, now);
    live.add(deadline);
    const end = () => {
      deadline.end();
      live.delete(deadline);
    };
    return { request, deadline, wanted, attempt, now, log, end };
  }

  return {
    get hasBrowserTransport() {
      return canPlayBrowser && browserPackage.isAvailable;
    },
    async request(request) {
      const call = begin(request, 'collect');
      try {
        const { head, bytes, url } = await follow(call);
        const { maxBytes = DEFAULT_MAX_BYTES } = request;
        const decoded = await decodeBody(bytes, head.headers['content-encoding'], maxBytes);
        await bodyTurns.take(decoded);
        call.deadline.assertAlive();
        return toResponse(head, url, decoded);
      } finally {
        call.end();
      }
    },
    async stream(request) {
      if (request.transport === 'browser') {
        throw new AppError('internal', 'only the plain transport can stream');
      }
      const call = begin(request, 'flow');
      try {
        const { head, flow, url } = await follow(call);
        call.deadline.assertAlive();
        if (flow === undefined) throw new AppError('internal', 'a streamed answer has no body');
        if (isCompressed(head.headers['content-encoding'])) {
          flow.destroy();
          throw new AppError('upstream_unavailable', 'a body is compressed although asked not to be');
        }
        call.deadline.disarm();
        return { status: head.status, headers: head.headers, url, body: flow };
      } catch (error) {
        call.end();
        throw error;
      }
    },
    async close() {
      closed = true;
      for (const deadline of live) deadline.fail(closedError());
      await Promise.all([transports.plain.close(), transports.browser.close()]);
    },
  };
}

interface Call {
  readonly request: HttpRequest;
  readonly deadline: Deadline;
  readonly wanted: 'collect' | 'flow';
  readonly attempt: Attempt;
  readonly now: () => number;
  readonly log: HttpClientOptions['log'];
  /** To be called when the call is over: stops its deadline's timer and removes it from the list of running calls. */
  readonly end: () => void;
}

/** Runs the whole call, following redirects and repeating requests where that is safe. */
async function follow(call: Call): Promise<Exchanged & { readonly url: string }> {
  const { request, deadline, wanted, attempt, now, log, end: onFlowClosed } = call;
  const {
    maxRedirects = DEFAULT_MAX_REDIRECTS,
    maxBytes = DEFAULT_MAX_BYTES,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  } = request;
  const { repeatable = request.method !== 'POST', retries = repeatable ? 1 : 0 } = request;
  const flowTimeoutMs = wanted === 'flow' ? timeoutMs : undefined;
  const retry = createRetry(retries, repeatable, deadline, now);
  let step = firstStep(request);
  let retryInMs: number | undefined;
  const use = (head: ExchangeHead): BodyUse => {
    if (maxRedirects > 0 && isRedirect(head)) return 'discard';
    retryInMs = retry.afterAnswer(head);
    return retryInMs === undefined ? wanted : 'discard';
  };

  for (;;) {
    deadline.assertAlive();
    retryInMs = undefined;
    const result = await attempt({ step, call: request, deadline, maxBytes, flowTimeoutMs, use, onFlowClosed });
    if ('error' in result) {
      retryInMs = retry.afterFailure(result);
      if (retryInMs === undefined) throw result.error;
    } else if (result.use !== 'discard') {
      return { ...result, url: step.url.href };
    } else if (retryInMs === undefined) {
      step = nextStep(step, result.head, request.hosts, maxRedirects);
      continue;
    }
    log?.debug({ host: step.url.hostname, inMs: Math.round(retryInMs) }, 'asking again');
    await retry.pause(retryInMs);
  }
}

/** The text is decoded only when it is read, since most callers need the bytes alone. */
function toResponse({ status, headers }: ExchangeHead, url: string, bytes: Buffer): HttpResponse {
  let text: string | undefined;
  return {
    ...{ status, headers, url, bytes },
    get text() {
      text ??= decodeText(bytes);
      return text;
    },
  };
}

function closedError(): AppError {
  return new AppError('upstream_unavailable', 'the HTTP client is closed', OWN_DOING);
}

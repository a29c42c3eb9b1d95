import type { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/deadline.ts';
import type { Connectivity } from './connectivity.ts';
import {
  type BodyUse,
  type Exchanged,
  type ExchangeFailure,
  type ExchangeHead,
  exchange,
  isFailure,
} from './exchange.ts';
import type { Gate, HostThrottle } from './host-throttle.ts';
import type { HttpRequest } from './http-client.ts';
import { type Hop, renderHeaders } from './redirect.ts';
import type { Route, Transport } from './transport.ts';

/** One request on one connection: a redirected or repeated call makes several. */
export interface HttpEvent {
  readonly host: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly failure: AppError | undefined;
  readonly durationMs: number;
}

export interface AttemptOptions {
  readonly transport: Transport;
  readonly connectivity: Connectivity;
  readonly pace: HostThrottle;
  readonly userAgent: string;
  readonly onRequest: ((event: HttpEvent) => void) | undefined;
}

export interface AttemptRequest {
  readonly hop: Hop;
  readonly request: HttpRequest;
  readonly deadline: Deadline;
  readonly maxBytes: number;
  /** Set when the body is to flow: bounds the headers (by the deadline) and the pause between chunks. */
  readonly flowTimeoutMs: number | undefined;
  readonly use: (head: ExchangeHead) => BodyUse;
  readonly onFlowClosed: () => void;
}

/**
 * One hop, once, in its turn: guard, pace, headers, exchange, cookies.
 *
 * @throws AppError for what keeps the request from being sent
 */
export type Attempt = (request: AttemptRequest) => Promise<Exchanged | ExchangeFailure>;

export function createAttempt({ transport, connectivity, pace, userAgent, onRequest }: AttemptOptions): Attempt {
  async function renderHop({ hop, request, flowTimeoutMs }: AttemptRequest, route: Route): Promise<string[]> {
    return renderHeaders(hop, request.headers ?? {}, {
      userAgent,
      acceptEncoding: flowTimeoutMs === undefined ? 'gzip, deflate, br' : 'identity',
      cookie: request.cookies === undefined ? '' : await request.cookies.getCookieString(hop.url.href),
      host: route.overridden ? hop.url.hostname : undefined,
    });
  }

  async function send(attempt: AttemptRequest, route: Route, gate: Gate | undefined, headers: string[]) {
    const { hop, flowTimeoutMs, onFlowClosed } = attempt;
    const result = await exchange({
      ...attempt,
      dispatcher: route.dispatcher,
      request: {
        origin: route.origin,
        path: hop.url.pathname + hop.url.search,
        method: hop.method,
        headers,
        ...(hop.body === undefined ? undefined : { body: hop.body }),
        ...(flowTimeoutMs === undefined ? undefined : { headersTimeout: 0, bodyTimeout: flowTimeoutMs }),
      },
      onFlowClosed: () => {
        gate?.leave();
        onFlowClosed();
      },
    });
    if (isFailure(result) || result.use !== 'flow') gate?.leave();
    return result;
  }

  return async attempt => {
    const { hop, request, deadline } = attempt;
    const host = hop.url.hostname;
    const route = transport.route(host);
    const guarding = transport.guard(route, host, deadline);
    if (guarding !== undefined) await guarding;
    const headers = await renderHop(attempt, route);
    const gate = route.overridden ? undefined : pace.gate(host);
    const waiting = gate?.enter(deadline);
    if (waiting !== undefined) await waiting;

    const startedAt = performance.now();
    const sent = await send(attempt, route, gate, headers);
    const result = isFailure(sent) ? { ...sent, error: connectivity.judge(sent.error) } : sent;
    if (!isFailure(result) && !route.overridden) connectivity.answered();
    const outcome = isFailure(result)
      ? { status: undefined, failure: result.error }
      : { status: result.head.status, failure: undefined };
    onRequest?.({ host, ...outcome, durationMs: performance.now() - startedAt });

    if (!isFailure(result) && request.cookies !== undefined) {
      // A cookie that is not for this host is dropped, as a browser does.
      for (const line of result.head.setCookies)
        await request.cookies.setCookie(line, hop.url.href, { ignoreError: true });
    }
    return result;
  };
}

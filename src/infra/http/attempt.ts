import { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/deadline.ts';
import { waitInLine } from '../concurrency/work-context.ts';
import type { Connectivity } from './connectivity.ts';
import type { Gate, HostThrottle } from './host-throttle.ts';
import type { HttpCall, HttpEvent } from './http-call.ts';
import { type CallStep, renderHeaders } from './redirect.ts';
import {
  type BodyUse,
  type Exchanged,
  type ExchangeFailure,
  type ExchangeHead,
  isFailure,
} from './transport/exchange.ts';
import type { Outgoing } from './transport/outgoing.ts';
import type { Route, Transport } from './transport/transport.ts';

export interface AttemptOptions {
  readonly transports: Readonly<Record<NonNullable<HttpCall['transport']>, Transport>>;
  readonly connectivity: Connectivity;
  readonly outgoing: Outgoing;
  readonly throttle: HostThrottle;
  readonly userAgent: string;
  readonly onRequest: ((event: HttpEvent) => void) | undefined;
}

export interface AttemptRequest {
  readonly step: CallStep;
  readonly call: HttpCall;
  readonly deadline: Deadline;
  readonly maxBytes: number;
  /** Set when the body is to flow: bounds the headers (by the deadline) and the pause between chunks. */
  readonly flowTimeoutMs: number | undefined;
  readonly use: (head: ExchangeHead) => BodyUse;
  readonly onFlowClosed: () => void;
}

/**
 * One step, once, when its host's throttle lets it: guard, throttle, headers, exchange, cookies.
 *
 * @throws AppError for what keeps the request from being sent
 */
export type Attempt = (request: AttemptRequest) => Promise<Exchanged | ExchangeFailure>;

export function createAttempt(options: AttemptOptions): Attempt {
  const { transports, connectivity, outgoing, throttle, userAgent, onRequest } = options;

  async function renderStep({ step, call, flowTimeoutMs }: AttemptRequest, route: Route): Promise<string[]> {
    // A browser names itself, and what it can decompress.
    const isBrowser = call.transport === 'browser';
    return renderHeaders(step, call.headers ?? {}, {
      userAgent: isBrowser ? '' : userAgent,
      acceptEncoding: isBrowser ? '' : flowTimeoutMs === undefined ? 'gzip, deflate, br' : 'identity',
      cookie: call.cookies === undefined ? '' : await call.cookies.getCookieString(step.url.href),
      host: route.overridden ? step.url.hostname : undefined,
    });
  }

  async function send(attempt: AttemptRequest, route: Route, gate: Gate | undefined, headers: string[]) {
    const { step, onFlowClosed } = attempt;
    const result = await route.exchange({
      ...attempt,
      path: step.url.pathname + step.url.search,
      method: step.method,
      headers,
      body: step.body,
      onFlowClosed: () => {
        gate?.leave();
        onFlowClosed();
      },
    });
    if (isFailure(result) || result.use !== 'flow') gate?.leave();
    return result;
  }

  return async attempt => {
    const { step, call, deadline } = attempt;
    const host = step.url.hostname;
    const address = outgoing.of(host);
    const route = transports[call.transport ?? 'plain'].route(host, address);
    await route.prepare(deadline)?.catch(error => {
      throw error instanceof AppError ? connectivity.judge(error) : error;
    });
    const headers = await renderStep(attempt, route);
    const gate = route.overridden ? undefined : throttle.gate(host, address.name);
    const waiting = gate?.enter(deadline);
    if (waiting !== undefined) await waitInLine(waiting);

    const startedAt = performance.now();
    const sent = await send(attempt, route, gate, headers);
    const result = isFailure(sent) ? { ...sent, error: connectivity.judge(sent.error) } : sent;
    if (!isFailure(result) && !route.overridden) connectivity.answered();
    const outcome = isFailure(result)
      ? { status: undefined, failure: result.error }
      : { status: result.head.status, failure: undefined };
    onRequest?.({ host, ...outcome, durationMs: performance.now() - startedAt });

    if (!isFailure(result) && call.cookies !== undefined) {
      // A cookie that is not for this host is dropped, as a browser does.
      for (const line of result.head.setCookies)
        await call.cookies.setCookie(line, step.url.href, { ignoreError: true });
    }
    return result;
  };
}

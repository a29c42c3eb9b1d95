import { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/abortable.ts';
import { waitInLine } from '../concurrency/work-context.ts';
import type { Gate, HostThrottle } from './host-throttle.ts';
import { parseRetryAfter } from './retry-after.ts';
import type {
  BodyUse,
  Exchanged,
  ExchangeFailure,
  ExchangeHead,
  HttpCall,
  HttpEvent,
  Route,
  Transport,
} from './transport/exchange.ts';
import type { Outgoing } from './transport/outgoing.ts';
import { type CallStep, renderHeaders } from './transport/step.ts';

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
    if ('error' in result || result.use !== 'flow') gate?.leave();
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
    const result = await send(attempt, route, gate, headers);
    const durationMs = performance.now() - startedAt;
    if ('error' in result) {
      const failure = connectivity.judge(result.error);
      onRequest?.({ host, status: undefined, failure, durationMs });
      return { ...result, error: failure };
    }
    if (!route.overridden) connectivity.answered();
    onRequest?.({ host, status: result.head.status, failure: undefined, durationMs });
    // A cookie that is not for this host is dropped, as a browser does.
    for (const line of call.cookies === undefined ? [] : result.head.setCookies)
      await call.cookies?.setCookie(line, step.url.href, { ignoreError: true });
    return result;
  };
}

export interface RetryOptions {
  readonly retries: number;
  /** True when the server may see the request twice. */
  readonly repeatable: boolean;
  readonly deadline: Deadline;
  readonly now: () => number;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The tries a call has left, and how long to pause before the next: longer each time, never beyond the deadline. */
export function createRetry({ retries, repeatable, deadline, now }: RetryOptions) {
  let left = retries;
  let pauseMs = FIRST_PAUSE_MS;

  const jitter = (): number => pauseMs * (0.5 + Math.random() / 2);
  const fitting = (ms: number): number | undefined => (ms < deadline.remainingMs() ? ms : undefined);

  return {
    /** Milliseconds to wait before asking a busy server again; undefined when its answer stands. */
    afterAnswer(head: ExchangeHead): number | undefined {
      if (left <= 0 || !repeatable || !BUSY.has(head.status)) return undefined;
      return fitting(parseRetryAfter(head.headers['retry-after'], now()) ?? jitter());
    },
    /** Milliseconds to wait after a failure; undefined when it is final. */
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

/** No name was found, or there is no way to where it leads. */
const UNREACHED: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH']);

/** While one host has answered within this time, that another is not found is that host's trouble alone. */
const RECENT_MS = 60_000;

export type Connectivity = ReturnType<typeof createConnectivity>;

/** Distinguishes a host that cannot be reached from a server that reaches none. */
export function createConnectivity(now: () => number) {
  let answeredAt = Number.NEGATIVE_INFINITY;
  return {
    /** A host has answered, whatever it said. */
    answered() {
      answeredAt = now();
    },
    /** The failure, with `params.what: 'offline'` when this server most likely has no connection at all. */
    judge(failure: AppError): AppError {
      const { code, cause, message } = failure;
      const isUnreached = cause instanceof Error && 'code' in cause && UNREACHED.has(cause.code);
      if (!isUnreached || now() - answeredAt < RECENT_MS) return failure;
      return new AppError(code, message, { params: { ...failure.params, what: 'offline' }, cause });
    },
  };
}

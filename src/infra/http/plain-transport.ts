import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { AppError } from '../../errors.ts';
import { createTargetGuard } from './address-guard.ts';
import { ByteBuffer } from './body.ts';
import { createOverrideConnector, openAgent, type PlainTransportOptions } from './connectors.ts';
import type { BodyUse, Exchanged, ExchangeFailure, ExchangeHead, ExchangeOptions, Transport } from './exchange.ts';
import type { OutgoingAddress } from './outgoing.ts';
import { readFailure, tooLarge } from './read-failure.ts';

const MAX_ORIGINS = 256;

/** Sends requests with Node's own TLS and HTTP/1.1, by undici. */
export function createPlainTransport(options: PlainTransportOptions): Transport {
  const pool = {
    connections: options.connectionsPerHost,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.pauseTimeoutMs,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
  };
  const toOverrides = new Agent({ ...pool, connect: createOverrideConnector(options) });
  /** Agents by the name of the outgoing address. There are only as many as configured addresses: no bound is needed. */
  const agents = new Map<string, Dispatcher>();
  const guardTarget = createTargetGuard(options.resolve);

  function agentOf(outgoing: OutgoingAddress): Dispatcher {
    const agent = agents.get(outgoing.name) ?? openAgent(outgoing, { ...pool, maxOrigins: MAX_ORIGINS }, options);
    agents.set(outgoing.name, agent);
    return agent;
  }

  return {
    prepare: ({ host, override, address }, deadline) =>
      override !== undefined || address.proxyUrl === undefined ? undefined : guardTarget(host, deadline),
    exchange({ host, override, address }, request) {
      const { path, method, headers, body, flowTimeoutMs, deadline } = request;
      const origin = override ?? `https://${host}`;
      const dispatcher = override === undefined ? agentOf(address) : toOverrides;
      const timeouts = flowTimeoutMs === undefined ? undefined : { headersTimeout: 0, bodyTimeout: flowTimeoutMs };
      return new Promise(resolve => {
        const handler = new ExchangeHandler(request, origin, options.bodyTurns, resolve);
        deadline.watch(failure => handler.abort(failure));
        if (deadline.failure !== undefined) return;
        dispatcher.dispatch(
          { origin, path, method, headers, ...(body === undefined ? undefined : { body }), ...timeouts },
          handler,
        );
      });
    },
    async close() {
      await Promise.all([toOverrides, ...agents.values()].map(agent => agent.destroy()));
    },
  };
}

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const MAX_DISCARDED_BYTES = 64 * 1024;
const FLOW_BUFFER_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

/** An exchange by undici alone: it follows no redirects, retries nothing and decompresses nothing. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #origin: string;
  readonly #bodyTurns: PlainTransportOptions['bodyTurns'];
  readonly #settle: (result: Exchanged | ExchangeFailure) => void;
  readonly #body = new ByteBuffer();
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: AppError | undefined;
  #head: ExchangeHead | undefined;
  #use: BodyUse = 'collect';
  #expectedBytes = 0;
  #flow: Readable | undefined;
  #settled = false;
  #ended = false;

  constructor(
    options: ExchangeOptions,
    origin: string,
    bodyTurns: PlainTransportOptions['bodyTurns'],
    settle: (result: Exchanged | ExchangeFailure) => void,
  ) {
    this.#options = options;
    this.#origin = origin;
    this.#bodyTurns = bodyTurns;
    this.#settle = settle;
  }

  /** Ends the exchange with this error at once, in any state. */
  abort(error: AppError): void {
    if (this.#ended) {
      // The whole body may have come already, but the stream's reader may still wait for its last bytes.
      this.#flow?.destroy(error);
      return;
    }
    this.#aborted = error;
    this.#fail(error, false);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The exchange may have been aborted while it waited for a connection. Then undici must send nothing.
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, raw: RawHeaders): void {
    if (status < 200 || this.#settled) return;
    const head = readHead(status, raw);
    this.#head = head;
    this.#use = this.#options.use(head);
    if (this.#use === 'flow') {
      this.#flow = this.#createFlow();
      this.#resolve(head);
      return;
    }
    if (this.#use === 'discard' || this.#options.method === 'HEAD') return;
    this.#expectedBytes = Number(head.headers['content-length'] ?? 0) || 0;
    if (this.#expectedBytes > this.#options.maxBytes) this.abort(this.#tooLarge());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#flow !== undefined) {
      if (!this.#flow.push(chunk)) controller.pause();
      return;
    }
    if (this.#settled) return;
    if (this.#use === 'collect') {
      this.#collect(controller, chunk);
      return;
    }
    this.#expectedBytes += chunk.length;
    if (this.#expectedBytes > MAX_DISCARDED_BYTES && this.#head !== undefined) {
      this.#resolve(this.#head);
      this.#ended = true;
      controller.abort(new Error('the rest of the body is not needed'));
    }
  }

  #collect(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body.length + chunk.length > this.#options.maxBytes) {
      this.abort(this.#tooLarge());
      return;
    }
    this.#body.append(chunk, this.#expectedBytes);
    const bytes = Math.max(this.#body.length, this.#expectedBytes);
    if (!this.#bodyTurns.begin(this, bytes, () => controller.resume())) controller.pause();
  }

  onResponseEnd(): void {
    this.#ended = true;
    if (this.#flow !== undefined) this.#flow.push(null);
    else if (this.#head !== undefined) this.#resolve(this.#head);
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    const { error, transient } = readFailure(cause, this.#origin);
    this.#fail(error, transient);
  }

  #resolve(head: ExchangeHead): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#bodyTurns.end(this);
    // The deadline keeps watching an exchange whose body is streamed.
    if (this.#use !== 'flow') this.#options.deadline.unwatch();
    const bytes = this.#use === 'collect' ? this.#body.take() : EMPTY;
    this.#settle({ head, use: this.#use, bytes, flow: this.#flow });
  }

  #fail(error: AppError, transient: boolean): void {
    this.#flow?.destroy(error);
    if (this.#settled) return;
    this.#settled = true;
    this.#bodyTurns.end(this);
    this.#options.deadline.unwatch();
    this.#settle({ error, sent: this.#controller !== undefined, transient });
  }

  #createFlow(): Readable {
    const flow = new Readable({
      highWaterMark: FLOW_BUFFER_BYTES,
      read: () => this.#controller?.resume(),
      destroy: (error, callback) => {
        if (!this.#ended) {
          this.#ended = true;
          this.#controller?.abort(error ?? new Error('the body is not wanted any more'));
        }
        this.#options.deadline.unwatch();
        this.#options.onFlowClosed();
        callback(error);
      },
    });
    // The stream may fail before its reader listens: the error is kept for the reader, and must not end the process.
    flow.on('error', () => {});
    return flow;
  }

  #tooLarge(): AppError {
    return tooLarge(this.#origin, this.#options.maxBytes);
  }
}

function readHead(status: number, raw: RawHeaders): ExchangeHead {
  const headers: Record<string, string> = {};
  let setCookies: readonly string[] = [];
  for (const name in raw) {
    const value = raw[name];
    if (value === undefined) continue;
    if (name === 'set-cookie') setCookies = typeof value === 'string' ? [value] : value;
    else headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return { status, headers, setCookies };
}

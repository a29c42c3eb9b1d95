import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/deadline.ts';
import { ByteBuffer } from './body.ts';

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

export interface ExchangeHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
}

/** What becomes of a body: all of it in memory, handed on as it flows, or thrown away. */
export type BodyUse = 'collect' | 'flow' | 'discard';

export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly request: Dispatcher.DispatchOptions & { readonly origin: string };
  readonly deadline: Deadline;
  /** For `collect`: bytes as they travel. */
  readonly maxBytes: number;
  readonly use: (head: ExchangeHead) => BodyUse;
  /** Called once when a flowing body has ended, failed or been destroyed. */
  readonly onFlowClosed: () => void;
}

export interface Exchanged {
  readonly head: ExchangeHead;
  readonly use: BodyUse;
  /** Empty unless collected. */
  readonly bytes: Buffer;
  /** Only when it flows. Its errors are AppErrors. */
  readonly flow: Readable | undefined;
}

export interface ExchangeFailure {
  readonly error: AppError;
  /** False when no byte of the request can have reached the server. */
  readonly sent: boolean;
  /** Whether the connection failed in a way that the next attempt may not. */
  readonly transient: boolean;
}

const MAX_DISCARDED_BYTES = 64 * 1024;
const FLOW_BUFFER_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

/** One request and its answer on one connection: no redirects, no retries, no decompression. Never rejects. */
export function exchange(options: ExchangeOptions): Promise<Exchanged | ExchangeFailure> {
  return new Promise(resolve => {
    const handler = new ExchangeHandler(options, resolve);
    options.deadline.watch(failure => handler.abort(failure));
    if (options.deadline.failure === undefined) options.dispatcher.dispatch(options.request, handler);
  });
}

export function isFailure(result: Exchanged | ExchangeFailure): result is ExchangeFailure {
  return 'error' in result;
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
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

  constructor(options: ExchangeOptions, settle: (result: Exchanged | ExchangeFailure) => void) {
    this.#options = options;
    this.#settle = settle;
  }

  /** Fails the exchange now, wherever it stands. */
  abort(error: AppError): void {
    if (this.#ended) return;
    this.#aborted = error;
    this.#fail(error, false);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for a connection: undici then sends nothing.
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
    if (this.#use === 'discard' || this.#options.request.method === 'HEAD') return;
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
      if (this.#body.length + chunk.length > this.#options.maxBytes) this.abort(this.#tooLarge());
      else this.#body.append(chunk, this.#expectedBytes);
      return;
    }
    this.#expectedBytes += chunk.length;
    if (this.#expectedBytes > MAX_DISCARDED_BYTES && this.#head !== undefined) {
      this.#resolve(this.#head);
      this.#ended = true;
      controller.abort(new Error('the rest of the body is not needed'));
    }
  }

  onResponseEnd(): void {
    this.#ended = true;
    if (this.#flow !== undefined) this.#flow.push(null);
    else if (this.#head !== undefined) this.#resolve(this.#head);
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    const { error, transient } = readError(cause, this.#options.request.origin);
    this.#fail(error, transient);
  }

  #resolve(head: ExchangeHead): void {
    if (this.#settled) return;
    this.#settled = true;
    // The deadline goes on watching a body that flows.
    if (this.#use !== 'flow') this.#options.deadline.unwatch();
    const bytes = this.#use === 'collect' ? this.#body.take() : EMPTY;
    this.#settle({ head, use: this.#use, bytes, flow: this.#flow });
  }

  #fail(error: AppError, transient: boolean): void {
    this.#flow?.destroy(error);
    if (this.#settled) return;
    this.#settled = true;
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
    // It may fail before its reader listens: the error is kept for him, but must not end the process.
    flow.on('error', () => {});
    return flow;
  }

  #tooLarge(): AppError {
    return new AppError('too_large', `${this.#options.request.origin} sends more than ${this.#options.maxBytes} bytes`);
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

const TIMEOUTS: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
const MISUSES: ReadonlySet<unknown> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);
const TRANSIENT: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EAI_AGAIN',
]);

function readError(cause: Error, origin: string): { error: AppError; transient: boolean } {
  if (cause instanceof AppError) return { error: cause, transient: false };
  const code = 'code' in cause ? cause.code : undefined;
  const message = `${origin}: ${cause.message}`;
  if (MISUSES.has(code)) return { error: new AppError('internal', message, { cause }), transient: false };
  const error = new AppError(TIMEOUTS.has(code) ? 'timeout' : 'upstream_unavailable', message, { cause });
  return { error, transient: TRANSIENT.has(code) };
}

import type { Response } from 'wreq-js';
import { AppError } from '../../errors.ts';
import { inNavigationOrder } from './attempt.ts';
import { ByteBuffer } from './body.ts';
import type { Browser, BrowserConnections, BrowserPackage, BrowserTarget } from './browser-package.ts';
import type { Exchanged, ExchangeFailure, ExchangeHead, ExchangeOptions, TransportOptions } from './exchange.ts';
import { readBrowserFailure, tooLarge } from './read-failure.ts';

interface BrowserRoute extends Pick<TransportOptions, 'headersTimeoutMs' | 'pauseTimeoutMs'> {
  readonly host: string;
  readonly browserPackage: Pick<BrowserPackage, 'load'>;
  readonly connections: BrowserConnections;
  /** Looks the host up and checks its addresses. */
  readonly findTarget: () => BrowserTarget | Promise<BrowserTarget>;
}

/**
 * The timeout of wreq-js itself ends this much later than the deadline. It ends a request that the deadline failed to
 * end.
 */
const GRACE_MS = 1_000;
const EMPTY = Buffer.alloc(0);

/** An exchange over the browser transport, by wreq-js. Bodies come decompressed and are collected, never streamed. */
export function exchangeByBrowser(route: BrowserRoute, options: ExchangeOptions): Promise<Exchanged | ExchangeFailure> {
  return new Promise(resolve => new BrowserExchange(route, options, resolve).start());
}

class BrowserExchange {
  readonly #route: BrowserRoute;
  readonly #options: ExchangeOptions;
  readonly #resolve: (result: Exchanged | ExchangeFailure) => void;
  readonly #signal = new CancelSignal();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #origin: string;
  #timer: NodeJS.Timeout | undefined;
  #sent = false;
  #settled = false;

  constructor(route: BrowserRoute, options: ExchangeOptions, resolve: (result: Exchanged | ExchangeFailure) => void) {
    this.#route = route;
    this.#options = options;
    this.#resolve = resolve;
    this.#origin = `https://${route.host}`;
  }

  start(): void {
    const { deadline } = this.#options;
    deadline.watch(failure => this.#fail(failure));
    if (deadline.failure !== undefined) return;
    this.#run().then(
      result => this.#settle(result),
      (error: unknown) => {
        const cause = error instanceof Error ? error : new Error('the browser transport failed', { cause: error });
        this.#settle(readBrowserFailure(cause, this.#origin, this.#sent));
      },
    );
  }

  #settle(result: Exchanged | ExchangeFailure): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#options.deadline.unwatch();
    this.#resolve(result);
  }

  /** Gives the caller the failure at once; wreq-js ends the request afterwards. */
  #fail(error: AppError): void {
    this.#settle({ error, sent: this.#sent, transient: false });
    this.#signal.cancel();
    cancel(this.#reader);
  }

  #failAfter(ms: number, what: string): void {
    if (this.#settled) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(new AppError('timeout', `${this.#origin}: ${what} within ${ms} ms`)), ms);
  }

  async #run(): Promise<Exchanged> {
    const browser = await this.#route.browserPackage.load();
    const target = await this.#route.findTarget();
    if (this.#settled) throw new Error('the request is over');
    const connection = this.#route.connections.acquire(target);
    try {
      const transport = await connection.transport;
      if (this.#settled) throw new Error('the request is over');
      const { method, path, headers, body, deadline } = this.#options;
      this.#failAfter(this.#route.headersTimeoutMs, 'no headers');
      this.#sent = true;
      const response = await browser.fetch(target.origin + path, {
        transport,
        method,
        headers: mergeHeaders(browser.headers, headers),
        // This option keeps wreq-js from adding headers, since `headers` has them all in the browser's order.
        disableDefaultHeaders: true,
        body: body ?? null,
        redirect: 'manual',
        // For a HEAD, wreq-js would otherwise remove the `content-length` from the answer.
        compress: method !== 'HEAD',
        timeout: Math.max(0, Math.ceil(deadline.remainingMs())) + GRACE_MS,
        signal: this.#signal,
      });
      return await this.#read(response);
    } finally {
      connection.release();
    }
  }

  async #read(response: Response): Promise<Exchanged> {
    const head = readHead(response);
    // There is no reader when the answer has no body, as after a HEAD.
    const reader = response.body?.getReader();
    this.#reader = reader;
    if (head.status < 200 || this.#settled) {
      cancel(reader);
      throw new AppError('upstream_unavailable', `${this.#origin} answers with status ${head.status}`);
    }
    const use = this.#options.use(head);
    if (use === 'collect' && reader !== undefined)
      return { head, use, bytes: await this.#collect(reader, head), flow: undefined };
    cancel(reader);
    return { head, use, bytes: EMPTY, flow: undefined };
  }

  /**
   * Reads the body as fast as it comes. Pausing would save no memory, because wreq-js itself buffers up to 2 MiB of a
   * body of declared length, and up to HTTP/2's window of any other.
   */
  async #collect(reader: ReadableStreamDefaultReader<Uint8Array>, head: ExchangeHead): Promise<Buffer> {
    const { maxBytes } = this.#options;
    const expected = Number(head.headers['content-length'] ?? 0) || 0;
    const bytes = new ByteBuffer();
    while (expected <= maxBytes) {
      this.#failAfter(this.#route.pauseTimeoutMs, 'no more of the body');
      const { done, value } = await reader.read();
      if (done) return bytes.take();
      if (bytes.length + value.byteLength > maxBytes) break;
      bytes.append(Buffer.from(value.buffer, value.byteOffset, value.byteLength), expected);
    }
    cancel(reader);
    throw tooLarge(this.#origin, maxBytes);
  }
}

function cancel(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): void {
  // Cancelling fails only when the body has failed already, and then there is nothing to cancel.
  reader?.cancel().catch(() => undefined);
}

function readHead(response: Response): ExchangeHead {
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') headers[name] = value;
  }
  return { status: response.status, headers, setCookies: response.headers.getSetCookie() };
}

/** The browser sends these headers last, in this order. */
const LAST: readonly string[] = ['cookie', 'priority'];

/**
 * The browser's headers in their order; a header that the request also names gets the request's value. Headers that
 * only the request names come after them, but before cookies and priority, which a browser sends last.
 * @param given names and values, alternating
 */
function mergeHeaders(browser: Browser['headers'], given: readonly string[]): Array<[string, string]> {
  const merged = new Map<string, [string, string]>();
  for (const [name, value] of browser) merged.set(name, [name, value]);
  for (let i = 0; i + 1 < given.length; i += 2) {
    const name = (given[i] ?? '').toLowerCase();
    merged.set(name, [name, given[i + 1] ?? '']);
  }
  for (const name of LAST) {
    const entry = merged.get(name);
    if (entry !== undefined) {
      merged.delete(name);
      merged.set(name, entry);
    }
  }
  return [...inNavigationOrder([...merged.values()])].map(([name, value]) => [name, value]);
}

/**
 * Cancels a request of wreq-js without losing an answer that arrives at the same moment. With an ordinary signal
 * wreq-js would drop that answer without closing it, and its body would stay open for five minutes. wreq-js reads the
 * abort's reason in order to reject at once; here reading it throws, so the request ends only when the native part of
 * wreq-js ends it: with the answer, or as aborted.
 */
class CancelSignal extends EventTarget implements AbortSignal {
  readonly onabort = null;
  #isCancelled = false;
  #listener: (() => void) | undefined;

  get aborted(): boolean {
    return this.#isCancelled;
  }

  get reason(): never {
    throw new CancelledByUs();
  }

  throwIfAborted(): void {
    if (this.#isCancelled) throw new CancelledByUs();
  }

  override addEventListener(_type: string, listener: unknown): void {
    if (typeof listener === 'function') this.#listener = () => void listener();
  }

  override removeEventListener(): void {
    this.#listener = undefined;
  }

  cancel(): void {
    this.#isCancelled = true;
    try {
      this.#listener?.();
    } catch (error) {
      if (!(error instanceof CancelledByUs)) throw error;
    }
  }
}

class CancelledByUs extends Error {}

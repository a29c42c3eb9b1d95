import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type RateLimitData, REST, type RESTOptions, type RequestData, type RequestMethod } from 'discord.js';
import { Agent, type Dispatcher, Headers, Response } from 'undici';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import { type EncodedForm, encodeForm } from '../../../infra/http/poster.ts';
import type { Logger } from '../../../infra/log.ts';
import { TIMES } from './limits.ts';
import { discordFailure } from './send-failure.ts';

/** A file of a message, with the name by which the message's components refer to it. */
export interface UploadFile {
  readonly name: string;
  /** A file on the disk, or the bytes of an image that was just drawn for the message. */
  readonly content: { readonly path: string } | { readonly data: Buffer };
  readonly mime: string;
  readonly bytes: number;
  readonly spoiler: boolean;
  /** The description for people who cannot see the file. */
  readonly alt?: string;
}

export type ApiRoute = readonly [method: RequestMethod, fullRoute: `/${string}`];

export interface RequestDetails extends Pick<RequestData, 'query'> {
  readonly body?: object;
  /** False when the request needs no bot token, because its path contains the interaction's token. */
  readonly isAuthorized?: boolean;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** False when Discord would carry out a repeated request twice. */
  readonly isRepeatable?: boolean;
}

export interface RestOptions {
  readonly token: string;
  /** The address without a version, e.g. `https://discord.com/api`. */
  readonly apiUrl: string | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

export type Rest = ReturnType<typeof createRest>;

/** Sends all requests to Discord's REST API and respects its rate limits. */
export function createRest({ token, apiUrl, log }: RestOptions) {
  const agent = new Agent();
  const rest = new REST({
    makeRequest: makeRequestsBy(agent),
    ...(apiUrl !== undefined && { api: apiUrl }),
    timeout: TIMES.library,
    retries: 0,
    invalidRequestWarningInterval: 500,
    rejectOnRateLimit: isWorthReturning,
  });
  rest.on('invalidRequestWarning', ({ count }) => log.warn({ count }, 'discord: many requests are refused'));
  const closing = new AbortController();

  return {
    /** Resolves with the answer, as Discord sent it. @throws DiscordFailure */
    async request([method, fullRoute]: ApiRoute, details: RequestDetails = {}): Promise<unknown> {
      const { timeoutMs = TIMES.request, isRepeatable = true, isAuthorized = true, body, query } = details;
      const { signal, release } = joinSignals([closing.signal, details.signal], timeoutMs);
      const headers = {
        // The header is set for each request: discord.js drops its own token after any 401, even one that a proxy sent.
        ...(isAuthorized && { Authorization: `Bot ${token}` }),
        ...(isForm(body) && { 'content-type': body.contentType, 'content-length': `${body.contentLength}` }),
      };
      const data = { headers, body, ...(query && { query }), passThroughBody: isForm(body) };
      try {
        return await rest.request({ ...data, method, fullRoute, auth: false, signal });
      } catch (error) {
        // A request that was aborted while it waited for its rate limit was never sent at all.
        const isSent = error instanceof TransportFailure ? error.isSent : !signal.aborted;
        throw discordFailure(error, { method, isSent, isRepeatable, isEnded: signal.aborted });
      } finally {
        release();
      }
    },
    /** Ends all requests. Safe to call twice. */
    async close(): Promise<void> {
      closing.abort();
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
      if (!agent.destroyed) await agent.destroy();
    },
  };
}

/**
 * True when a rate-limited request should go back to the queue. A wait below a second happens here, since preparing the
 * message again would take longer. A block by Cloudflare states no time (0), and discord.js would ask again at once.
 */
function isWorthReturning({ retryAfter, sublimitTimeout, timeToReset }: RateLimitData): boolean {
  return retryAfter <= 0 || Math.max(retryAfter, sublimitTimeout, timeToReset) > TIMES.shortRateLimit;
}

/** A request that failed on its way. Unless all of it was sent (`isSent`), Discord has certainly not executed it. */
class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly isSent: boolean;

  constructor(cause: unknown, isSent: boolean) {
    super(cause instanceof Error ? cause.message : 'unknown failure', { cause });
    this.isSent = isSent;
  }
}

/**
 * Sends the requests of discord.js with Medley's version of undici, since the library has an older one. A failure says
 * whether the request was sent completely. Answers are short, so they are read as a whole.
 * @throws TransportFailure
 */
function makeRequestsBy(agent: Agent): RESTOptions['makeRequest'] {
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { origin, pathname, search } = new URL(url);
      // The files are opened anew for each attempt, so a repeated request reads them again.
      const upload = isForm(body) ? Readable.from(body.body(), { objectMode: false }) : undefined;
      const handler = new ResponseHandler(resolve, error => reject(new TransportFailure(error, isSent())));
      // A body without files is sent with the headers, so such a request is sent as soon as it has a connection.
      const isSent = () => handler.isStarted && upload?.readableEnded !== false;
      if (signal?.aborted === true) return handler.abort(signal.reason);
      signal?.addEventListener('abort', () => handler.abort(signal.reason), { once: true });
      agent.dispatch(
        {
          ...{ origin, path: `${pathname}${search}`, method: method ?? 'GET' },
          headers: Object.entries(headers ?? {}).flatMap(([name, value]) => [name, String(value)]),
          body: upload ?? (typeof body === 'string' ? body : null),
        },
        handler,
      );
    });
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #head: { readonly status: number; readonly headers: Headers } | undefined;
  /** True when the request has been given a connection. */
  isStarted = false;

  constructor(resolve: (response: Response) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  abort(reason: unknown): void {
    this.#aborted = reason instanceof Error ? reason : new Error('aborted');
    this.#reject(this.#aborted);
    this.#controller?.abort(this.#aborted);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted === undefined) this.isStarted = true;
    else controller.abort(this.#aborted);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, raw: RawHeaders): void {
    const headers = new Headers();
    for (const [name, value] of Object.entries(raw))
      for (const each of [value ?? []].flat()) headers.append(name, each);
    this.#head = { status, headers };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#resolve(new Response(this.#chunks.length === 0 ? null : Buffer.concat(this.#chunks), this.#head));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** A message and its files as a form. The files are read from the disk while the form is sent. */
export async function formOf(payload: object, uploads: readonly UploadFile[]): Promise<EncodedForm> {
  const files = uploads.map(async ({ name, mime, content }, index) => ({
    ...{ name: `files[${index}]`, fileName: name, mime },
    bytes: 'path' in content ? (await stat(content.path)).size : content.data.length,
    open: () => ('path' in content ? createReadStream(content.path) : [content.data]),
  }));
  return encodeForm([['payload_json', JSON.stringify(payload)]], await Promise.all(files));
}

function isForm(body: unknown): body is EncodedForm {
  return typeof body === 'object' && body !== null && 'contentLength' in body && 'contentType' in body;
}

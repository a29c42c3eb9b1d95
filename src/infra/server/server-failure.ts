import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '../../errors.ts';

/** A failed request. `status` is set only where it is more specific than the HTTP status of the error code. */
export interface Failure {
  readonly error: AppError;
  readonly status: number | undefined;
}

/** An error as it is sent to the client; `body` is sent as JSON. */
export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** The page that is sent instead of `body` to a person who opened the address in a browser. */
  readonly page?: { readonly html: string; readonly policy: string };
}

/**
 * Turns an error into an answer. `status` replaces the status of the error code; `visited` is the path that a person
 * opened in a browser, and undefined for any other request.
 */
export type RenderError = (error: AppError, status?: number, visited?: string) => RenderedError;

export const JSON_TYPE = 'application/json; charset=utf-8';

const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'forbidden',
  403: 'forbidden',
  404: 'not_found',
  408: 'timeout',
  413: 'too_large',
  429: 'rate_limited',
  431: 'too_large',
  503: 'rate_limited',
  504: 'timeout',
};

/** Converts an error that a route or Fastify threw; an error without a declared status is `internal`. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof AppError) return { error: thrown, status: undefined };
  const message = thrown instanceof Error ? thrown.message : 'something that is no error was thrown';
  const status = statusOf(thrown);
  const code =
    status === undefined ? undefined : (CODE_BY_STATUS[status] ?? (status < 500 ? 'invalid_request' : undefined));
  if (code === undefined) return { error: new AppError('internal', message, { cause: thrown }), status: undefined };
  // A 503 that Fastify sends means that this server is busy; no upstream is at fault.
  const params = status === 503 ? { reason: 'busy' } : { what: 'request' };
  return { error: new AppError(code, message, { params, cause: thrown }), status };
}

function statusOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  // No token that Medley makes is as long as this parameter, so nothing exists at this address.
  if ('code' in thrown && thrown.code === 'FST_ERR_MAX_PARAM_LENGTH') return 404;
  if (!('statusCode' in thrown) || typeof thrown.statusCode !== 'number') return undefined;
  return thrown.statusCode >= 400 && thrown.statusCode < 600 ? thrown.statusCode : undefined;
}

/** Answers a request that is not valid HTTP, on the bare socket, and closes it. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, renderError: RenderError): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [code, status, what] = unreadable(error.code);
  const rendered = renderError(new AppError(code, error.message, { params: { what }, cause: error }), status);
  const body = JSON.stringify(rendered.body);
  const headers = {
    ...rendered.headers,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`, () =>
    socket.destroy(),
  );
}

function unreadable(code: string | undefined): [ErrorCode, number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['too_large', 431, 'headers'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['timeout', 408, 'request'];
  return ['invalid_request', 400, 'request'];
}

/** True while an answer is sent (Node's `_httpMessage`): further bytes would end up in the middle of it. */
function isAnswering(socket: Duplex): boolean {
  return '_httpMessage' in socket && socket._httpMessage !== null && socket._httpMessage !== undefined;
}

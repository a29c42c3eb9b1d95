import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../infra/server/server-failure.ts';

export type Answer = ReturnType<typeof createAnswer>;

/** A JSON body with its ETag. It is encoded and compressed only once, however often it is sent. */
export function createAnswer(value: object) {
  const body = Buffer.from(JSON.stringify(value));
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`;
  return { body, etag, compressed: createCompressed(body) };
}

/** Sends the answer, or 304 when the client has the same one already. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  maxAgeS: number,
  isPrivate = false,
): FastifyReply {
  reply.header('etag', answer.etag);
  reply.header('cache-control', `${isPrivate ? 'private' : 'public'}, max-age=${maxAgeS}`);
  // `Vary` is set on a 304 and on a streamed body too: a cache must know that its copy depends on the encoding.
  if (answer.body.length >= MIN_COMPRESSED_BYTES) reply.header('vary', 'accept-encoding');
  const condition = request.headers['if-none-match'];
  if (condition !== undefined && matchesEtag(condition, answer.etag)) return reply.code(304).send();
  reply.type(JSON_TYPE);
  if (answer.compressed === undefined) return reply.send(answer.body);
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return reply.send(answer.body);
  return reply.header('content-encoding', encoding).send(answer.compressed(encoding));
}

/** True when `If-None-Match` is `*` or lists the tag (RFC 9110, 13.1.2). A compressing proxy may add `W/` to it. */
function matchesEtag(condition: string, etag: string): boolean {
  if (condition.trim() === '*') return true;
  return condition.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);
}

// The encodings, best first. Small answers are compressed once for all clients, others while they are sent (api.ts).

export const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Answers below this size fit into one network packet without compression. */
export const MIN_COMPRESSED_BYTES = 1_400;
/** The largest body that is compressed in one go, which takes a fraction of a millisecond. */
const MAX_AT_ONCE_BYTES = 32 * 1024;
/** Brotli's quality. At the default (11), compression would take longer than all other work for an answer. */
export const BROTLI_PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 4 };
/** Brotli's window is 2^16 bytes, more than the largest body. With the default window, each run takes megabytes. */
const WINDOW_BITS = 16;

function compress(body: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(body);
  return brotliCompressSync(body, {
    params: {
      ...BROTLI_PARAMS,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

/** Makes a function that compresses the body once per encoding; undefined for a body too small or too large. */
export function createCompressed(body: Buffer) {
  if (body.length < MIN_COMPRESSED_BYTES || body.length > MAX_AT_ONCE_BYTES) return undefined;
  const made: Partial<Record<Encoding, Buffer>> = {};
  return (encoding: Encoding): Buffer => {
    made[encoding] ??= compress(body, encoding);
    return made[encoding];
  };
}

/** The best encoding that an `Accept-Encoding` header allows; undefined if it allows none of `ENCODINGS`. */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const named = header
    .toLowerCase()
    .split(',', 20)
    .filter(part => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map(part => part.split(';', 1)[0]?.trim());
  return ENCODINGS.find(encoding => named.includes(encoding));
}

/** The origin of this server when none is configured: the request's Host header if valid, else a local address. */
export function askedOrigin({ protocol, host }: FastifyRequest): string {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host) ? `${protocol}://${host}` : 'http://127.0.0.1:3000';
}

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../infra/server/server-failure.ts';
import { acceptedEncoding, type Compressed, createCompressed, MIN_COMPRESSED_BYTES } from './compression.ts';

/** A JSON body that is ready to be sent, with its entity tag. */
export interface Answer {
  /** Encoded once, however often it is sent. */
  readonly body: Buffer;
  readonly etag: string;
  readonly compressed: Compressed | undefined;
}

export function createAnswer(value: object): Answer {
  const body = Buffer.from(JSON.stringify(value));
  const etag = `"${createHash('sha1').update(body).digest('base64url')}"`;
  return { body, etag, compressed: createCompressed(body) };
}

/** Sends the answer, or 304 when the client has it already. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  maxAgeS: number,
  isPrivate = false,
): FastifyReply {
  reply.header('etag', answer.etag);
  reply.header('cache-control', `${isPrivate ? 'private' : 'public'}, max-age=${maxAgeS}`);
  // On a 304 too, and on what is compressed as it is sent: a cache must know what its copy depends on.
  if (answer.body.length >= MIN_COMPRESSED_BYTES) reply.header('vary', 'accept-encoding');
  const condition = request.headers['if-none-match'];
  if (condition !== undefined && matchesEtag(condition, answer.etag)) return reply.code(304).send();
  reply.type(JSON_TYPE);
  if (answer.compressed === undefined) return reply.send(answer.body);
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return reply.send(answer.body);
  return reply.header('content-encoding', encoding).send(answer.compressed(encoding));
}

/** RFC 9110 13.1.2: `*` or a list of tags, compared weakly (a proxy that compresses turns a tag into a weak one). */
function matchesEtag(condition: string, etag: string): boolean {
  if (condition.trim() === '*') return true;
  return condition.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);
}

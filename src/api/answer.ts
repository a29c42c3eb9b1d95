import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../infra/server/server-failure.ts';

/** A JSON body that is ready to be sent, with its entity tag. */
export interface Answer {
  /** Encoded once, however often it is sent. */
  readonly body: Buffer;
  readonly etag: string;
}

export function createAnswer(value: object): Answer {
  const body = Buffer.from(JSON.stringify(value));
  return { body, etag: `"${createHash('sha1').update(body).digest('base64url')}"` };
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
  const condition = request.headers['if-none-match'];
  if (condition !== undefined && matchesEtag(condition, answer.etag)) return reply.code(304).send();
  return reply.type(JSON_TYPE).send(answer.body);
}

/** RFC 9110 13.1.2: `*` or a list of tags, compared weakly (a proxy that compresses turns a tag into a weak one). */
function matchesEtag(condition: string, etag: string): boolean {
  if (condition.trim() === '*') return true;
  return condition.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag);
}

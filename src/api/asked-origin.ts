import type { FastifyRequest } from 'fastify';

/** The server's own address where none is configured: the one that was asked, when it looks like one. */
export function askedOrigin({ protocol, host }: FastifyRequest): string {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host) ? `${protocol}://${host}` : 'http://127.0.0.1:3000';
}

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { RateLimiter, RateLimitRule } from '../infra/rate-limit/rate-limit.ts';
import { clientKey } from '../infra/server/client-address.ts';

const HOUR_MS = 3_600_000;
export const CLIENT_LIMIT = 1000;
/** Sent as the limit of a key that has no limit, because the header must hold a number. */
const UNLIMITED = 2_147_483_647;

/** Headers that scripts of other pages may read. */
export const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

const CLIENT_RULE: RateLimitRule = { name: 'api', limit: CLIENT_LIMIT, windowMs: HOUR_MS, window: 'clock' };

export interface RateLimitOptions {
  readonly limiter: RateLimiter;
  readonly checkKey: CheckKey;
  readonly now?: () => number;
}

/**
 * Counts a request and sets the rate limit headers; OPTIONS is not counted. A wrong key is refused, but counted for the
 * client's address, so that guessing is limited.
 * @throws AppError `rate_limited`, `forbidden`
 */
export function createRateLimit({ limiter, checkKey, now = Date.now }: RateLimitOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.method === 'OPTIONS') return;
    const check = checkKey(request.headers);
    const key = check.kind === 'known' ? check.key : undefined;
    if (key?.perHour === 'unlimited') {
      writeState(reply, UNLIMITED, UNLIMITED, (Math.floor(now() / HOUR_MS) + 1) * HOUR_MS);
      return;
    }
    const state = await (key === undefined
      ? limiter.consume(CLIENT_RULE, clientKey(request.ip))
      : limiter.consume({ ...CLIENT_RULE, name: 'api-key', limit: key.perHour }, key.name));
    writeState(reply, state.limit, state.remaining, state.resetAt);
    if (!state.allowed) {
      const retryAfterMs = Math.max(1000, state.resetAt - now());
      throw new AppError('rate_limited', 'hourly limit reached', { retryAfterMs });
    }
    if (check.kind === 'unknown') throw new AppError('forbidden', 'unknown API key', { params: { what: 'key' } });
  };
}

function writeState(reply: FastifyReply, limit: number, remaining: number, resetAt: number): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', Math.ceil(resetAt / 1000));
}

export interface ApiKey {
  /** A name for the key. Requests are counted by this name instead of the client's address. */
  readonly name: string;
  readonly key: string;
  readonly perHour: number | 'unlimited';
}

/** `none`: no key was sent. `unknown`: the sent key is not valid. */
type KeyCheck =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly key: ApiKey };

export type CheckKey = (headers: IncomingHttpHeaders) => KeyCheck;

/** Checks `X-API-Key`, else `Authorization: Bearer`. Digests are compared: response times then reveal no key. */
export function createKeyCheck(keys: readonly ApiKey[]): CheckKey {
  const known = new Map(keys.map(key => [digest(key.key), { kind: 'known', key } as const]));
  return headers => {
    const presented = presentedKey(headers);
    if (presented === undefined) return { kind: 'none' };
    return known.get(digest(presented)) ?? { kind: 'unknown' };
  };
}

function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (own !== undefined && own !== '') return Array.isArray(own) ? own.join(', ') : own;
  const { authorization } = headers;
  return authorization?.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : undefined;
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface ApiKey {
  /** Names the bucket, in place of the client's address. */
  readonly name: string;
  readonly key: string;
  readonly perHour: number | 'unlimited';
}

/** `none`: no key was sent. `unknown`: one was, and it is none of ours. */
export type KeyCheck =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly key: ApiKey };

const NONE: KeyCheck = { kind: 'none' };
const UNKNOWN: KeyCheck = { kind: 'unknown' };

/** Looks for `X-API-Key`, else `Authorization: Bearer`. How long it takes says nothing of how close a guess was: what is compared are digests. */
export function createKeyCheck(keys: readonly ApiKey[]): (headers: IncomingHttpHeaders) => KeyCheck {
  const known = new Map(keys.map(key => [digest(key.key), { kind: 'known', key } as const]));
  return headers => {
    const presented = presentedKey(headers);
    return presented === undefined ? NONE : (known.get(digest(presented)) ?? UNKNOWN);
  };
}

function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-api-key'];
  if (own !== undefined && own !== '') return Array.isArray(own) ? own.join(', ') : own;
  const { authorization } = headers;
  if (authorization === undefined || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return authorization.slice(7).trim();
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

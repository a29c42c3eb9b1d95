import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** One connection that may be away at any time. */
export interface RedisLink {
  /**
   * What Redis answers, or undefined when it is away, takes too long or refuses; that is logged once and fails no caller.
   * Only a `write` that succeeds shows that Redis takes things again after it refused some.
   */
  ask<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T | undefined>;
}

/** Raised when what is kept under a key changes its meaning but not its shape. */
const VERSION = 1;

/** Of one length whatever the name says; what people searched for and who they are stays unreadable. */
export function redisKey(kind: string, name: string): string {
  return `medley:${VERSION}:${kind}:${createHash('sha256').update(name).digest('base64url')}`;
}

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RedisConnection } from './redis-connection.ts';
import { redisKey } from './redis-keys.ts';

export type Lease = ReturnType<typeof createRedisLease>;

export interface HoldOptions {
  readonly signal: AbortSignal;
  onWait?(): void;
  /** Called once when another process holds the lease, for example because this process was frozen. */
  onLost(): void;
}

export interface RedisLeaseOptions {
  readonly redis: RedisConnection;
  /** The name of the task; it is the same in all processes. */
  readonly name: string;
  /** A process that has not renewed the lease for this long has lost it. Default 15,000. */
  readonly leaseMs?: number;
}

/** Renews the lease, or takes it when it is free; returns 1 if this process holds it now, else 0. */
const HOLD = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * A lease in Redis for a task that one process does while others stand by, unlike the lease of a queue, which is for
 * one request. While Redis is away the process that holds the lease goes on, because no other process can take it. For
 * a short time two processes may both believe that they hold the lease. So the lease only saves work, and a task under
 * it must do no harm when two processes do it at once.
 */
export function createRedisLease({ redis, name, leaseMs = 15_000 }: RedisLeaseOptions) {
  const key = redisKey('lease', name);
  const everyMs = leaseMs / 3;

  /** Tries to take or renew the lease. True if this process holds it now; undefined while Redis is away. */
  async function tryHold(token: string): Promise<boolean | undefined> {
    const answer = await redis.ask('write', client => client.eval(HOLD, 1, key, token, leaseMs));
    return answer === undefined ? undefined : answer === 1;
  }

  /** Gives the lease back, so that another process can take it. Never rejects; safe to call twice. */
  async function release(token: string): Promise<void> {
    await redis.ask('write', client => client.eval(RELEASE, 1, key, token));
  }

  return {
    /** Milliseconds between two attempts to take or renew the lease. */
    everyMs,
    tryHold,
    release,
    /**
     * Waits until this process holds the lease.
     * @throws the signal's reason when it aborts
     */
    async hold({ signal, onWait, onLost }: HoldOptions) {
      const token = randomUUID();
      for (let tries = 0; (await tryHold(token)) !== true; tries += 1) {
        signal.throwIfAborted();
        if (tries === 0) onWait?.();
        await pause(everyMs, undefined, { signal });
      }
      let renewing: Promise<void> | undefined;
      const timer = setInterval(() => {
        renewing ??= tryHold(token).then(isOurs => {
          renewing = undefined;
          if (isOurs !== false) return;
          clearInterval(timer);
          onLost();
        });
      }, everyMs);
      timer.unref();
      return {
        async release(): Promise<void> {
          clearInterval(timer);
          await renewing;
          await release(token);
        },
      };
    },
  };
}

/** Takes the lease whenever it is free, until `end`. `isOurs` is true while this process holds it. */
export function createLeaseHolder({ everyMs, tryHold, release }: Lease) {
  const token = randomUUID();
  let isOurs = false;
  let trying = attempt();
  const timer = setInterval(() => {
    trying = attempt();
  }, everyMs);
  timer.unref();

  async function attempt(): Promise<void> {
    // While Redis is away no other process can take the lease, so the process that holds it keeps it.
    isOurs = (await tryHold(token)) ?? isOurs;
  }

  return {
    isOurs: () => isOurs,
    async end(): Promise<void> {
      clearInterval(timer);
      await trying;
      isOurs = false;
      await release(token);
    },
  };
}

import { Redis, type RedisOptions } from 'ioredis';
import type { CacheShelf } from '../cache/cache.ts';
import { createRedisShelf, type RedisShelfOptions } from '../cache/redis-cache.ts';
import type { Logger } from '../log.ts';
import type { RateLimiter } from '../rate-limit/rate-limit.ts';
import { createRedisRateLimiter } from '../rate-limit/redis-rate-limit.ts';
import type { RedisLink } from './redis-link.ts';

/** What processes share. Redis may be away at the start or later: then each goes by its own memory. */
export interface SharedState {
  readonly limiter: RateLimiter;
  openShelf<V>(options: RedisShelfOptions<V>): CacheShelf<V>;
  close(): void;
}

export interface RedisStateOptions {
  readonly url: string;
  readonly log: Logger;
  /** No caller waits longer for one command. Default 200. */
  readonly timeoutMs?: number;
  /** Before the first attempt to come back; each later one waits as much longer, at most ten times as long. Default 500. */
  readonly retryMs?: number;
}

const CONNECT_TIMEOUT_MS = 3_000;

/** A command either finds Redis there or is not sent: waiting lines would only delay the answer. */
const NO_WAITING = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
} satisfies RedisOptions;

export function openRedisState({ url, log, timeoutMs = 200, retryMs = 500 }: RedisStateOptions): SharedState {
  const client = new Redis(url, {
    ...NO_WAITING,
    commandTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: timeoutMs,
    retryStrategy: attempt => retryMs * Math.min(attempt, 10),
  });
  const link = createLink(client, log, timeoutMs);
  return {
    limiter: createRedisRateLimiter(link),
    openShelf: options => createRedisShelf(link, options),
    close: link.close,
  };
}

/** @throws Error when Redis does not answer; its message holds no secret */
export async function pingRedis(url: string): Promise<void> {
  const client = new Redis(url, {
    ...NO_WAITING,
    commandTimeout: CONNECT_TIMEOUT_MS,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  let reason: unknown;
  client.on('error', error => {
    reason = error;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    // `connect` only says that it is closed; not the error itself, which carries the command with its password.
    throw new Error(messageOf(reason ?? error));
  } finally {
    client.disconnect();
  }
}

type LinkState = 'new' | 'answering' | 'refusing' | 'away' | 'closed';

const SAID = {
  answering: 'Redis answers: limits and answers are shared',
  refusing: 'Redis refuses to keep things: this process goes by its own memory for them',
  away: 'Redis is away: this process goes by its own memory',
} as const;

function createLink(client: Redis, log: Logger, timeoutMs: number): RedisLink & { close(): void } {
  let state: LinkState = 'new';
  let lastError: unknown;

  /** Whether that was another state before. */
  function turn(next: keyof typeof SAID, error?: unknown): boolean {
    if (next === state || state === 'closed') return false;
    state = next;
    if (next === 'answering') log.info({}, SAID[next]);
    else log.warn({ reason: messageOf(error) }, SAID[next]);
    return true;
  }

  const isThere = () => state === 'answering' || state === 'refusing';

  client.on('error', error => {
    lastError = error;
  });
  client.on('ready', () => {
    lastError = undefined;
    turn('answering');
  });
  client.on('close', () => turn('away', lastError));

  return {
    async ask(kind, command) {
      if (!isThere()) return undefined;
      try {
        const answer = await within(timeoutMs, command(client));
        if (kind === 'write' && isThere()) turn('answering');
        return answer;
      } catch (error) {
        if (isRefusal(error)) {
          if (isThere()) turn('refusing', error);
        } else if (turn('away', error)) {
          // Gone or too slow: no other caller waits for it until it has answered a new connection.
          client.disconnect(true);
        }
        return undefined;
      }
    },
    close() {
      state = 'closed';
      client.disconnect();
    },
  };
}

function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that came while this process was busy is read first: it was not Redis that was slow.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
    const timer = setTimeout(giveUp, ms);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the connection was closed';
}

import { Redis, type RedisOptions } from 'ioredis';
import { AppError, StoreAway } from '../../errors.ts';
import type { Logger } from '../log.ts';
import { createRecordStore } from '../store/records.ts';
import { createRedisCache, type RedisCacheOptions } from './redis-cache.ts';
import { createRedisChannel } from './redis-channel.ts';
import { fixedRedisKey, REDIS_PATIENCE_MS, type RedisLink, within } from './redis-link.ts';
import { createRedisRateLimiter } from './redis-rate-limit.ts';
import { CHANGES_CHANNEL, createRedisRecords } from './redis-records.ts';

export type SharedState = ReturnType<typeof openRedisState>;

export interface RedisStateOptions {
  readonly url: string;
  readonly log: Logger;
  /** No caller waits longer for one command. Default `REDIS_PATIENCE_MS`. */
  readonly timeoutMs?: number;
  /** Before the first attempt to come back; each later one waits as much longer, at most ten times as long. Default 500. */
  readonly retryMs?: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** A connection that only listens would not notice otherwise that the other end is gone. */
const KEEP_ALIVE_MS = 10_000;

/** A command either finds Redis there or is not sent: waiting lines would only delay the answer. */
const NO_WAITING = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
} satisfies RedisOptions;

/** Everything that processes share. Redis may be away at the start or later: then limits and caches go by this process's memory. */
export function openRedisState({ url, log, timeoutMs = REDIS_PATIENCE_MS, retryMs = 500 }: RedisStateOptions) {
  const options = {
    ...NO_WAITING,
    commandTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: timeoutMs,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: (attempt: number) => retryMs * Math.min(attempt, 10),
  };
  const client = new Redis(url, options);
  const link = createLink(client, log, timeoutMs);
  const listening = new Redis(url, { ...options, autoResubscribe: false });
  const changes = createRedisChannel(listening, CHANGES_CHANNEL);
  return {
    limiter: createRedisRateLimiter(link),
    records: createRecordStore(createRedisRecords(link, changes)),
    link,
    openCache: <V>(options: RedisCacheOptions<V>) => createRedisCache(link, options),
    /**
     * Answers what all processes have agreed on under that name: the text that was proposed first. It is kept for ever.
     * @throws AppError `internal`
     */
    agree: (name: string, propose: () => Promise<string>) => agree(link, name, propose),
    /** True when Redis answers, now or within that time. */
    isReady: link.isReady,
    close() {
      link.close();
      changes.close();
    },
  };
}

async function agree(link: RedisLink, name: string, propose: () => Promise<string>): Promise<string> {
  const key = fixedRedisKey(name);
  const read = () => link.request('read', client => client.get(key));
  const known = await read();
  if (known !== null) return known;
  const proposal = await propose();
  await link.request('write', client => client.set(key, proposal, 'NX'));
  return (await read()) ?? proposal;
}

type LinkState = 'new' | 'answering' | 'refusing' | 'away' | 'closed';

const SAID = {
  answering: 'Redis answers: limits, caches and records are shared',
  refusing:
    'Redis refuses to keep things: limits and caches go by the memory of this process, records cannot be changed',
  away: 'Redis is away: limits, caches and settings go by the memory of this process, records cannot be changed',
} as const;

interface OwnedLink extends RedisLink {
  isReady(withinMs: number): Promise<boolean>;
  close(): void;
}

function createLink(client: Redis, log: Logger, timeoutMs: number): OwnedLink {
  let state: LinkState = 'new';
  let lastError: unknown;

  /** True when that was another state before. */
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

  async function request<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T> {
    if (!isThere()) throw new StoreAway(`Redis is away: ${messageOf(lastError)}`);
    try {
      const answer = await within(timeoutMs, command(client));
      if (kind === 'write' && isThere()) turn('answering');
      return answer;
    } catch (error) {
      // It is never the cause of what is thrown: it may carry a command with its password.
      throw failed(kind, error);
    }
  }

  function failed(kind: 'read' | 'write', error: unknown): AppError {
    if (isRefusal(error)) {
      if (isThere()) turn('refusing', error);
      if (kind === 'write') return new AppError('internal', `Redis refuses: ${messageOf(error)}`);
    } else if (turn('away', error)) {
      // Gone or too slow: no other caller waits for it until it has answered a new connection.
      client.disconnect(true);
    }
    return new StoreAway(`Redis did not answer: ${messageOf(error)}`);
  }

  return {
    request,
    ask: (kind, command) => request(kind, command).catch(() => undefined),
    isReady(withinMs) {
      if (isThere()) return Promise.resolve(true);
      return new Promise(resolve => {
        const settle = () => {
          clearTimeout(timer);
          client.off('ready', settle);
          resolve(isThere());
        };
        const timer = setTimeout(settle, withinMs);
        client.on('ready', settle);
      });
    },
    close() {
      state = 'closed';
      client.disconnect();
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

function messageOf(error: unknown): string {
  // Redis says why it refused a transaction.
  if (error instanceof Error && 'previousErrors' in error && Array.isArray(error.previousErrors)) {
    const [first] = error.previousErrors;
    if (first instanceof Error) return first.message;
  }
  return error instanceof Error ? error.message : 'the connection was closed';
}

import type { ChainableCommander, Redis } from 'ioredis';
import { AppError } from '../../errors.ts';
import { digestOf } from '../store/record-driver.ts';

/** One connection to Redis, which may be away at any time. */
export interface RedisConnection {
  /**
   * The answer of Redis, or undefined when Redis is away, takes too long or refuses; the failure is logged once and not
   * thrown. After Redis refused writes, only a `write` that succeeds shows that it accepts them again.
   */
  ask<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T | undefined>;
  /**
   * Like `ask`, for callers that need the answer.
   * @throws StoreAway when Redis is away, too slow or refuses to read; AppError `internal` when it refuses to write
   */
  request<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T>;
}

/** The longest that a caller waits for one command of any kind: records, the queue, leases, limits, caches. */
export const REDIS_PATIENCE_MS = 2_000;

/** A number in all keys. It is raised when stored values get another meaning but keep their shape. */
const VERSION = 1;

/** A key of fixed length. The name is hashed, so that Redis does not show who people are and what they searched for. */
export function redisKey(kind: string, name: string): string {
  return `${fixedRedisKey(kind)}:${digestOf(name)}`;
}

/** The key of a value of which there is only one. */
export function fixedRedisKey(kind: string): string {
  return `medley:${VERSION}:${kind}`;
}

const SCANNED_AT_ONCE = 500;

/** Keys that match a pattern, page by page; a key may come twice. */
export async function* scanKeys(redis: RedisConnection, pattern: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.request('read', client =>
      client.scan(cursor, 'MATCH', pattern, 'COUNT', SCANNED_AT_ONCE),
    );
    cursor = next;
    if (keys.length > 0) yield keys;
  } while (cursor !== '0');
}

/**
 * The answers to all commands of a transaction.
 * @throws Error the first that one of the commands returned; the other commands were executed nevertheless
 */
export async function execute(transaction: ChainableCommander): Promise<readonly unknown[]> {
  const answers = await transaction.exec();
  if (answers === null) throw new AppError('internal', 'a transaction of Redis was not carried out');
  return answers.map(([error, answer]) => {
    if (error !== null) throw error;
    return answer;
  });
}

export function messageOf(error: unknown): string {
  // For a refused transaction, Redis gives its reasons in `previousErrors`.
  if (error instanceof Error && 'previousErrors' in error && Array.isArray(error.previousErrors)) {
    const [first] = error.previousErrors;
    if (first instanceof Error) return first.message;
  }
  return error instanceof Error ? error.message : 'the connection was closed';
}

/** @throws Error when the answer takes longer */
export function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // If this process was busy, the answer may have arrived without being read yet, so it is read before giving up.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
    const timer = setTimeout(giveUp, ms);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

export type RedisChannel = ReturnType<typeof createRedisChannel>;

/**
 * One channel of Redis' publish and subscribe.
 * @param client a connection for this channel alone, which does not subscribe by itself when it reconnects
 */
export function createRedisChannel(client: Redis, name: string) {
  const listeners: ((message: string | undefined) => void)[] = [];
  const announce = (message: string | undefined) => {
    for (const listener of listeners) listener(message);
  };
  client.on('message', (_channel, message: string) => announce(message));
  client.on('ready', () => {
    client.subscribe(name).then(
      () => announce(undefined),
      () => client.disconnect(true),
    );
  });
  // The main connection logs that Redis is away, so this one need not.
  client.on('error', () => undefined);
  return {
    /** Calls the listener with each message, and with undefined when messages may have been lost by a disconnection. */
    listen: (listener: (message: string | undefined) => void) => void listeners.push(listener),
    close: () => client.disconnect(),
  };
}

import type { ChainableCommander, Redis } from 'ioredis';
import { AppError } from '../../errors.ts';
import { digestOf } from '../store/record-driver.ts';

/** One connection that may be away at any time. */
export interface RedisLink {
  /**
   * Answers what Redis does, or undefined when it is away, takes too long or refuses; that is logged once and fails no caller.
   * Only a `write` that succeeds shows that Redis takes things again after it refused some.
   */
  ask<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T | undefined>;
  /**
   * The same for what cannot do without the answer.
   * @throws StoreAway when Redis is away, takes too long or refuses to read; AppError `internal` when it refuses to write
   */
  request<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T>;
}

/** No caller waits longer for one command, whatever is kept there: records, the queue, leases, limits, caches. */
export const REDIS_PATIENCE_MS = 2_000;

/** Raised when what is kept under a key changes its meaning but not its shape. */
const VERSION = 1;

/** The key has one length whatever the name says; what people searched for and who they are stays unreadable. */
export function redisKey(kind: string, name: string): string {
  return `${fixedRedisKey(kind)}:${digestOf(name)}`;
}

/** The key of something there is one of. */
export function fixedRedisKey(kind: string): string {
  return `medley:${VERSION}:${kind}`;
}

const SCANNED_AT_ONCE = 500;

/** Keys that match a pattern, page by page; some may come twice. */
export async function* scanKeys(link: RedisLink, pattern: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, keys] = await link.request('read', client =>
      client.scan(cursor, 'MATCH', pattern, 'COUNT', SCANNED_AT_ONCE),
    );
    cursor = next;
    if (keys.length > 0) yield keys;
  } while (cursor !== '0');
}

/**
 * All commands of a transaction.
 * @throws Error the first that one of them answered; the others took place all the same
 */
export async function execute(transaction: ChainableCommander): Promise<readonly unknown[]> {
  const answers = await transaction.exec();
  if (answers === null) throw new AppError('internal', 'a transaction of Redis was not carried out');
  return answers.map(([error, answer]) => {
    if (error !== null) throw error;
    return answer;
  });
}

/** @throws Error when the answer takes longer */
export function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that came while this process was busy is read first: it was not Redis that was slow.
    const giveUp = () => setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
    const timer = setTimeout(giveUp, ms);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

export type RedisChannel = ReturnType<typeof createRedisChannel>;

/**
 * One channel of Redis' publish and subscribe.
 *
 * @param client a connection for this alone that subscribes to nothing by itself when it is made again
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
  // The connection through which Redis is asked logs that it is away.
  client.on('error', () => undefined);
  return {
    /** Called with each message; with undefined when the connection is there again and messages may have been lost. */
    listen: (listener: (message: string | undefined) => void) => void listeners.push(listener),
    close: () => client.disconnect(),
  };
}

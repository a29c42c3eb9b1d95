import type { ChainableCommander, Redis, RedisOptions } from 'ioredis';
import { AppError, StoreAway } from '../../errors.ts';
import type { Logger } from '../log.ts';

/** The longest that a caller waits for one command of any kind: records, the queue, leases, limits, caches. */
export const REDIS_PATIENCE_MS = 2_000;

export type RedisConnection = ReturnType<typeof createRedisConnection>;

type ConnectionState = 'new' | 'answering' | 'refusing' | 'away' | 'closed';

/**
 * The log lines about a connection. With `isQuietAtFirst`, no line says that the connection was made for the first
 * time.
 */
type Sentences = Readonly<Record<'answering' | 'refusing' | 'away', string>> & { readonly isQuietAtFirst?: true };

const SAID: Sentences = {
  answering: 'Redis answers: limits, caches and records are shared',
  refusing:
    'Redis refuses to keep things: limits and caches go by the memory of this process, records cannot be changed',
  away: 'Redis is away: limits, caches and settings go by the memory of this process, records cannot be changed',
};

const CONNECT_TIMEOUT_MS = 3_000;

/** Commands are sent only while Redis is connected, because waiting for a connection would only delay the failure. */
export const NO_WAITING = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: CONNECT_TIMEOUT_MS,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
} satisfies RedisOptions;

/** One connection to Redis, which may be away at any time. Commands to a Redis that is away fail at once. */
export function createRedisConnection(
  client: Redis,
  log: Pick<Logger, 'info' | 'warn'>,
  timeoutMs: number,
  said: Sentences = SAID,
) {
  let state: ConnectionState = 'new';
  let lastError: unknown;

  /** Changes the state and logs it; returns true when the state before was a different one. */
  function changeState(next: 'answering' | 'refusing' | 'away', error?: unknown): boolean {
    if (next === state || state === 'closed') return false;
    const isFirst = state === 'new';
    state = next;
    if (next !== 'answering') log.warn({ reason: messageOf(error) }, said[next]);
    else if (!isFirst || said.isQuietAtFirst !== true) log.info({}, said[next]);
    return true;
  }

  const isConnected = () => state === 'answering' || state === 'refusing';

  client.on('error', error => {
    lastError = error;
  });
  client.on('ready', () => {
    lastError = undefined;
    changeState('answering');
  });
  client.on('close', () => changeState('away', lastError));

  /**
   * The answer of Redis to a command.
   * @throws StoreAway when Redis is away, too slow or refuses to read; AppError `internal` when it refuses to write
   */
  async function request<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T> {
    if (!isConnected()) throw new StoreAway(`Redis is away: ${messageOf(lastError)}`);
    try {
      const answer = await within(timeoutMs, command(client));
      if (kind === 'write' && isConnected()) changeState('answering');
      return answer;
    } catch (error) {
      // The error of Redis is not kept as the cause, because it may contain a command with its password.
      throw failed(kind, error);
    }
  }

  function failed(kind: 'read' | 'write', error: unknown): AppError {
    if (error instanceof Error && error.name === 'ReplyError') {
      if (isConnected()) changeState('refusing', error);
      if (kind === 'write') return new AppError('internal', `Redis refuses: ${messageOf(error)}`);
    } else if (changeState('away', error)) {
      // Redis is gone or too slow. The connection is renewed, and until it answers no further caller waits for it.
      client.disconnect(true);
    }
    return new StoreAway(`Redis did not answer: ${messageOf(error)}`);
  }

  return {
    request,
    /**
     * Like `request`, but undefined when Redis is away, takes too long or refuses; the failure is logged once and not
     * thrown. After Redis refused writes, only a `write` that succeeds shows that it accepts them again.
     */
    ask: <T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>) =>
      request(kind, command).catch(() => undefined),
    /** Resolves with true when Redis answers, at once or within the given time. */
    isReady(withinMs: number): Promise<boolean> {
      if (isConnected()) return Promise.resolve(true);
      return readyOrLate(client, withinMs).then(isConnected);
    },
    close() {
      state = 'closed';
      client.disconnect();
    },
  };
}

/** Resolves when the client is ready, or after the given time. */
function readyOrLate(client: Redis, withinMs: number): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      clearTimeout(timer);
      client.off('ready', settle);
      resolve();
    };
    const timer = setTimeout(settle, withinMs);
    client.on('ready', settle);
  });
}

/** The least time between two renewals of a connection because Redis refuses to write. */
const FAILOVER_MS = 5_000;

/**
 * Tells a connection when to reconnect: after a failover it may still lead to the old server, now a read-only replica,
 * while the address leads to the new one.
 */
export function createFailoverCheck(): (error: Error) => boolean {
  let renewedAt = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    const isDue = message.startsWith('READONLY') && performance.now() - renewedAt >= FAILOVER_MS;
    if (isDue) renewedAt = performance.now();
    return isDue;
  };
}

const SCANNED_AT_ONCE = 500;

/** Yields the keys that match a pattern, page by page; a key may come twice. */
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

/** The name of the connections of a process that runs Medley, by which `isInUse` finds them. */
export const PROCESS_NAME = 'medley';

/** True when a process that runs Medley is connected to this database; false also when Redis does not say so. */
export async function isInUse(redis: RedisConnection): Promise<boolean> {
  const found = await redis.ask('read', async client => {
    const list = String(await client.client('LIST'));
    const clients = list.split('\n').map(line => line.split(' '));
    return clients.some(facts => facts.includes(`name=${PROCESS_NAME}`) && facts.includes(`db=${client.options.db}`));
  });
  return found === true;
}

/**
 * Executes a transaction; resolves with the answers to all its commands.
 * @throws Error the first error among the answers; the other commands were executed nevertheless
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
  // For a refused transaction, ioredis gives the reasons of Redis in `previousErrors`.
  if (error instanceof Error && 'previousErrors' in error && Array.isArray(error.previousErrors)) {
    const [first] = error.previousErrors;
    if (first instanceof Error) return first.message;
  }
  return error instanceof Error ? error.message : 'the connection was closed';
}

/** Resolves with the answer if it comes within `ms`. @throws Error when it takes longer */
function within<T>(ms: number, answer: Promise<T>): Promise<T> {
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

import { Redis } from 'ioredis';

/** Everything that Medley must know of a Redis before it trusts records to it. */
export interface RedisInspection {
  readonly version: string;
  /** Everything that is written survives a restart of Redis, but for the last second. */
  readonly isAppendOnly: boolean;
  /** Redis' own word for what it does when it is full; `noeviction` deletes nothing. */
  readonly evictionPolicy: string;
}

const TIMEOUT_MS = 3_000;

/** @throws Error when Redis does not answer; its message holds no secret */
export async function inspectRedis(url: string): Promise<RedisInspection> {
  const client = new Redis(url, {
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  let reason: unknown;
  client.on('error', error => {
    reason = error;
  });
  try {
    await client.connect();
    const info = await client.info();
    return {
      version: fieldOf(info, 'redis_version') ?? 'of unknown version',
      isAppendOnly: fieldOf(info, 'aof_enabled') === '1',
      evictionPolicy: fieldOf(info, 'maxmemory_policy') ?? 'unknown',
    };
  } catch (error) {
    // `connect` only says that it is closed; not the error itself, which carries the command with its password.
    throw new Error(messageOf(reason ?? error));
  } finally {
    client.disconnect();
  }
}

/** The changes that an operator must make before records are safe there, in sentences; empty when nothing. */
export function redisShortcomings({ version, isAppendOnly, evictionPolicy }: RedisInspection): readonly string[] {
  const major = Number(/^\d+/.exec(version)?.[0] ?? 0);
  return [
    ...(major < 7 ? [`It is Redis ${version}: install Redis 7 or newer.`] : []),
    ...(isAppendOnly ? [] : ['It forgets everything when it is restarted: set `appendonly yes`.']),
    ...(evictionPolicy === 'noeviction'
      ? []
      : [`It deletes keys when it is full (${evictionPolicy}): set \`maxmemory-policy noeviction\`.`]),
  ];
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the connection was closed';
}

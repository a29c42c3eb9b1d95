import type { Redis } from 'ioredis';

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

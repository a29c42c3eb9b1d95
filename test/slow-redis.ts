import { connect, createServer, type Socket } from 'node:net';
import { createRedisServer, type RedisServer } from './redis-server.ts';

/** The real program, and a way to it on which answers take their time. */
export interface SlowRedis extends Pick<RedisServer, 'start' | 'freeze' | 'thaw'> {
  /** The slow way. */
  readonly url: string;
  /** Without delay. */
  readonly directUrl: string;
  /** Answers come so many milliseconds later from now on. Default 0. */
  slow(delayMs: number): void;
  stop(): Promise<void>;
}

/** Not started yet. */
export async function createSlowRedis(...args: readonly string[]): Promise<SlowRedis> {
  const redis = await createRedisServer(...args);
  const port = Number(new URL(redis.url).port);
  const sockets = new Set<Socket>();
  let delayMs = 0;

  /** In order, whenever the delay changes. */
  function later(to: Socket): (chunk: Buffer) => void {
    let last = Promise.resolve();
    return chunk => {
      const due = new Promise(resolve => setTimeout(resolve, delayMs));
      last = last.then(() => due).then(() => void to.write(chunk));
    };
  }

  const server = createServer(inside => {
    const outside = connect(port, '127.0.0.1');
    inside.pipe(outside);
    outside.on('data', later(inside));
    for (const [socket, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(socket);
      // A failure is followed by a close, and that goes on to the other side.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    url: `redis://127.0.0.1:${own}`,
    directUrl: redis.url,
    start: redis.start,
    freeze: redis.freeze,
    thaw: redis.thaw,
    slow(ms) {
      delayMs = ms;
    },
    async stop() {
      const closed = new Promise(resolve => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      await redis.stop();
    },
  };
}

import { randomInt } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';

/** Something on the way to a server on loopback that can be gone for a while. */
export interface TcpGate {
  readonly port: number;
  /** Connections are refused, and those that stand are cut. */
  shut(): Promise<void>;
  open(): Promise<void>;
}

export async function createTcpGate(target: number): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  const server = createServer(inside => {
    const outside = connect(target, '127.0.0.1');
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
      socket.pipe(other);
    }
  });

  function listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  }

  const port = await listenSomewhere(listen);
  return {
    port,
    open: () => listen(port),
    async shut() {
      if (!server.listening) return;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Ports below those that systems give to outgoing connections, of which one could take the port of a gate that is shut. */
const PORTS = { first: 20_000, count: 12_000 };
const MOST_TRIES = 20;

async function listenSomewhere(listen: (port: number) => Promise<void>): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = PORTS.first + randomInt(PORTS.count);
    try {
      await listen(port);
      return port;
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

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
  let port = 0;

  async function open(): Promise<void> {
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
    ({ port } = addressOf(server.address()));
  }

  await open();
  return {
    get port() {
      return port;
    },
    open,
    async shut() {
      if (!server.listening) return;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the gate is not listening');
  return address;
}

import { createServer, type Server, type Socket, connect as toTarget } from 'node:net';

/** What becomes of connections to a platform's API on their way there. `unavailable`: 503 from something in front of it. */
export type GateMode = 'open' | 'refuse' | 'cut' | 'unavailable' | 'hang';

/** A loopback address in front of another one. */
export interface Gate {
  /** The address in place of the target's. */
  readonly url: string;
  set(mode: GateMode): Promise<void>;
  close(): Promise<void>;
}

const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** @param target an http address; its path is kept */
export async function createGate(target: string): Promise<Gate> {
  const { hostname, port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let mode: GateMode = 'open';
  let server = await listen(0);
  const at = portOf(server);

  function listen(wanted: number): Promise<Server> {
    const made = createServer(take);
    return new Promise((resolve, reject) => {
      made.once('error', reject);
      made.listen(wanted, '127.0.0.1', () => resolve(made));
    });
  }

  function take(client: Socket): void {
    own(client);
    if (mode === 'cut') client.once('data', () => client.destroy());
    if (mode === 'unavailable') client.once('data', () => client.end(UNAVAILABLE));
    if (mode !== 'open') return;
    const upstream = toTarget(Number(port), hostname);
    own(upstream);
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => client.destroy());
  }

  function own(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  }

  async function shut(): Promise<void> {
    const closed = new Promise(resolve => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${at}${pathname}`,
    async set(next) {
      const wasClosed = mode === 'refuse';
      mode = next;
      if (next === 'refuse') {
        if (!wasClosed) await shut();
        return;
      }
      // Connections that stand would go on as they were.
      for (const socket of sockets) socket.destroy();
      if (wasClosed) server = await listen(at);
    },
    async close() {
      if (mode !== 'refuse') await shut();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  return address.port;
}

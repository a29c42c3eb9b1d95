import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a server on loopback that can be closed for a while. */
export interface Gate {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  /** Refuses connections and ends those that stand. */
  refuse(): Promise<void>;
  /** Accepts connections and cuts them, and those that stand. */
  cut(): void;
  /** Reads one piece of what comes by a connection, and no more of it. */
  stall(): void;
  open(): Promise<void>;
}

export async function createGate(target: string): Promise<Gate> {
  const { port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let isCutting = false;
  let isStalling = false;
  let server: Server | undefined;

  function join(client: Socket): void {
    if (isCutting) {
      client.destroy();
      return;
    }
    const far = connect(Number(targetPort), '127.0.0.1');
    for (const [socket, other] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    far.pipe(client);
    client.on('data', chunk => {
      if (isStalling) client.pause();
      far.write(chunk);
    });
  }

  async function listen(port: number): Promise<number> {
    const listening = createServer(join);
    await new Promise<void>(resolve => listening.listen(port, '127.0.0.1', resolve));
    server = listening;
    const address = listening.address();
    if (address === null || typeof address === 'string') throw new Error('the gate has no port');
    return address.port;
  }

  function endAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  async function close(): Promise<void> {
    const closing = server;
    server = undefined;
    const closed = new Promise<void>(resolve => (closing === undefined ? resolve() : closing.close(() => resolve())));
    endAll();
    await closed;
  }

  const port = await listen(0);
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}/`,
    refuse: close,
    cut() {
      isCutting = true;
      endAll();
    },
    stall() {
      isStalling = true;
    },
    async open() {
      isCutting = false;
      isStalling = false;
      if (server === undefined) await listen(port);
    },
  };
}

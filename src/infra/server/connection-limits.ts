import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientKey, createAddressList } from './client-address.ts';

interface Connection {
  readonly socket: Socket;
  readonly client: string;
  /** Requests in progress; an upgraded connection counts as one until it ends. */
  running: number;
}

/**
 * Bounds the connections of each client and of all clients. A connection beyond a bound replaces the one that has been
 * idle for longest, so that idle ones never keep a new request out; if none is idle, the new connection is closed.
 * @param trustProxy addresses, CIDRs or `loopback` of proxies, each of which stands for many clients
 */
export function limitConnections(
  server: Server,
  total: number,
  perClient: number,
  trustProxy: readonly string[],
): void {
  const proxies = createAddressList(trustProxy);
  // Longest idle first: a set keeps its order, and a connection that becomes idle goes to its end.
  const idle = new Set<Connection>();
  const counts = new Map<string, number>();
  const connections = new Map<Socket, Connection>();

  /** True when there is room for a connection, if need be after closing the longest idle one (of `client`, if given). */
  function makeRoom(held: number, limit: number, client?: string): boolean {
    if (held < limit) return true;
    for (const oldest of idle) {
      if (client !== undefined && oldest.client !== client) continue;
      forget(oldest);
      oldest.socket.destroy();
      return true;
    }
    return false;
  }

  function forget(connection: Connection): void {
    if (!connections.delete(connection.socket)) return;
    const { client } = connection;
    idle.delete(connection);
    const left = (counts.get(client) ?? 1) - 1;
    if (left > 0) counts.set(client, left);
    else counts.delete(client);
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return;
    const client = clientKey(remoteAddress);
    const ownLimit = proxies.has(remoteAddress) ? Number.POSITIVE_INFINITY : perClient;
    const hasRoom = makeRoom(counts.get(client) ?? 0, ownLimit, client);
    if (!hasRoom || !makeRoom(connections.size, total)) {
      socket.destroy();
      return;
    }
    const connection = { socket, client, running: 0 };
    connections.set(socket, connection);
    counts.set(client, (counts.get(client) ?? 0) + 1);
    idle.add(connection);
    socket.once('close', () => forget(connection));
  });

  function begin(socket: Socket): (() => void) | undefined {
    const connection = connections.get(socket);
    if (connection === undefined) return undefined;
    connection.running += 1;
    idle.delete(connection);
    return () => {
      connection.running -= 1;
      if (connection.running === 0 && connections.has(socket)) idle.add(connection);
    };
  }

  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const end = begin(socket);
    if (end !== undefined) response.once('close', end);
  });
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => void begin(socket));
}

import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

const PLAIN_IDLE_MS = 60_000;

/**
 * Node hands every request that asks for any upgrade to the upgrade listener once there is one, `Upgrade: h2c` of Java and
 * curl clients to the API too. Those are answered as the plain requests they are; only WebSockets for `/chat` go on.
 */
export function upgradeGate(server: FastifyInstance): ReturnType<typeof createServer> {
  const gate = createServer();
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const isChat = /^websocket$/i.test(request.headers.upgrade ?? '') && /^\/chat(\?|$)/.test(request.url ?? '');
    if (isChat) gate.emit('upgrade', request, socket, head);
    else answerPlainly(server, request, socket);
  });
  return gate;
}

function answerPlainly(server: FastifyInstance, request: IncomingMessage, socket: Duplex): void {
  if (!(socket instanceof Socket)) {
    socket.destroy();
    return;
  }
  socket.on('error', () => socket.destroy());
  socket.setTimeout(PLAIN_IDLE_MS, () => socket.destroy());
  const response = new ServerResponse(request);
  // Node no longer reads from this socket, so it can serve this one answer only.
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  server.routing(request, response);
}

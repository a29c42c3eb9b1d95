import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import websocket, { type WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientKey } from '../../../infra/server/client-address.ts';
import type { Outlet } from '../outgoing/page-answers.ts';
import { type ConversationOptions, converse } from './conversation.ts';

interface OpenSocket {
  readonly outlet: Outlet;
  readonly address: string;
  /** True when the last ping got an answer. */
  isAlive: boolean;
}

/** The WebSocket at `/chat`: it decides who may connect, and closes dead connections. */
export class ChatSocket {
  readonly #options: ConversationOptions;
  readonly #open = new Map<WebSocket, OpenSocket>();
  #heartbeat: NodeJS.Timeout | undefined;
  /** Resolves when all connections are closed. It is resolved at first, when there are none. */
  #closed = Promise.resolve();
  #onClosed = () => {};
  #isOpen = false;
  #isProxySaid = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  async register(server: FastifyInstance): Promise<void> {
    const { limits, log } = this.#options;
    await server.register(websocket, {
      options: { server: upgradeGate(server), maxPayload: limits.frameBytes, perMessageDeflate: false },
      // A page that disconnects in the middle of a frame is no error of the server.
      errorHandler: (error, socket) => {
        log.warn({ err: error }, 'web chat: connection failed');
        socket.terminate();
      },
      // When the server stops, it waits until the connections are closed, so that running answers are still sent.
      preClose: () => this.#closed,
    });
    server.route({
      ...{ method: 'GET', url: '/chat' },
      preValidation: async request => this.#admit(request),
      handler: async (request, reply) => this.#onPlainRequest(request, reply),
      wsHandler: (socket, request) => this.#onSocket(socket, request),
    });
  }

  open(): void {
    this.#isOpen = true;
    this.#closed = new Promise(resolve => {
      this.#onClosed = resolve;
    });
    this.#heartbeat = setInterval(() => this.#ping(), this.#options.limits.pingMs);
    this.#heartbeat.unref();
  }

  /** Accepts no new connections, and tells all pages that this server stops, so that they reconnect to the next one. */
  refuse(): void {
    this.#isOpen = false;
    for (const { outlet } of this.#open.values()) outlet.send({ type: 'closing' });
  }

  /** Closes all connections with the WebSocket code 1001: the server goes away. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#heartbeat);
    await Promise.all([...this.#open.keys()].map(socket => closeSocket(socket, this.#options.limits.closeMs)));
    this.#onClosed();
  }

  #ping(): void {
    for (const [socket, open] of this.#open) {
      if (!open.isAlive) socket.terminate();
      else {
        open.isAlive = false;
        socket.ping();
      }
    }
  }

  #onSocket(socket: WebSocket, request: FastifyRequest): void {
    const address = clientKey(request.ip);
    // The limits are checked again, because other pages may have connected during this page's handshake.
    if (this.#refusalOf(address)) {
      socket.close(1013, 'busy');
      return;
    }
    const outlet = createOutlet(socket, this.#options.limits.bufferedBytes);
    const open: OpenSocket = { outlet, address, isAlive: true };
    this.#open.set(socket, open);
    socket.on('pong', () => {
      open.isAlive = true;
    });
    socket.on('close', () => this.#open.delete(socket));
    converse(socket, outlet, address, this.#options);
  }

  /** Refuses a handshake without an `Upgrade` header, which nginx, for one, removes unless it is told to pass it on. */
  #onPlainRequest(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (request.headers['sec-websocket-key'] === undefined) {
      reply.callNotFound();
      return reply;
    }
    const message = 'the proxy in front of Medley does not pass WebSockets on, so the web chat cannot connect';
    if (!this.#isProxySaid) this.#options.log.error({}, `web chat: ${message}`);
    this.#isProxySaid = true;
    throw refusal(400, message);
  }

  #admit(request: FastifyRequest): void {
    if (!isOwnOrigin(request, this.#options.publicUrl)) throw refusal(403, 'The chat answers only its own page.');
    const refused = this.#refusalOf(clientKey(request.ip));
    if (refused) throw refused;
  }

  #refusalOf(address: string): Error | undefined {
    const { connections, connectionsPerAddress } = this.#options.limits;
    if (!this.#isOpen || this.#open.size >= connections) return refusal(503, 'The chat takes no connections now.');
    const isFull = [...this.#open.values()].filter(open => open.address === address).length >= connectionsPerAddress;
    return isFull ? refusal(429, 'Too many connections from one address.') : undefined;
  }
}

/**
 * True for a page of this server. Browsers always send Origin with a WebSocket; a client without it is no browser that
 * another site could misuse, so it may connect, too.
 */
function isOwnOrigin(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { host, origin: canonical } = new URL(origin);
  return host === request.host.toLowerCase() || (publicUrl !== undefined && canonical === new URL(publicUrl).origin);
}

function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

function closeSocket(socket: WebSocket, timeoutMs: number): Promise<void> {
  return new Promise(resolve => {
    const deadline = setTimeout(() => socket.terminate(), timeoutMs);
    socket.once('close', () => {
      clearTimeout(deadline);
      resolve();
    });
    socket.close(1001, 'restarting');
  });
}

/**
 * Sends frames to one page. If the page reads so slowly that `maxBufferedBytes` wait, it is disconnected; when it
 * reconnects, it gets the frames that it missed.
 */
function createOutlet(socket: WebSocket, maxBufferedBytes: number): Outlet {
  function sendText(frame: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount + frame.length > maxBufferedBytes) socket.terminate();
    else socket.send(frame);
  }
  return { sendText, send: frame => sendText(JSON.stringify(frame)) };
}

const PLAIN_IDLE_MS = 60_000;

/**
 * With an upgrade listener, Node passes every upgrade request to it, also the `Upgrade: h2c` that Java and curl send to
 * the API. Such requests get an ordinary answer; only WebSockets for `/chat` are upgraded.
 */
function upgradeGate(server: FastifyInstance): ReturnType<typeof createServer> {
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
  // Node no longer reads from this socket, so it is closed after this answer.
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  server.routing(request, response);
}

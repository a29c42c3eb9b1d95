import websocket, { type WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientKey } from '../../../infra/server/client-address.ts';
import { createOutlet } from '../outgoing/outlet.ts';
import { Conversation, type ConversationOptions } from './conversation.ts';
import { upgradeGate } from './upgrade-gate.ts';

export interface ListenerOptions extends ConversationOptions {
  readonly publicUrl: string | undefined;
}

/** The WebSocket at `/chat`: it says who may connect, and when a connection counts as dead. */
export class Listener {
  readonly #options: ListenerOptions;
  /** The connections, and whether each has answered the last ping. */
  readonly #alive = new Map<WebSocket, boolean>();
  readonly #perAddress = new Map<string, number>();
  #heartbeat: NodeJS.Timeout | undefined;
  /** Resolves when the connections are closed. There is nothing to wait for until they may be opened. */
  #closed = Promise.resolve();
  #onClosed = () => {};
  #isOpen = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async register(server: FastifyInstance): Promise<void> {
    const { limits, log } = this.#options;
    await server.register(websocket, {
      options: { server: upgradeGate(server), maxPayload: limits.frameBytes, perMessageDeflate: false },
      // A page that vanishes in the middle of a frame is no error of ours.
      errorHandler: (error, socket) => {
        log.warn({ err: error }, 'web chat: connection failed');
        socket.terminate();
      },
      // Running answers still come through while the server stops.
      preClose: () => this.#closed,
    });
    const admit = async (request: FastifyRequest) => this.#admit(request);
    server.get('/chat', { websocket: true, preValidation: admit }, (socket, request) =>
      this.#onSocket(socket, request),
    );
  }

  open(): void {
    this.#isOpen = true;
    this.#closed = new Promise(resolve => {
      this.#onClosed = resolve;
    });
    this.#heartbeat = setInterval(() => this.#ping(), this.#options.limits.pingMs);
    this.#heartbeat.unref();
  }

  /** Takes no new connections, and tells every page to look for the next server. */
  refuse(): void {
    this.#isOpen = false;
    for (const socket of this.#alive.keys()) {
      createOutlet(socket, this.#options.limits.bufferedBytes).send({ type: 'closing' });
    }
  }

  /** Closes all connections with 1001. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#heartbeat);
    await Promise.all([...this.#alive.keys()].map(socket => closeSocket(socket, this.#options.limits.closeMs)));
    this.#onClosed();
  }

  #ping(): void {
    for (const [socket, hasAnswered] of this.#alive) {
      if (!hasAnswered) socket.terminate();
      else {
        this.#alive.set(socket, false);
        socket.ping();
      }
    }
  }

  #onSocket(socket: WebSocket, request: FastifyRequest): void {
    const address = clientKey(request.ip);
    // Others may have come in while this one shook hands.
    if (this.#refusalOf(address)) {
      socket.close(1013, 'busy');
      return;
    }
    this.#alive.set(socket, true);
    this.#perAddress.set(address, this.#openFrom(address) + 1);
    socket.on('pong', () => this.#alive.set(socket, true));
    socket.on('close', () => {
      this.#alive.delete(socket);
      const left = this.#openFrom(address) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    });
    new Conversation(socket, address, this.#options);
  }

  #admit(request: FastifyRequest): void {
    if (!isOwnOrigin(request, this.#options.publicUrl)) throw refusal(403, 'The chat answers only its own page.');
    const refused = this.#refusalOf(clientKey(request.ip));
    if (refused) throw refused;
  }

  #refusalOf(address: string): Error | undefined {
    const { connections, connectionsPerAddress } = this.#options.limits;
    if (!this.#isOpen || this.#alive.size >= connections) return refusal(503, 'The chat takes no connections now.');
    const isFull = this.#openFrom(address) >= connectionsPerAddress;
    return isFull ? refusal(429, 'Too many connections from one address.') : undefined;
  }

  #openFrom(address: string): number {
    return this.#perAddress.get(address) ?? 0;
  }
}

/** Browsers always send Origin with a WebSocket; a program that sends none carries no person's rights. */
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

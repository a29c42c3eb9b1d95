import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import websocket, { type WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { Caller } from '../../../bot/contract/caller.ts';
import { createTranslator, type Translator } from '../../../i18n/translate.ts';
import { clientKey } from '../../../infra/server/client-address.ts';
import { createOutlet } from '../outgoing/send.ts';
import type { PageMessage, WebExample } from '../page/base/protocol.ts';
import { parseFrame } from '../protocol/frames.ts';
import type { ChatLimits } from '../protocol/limits.ts';
import type { ChatLog, Conversations, Line } from './request-queue.ts';

export interface ListenOptions {
  readonly conversations: Conversations;
  readonly dispatcher: Pick<Dispatcher, 'suggest' | 'commandSpecs' | 'translator'>;
  readonly examples: (t: Translator) => readonly WebExample[];
  readonly publicUrl: string | undefined;
  readonly limits: ChatLimits;
  readonly log: ChatLog;
  readonly now: () => number;
}

export interface Listener {
  open(): void;
  /** Tells every page, lets running answers end, and closes with 1001. */
  close(): Promise<void>;
}

/** The WebSocket at `/chat`: who may connect, how much he may send, and when a connection counts as dead. */
export async function listen(server: FastifyInstance, options: ListenOptions): Promise<Listener> {
  const { conversations, limits, log } = options;
  const alive = new Map<WebSocket, boolean>();
  const perAddress = new Map<string, number>();
  let accepting = false;
  let closed: Promise<void> | undefined;

  await server.register(websocket, {
    options: { server: upgradeGate(server), maxPayload: limits.frameBytes, perMessageDeflate: false },
    // A page that vanishes mid-frame is no error of ours.
    errorHandler: (error, socket) => {
      log.warn({ err: error }, 'web chat: connection failed');
      socket.terminate();
    },
    preClose: close,
  });

  const heartbeat = setInterval(() => {
    for (const [socket, answered] of alive) {
      if (!answered) socket.terminate();
      else {
        alive.set(socket, false);
        socket.ping();
      }
    }
  }, limits.pingMs);
  heartbeat.unref();

  server.get('/chat', { websocket: true, preValidation: admit }, welcomeSocket);

  function welcomeSocket(socket: WebSocket, request: FastifyRequest): void {
    const address = clientKey(request.ip);
    // Others may have come in while this one shook hands.
    if (refusalOf(address)) {
      socket.close(1013, 'busy');
      return;
    }
    alive.set(socket, true);
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    socket.on('pong', () => alive.set(socket, true));
    socket.on('close', () => {
      alive.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
    converse(socket, address, options);
  }

  async function admit(request: FastifyRequest): Promise<void> {
    if (!isOwnOrigin(request, options.publicUrl)) throw refusal(403, 'The chat answers only its own page.');
    const refused = refusalOf(clientKey(request.ip));
    if (refused) throw refused;
  }

  function refusalOf(address: string): Error | undefined {
    if (!accepting || alive.size >= limits.connections) return refusal(503, 'The chat takes no connections now.');
    const open = perAddress.get(address) ?? 0;
    return open >= limits.connectionsPerAddress ? refusal(429, 'Too many connections from one address.') : undefined;
  }

  function close(): Promise<void> {
    closed ??= closeAll();
    return closed;
  }

  async function closeAll(): Promise<void> {
    accepting = false;
    for (const socket of alive.keys()) createOutlet(socket, limits.bufferedBytes).send({ type: 'closing' });
    await conversations.drain();
    clearInterval(heartbeat);
    await Promise.all([...alive.keys()].map(socket => closeSocket(socket, limits.closeMs)));
  }

  return {
    open() {
      accepting = true;
    },
    close,
  };
}

/** One connection: hello first, then frames, counted. */
function converse(socket: WebSocket, address: string, options: ListenOptions): void {
  const { conversations, limits, log, now } = options;
  const outlet = createOutlet(socket, limits.bufferedBytes);
  const take = createBucket(limits.framesAtOnce, limits.framesPerSecond, now);
  const hello = setTimeout(() => socket.close(1008, 'no hello'), limits.helloMs);
  hello.unref();
  let line: Line | undefined;
  let welcomed = Promise.resolve();
  let bad = 0;
  let suggesting: AbortController | undefined;

  socket.on('message', (data, isBinary) => {
    if (!take()) return socket.close(1008, 'too many frames');
    const frame = isBinary ? undefined : parseFrame(data.toString());
    if (!frame || (frame.type === 'hello') === (line !== undefined)) return onBadFrame();
    onFrame(frame).catch(fail);
  });
  socket.on('close', () => {
    clearTimeout(hello);
    suggesting?.abort();
    if (line) conversations.leave(line);
  });

  function fail(error: unknown): void {
    log.error({ err: error }, 'web chat: a frame could not be handled');
    socket.close(1011, 'internal');
  }

  function onBadFrame(): void {
    bad += 1;
    if (bad >= limits.badFrames) socket.close(1008, 'unreadable frames');
    else if (bad === 1)
      outlet.send({ type: 'notice', text: (line?.t ?? createTranslator([])).messages.errors.invalid_request });
  }

  async function onFrame(frame: PageMessage): Promise<void> {
    if (frame.type === 'hello') {
      welcomed = onHello(frame.session, frame.locales);
      return welcomed;
    }
    await welcomed;
    if (line && socket.readyState === socket.OPEN) onLineFrame(line, frame);
  }

  function onLineFrame(from: Line, frame: Exclude<PageMessage, { type: 'hello' }>): void {
    switch (frame.type) {
      case 'message':
        conversations.ask(from, frame.id, { kind: 'text', text: frame.text });
        break;
      case 'action':
        conversations.ask(from, frame.id, { kind: 'action', token: frame.token });
        break;
      case 'cancel':
        conversations.cancel(from, frame.id);
        break;
      case 'suggest':
        onSuggest(from, frame.id, frame.text.slice(0, limits.messageLength));
        break;
    }
  }

  async function onHello(session: string, locales: readonly string[]): Promise<void> {
    clearTimeout(hello);
    const caller = callerOf(session, address, locales);
    let spoken = '';
    const greet = async (): Promise<void> => {
      const t = await options.dispatcher.translator(caller);
      own.t = t;
      if (t.locale === spoken) return;
      spoken = t.locale;
      outlet.send({
        type: 'welcome',
        locale: t.locale,
        texts: t.messages.web,
        commands: options.dispatcher
          .commandSpecs(t, caller.chatKind)
          .map(({ name, description, usage }) => ({ name, description, usage })),
        examples: options.examples(t),
        maxLength: limits.messageLength,
      });
    };
    const own: Line = { session, caller, t: createTranslator(locales), outlet, settled: () => greet().catch(fail) };
    line = own;
    await greet();
    if (socket.readyState === socket.OPEN) conversations.join(own);
  }

  function onSuggest({ caller }: Line, id: string, text: string): void {
    suggesting?.abort();
    const controller = new AbortController();
    suggesting = controller;
    options.dispatcher.suggest(text, caller, controller.signal).then(
      items => {
        if (!controller.signal.aborted)
          outlet.send({ type: 'suggestions', id, items: items.slice(0, limits.suggestions) });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) log.warn({ err: error }, 'web chat: suggestions failed');
      },
    );
  }
}

function callerOf(session: string, address: string, locales: readonly string[]): Caller {
  return {
    platform: 'web',
    userId: session,
    chatId: session,
    chatKind: 'private',
    isChatAdmin: true,
    rateKey: session,
    sharedRateKey: address,
    locales,
  };
}

/** Takes one; false when there is none left. */
function createBucket(size: number, perSecond: number, now: () => number): () => boolean {
  let left = size;
  let at = now();
  return () => {
    const moment = now();
    left = Math.min(size, left + ((moment - at) / 1000) * perSecond);
    at = moment;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
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

/**
 * Node hands every request that asks for any upgrade to the upgrade listener once there is one, `Upgrade: h2c` of Java and
 * curl clients to the API too. Those are answered as the plain requests they are; only WebSockets for `/chat` go on.
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
  // Node no longer reads from this socket, so it can serve this one answer only.
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  server.routing(request, response);
}

const PLAIN_IDLE_MS = 60_000;

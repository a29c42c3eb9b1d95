import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { PageMessage, ServerMessage } from '../../../src/platforms/web/page/base/protocol.ts';

/** A page without a browser: speaks the protocol and remembers what it heard. */
export interface PageClient {
  readonly session: string;
  readonly heard: readonly ServerMessage[];
  send(frame: PageMessage): void;
  sendText(text: string): void;
  /** The first frame, heard already or to come, that fits. */
  hear<T extends ServerMessage['type']>(type: T, fits?: (frame: Frame<T>) => boolean): Promise<Frame<T>>;
  /** Code of the close, when it comes. */
  readonly closed: Promise<number>;
  readonly socket: WebSocket;
}

export type Frame<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

export interface ConnectOptions {
  readonly session?: string;
  readonly locales?: readonly string[];
  readonly origin?: string;
  readonly hello?: boolean;
  /** The address on loopback from which it connects. */
  readonly localAddress?: string;
}

const PATIENCE_MS = 30_000;

/** Rejects with `HTTP <status>` when the server refuses. */
export async function connect(origin: string, options: ConnectOptions = {}): Promise<PageClient> {
  const { session = randomUUID(), locales = ['en'], hello = true } = options;
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/chat`, {
    ...(options.origin === undefined ? {} : { origin: options.origin }),
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
  });
  const heard: ServerMessage[] = [];
  const listeners = new Set<() => void>();
  socket.on('message', data => {
    heard.push(JSON.parse(data.toString()));
    for (const listener of listeners) listener();
  });
  const closed = new Promise<number>(resolve => socket.on('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
    socket.on('unexpected-response', (_, response) => reject(new Error(`HTTP ${response.statusCode}`)));
  });
  const client: PageClient = {
    session,
    heard,
    closed,
    socket,
    send: frame => socket.send(JSON.stringify(frame)),
    sendText: text => socket.send(text),
    hear: (type, fits = () => true) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = heard.find((frame): frame is Frame<typeof type> => frame.type === type && fitsType(frame));
          if (!found) return;
          clearTimeout(patience);
          listeners.delete(look);
          resolve(found);
        };
        const fitsType = (frame: ServerMessage): boolean => isOf(frame, type) && fits(frame);
        const patience = setTimeout(() => reject(new Error(`no ${type} was heard`)), PATIENCE_MS);
        listeners.add(look);
        look();
      }),
  };
  if (hello) {
    client.send({ type: 'hello', session, locales });
    await client.hear('welcome');
  }
  return client;
}

function isOf<T extends ServerMessage['type']>(frame: ServerMessage, type: T): frame is Frame<T> {
  return frame.type === type;
}

/** The words of a tree, in its order. The mods of a play, each by itself here, are written as other chats write them. */
export function wordsOf(node: unknown): string {
  if (typeof node === 'string') return node;
  if (typeof node !== 'object' || node === null) return '';
  if ('mods' in node && Array.isArray(node.mods)) return `+${node.mods.join('')}`;
  return Object.values(node).map(wordsOf).join('');
}

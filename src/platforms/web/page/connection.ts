import type { PageMessage, ServerMessage } from './base/protocol.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost' | 'offline';

export interface ConnectionOptions {
  readonly hello: () => PageMessage;
  readonly onFrame: (frame: ServerMessage) => void;
  readonly onState: (state: ConnectionState) => void;
}

export interface Connection {
  readonly state: ConnectionState;
  /** False when the connection is not open; nothing is queued here. */
  send(frame: PageMessage): boolean;
  /** Tries again now when it was waiting to. */
  wake(): void;
}

const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 15_000;
/** Something must be heard within this time after a question, else the line is dead and a new one is opened. */
const SILENCE_MS = 8_000;
/** A connection that held this long was a good one: the next loss starts again with a short delay. */
const GOOD_MS = 10_000;

/** One WebSocket to the server at a time, opened again with a growing, jittered delay whenever it is lost. */
export function createConnection({ hello, onFrame, onState }: ConnectionOptions): Connection {
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/chat`;
  let socket: WebSocket | undefined;
  let state: ConnectionState = 'connecting';
  let attempts = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let openedAt = 0;
  /** The server is going down: it takes nothing new on this connection. */
  let closing = false;

  function become(next: ConnectionState): void {
    if (next === state) return;
    state = next;
    onState(next);
  }

  function open(): void {
    clearTimeout(retry);
    retry = undefined;
    closing = false;
    const opened = new WebSocket(url);
    socket = opened;
    listenForSilence();
    opened.addEventListener('open', () => opened.send(JSON.stringify(hello())));
    opened.addEventListener('message', event => {
      if (opened === socket) onMessage(String(event.data));
    });
    opened.addEventListener('close', () => {
      if (opened === socket) onLost();
    });
  }

  function onMessage(data: string): void {
    clearTimeout(silence);
    const frame: unknown = JSON.parse(data);
    if (!isServerMessage(frame)) return;
    if (frame.type === 'welcome' && state !== 'open') {
      openedAt = Date.now();
      become('open');
    }
    closing ||= frame.type === 'closing';
    onFrame(frame);
  }

  function onLost(): void {
    clearTimeout(silence);
    socket = undefined;
    if (openedAt > 0 && Date.now() - openedAt > GOOD_MS) attempts = 0;
    openedAt = 0;
    become(navigator.onLine ? 'lost' : 'offline');
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts);
    attempts += 1;
    retry ??= setTimeout(open, longest * (0.5 + Math.random() / 2));
  }

  function listenForSilence(): void {
    clearTimeout(silence);
    silence = setTimeout(() => {
      const dead = socket;
      onLost();
      dead?.close();
    }, SILENCE_MS);
  }

  function wake(): void {
    if (socket) return;
    attempts = 0;
    open();
  }

  addEventListener('online', wake);
  addEventListener('offline', () => {
    if (state !== 'open') become('offline');
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') wake();
  });

  open();

  return {
    get state() {
      return state;
    },
    send(frame) {
      if (state !== 'open' || closing || socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(frame));
      if (frame.type === 'message' || frame.type === 'action') listenForSilence();
      return true;
    },
    wake,
  };
}

/** The server is this page's own; the check is for a version of it that says more than this page knows. */
const TYPES: ReadonlySet<unknown> = new Set<ServerMessage['type']>([
  'welcome',
  'accepted',
  'progress',
  'reply',
  'better',
  'done',
  'suggestions',
  'notice',
  'closing',
]);

function isServerMessage(value: unknown): value is ServerMessage {
  return typeof value === 'object' && value !== null && 'type' in value && TYPES.has(value.type);
}

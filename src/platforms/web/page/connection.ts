import type { PageMessage, ServerMessage, WebReply } from './base/protocol.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost' | 'offline';

export interface ServerConnectionOptions {
  readonly hello: () => PageMessage;
  readonly onFrame: (frame: ServerMessage) => void;
  readonly onState: (state: ConnectionState) => void;
}

const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 15_000;
/** If nothing is received within this time after connecting or after a message, the connection counts as dead. */
const SILENCE_MS = 8_000;
/** After the loss of a connection that lasted longer than this, the delays before reconnecting begin short again. */
const GOOD_MS = 10_000;

/** Connects to the server by one WebSocket at a time, reopened after a growing, random delay whenever it is lost. */
export function connectToServer({ hello, onFrame, onState }: ServerConnectionOptions) {
  let socket: WebSocket | undefined;
  let state: ConnectionState = 'connecting';
  let attempts = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let openedAt = 0;
  /** How many milliseconds this device's clock is ahead of the server's: a clock set by hand may be hours off. */
  let ahead = 0;
  /** True when the server has said that it shuts down: it accepts nothing new on this connection. */
  let isClosing = false;

  function become(next: ConnectionState): void {
    if (next === state) return;
    state = next;
    onState(state);
  }

  function open(): void {
    clearTimeout(retry);
    retry = undefined;
    isClosing = false;
    const opened = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/chat`);
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
    if (frame.type === 'welcome') ahead = Date.now() - frame.now;
    if (frame.type === 'welcome' && state !== 'open') {
      openedAt = Date.now();
      become('open');
    }
    isClosing ||= frame.type === 'closing';
    onFrame('reply' in frame ? { ...frame, reply: byOwnClock(frame.reply, ahead) } : frame);
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

  /** Reconnects at once, without waiting for the rest of the delay. */
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
    /** Sends a frame. False, and the frame is dropped, when the connection is not open or the server shuts down. */
    send(frame: PageMessage): boolean {
      if (state !== 'open' || isClosing || socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(frame));
      if (frame.type === 'message' || frame.type === 'action') listenForSilence();
      return true;
    },
    wake,
  };
}

/** The reply with all its times converted to this device's clock. */
function byOwnClock(reply: WebReply, ahead: number): WebReply {
  const { gallery, retry } = reply;
  return {
    ...reply,
    gallery: gallery.map(media => ({ ...media, expiresAt: media.expiresAt + ahead })),
    ...(retry && { retry: { ...retry, at: retry.at + ahead } }),
  };
}

/** True for a frame from the server, even if this version of the page does not know its type. */
function isServerMessage(value: unknown): value is ServerMessage {
  return typeof value === 'object' && value !== null && 'type' in value;
}

interface ScriptPolicy {
  createScriptURL(url: string): string;
}

declare global {
  interface Window {
    /** Trusted Types: undefined in browsers without them, and missing in TypeScript's own types. */
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): ScriptPolicy;
    };
  }
}

const WORKER = '/sw.js';
/** The service worker is registered this long after the start, when the page's first view is loaded. */
const DELAY_MS = 4_000;

/**
 * Registers a service worker, so that the page opens without a connection, says so, and shows this tab's conversation.
 * The page's policy allows only that worker's script.
 */
export function openOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  setTimeout(() => {
    const policy = window.trustedTypes?.createPolicy('medley', { createScriptURL: () => WORKER });
    const url = policy === undefined ? WORKER : policy.createScriptURL(WORKER);
    // Registering fails in private windows; the page then works only with a connection.
    navigator.serviceWorker.register(url).catch(() => undefined);
  }, DELAY_MS);
}

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

/** One WebSocket to the server at a time, reopened after a growing, random delay whenever it is lost. */
export class ServerConnection {
  readonly #options: ServerConnectionOptions;
  #socket: WebSocket | undefined;
  #state: ConnectionState = 'connecting';
  #attempts = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #openedAt = 0;
  /** How many milliseconds this device's clock is ahead of the server's: a clock set by hand may be hours off. */
  #ahead = 0;
  /** True when the server has said that it shuts down: it accepts nothing new on this connection. */
  #isClosing = false;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    addEventListener('online', () => this.wake());
    addEventListener('offline', () => {
      if (this.#state !== 'open') this.#become('offline');
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.wake();
    });
    this.#open();
  }

  /** Sends a frame. False, and the frame is dropped, when the connection is not open or the server shuts down. */
  send(frame: PageMessage): boolean {
    if (this.#state !== 'open' || this.#isClosing || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    if (frame.type === 'message' || frame.type === 'action') this.#listenForSilence();
    return true;
  }

  /** Reconnects at once, without waiting for the rest of the delay. */
  wake(): void {
    if (this.#socket) return;
    this.#attempts = 0;
    this.#open();
  }

  #become(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onState(state);
  }

  #open(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#isClosing = false;
    const opened = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/chat`);
    this.#socket = opened;
    this.#listenForSilence();
    opened.addEventListener('open', () => opened.send(JSON.stringify(this.#options.hello())));
    opened.addEventListener('message', event => {
      if (opened === this.#socket) this.#onMessage(String(event.data));
    });
    opened.addEventListener('close', () => {
      if (opened === this.#socket) this.#onLost();
    });
  }

  #onMessage(data: string): void {
    clearTimeout(this.#silence);
    const frame: unknown = JSON.parse(data);
    if (!isServerMessage(frame)) return;
    if (frame.type === 'welcome') this.#ahead = Date.now() - frame.now;
    if (frame.type === 'welcome' && this.#state !== 'open') {
      this.#openedAt = Date.now();
      this.#become('open');
    }
    this.#isClosing ||= frame.type === 'closing';
    this.#options.onFrame('reply' in frame ? { ...frame, reply: byOwnClock(frame.reply, this.#ahead) } : frame);
  }

  #onLost(): void {
    clearTimeout(this.#silence);
    this.#socket = undefined;
    if (this.#openedAt > 0 && Date.now() - this.#openedAt > GOOD_MS) this.#attempts = 0;
    this.#openedAt = 0;
    this.#become(navigator.onLine ? 'lost' : 'offline');
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#attempts);
    this.#attempts += 1;
    this.#retry ??= setTimeout(() => this.#open(), longest * (0.5 + Math.random() / 2));
  }

  #listenForSilence(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      const dead = this.#socket;
      this.#onLost();
      dead?.close();
    }, SILENCE_MS);
  }
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

import type { ServerResponse } from 'node:http';
import { AppError } from '../../errors.ts';

export type ResponseStreams = ReturnType<typeof createResponseStreams>;

/** Why Medley ended a stream: its client read too slowly, it lasted too long, or another client needed its slot. */
export type StreamEnd = 'slow' | 'old' | 'displaced';

export interface ResponseStreamsOptions {
  /** The most streams of all clients together. Default 192. */
  readonly total?: number;
  /** The most streams of one client. Default 24. */
  readonly perClient?: number;
  /** The speed at which a client has to read while bytes wait for it, on average over `windowMs`. Default 4 KiB. */
  readonly minBytesPerSecond?: number;
  /** The time over which a client's speed is measured. Default 30 000. */
  readonly windowMs?: number;
  /** How long a stream may last. Default an hour; a video player then requests the remaining bytes by itself. */
  readonly lifetimeMs?: number;
  readonly onEnd?: (end: StreamEnd) => void;
  readonly onRefuse?: (reason: 'share' | 'total') => void;
}

const CHECK_MS = 1_000;
const RETRY_AFTER_MS = 5_000;

/**
 * Bounds the response bodies that are streamed at once. When all slots are taken, a client with fewer streams takes a
 * slot from the client with the most, so that a few clients never keep all others out. A client that reads too slowly,
 * or for too long, is cut off.
 */
export function createResponseStreams(options: ResponseStreamsOptions = {}) {
  const { total = 192, perClient = 24, minBytesPerSecond = 4 * 1024, windowMs = 30_000 } = options;
  const { lifetimeMs = 3_600_000, onEnd, onRefuse } = options;
  const clients = new Map<string, Set<Stream>>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function leave(client: string, stream: Stream): void {
    const streams = clients.get(client);
    if (streams?.delete(stream) !== true) return;
    count -= 1;
    if (streams.size === 0) clients.delete(client);
    if (count > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function end(client: string, stream: Stream, why: StreamEnd): void {
    leave(client, stream);
    stream.cut();
    onEnd?.(why);
  }

  function check(): void {
    const now = performance.now();
    for (const [client, streams] of clients) {
      for (const stream of streams) {
        if (now - stream.startedAt > lifetimeMs) end(client, stream, 'old');
        else if (stream.isSlow(now, windowMs, minBytesPerSecond)) end(client, stream, 'slow');
      }
    }
  }

  /** Ends a stream of the client with the most streams, if these are more than the new client would have. */
  function makeRoom(held: number): boolean {
    let [richest, most] = ['', held + 1];
    for (const [client, { size }] of clients) if (size > most) [richest, most] = [client, size];
    const streams = [...(clients.get(richest) ?? [])];
    // A stream that its client does not read is ended first; if there is none, the one that has run longest.
    const spare = streams.find(stream => stream.isBlocked) ?? streams[0];
    if (spare === undefined) return false;
    end(richest, spare, 'displaced');
    return true;
  }

  return {
    get count() {
      return count;
    },
    /**
     * Takes a slot until the response is closed. Once `watch` was called, a client that reads too slowly is cut off.
     * @throws AppError `rate_limited`: `params.what` is `streams` for a client with too many, `params.reason` is `busy`
     * when no slot is free
     */
    enter(client: string, response: ServerResponse): Pick<Stream, 'watch'> {
      const held = clients.get(client)?.size ?? 0;
      if (held >= perClient) {
        onRefuse?.('share');
        const params = { what: 'streams' };
        throw new AppError('rate_limited', 'too many files at once', { params, retryAfterMs: RETRY_AFTER_MS });
      }
      if (count >= total && !makeRoom(held)) {
        onRefuse?.('total');
        const params = { reason: 'busy' };
        throw new AppError('rate_limited', 'all streams are taken', { params, retryAfterMs: RETRY_AFTER_MS });
      }
      const stream = new Stream(response);
      // A response that is closed already would never report its end, so it gets no slot.
      if (response.destroyed) return stream;
      const streams = clients.get(client) ?? new Set();
      clients.set(client, streams.add(stream));
      count += 1;
      timer ??= setInterval(check, Math.min(CHECK_MS, windowMs)).unref();
      response.once('close', () => leave(client, stream));
      return stream;
    },
  };
}

class Stream {
  readonly startedAt = performance.now();
  readonly #response: ServerResponse;
  /** The start of the current window; undefined until the body is streamed. */
  #window: { readonly at: number; readonly bytes: number } | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Starts to measure the client's speed: the body is streamed from now on. */
  watch(): void {
    this.#window = { at: performance.now(), bytes: this.#bytes };
  }

  /** True while bytes wait for the client to read; a wait for a slow CDN does not count. */
  get isBlocked(): boolean {
    return this.#window !== undefined && this.#response.writableNeedDrain;
  }

  isSlow(now: number, windowMs: number, minBytesPerSecond: number): boolean {
    if (this.#window === undefined || now - this.#window.at < windowMs) return false;
    const { at, bytes } = this.#window;
    const isSlow = this.isBlocked && ((this.#bytes - bytes) / (now - at)) * 1_000 < minBytesPerSecond;
    this.watch();
    return isSlow;
  }

  cut(): void {
    this.#response.destroy();
  }

  /** Bytes that the connection has accepted; at most one buffer of them still waits in this process. */
  get #bytes(): number {
    return this.#response.socket?.bytesWritten ?? 0;
  }
}

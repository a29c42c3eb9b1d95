import type { Logger } from '../../infra/log.ts';
import type { Lease } from '../../infra/redis/redis-lease.ts';
import type {
  ChatPlatform,
  Connection,
  PlatformHost,
  PlatformState,
  PlatformStatus,
} from '../contract/chat-platform.ts';
import { backoffMs } from './retry.ts';

/** Keeps one platform connected, for as long as it takes. */
export interface PlatformConnection {
  /** Begins to listen; resolves after the first attempt, whatever became of it. */
  start(host: PlatformHost): Promise<void>;
  /** The connection is gone. */
  lost(reason: unknown): void;
  /** Another process listens; this one waits for its turn. */
  standBy(): void;
  /** A token was refused once, which a proxy may do: the platform itself is asked before anything is given up. */
  suspect(): void;
  status(): PlatformStatus;
  /** Hears nothing any more. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ConnectionOptions {
  readonly platform: ChatPlatform;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  readonly random: () => number;
  /** While the token is refused nothing can be sent. */
  readonly onRefused: (forMs: number) => void;
}

/** A token that was refused may be refused by something on the way: this often is no chance. */
const CONVINCED = 2;
const REFUSED_MS = 60_000;
const MOST_REFUSED_MS = 10 * 60_000;
/** A connection that held so long was a good one. */
const STABLE_MS = 60_000;

export function createConnection({ platform, log, now, random, onRefused }: ConnectionOptions): PlatformConnection {
  const stopping = new AbortController();
  const sleepers = new Set<() => void>();
  let status: PlatformStatus = { platform: platform.id, state: 'idle', since: now() };
  let onLost: ((reason: unknown) => void) | undefined;
  let endAttempt: (() => void) | undefined;
  let running: Promise<void> | undefined;
  let confirming: Promise<void> | undefined;
  let refusals = 0;

  function turn(state: PlatformState, error?: unknown): void {
    const reason = error === undefined ? {} : { reason: error instanceof Error ? error.message : 'unknown failure' };
    const since = status.state === state ? status.since : now();
    status = { platform: platform.id, state, since, ...reason };
  }

  function isRefusal(error: unknown): boolean {
    const failure = platform.outcomeOf(error);
    return failure?.outcome === 'notSent' && failure.reason === 'token';
  }

  /** Counts refusals; returns how long the token is left alone when there is no doubt about it. */
  function refusedMs(error: unknown): number | undefined {
    refusals = isRefusal(error) ? refusals + 1 : 0;
    if (refusals < CONVINCED) return undefined;
    if (status.state !== 'refused') log.error({ platform: platform.id, err: error }, 'the token is refused');
    turn('refused', error);
    const waitMs = Math.min(REFUSED_MS * 2 ** (refusals - CONVINCED), MOST_REFUSED_MS);
    onRefused(waitMs);
    return waitMs;
  }

  function sleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        clearTimeout(timer);
        sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      timer.unref();
      sleepers.add(wake);
    });
  }

  /** Connects, and resolves with what ended the connection. */
  async function session(host: PlatformHost, onTried: () => void): Promise<unknown> {
    const lost = new Promise<unknown>(resolve => {
      onLost = resolve;
    });
    let connection: Connection | undefined;
    try {
      connection = await platform.connect(host, stopping.signal);
      refusals = 0;
      turn('connected');
      log.info({ platform: platform.id }, 'connected');
      onTried();
      return await lost;
    } catch (error) {
      return error ?? new Error('unknown failure');
    } finally {
      onTried();
      await connection?.close().catch((error: unknown) => {
        log.warn({ platform: platform.id, err: error }, 'a connection could not be closed');
      });
    }
  }

  async function run(host: PlatformHost, onTried: () => void): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      const since = now();
      const reason = await session(host, onTried);
      if (stopping.signal.aborted) return;
      if (now() - since > STABLE_MS) failures = 1;
      const longMs = refusedMs(reason);
      if (longMs === undefined) turn('away', reason);
      const waitMs = longMs ?? backoffMs(failures, random);
      log.warn({ platform: platform.id, err: reason, waitMs }, 'not connected');
      await sleep(waitMs);
      if (stopping.signal.aborted) return;
    }
  }

  /** Until the platform says that the token is good, or cannot be asked. */
  async function confirm(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await platform.verify(stopping.signal);
        refusals = 0;
        if (status.state === 'refused') turn(running === undefined ? 'idle' : 'connected');
        return;
      } catch (error) {
        if (!isRefusal(error)) return;
        await sleep(refusedMs(error) ?? backoffMs(1, random));
      }
    }
  }

  return {
    start(host) {
      turn('connecting');
      return new Promise(resolve => {
        endAttempt = resolve;
        running = run(host, resolve);
      });
    },
    lost: reason => onLost?.(reason),
    standBy() {
      turn('standby');
      endAttempt?.();
    },
    suspect() {
      if (status.state === 'refused') return;
      confirming ??= confirm().finally(() => {
        confirming = undefined;
      });
    },
    status: () => status,
    async stop() {
      stopping.abort();
      // A connection that is being made may take its time to end; nothing waits for it any more.
      endAttempt?.();
      onLost?.(undefined);
      for (const wake of [...sleepers]) wake();
      await Promise.all([running, confirming]);
      turn('stopped');
    },
  };
}

/**
 * A platform that one process hears while others stand by, to spare connections that the platform allows once: a shard, a token's updates.
 * That no event is answered twice does not rest on it.
 */
export function soleListener<P extends ChatPlatform>(platform: P, lease: Lease): P {
  return {
    ...platform,
    async connect(host, signal) {
      const held = await lease.hold({
        signal,
        onWait: () => host.standBy(),
        onLost: () => host.lost(new Error('another process listens')),
      });
      try {
        const connection = await platform.connect(host, signal);
        return {
          async close() {
            try {
              await connection.close();
            } finally {
              await held.release();
            }
          },
        };
      } catch (error) {
        await held.release();
        throw error;
      }
    },
  };
}

import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Logger } from '../../infra/log.ts';
import type { Lease } from '../../infra/redis/redis-task-lease.ts';
import type {
  ChatConnection,
  ChatPlatform,
  PlatformHost,
  PlatformState,
  PlatformStatus,
} from '../contract/chat-platform.ts';
import { backoffMs } from './retry-gate.ts';

export interface PlatformConnectionOptions {
  readonly platform: ChatPlatform;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  readonly random: () => number;
  /** Called when the platform refuses the token: nothing can be sent for `forMs` milliseconds. */
  readonly onRefused: (forMs: number) => void;
}

/** After so many refusals of the token in a row, they surely come from the platform and not from a proxy in between. */
const CONVINCED = 2;
const REFUSED_MS = 60_000;
const MOST_REFUSED_MS = 10 * 60_000;
/** After a connection that lasted this long, the pauses between attempts are short again. */
const STABLE_MS = 60_000;

/** Keeps one platform connected, however many attempts that takes. */
export class PlatformConnection {
  readonly #options: PlatformConnectionOptions;
  readonly #stopping = new AbortController();
  #status: PlatformStatus;
  #onLost: ((reason: unknown) => void) | undefined;
  #endAttempt: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #confirming: Promise<void> | undefined;
  #refusals = 0;

  constructor(options: PlatformConnectionOptions) {
    this.#options = options;
    this.#status = { platform: options.platform.id, state: 'idle', since: options.now() };
  }

  get status(): PlatformStatus {
    return this.#status;
  }

  /** Connects; resolves after the first attempt, even if it failed. */
  start(host: PlatformHost): Promise<void> {
    this.#setState('connecting');
    return new Promise(resolve => {
      this.#endAttempt = resolve;
      this.#running = this.#run(host, resolve);
    });
  }

  /** To be called when the connection is lost, so that another one is made. */
  lost(reason: unknown): void {
    this.#onLost?.(reason);
  }

  /** To be called when another process receives the events and this process waits until it may receive them. */
  standBy(): void {
    this.#setState('standby');
    this.#endAttempt?.();
  }

  /**
   * To be called when a call failed because the token was refused, perhaps only by a proxy in between: the platform is
   * asked about the token again before Medley disconnects.
   */
  suspect(): void {
    if (this.#status.state === 'refused') return;
    this.#confirming ??= this.#confirm().finally(() => {
      this.#confirming = undefined;
    });
  }

  /** Disconnects for good. Safe to call twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    // A connection that is still being made is not waited for, because it may take long to end.
    this.#endAttempt?.();
    this.#onLost?.(undefined);
    await Promise.all([this.#running, this.#confirming]);
    this.#setState('stopped');
  }

  #setState(state: PlatformState, error?: unknown): void {
    const { platform, now } = this.#options;
    const reason = error === undefined ? {} : { reason: error instanceof Error ? error.message : 'unknown failure' };
    const since = this.#status.state === state ? this.#status.since : now();
    this.#status = { platform: platform.id, state, since, ...reason };
  }

  async #run(host: PlatformHost, onTried: () => void): Promise<void> {
    const { platform, log, now, random } = this.#options;
    for (let failures = 1; ; failures += 1) {
      const since = now();
      const reason = await this.#session(host, onTried);
      if (this.#stopping.signal.aborted) return;
      if (now() - since > STABLE_MS) failures = 1;
      const longMs = this.#refusedMs(reason);
      if (longMs === undefined) this.#setState('away', reason);
      const waitMs = longMs ?? backoffMs(failures, random);
      log.warn({ platform: platform.id, err: reason, waitMs }, 'not connected');
      await this.#sleep(waitMs);
      if (this.#stopping.signal.aborted) return;
    }
  }

  /** Connects once; resolves with what ended the connection. */
  async #session(host: PlatformHost, onTried: () => void): Promise<unknown> {
    const { platform, log } = this.#options;
    const lost = new Promise<unknown>(resolve => {
      this.#onLost = resolve;
    });
    let connection: ChatConnection | undefined;
    try {
      connection = await platform.connect(host, this.#stopping.signal);
      this.#refusals = 0;
      this.#setState('connected');
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

  /** Counts refusals of the token. When enough of them are counted, returns how long not to use the token. */
  #refusedMs(error: unknown): number | undefined {
    const { platform, log, onRefused } = this.#options;
    this.#refusals = this.#isRefusal(error) ? this.#refusals + 1 : 0;
    if (this.#refusals < CONVINCED) return undefined;
    if (this.#status.state !== 'refused') log.error({ platform: platform.id, err: error }, 'the token is refused');
    this.#setState('refused', error);
    const waitMs = Math.min(REFUSED_MS * 2 ** (this.#refusals - CONVINCED), MOST_REFUSED_MS);
    onRefused(waitMs);
    return waitMs;
  }

  #isRefusal(error: unknown): boolean {
    const failure = this.#options.platform.outcomeOf(error);
    return failure?.outcome === 'notSent' && failure.reason === 'token';
  }

  /**
   * Asks the platform about the token until the platform accepts it. If the platform cannot be reached, it is asked no
   * further, except in the state `refused`, which nothing else would end.
   */
  async #confirm(): Promise<void> {
    const { platform, random } = this.#options;
    for (let failures = 1; !this.#stopping.signal.aborted; failures += 1) {
      try {
        await platform.verify(this.#stopping.signal);
        this.#refusals = 0;
        if (this.#status.state === 'refused') this.#setState(this.#running === undefined ? 'idle' : 'connected');
        return;
      } catch (error) {
        if (!this.#isRefusal(error) && this.#status.state !== 'refused') return;
        await this.#sleep(this.#refusedMs(error) ?? backoffMs(failures, random));
      }
    }
  }

  /** Resolves after that time, or as soon as the connection is no longer wanted. */
  async #sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const isOver = new Promise<void>(resolve => {
      timer = setTimeout(resolve, ms).unref();
    });
    await abortable(isOver, this.#stopping.signal, () => clearTimeout(timer)).catch(() => undefined);
  }
}

/**
 * Lets one process receive the platform's events while other processes stand by, because the platform allows one
 * connection for a shard or a token. Even without this lease, each event is answered once.
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
      const connection = await platform.connect(host, signal).catch(async (error: unknown) => {
        await held.release();
        throw error;
      });
      return { close: () => connection.close().finally(() => held.release()) };
    },
  };
}

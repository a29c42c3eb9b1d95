import { setTimeout as pause } from 'node:timers/promises';
import type { Telegraf } from 'telegraf';
import type { Logger } from '../../../infra/log.ts';
import type { TelegramLimits } from '../limits.ts';
import { readFailure } from '../outgoing/bot-api-error.ts';
import { ALLOWED_UPDATES } from './updates.ts';

/** Long polling, kept alive: telegraf ends it for good when another process polls (409) and whenever a handler fails. */
export interface Polling {
  start(): void;
  /** Resolves when nothing is fetched any more, or after `limits.closeMs`. */
  stop(): Promise<void>;
}

export interface PollingOptions {
  readonly bot: Telegraf;
  readonly limits: Pick<TelegramLimits, 'backoffMs' | 'maxBackoffMs' | 'closeMs'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly now: () => number;
}

const STOP_EVERY_MS = 20;

export function createPolling({ bot, limits, log, now }: PollingOptions): Polling {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const since = now();
      try {
        await bot.launch({ allowedUpdates: [...ALLOWED_UPDATES] });
      } catch (error) {
        const failure = readFailure(error, { method: 'getUpdates', hadFiles: false });
        if (stopping.signal.aborted) return;
        if (isTokenRefused(failure.code)) {
          log.error({ err: failure }, TOKEN_REFUSED);
          return;
        }
        log.warn({ err: failure }, failure.code === 409 ? SOMEBODY_ELSE : 'Telegram does not answer');
      }
      failures = now() - since > limits.maxBackoffMs ? 1 : failures + 1;
      await rest(Math.min(limits.backoffMs * 2 ** (failures - 1), limits.maxBackoffMs));
    }
  }

  /** Until the time is over or polling is to stop. */
  async function rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      if (running === undefined) return;
      let isOver = false;
      const over = running.finally(() => {
        isOver = true;
      });
      const until = now() + limits.closeMs;
      while (!isOver && now() < until) {
        stopBot(bot);
        await Promise.race([over, pause(STOP_EVERY_MS)]);
      }
    },
  };
}

/** While it is only beginning to poll there is nothing to stop yet, and telegraf throws. */
function stopBot(bot: Telegraf): void {
  try {
    bot.stop();
  } catch (error) {
    if (!(error instanceof Error) || !/not running/i.test(error.message)) throw error;
  }
}

const SOMEBODY_ELSE = 'another process polls Telegram with this token, or a webhook is set; trying again';
export const TOKEN_REFUSED = 'Telegram refuses TELEGRAM_TOKEN: take the current one from @BotFather and start again';

/** Revoked, or never one. */
export function isTokenRefused(code: number | undefined): boolean {
  return code === 401 || code === 404;
}

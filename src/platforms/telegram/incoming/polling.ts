import * as z from 'zod';
import type { Connection } from '../../../bot/contract/chat-platform.ts';
import type { BotApi } from '../api/bot-api.ts';
import type { TelegramLimits } from '../api/limits.ts';
import { ALLOWED_UPDATES } from '../api/updates.ts';

export interface PollingOptions {
  readonly api: BotApi;
  readonly limits: Pick<TelegramLimits, 'pollSeconds' | 'callMs'>;
  /** Resolves with true when the update is stored. */
  readonly take: (update: unknown) => Promise<boolean>;
  /** Called once, with what ended the polling. */
  readonly onLost: (reason: unknown) => void;
}

const Numbered = z.looseObject({ update_id: z.number() });

/** Long polling. An update is confirmed, by asking for those after it, when it and all before it are stored. */
export function startPolling({ api, limits, take, onLost }: PollingOptions): Connection {
  const stopping = new AbortController();
  const { signal } = stopping;
  const timeoutMs = limits.pollSeconds * 1_000 + limits.callMs;

  async function run(): Promise<void> {
    let offset: number | undefined;
    while (!signal.aborted) {
      const ask = { timeout: limits.pollSeconds, allowed_updates: [...ALLOWED_UPDATES] };
      const updates = await api.call(
        'getUpdates',
        { ...ask, ...(offset !== undefined && { offset }) },
        { signal, timeoutMs },
      );
      const taken = await Promise.all(updates.map(take));
      const firstLeft = taken.indexOf(false);
      const last = updates.slice(0, firstLeft === -1 ? undefined : firstLeft).at(-1);
      if (last !== undefined) offset = Numbered.parse(last).update_id + 1;
      if (firstLeft !== -1) throw new NotStored('updates could not be stored; Telegram keeps them');
    }
  }

  const running = run().catch((error: unknown) => {
    if (!signal.aborted) onLost(error);
  });

  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}

class NotStored extends Error {
  override readonly name = 'NotStored';
}

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { menuTextsDigest } from '../../i18n/load-texts.ts';
import type { Logger } from '../../infra/log.ts';
import type { RecordStore } from '../../infra/store/records.ts';

export type RegisteredMenus = ReturnType<typeof createRegisteredMenus>;

/** How often menus are sent before they are given up until the next connection. */
const TRIES = 10;

/**
 * Remembers the command menus sent to platforms, so that a restart need not make or compare them all again.
 * @param retryMs the pause before menus that a platform did not take are sent again
 */
export function createRegisteredMenus(
  records: Pick<RecordStore, 'collection'>,
  log: Pick<Logger, 'info' | 'warn'>,
  retryMs = 60_000,
) {
  // A record expires, because others who hold the token may register other menus meanwhile.
  const store = records.collection({ name: 'registered-menus', schema: z.string(), ttlMs: 24 * 3_600_000 });
  const onAway = (err: unknown) => log.info({ err }, 'which menus are registered could not be read or stored');
  return {
    /**
     * Calls `register`, unless that was done within the last day with the same menus. If the store cannot be reached,
     * the menus are registered anyway. A connection may last for weeks, so what fails is tried again while it lasts.
     * @param account `${platform}:${id of the bot}`
     * @param english the menus in English. Those in other languages follow from them and from the languages' texts, so
     * a digest of both tells whether any menu has changed.
     * @throws what `register` threw in the end
     */
    async keep(account: string, english: unknown, register: () => Promise<void>, signal: AbortSignal): Promise<void> {
      const digest = createHash('sha256').update(JSON.stringify(english)).update(menuTextsDigest()).digest('base64');
      if ((await store.get(account).catch(onAway)) === digest) return;
      for (let tries = 1; ; tries += 1) {
        try {
          await register();
          break;
        } catch (err) {
          if (tries === TRIES || signal.aborted) throw err;
          log.warn({ account, err, waitMs: retryMs }, 'the menus of commands could not be registered yet');
          await sleep(retryMs, undefined, { signal, ref: false });
        }
      }
      await store.set(account, digest).catch(onAway);
    },
  };
}

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { menuTextsDigest } from '../../i18n/load-texts.ts';
import type { Logger } from '../../infra/log.ts';
import type { RecordStore } from '../../infra/store/records.ts';

export type RegisteredMenus = ReturnType<typeof createRegisteredMenus>;

/** Remembers the command menus sent to platforms, so that a restart need not make or compare them all again. */
export function createRegisteredMenus(records: Pick<RecordStore, 'collection'>, log: Pick<Logger, 'info'>) {
  // A record expires, because others who hold the token may register other menus meanwhile.
  const store = records.collection({ name: 'registered-menus', schema: z.string(), ttlMs: 24 * 3_600_000 });
  const onAway = (err: unknown) => log.info({ err }, 'which menus are registered could not be read or stored');
  return {
    /**
     * Calls `register`, unless that was done within the last day with the same menus. If the store cannot be reached,
     * the menus are registered anyway.
     * @param account `${platform}:${id of the bot}`
     * @param english the menus in English: together with the texts they decide all other languages
     */
    async keep(account: string, english: unknown, register: () => Promise<void>): Promise<void> {
      const digest = createHash('sha256').update(JSON.stringify(english)).update(menuTextsDigest()).digest('base64');
      if ((await store.get(account).catch(onAway)) === digest) return;
      await register();
      await store.set(account, digest).catch(onAway);
    },
  };
}

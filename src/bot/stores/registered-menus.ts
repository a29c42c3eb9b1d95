import { createHash } from 'node:crypto';
import * as z from 'zod';
import { textsDigest } from '../../i18n/load-texts.ts';
import type { RecordStore } from '../../infra/store/records.ts';

/** The menus that chat platforms were given, so that a restart neither makes those of all languages nor asks for what is there. */
export interface RegisteredMenus {
  /**
   * Registers, unless that was done a short time ago with the same menus.
   *
   * @param account `${platform}:${id of the bot}`
   * @param english the menus in English, which show what all languages are made from
   */
  keep(account: string, english: unknown, register: () => Promise<void>): Promise<void>;
}

export function createRegisteredMenus(records: Pick<RecordStore, 'collection'>): RegisteredMenus {
  // It is forgotten, since others who have the token may register menus of their own.
  const store = records.collection({ name: 'registered-menus', schema: z.string(), ttlMs: 24 * 3_600_000 });
  return {
    async keep(account, english, register) {
      const digest = createHash('sha256').update(JSON.stringify(english)).update(textsDigest()).digest('base64');
      if ((await store.get(account)) === digest) return;
      await register();
      await store.set(account, digest);
    },
  };
}

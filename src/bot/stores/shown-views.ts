import * as z from 'zod';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import { RequestBody } from '../contract/request.ts';

const Views = z.array(RequestBody);

export const SHOWN_VIEWS = {
  name: 'shown-views',
  schema: Views,
  // Buttons work for this long.
  ttlMs: 7 * 24 * 3_600_000,
  maxRecords: 200_000,
} as const satisfies CollectionOptions<z.infer<typeof Views>>;

/**
 * For a message with buttons, the requests whose answers it shows now and showed before, so that a person can go back.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface ShownViews {
  /** The message's requests, the latest last; empty when they are unknown. `message`: its platform and id. */
  of(message: string): Promise<readonly RequestBody[]>;
  /** @param owner `${platform}:${userId}` */
  set(message: string, views: readonly RequestBody[], owner: string): Promise<void>;
  forgetUser(owner: string): Promise<void>;
}

export function createShownViews({
  records,
}: {
  readonly records: Pick<RecordStore, 'groupedCollection'>;
}): ShownViews {
  const store = records.groupedCollection<z.infer<typeof Views>>(SHOWN_VIEWS);
  return {
    of: async message => (await store.get(message)) ?? [],
    set: (message, views, owner) => store.set(message, [...views], owner),
    forgetUser: owner => store.deleteGroup(owner),
  };
}

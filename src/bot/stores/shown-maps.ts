import * as z from 'zod';
import { RULESETS, type Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import { type Place, personKey } from '../contract/place.ts';

/** A difficulty, in the ruleset that it was shown in. */
export interface ShownMap {
  readonly id: number;
  readonly ruleset: Ruleset;
}

/**
 * The difficulty that each chat saw last, so that people need not name it again. A private chat's belongs to the person.
 *
 * No method rejects: no reply is worse for want of it.
 */
export interface ShownMaps {
  last(place: Place): Promise<ShownMap | undefined>;
  remember(place: Place, map: ShownMap): Promise<void>;
  /** Of the person's private chats. @throws AppError `internal` */
  forgetUser(key: string): Promise<void>;
}

export interface ShownMapsOptions {
  readonly records: RecordStore;
  readonly onFailure: (error: unknown) => void;
}

const Shown = z.object({ id: z.number().int().positive(), ruleset: z.enum(RULESETS) });

export const SHOWN_MAPS = {
  name: 'shown-maps',
  schema: Shown,
  ttlMs: 30 * 24 * 3_600_000,
  maxRecords: 50_000,
} as const satisfies CollectionOptions<ShownMap>;

function keyOf(place: Place): string {
  return place.chatKind === 'private' ? personKey(place) : `${place.platform}:chat:${place.chatId}`;
}

export function createShownMaps({ records, onFailure }: ShownMapsOptions): ShownMaps {
  const maps = records.collection<ShownMap>({ ...SHOWN_MAPS, maxInMemory: 2_000 });

  return {
    async last(place) {
      try {
        return await maps.get(keyOf(place));
      } catch (error) {
        onFailure(error);
        return undefined;
      }
    },
    async remember(place, { id, ruleset }) {
      try {
        await maps.set(keyOf(place), { id, ruleset });
      } catch (error) {
        onFailure(error);
      }
    },
    forgetUser: key => maps.delete(key),
  };
}

import * as z from 'zod';
import { RULESETS } from '../../beatmaps/model/beatmapset.ts';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import type { ShownMap, ShownMaps } from '../contract/chat-memory.ts';
import { type CallerPlace, callerKey } from '../contract/request.ts';

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

function keyOf(place: CallerPlace): string {
  return place.chatKind === 'private' ? callerKey(place) : `${place.platform}:chat:${place.chatId}`;
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

import * as z from 'zod';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';

interface ProvenUser {
  readonly user: string;
}

/** The collection that lists for each player who signed in as them. Only people's settings decide whether it is so. */
export const PROVEN_USERS = {
  name: 'proven-users',
  schema: z.object({ user: z.string() }),
} as const satisfies CollectionOptions<ProvenUser>;

/** The part of a person's settings that the index depends on. */
interface Linked {
  readonly player: { readonly id: number; readonly proven: boolean } | null;
}

/**
 * Finds the people who signed in as an osu! player, from their settings. People are given by `callerKey`.
 * @throws AppError `internal`
 */
export interface ProvenUsers {
  /** The people who signed in as that player, the most recent first. */
  of(playerId: number): Promise<readonly string[]>;
  /** Updates the index when a person's settings change. */
  follow(user: string, before: Linked, after: Linked): Promise<void>;
}

function provenPlayerOf({ player }: Linked): number | undefined {
  return player?.proven === true ? player.id : undefined;
}

export function createProvenUsers(records: RecordStore): ProvenUsers {
  const byPlayer = records.groupedCollection<ProvenUser>(PROVEN_USERS);
  return {
    of: async playerId => (await byPlayer.listGroup(String(playerId))).map(({ user }) => user),
    async follow(user, before, after) {
      const [left, come] = [provenPlayerOf(before), provenPlayerOf(after)];
      if (left === come) return;
      if (left !== undefined) await byPlayer.delete(`${left} ${user}`, String(left));
      if (come !== undefined) await byPlayer.set(`${come} ${user}`, { user }, String(come));
    },
  };
}

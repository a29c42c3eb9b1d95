import type { RecordStore } from '../../infra/store/records.ts';
import type { ChatMembers, ChatMemory } from '../contract/chat-memory.ts';
import { createChatMembers } from './chat-members.ts';
import { createShownMaps } from './shown-maps.ts';
import { createTrackedPlayers } from './tracked-players.ts';

export interface ChatMemoryOptions {
  readonly records: RecordStore;
  /** Called with failures that no reply depends on. */
  readonly onFailure: (error: unknown) => void;
  /** Says whether a platform allows messages that answer no request. Default: all do. */
  readonly canPost?: (platform: string) => boolean;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

export function createChatMemory({ records, onFailure, canPost, now }: ChatMemoryOptions): ChatMemory {
  const maps = createShownMaps({ records, onFailure });
  const stored = createChatMembers({ records, ...(now && { now }) });
  // A failure to record a member is only reported, because the answer is being sent anyway.
  const members: ChatMembers = { ...stored, note: (...place) => stored.note(...place).catch(onFailure) };
  const tracked = createTrackedPlayers({ records, ...(canPost && { canPost }) });

  return {
    maps,
    members,
    tracked,
    async forgetUser(key) {
      await maps.forgetUser(key);
      await members.forgetUser(key);
    },
    async leaveChat(key) {
      await tracked.leave(key);
      await members.forgetChat(key);
    },
    async moveChat(from, to) {
      await tracked.moveChat(from, to);
      await members.moveChat(from, to);
    },
  };
}

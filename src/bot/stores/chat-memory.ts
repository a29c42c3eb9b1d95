import type { RecordStore } from '../../infra/store/records.ts';
import { type ChatMembers, createChatMembers } from './chat-members.ts';
import { createShownMaps, type ShownMaps } from './shown-maps.ts';
import { createTrackedPlayers, type TrackedPlayers } from './tracked-players.ts';

/** What is kept about chats beside their settings. */
export interface ChatMemory {
  readonly maps: ShownMaps;
  readonly members: ChatMembers;
  readonly tracked: TrackedPlayers;
  /** Deletes what is kept of that person, by `callerKey`. @throws AppError `internal` */
  forgetUser(key: string): Promise<void>;
  /** Medley was removed from the chat: by `chatKey`. @throws AppError `internal` */
  leaveChat(key: string): Promise<void>;
  /** The chat has a new id. @throws AppError `internal` */
  moveChat(from: string, to: string): Promise<void>;
}

export interface ChatMemoryOptions {
  readonly records: RecordStore;
  /** Of what no reply depends on. */
  readonly onFailure: (error: unknown) => void;
  /** Whether anything can be posted unasked on that platform. Default: on every one. */
  readonly canPost?: (platform: string) => boolean;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export function createChatMemory({ records, onFailure, canPost, now }: ChatMemoryOptions): ChatMemory {
  const maps = createShownMaps({ records, onFailure });
  const stored = createChatMembers({ records, ...(now && { now }) });
  // It comes after the answer, which must not be lost with it.
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

import * as z from 'zod';
import { RULESETS } from '../../beatmaps/model/beatmapset.ts';
import type { Caller, CallerPlace } from './request.ts';

/**
 * All that is stored about chats besides their settings.
 * @throws AppError `internal` from every method
 */
export interface ChatMemory {
  readonly maps: ShownMaps;
  readonly members: ChatMembers;
  readonly tracked: TrackedPlayers;
  /** Deletes what is stored about the person with that `callerKey`. */
  forgetUser(key: string): Promise<void>;
  /** Deletes what is stored about the chat with that `chatKey`, because Medley was removed from it. */
  leaveChat(key: string): Promise<void>;
  /** Moves what is stored about a chat to its new id; both keys are from `chatKey`. */
  moveChat(from: string, to: string): Promise<void>;
}

/** A difficulty, and the ruleset in which it was shown. */
export const ShownMap = z.object({ id: z.number().int().positive(), ruleset: z.enum(RULESETS) });
export type ShownMap = Readonly<z.output<typeof ShownMap>>;

/**
 * The difficulty that was last shown in each chat, so that people need not name it again. For a private chat it is
 * stored under the person's key. `last` and `remember` never reject, since a reply can do without this memory.
 */
export interface ShownMaps {
  last(place: CallerPlace): Promise<ShownMap | undefined>;
  remember(place: CallerPlace, map: ShownMap): Promise<void>;
  /** Forgets the maps shown in the person's private chats. @throws AppError `internal` */
  forgetUser(key: string): Promise<void>;
}

/**
 * Records who used an osu! command in which group while having a linked player, for lists of a group's members. People
 * are stored by `callerKey`, groups by `chatKey`; a person is dropped 90 days after their last command.
 * @throws AppError `internal` from every method but `note` when the store cannot be read or written
 */
export interface ChatMembers {
  note(chat: string, user: string): Promise<void>;
  has(chat: string, user: string): Promise<boolean>;
  /** The people of the group, the most recent first. */
  list(chat: string): Promise<readonly string[]>;
  /** Forgets the person in every group. */
  forgetUser(user: string): Promise<void>;
  forgetChat(chat: string): Promise<void>;
  moveChat(from: string, to: string): Promise<void>;
}

const TrackedPlayer = z.object({ id: z.number().int().positive(), name: z.string(), mode: z.enum(RULESETS) });
export type TrackedPlayer = Readonly<z.output<typeof TrackedPlayer>>;

/** A chat in which players' new best plays are posted. */
export const TrackingChat = z.object({
  platform: z.string(),
  chatId: z.string(),
  /** The `chatKey` of the chat or of its Discord server. When Medley is removed there, nothing is posted any more. */
  group: z.string(),
  /**
   * The topic of the chat to which plays are posted: the one in which a player was last added; absent for the general
   * one.
   */
  topicId: z.string().optional(),
  players: z.array(TrackedPlayer).readonly(),
});
export type TrackingChat = Readonly<z.output<typeof TrackingChat>>;

/** The ids of a player's best plays in one ruleset when they were last read. */
export const TrackMark = z.object({ polledAt: z.number(), scoreIds: z.array(z.number()).readonly() });
export type TrackMark = Readonly<z.output<typeof TrackMark>>;

/**
 * Players whose new best plays are posted in chats. Nothing is stored about the people who chose them.
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface TrackedPlayers {
  /** Says whether the platform allows messages that answer no request. */
  canPost(platform: string): boolean;
  list(place: ChatPlace): Promise<readonly TrackedPlayer[]>;
  /** Begins to track a player; false if the chat, or Medley as a whole, tracks as many players as it may. */
  add(place: ChatPlace, player: TrackedPlayer): Promise<boolean>;
  /** Stops tracking; false when the player was not tracked. */
  remove(place: ChatPlace, player: Pick<TrackedPlayer, 'id' | 'mode'>): Promise<boolean>;
  /** All chats with tracked players. */
  chats(): Promise<readonly TrackingChat[]>;
  mark(player: Pick<TrackedPlayer, 'id' | 'mode'>): Promise<TrackMark | undefined>;
  setMark(player: Pick<TrackedPlayer, 'id' | 'mode'>, mark: TrackMark): Promise<void>;
  /** Stops tracking in the group with that `chatKey`, because Medley was removed from it. */
  leave(group: string): Promise<void>;
  /** Stops tracking in that chat, because nothing can be posted in it any more. */
  drop(place: Pick<CallerPlace, 'platform' | 'chatId'>): Promise<void>;
  moveChat(from: string, to: string): Promise<void>;
}

export type ChatPlace = Pick<Caller, 'platform' | 'groupId' | 'chatId' | 'topicId'>;
